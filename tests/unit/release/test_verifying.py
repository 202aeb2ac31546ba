"""Releases and rows checked again.

Of ``_verifying.py``, ``_verified.py`` and ``_verifying.py``.
"""

import numpy as np
import pandas as pd
import pytest
from releases import ROLES, TREE, fit, staff_metadata, staff_rows, tied_rows
from scipy import stats

from sdv_prefair import PrivacyWarning, load_release, verify_release
from sdv_prefair.errors import ReleaseError, VerificationError
from sdv_prefair.fairness._statements import Independent
from sdv_prefair.fairness._verdicts import FAIR, UNFAIR
from sdv_prefair.model import GraphicalModel
from sdv_prefair.release import _verifying as marginal_test
from sdv_prefair.release._verifying import (
    LEVEL,
    chi_square,
    compare_marginals,
    judge_statement,
    verify_fit,
    verify_table,
)


@pytest.fixture(scope='module')
def saved(tmp_path_factory):
    """A release whose model has a strong dependence, and hardly any noise."""
    path = tmp_path_factory.mktemp('release') / 'staff.prefair'
    fit(tied_rows(), structure=TREE, epsilon=500.0).save_release(path)
    return path


@pytest.fixture(scope='module')
def opened(saved):
    return load_release(saved)


def rows_of(synthesizer, num_rows=2000, **options):
    return synthesizer.sample(num_rows, **options)['staff']


def failed(verification):
    return [check.about for check in verification.failed]


def test_a_release_and_its_rows_are_verified(saved, opened):
    assert bool(verify_release(saved))
    checked = verify_release(saved, rows_of(load_release(saved)))
    assert [check.about for check in checked.checks] == [
        'ledger', 'delta', 'noise', 'fairness', 'record', 'columns', 'values', 'origin',
    ]  # fmt: skip
    assert checked.to_frame()['passed'].all()
    assert 'exactly the rows' in checked.checks[-1].told
    again = verify_release(saved, rows_of(load_release(saved), independent_rows=True))
    assert 'with independent rows' in again.checks[-1].told


def test_rows_read_back_from_a_file_are_the_very_rows_too(saved, tmp_path):
    rows_of(load_release(saved)).to_csv(tmp_path / 'rows.csv', index=False)
    checked = verify_release(saved, pd.read_csv(tmp_path / 'rows.csv'))
    assert checked.checks[-1].about == 'origin'


@pytest.mark.parametrize('independent', [False, True])
def test_a_few_rows_that_were_changed_are_noticed(saved, independent):
    """Marginals would not tell: two rows only change places."""
    rows = rows_of(load_release(saved), independent_rows=independent)
    assert verify_release(saved, rows)
    other = int((rows['grade'] != rows['grade'].iloc[0]).to_numpy().argmax())
    rows.iloc[[0, other]] = rows.iloc[[other, 0]].to_numpy()
    with pytest.raises(VerificationError, match='origin: 1,998 rows .* the others were changed'):
        verify_release(saved, rows)


def test_other_rows_of_the_model_pass_the_test_of_marginals(saved):
    """Fails once in a thousand tables; evenly dealt rows practically never."""
    synthesizer = load_release(saved)
    rows_of(synthesizer, 777)  # random numbers go on from there
    checked = verify_table(synthesizer, rows_of(synthesizer))
    about = ['columns', 'values', 'distribution', 'independence']
    assert [check.about for check in checked.checks] == about
    assert bool(checked)


def test_rows_from_elsewhere_fail(opened):
    """Half of the hours are exchanged: the one-way marginals stay, the pair does not."""
    rows = rows_of(load_release_of(opened), 3000)
    mixed = rows.assign(hours=np.roll(rows['hours'].to_numpy(), 1500), paid=rows['paid'])
    assert failed(verify_table(opened, mixed)) == ['distribution']
    one_sided = rows.assign(sex='F')
    assert failed(verify_table(opened, one_sided)) == ['distribution']
    with pytest.raises(VerificationError, match='NOT that of the model'):
        opened.verify_rows(one_sided)
    assert failed(verify_table(opened, staff_rows(3000))) == ['distribution']


def load_release_of(opened):
    opened.reset_sampling()
    return opened


