"""``plan`` rehearses a fit: its numbers are those of a real fit's ledger and measurements."""

import numpy as np
import pytest
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer, Roles, save_metadata, strip_ranges
from sdv_prefair.cli import main
from sdv_prefair.datasets import simulate_census
from sdv_prefair.domain import modelled_columns
from sdv_prefair.model._noise import noise_of_columns

pytestmark = pytest.mark.filterwarnings('ignore::UserWarning')

ROWS = 4000
CENSUS = simulate_census(ROWS, seed=2)


def new(metadata=CENSUS.metadata, **changes):
    given = {'public_ranges': True} | CENSUS.roles.as_dict() | changes
    return PreFairSynthesizer(metadata, **given)


def of_fit(synthesizer):
    """Return sigma of every column, and what each step spent."""
    synthesizer.fit(CENSUS.data)
    noise = noise_of_columns(synthesizer.fitted.model)
    ledger = synthesizer.get_privacy_ledger()
    return {column: n.sigma for column, n in noise.items()}, ledger.groupby('step')['rho'].sum()


def test_of_a_fixed_tree_the_ledger_is_that_of_a_fit_line_by_line():
    """With equal parts for all marginals nothing of it hangs on rows: equal to the last bit."""
    others = [c for c in modelled_columns(CENSUS.metadata) if c not in ('income', 'education')]
    tree = [('income', 'education'), *(('education', column) for column in others)]
    how = {'structure': tree, 'budget': 'paper', 'discretization': 'uniform', 'epsilon': 2}
    plan, fitted = new(**how).plan(ROWS, [2]), new(**how)
    sigma, _ = of_fit(fitted)
    spent = ['step', 'mechanism', 'columns', 'rho']
    assert plan.ledgers[2][spent].equals(fitted.get_privacy_ledger()[spent])
    of_plan = plan.columns.set_index('columns')['sigma']
    # A cell takes in its share of rows that hold nothing of the domain, which is not the same.
    assert of_plan.to_dict() == pytest.approx(sigma, rel=0.2)


@pytest.mark.parametrize('structure', ['planned', 'adaptive'])
def test_of_other_structures_it_is_near(structure):
    """How many pairs are measured follows the rows, and one-ways get what these leave."""
    plan = new(structure=structure).plan(ROWS, [1.0])
    sigma, steps = of_fit(new(structure=structure))
    of_plan = plan.columns.set_index('columns')['sigma']
    ratio = of_plan / of_plan.index.map(sigma).to_numpy()
    assert ratio.between(0.4, 2.5).all()
    assert 0.7 < np.exp(np.log(ratio).mean()) < 1.4
    assert plan.ledgers[1.0]['rho'].sum() == pytest.approx(steps.sum(), rel=1e-9)


def test_more_rows_and_more_epsilon_leave_less_noise():
    small = new().plan(1000, [0.3, 3])
    assert (small.to_frame()[0.3] > small.to_frame()[3]).all()
    assert (small.columns['verdict'] == 'swamped by noise').sum() >= 6
    large = new().plan(3_000_000, [1])
    assert (large.columns['verdict'] == 'clear').all()
    assert large.columns['misplaced'].max() < 0.01


def test_what_noise_can_hide_is_what_noise_alone_moves():
    """By drawing the noise of a table of so many cells."""
    plan = new().plan(ROWS, [1.0])
    hidden = plan.hidden_effects(1.0)
    assert {outcome: list(shares) for outcome, shares in hidden.items()} == {
        outcome: list(CENSUS.roles.admissible) for outcome in CENSUS.roles.outcome
    }
    sigma = plan.pairs['sigma'].median()
    cells = plan.columns.set_index('columns')['cells']
    moved = np.abs(np.random.default_rng(0).normal(0, sigma, (2000, cells['income'])))
    drawn = moved.sum() / 2000 * cells['education'] / 2 / ROWS
    assert hidden['income']['education'] == pytest.approx(drawn, rel=0.05)
    told = ' '.join(plan.lines())
    assert 'Noise can hide an effect on income that changes it in fewer rows than this:' in told
    assert f'education {hidden["income"]["education"]:.1%}' in told


def test_it_reads_nothing_and_leaves_no_trace():
    synthesizer = new(seed=None)
    before = dict(vars(synthesizer))
    first, again = synthesizer.plan(500, [1]), synthesizer.plan(500, [1])
    assert repr(first) == repr(again), 'it is a function of public facts'
    assert vars(synthesizer) == before
    assert synthesizer.get_privacy_account().empty


def test_what_is_learnt_is_paid_for_and_said():
    plan = new(strip_ranges(CENSUS.metadata)).plan(2000, [1])
    assert 'learn domains' in set(plan.ledgers[1]['step'])
    assert set(plan.learnt) >= {'sex', 'age', 'interview_date'}
    assert 'No range is declared' in repr(plan)


def test_the_picture_has_a_field_for_each_column_and_epsilon():
    plan = new().plan(500, [1, 4])
    figure = plan.plot()
    fields, *legend = figure.data
    shown = {
        (epsilon, column): (fields.text[row][place], legend[fields.z[row][place]].name)
        for row, column in enumerate(fields.y)
        for place, epsilon in enumerate(fields.x)
    }
    assert shown == {
        (f'{line.epsilon:g}', line.columns): (f'{line.misplaced:.1%}', line.verdict)
        for line in plan.columns.itertuples()
    }


def test_the_command_prints_a_table_and_writes_a_picture(tmp_path, capsys):
    columns = {
        'sex': {'sdtype': 'categorical', 'range_values': ['F', 'M']},
        'grade': {'sdtype': 'numerical', 'range_min': 1, 'range_max': 6, 'decimal_places': 0},
        'paid': {'sdtype': 'boolean'},
    }
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    save_metadata(metadata, Roles(['sex'], ['grade'], ['paid']), tmp_path / 'm.json')
    plan = ['plan', '--metadata', str(tmp_path / 'm.json'), '--rows', '3000']
    assert main([*plan, '--epsilon', '0.5,2', '--out', str(tmp_path / 'plan.html')]) == 0
    shown = capsys.readouterr().out
    assert '3,000 rows, epsilon = 0.5. No row was read, nothing was spent.' in shown
    assert 'What a larger epsilon buys:' in shown
    assert 'grade' in shown
    assert '<html>' in (tmp_path / 'plan.html').read_text('utf-8')[:100]
    assert main(plan) == 0
    lines = capsys.readouterr().out.splitlines()
    bought = lines.index('What a larger epsilon buys:') + 2
    assert [line.split()[0] for line in lines[bought : bought + 4]] == ['1', '2', '5', '10']
    with pytest.raises(SystemExit):
        main([*plan, '--epsilon', 'x'])
    assert "'x' must be a number above 0" in capsys.readouterr().err
