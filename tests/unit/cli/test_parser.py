import pytest

from sdv_prefair.cli.parser import make_parser


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