@pytest.mark.parametrize(
    ('change', 'about'),
    [
        (lambda rows: rows.drop(columns='paid'), 'columns'),
        (lambda rows: rows.assign(planet='Mars'), 'columns'),
        (lambda rows: rows.assign(hours='many'), 'values'),
        (lambda rows: rows.assign(hours=91), 'values'),
        (lambda rows: rows.assign(hours=rows['hours'] + 0.5), 'values'),
        (lambda rows: rows.assign(grade='d'), 'values'),
        (lambda rows: rows.assign(paid=None), 'values'),
        (lambda rows: rows.head(0), 'columns'),
    ],
)
def test_what_the_release_cannot_draw_is_found(opened, change, about):
    checked = verify_table(opened, change(rows_of(load_release_of(opened), 50)))
    assert failed(checked) == [about]
    assert 'Mars' not in repr(checked.to_frame()), 'names of columns, and no values'


def test_a_seed_fails_and_no_fairness_does_not(tmp_path):
    with pytest.warns(PrivacyWarning):
        fit(seed=1).save_release(tmp_path / 'seeded')
    with pytest.raises(VerificationError, match='noise: generated from a known seed'):
        verify_release(tmp_path / 'seeded')
    fit(structure='none').save_release(tmp_path / 'plain')
    told = verify_release(tmp_path / 'plain').checks[-2].told
    assert told == 'none is promised, so none was checked'


def test_an_unfair_model_and_a_ledger_that_does_not_add_up_are_found(opened, monkeypatch):
    """What no file can hold: a model or a ledger that was changed after it was opened."""
    assert failed(verify_fit(opened)) == []
    unfair = fit(structure=TREE)
    direct = fit(structure='none', protected=(), admissible=(), outcome=())
    other = GraphicalModel.__new__(GraphicalModel)
    vars(other).update(vars(unfair.fitted.model))
    vars(other)['cliques'] = (('sex', 'paid'), *unfair.fitted.model.cliques)
    vars(unfair.fitted)['model'] = other
    assert failed(verify_fit(unfair)) == ['fairness']
    ledger = direct.get_privacy_ledger()
    attrs = ledger.attrs | {'rho': ledger.attrs['rho'] * 2}
    monkeypatch.setattr(type(direct), 'get_privacy_ledger', lambda _: ledger.set_axis(ledger.index))
    ledger.attrs.update(attrs)
    assert failed(verify_fit(direct)) == ['ledger']


def test_a_damaged_file_is_refused(saved, tmp_path):
    (tmp_path / 'cut').write_bytes(saved.read_bytes()[:-30])
    with pytest.raises(ReleaseError):
        verify_release(tmp_path / 'cut')


def test_opened_releases_know_the_digest_of_their_file_until_they_are_fitted_again(saved):
    import hashlib

    synthesizer = load_release(saved)
    assert synthesizer.get_release_digest() == hashlib.sha256(saved.read_bytes()).hexdigest()
    fresh = fit(structure=TREE)
    assert fresh.get_release_digest() != synthesizer.get_release_digest()


def test_chi_square_is_that_of_scipy_where_no_cell_is_small():
    counts, shares = np.array([30.0, 50.0, 20.0]), np.array([0.25, 0.5, 0.25])
    expected = stats.chisquare(counts, 100 * shares).pvalue
    assert chi_square(counts, shares) == pytest.approx(expected)
    assert chi_square(np.array([3.0, 1.0]), np.array([0.5, 0.5])) is None
    assert chi_square(np.array([100.0]), np.array([1.0])) is None


@pytest.mark.parametrize(('cells', 'rows'), [(4, 300), (40, 2000), (300, 5000)])
def test_the_level_is_about_what_it_says(cells, rows):
    """Of 20,000 tables that follow the shares about 20 fail; with seed 0, from 8 to 40 do."""
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.full(cells, 0.3))
    tables = rng.multinomial(rows, shares, size=20_000).astype(float)
    failures = sum((chi_square(table, shares) or 1.0) < LEVEL for table in tables)
    assert failures < 40
    wrong = rng.dirichlet(np.full(cells, 0.3))
    assert chi_square(rng.multinomial(rows, wrong).astype(float), shares) < 1e-6


def test_marginals_are_corrected_for_their_number(opened):
    fitted = opened.fitted
    rows = rows_of(load_release_of(opened), 3000)
    codes = fitted.encoding.encode(rows).astype(np.int64)
    found = compare_marginals(fitted.model, codes)
    assert found.tested == 4 + 3, 'all columns and all pairs of the tree'
    assert found.is_passed()
    some = compare_marginals(fitted.model, codes[['sex', 'grade']])
    assert some.tested == 3
    assert marginal_test.MarginalTest(0, (), 1.0, ()).is_passed()
    assert ROLES['outcome'] == ['paid']


