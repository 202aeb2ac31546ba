import pytest

from sdv_prefair.cli._parser import make_parser


@pytest.mark.parametrize(
    ('text', 'names'),
    [
        ('sex,race', ['sex', 'race']),
        (' sex , race ', ['sex', 'race']),
        ('"pay, gross",age', ['pay, gross', 'age']),
        ('age, "pay, gross"', ['age', 'pay, gross']),
        ('say ""no"",x', ['say ""no""', 'x']),
    ],
)
def test_names_of_columns_are_a_line_of_csv(text, names):
    line = ['fit', 'x.csv', '--metadata', 'm', '--out', 'y', '--protected', text]
    assert make_parser().parse_args(line).protected == names


@pytest.mark.parametrize(
    ('text', 'statement'),
    [
        ('income ~ sex', (['sex'], ['income'], [])),
        ('income ~ sex, race | education', (['sex', 'race'], ['income'], ['education'])),
        ('pay,bonus~sex|grade,hours', (['sex'], ['pay', 'bonus'], ['grade', 'hours'])),
        ('"a ~ b" ~ "c | d", e | "f, g"', (['c | d', 'e'], ['a ~ b'], ['f, g'])),
    ],
)
def test_statements_are_formulas(text, statement):
    line = ['fit', 'x.csv', '--metadata', 'm', '--out', 'y', '--fairness', text]
    assert make_parser().parse_args(line).fairness == [statement]


def test_statements_are_repeated():
    line = ['evaluate', 'x.csv', '--real', 'r', '--metadata', 'm']
    line += ['--fairness', 'a ~ b', '--fairness', 'b ~ c | d']
    assert make_parser().parse_args(line).fairness == [
        (['b'], ['a'], []),
        (['c'], ['b'], ['d']),
    ]


@pytest.mark.parametrize(
    'text', ['', 'income', '~ sex', 'income ~', 'a ~ b | ', 'a | b', 'a ~ b ~ c', 'a ~ b | c | d']
)
def test_what_is_no_formula_is_refused(text, capsys):
    with pytest.raises(SystemExit):
        make_parser().parse_args(['fit', 'x', '--metadata', 'm', '--out', 'y', '--fairness', text])
    assert 'must have the form "outcomes ~ protected | given"' in capsys.readouterr().err


@pytest.mark.parametrize('text', ['55%', '0.55', '55.0%'])
def test_a_risk_is_a_share(text):
    line = ['fit', 'x.csv', '--metadata', 'm', '--out', 'y', '--max-guess', text]
    assert make_parser().parse_args(line).max_guess == pytest.approx(0.55)


@pytest.mark.parametrize('text', ['50%', '55', '0.5', 'half', '100%', 'nan'])
def test_what_is_no_risk_is_refused(text, capsys):
    with pytest.raises(SystemExit):
        make_parser().parse_args(['fit', 'x', '--metadata', 'm', '--out', 'y', '--max-guess', text])
    assert 'must be above 50% and below 100%' in capsys.readouterr().err


def test_a_budget_is_given_once(capsys):
    line = ['plan', '--metadata', 'm', '--rows', '9', '--epsilon', '1', '--max-guess', '55%']
    with pytest.raises(SystemExit):
        make_parser().parse_args(line)
    assert 'not allowed with' in capsys.readouterr().err