def unfairly_paid(rows):
    """Return rows with the same one- and two-way marginals of the tree, dealt out by sex."""
    paid = rows['paid'].to_numpy().copy()
    for _, members in rows.groupby('grade', dropna=False).indices.items():
        order = members[np.argsort(rows['sex'].astype(str).to_numpy()[members], kind='stable')]
        paid[order] = np.sort(paid[order])
    return rows.assign(paid=paid)


def test_rows_that_break_a_statement_fail_though_all_marginals_are_the_models(saved):
    rows = rows_of(load_release(saved), 3000).sample(frac=1, random_state=0, ignore_index=True)
    assert bool(verify_table(load_release(saved), rows))
    rows = unfairly_paid(rows)
    checked = verify_table(load_release(saved), rows)
    assert failed(checked) == ['independence']
    told = checked.failed[0].told
    assert told.startswith('NOT so that paid is independent of sex given grade: unfair by at least')


@pytest.fixture(scope='module')
def two_protected():
    rng = np.random.default_rng(4)
    table = staff_rows(4000).assign(born=rng.choice(['here', 'there'], 4000))
    metadata = staff_metadata(born={'sdtype': 'categorical', 'range_values': ['here', 'there']})
    roles = {'protected': ['sex', 'born'], 'epsilon': 500.0}
    return fit(table, metadata, structure=[*TREE, ('grade', 'born')], **roles)


@pytest.mark.parametrize('decides', ['both protected columns', 'the other way in each stratum'])
def test_rows_that_are_unfair_only_jointly_are_not_verified(two_protected, decides):
    """Neither protected column alone, over all strata, says anything about the outcome."""
    two_protected.reset_sampling()
    rows = rows_of(two_protected, 4000, independent_rows=True)
    rows = rows.sample(frac=1, random_state=0, ignore_index=True)  # as another sample would be
    rng = np.random.default_rng(5)
    sex, born, grade = rows['sex'] == 'F', rows['born'] == 'here', rows['grade'] == 'a'
    odd = sex ^ (born if decides == 'both protected columns' else grade)
    share = rows.groupby('grade')['paid'].transform('mean')
    unfair = rows.assign(paid=rng.random(4000) < np.where(odd, share + 0.35, share - 0.35))
    checked = verify_table(two_protected, unfair)
    (found,) = [check for check in checked.failed if check.about == 'independence']
    assert 'paid is independent of sex, born given grade: unfair by at least' in found.told
    assert failed(verify_table(two_protected, rows)) == []


def test_generated_columns_that_are_not_the_releases_are_named(saved):
    rows = rows_of(load_release(saved))
    swapped = rows.assign(key=[f'K{900_000 + row}' for row in range(len(rows))])
    same, changed = (verify_table(load_release(saved), table) for table in (rows, swapped))
    assert 'generated' not in same.checks[-1].told
    assert "except for ['key'], which are generated" in changed.checks[-1].told
    assert "not checked: ['key']" in changed.checks[1].told


@pytest.mark.parametrize('strata', [1, 40, 1500])
@pytest.mark.parametrize('kinds', [2, 6, 3000])
def test_independent_rows_keep_statements_and_others_do_not(strata, kinds):
    """Of rows that keep them one table in a thousand fails."""
    generator = np.random.default_rng(7)
    statement = Independent(['left'], ['right'], ['given'])
    given = generator.integers(0, strata, 6000)
    side = (given % 3 + generator.integers(0, kinds, (2, 6000))) % kinds
    codes = pd.DataFrame({'left': side[0], 'right': side[1], 'given': given})
    assert judge_statement(statement, codes).kind != UNFAIR
    tie = generator.random(6000) < 0.3
    tied = codes.assign(right=np.where(tie, codes['left'], codes['right']))
    assert judge_statement(statement, tied).kind == UNFAIR


def test_dependence_that_goes_both_ways_is_found_within_strata():
    generator = np.random.default_rng(8)
    given, left, noise = generator.integers(0, 2, (3, 4000))
    right = np.where(generator.random(4000) < 0.5, left ^ given, noise)
    codes = pd.DataFrame({'left': left, 'right': right, 'given': given})
    assert judge_statement(Independent(['left'], ['right']), codes).kind == FAIR
    assert judge_statement(Independent(['left'], ['right'], ['given']), codes).kind == UNFAIR


@pytest.mark.filterwarnings('ignore:delta')
@pytest.mark.parametrize(('delta', 'is_well'), [(1e-9, True), (2e-3, False)])
def test_a_delta_above_one_over_the_rows_fails(delta, is_well):
    synthesizer = fit(tied_rows(), structure=TREE, delta=delta)
    (check,) = [c for c in verify_fit(synthesizer).checks if c.about == 'delta']
    assert check.passed is is_well
    assert ('a row at random' in check.told) is not is_well
