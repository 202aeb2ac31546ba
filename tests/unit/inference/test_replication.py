import numpy as np
import pytest
from people import people

from sdv_prefair import PreFairSynthesizer, load_release
from sdv_prefair.inference import _replication as replication
from sdv_prefair.inference._replication import replicate

pytestmark = pytest.mark.filterwarnings('ignore::UserWarning')
PEOPLE = people(3000, ('sex', 'education', 'age', 'home', 'income'))


def fit(**arguments):
    synthesizer = PreFairSynthesizer(
        PEOPLE.metadata, public_ranges=True, seed=2, **PEOPLE.roles, **arguments
    )
    synthesizer.fit(PEOPLE.data)
    return synthesizer


@pytest.fixture(scope='module')
def fitted():
    return fit(epsilon=0.5)


def same(one, other):
    pairs = zip(one.models, other.models, strict=True)
    return all(np.array_equal(a.marginal(c), b.marginal(c)) for a, b in pairs for c in a.domain)


def test_the_same_seed_gives_the_same_on_any_number_of_cores(fitted, monkeypatch):
    one = replicate(fitted.fitted, 4, seed=5)
    monkeypatch.setattr(replication, '_CORES', 1)
    assert same(one, replicate(fitted.fitted, 4, seed=5))
    assert not same(one, replicate(fitted.fitted, 4, seed=6))


@pytest.mark.parametrize('is_opened', [False, True])
def test_nothing_is_spent_and_nothing_changes(fitted, tmp_path, is_opened):
    if is_opened:
        fitted.save_release(tmp_path / 'fit.prefair')
        fitted = load_release(tmp_path / 'fit.prefair')
    before = fitted.get_privacy_ledger().to_csv(), fitted.get_privacy_account().to_csv()
    fitted.save_release(tmp_path / 'before.prefair')
    rows = fitted.sample(20)['people']
    fitted.reset_sampling()
    fitted.replicates(3, progress=False)
    fitted.estimate('income by sex', in_the_fair_table=True)
    for sampling in (True, False):
        fitted.estimate_statistic(len, 30, progress=False, sampling=sampling)
    fitted.sample_replicates(2, 30)
    after = fitted.get_privacy_ledger().to_csv(), fitted.get_privacy_account().to_csv()
    fitted.save_release(tmp_path / 'after.prefair')
    assert before == after
    assert (tmp_path / 'before.prefair').read_bytes() == (tmp_path / 'after.prefair').read_bytes()
    assert rows.equals(fitted.sample(20)['people']), 'samples stay the same'


def test_an_opened_release_gives_the_same_replicates(fitted, tmp_path):
    fitted.save_release(tmp_path / 'fit.prefair')
    opened = load_release(tmp_path / 'fit.prefair')
    assert same(replicate(opened.fitted, 3, seed=1), replicate(fitted.fitted, 3, seed=1))


@pytest.mark.pull_request
def test_replicates_stray_by_noise_and_chance():
    """A column on its own: the variance is that of the noise and of 3000 rows."""
    synthesizer = fit(epsilon=0.2, structure='none')
    model = synthesizer.fitted.model
    number = 150
    drawn = replicate(synthesizer.fitted, number, seed=0)
    found = np.array([m.marginal('sex')[0] for m in drawn.models])
    interval = synthesizer.estimate('sex').iloc[0]
    # Four standard errors of a standard deviation from 150 draws are 23 %.
    assert found.std(ddof=1) == pytest.approx(interval['standard_error'], rel=0.25)
    assert found.mean() == pytest.approx(model.marginal('sex')[0], abs=5 * found.std() / 12)
    totals = np.array([m.total for m in drawn.models])
    assert abs(totals.mean() - model.total) < 5 * totals.std() / np.sqrt(number)


@pytest.mark.pull_request
def test_fewer_rows_than_the_table_has_stray_as_all_of_them_would(fitted, monkeypatch):
    def spread(number=60):
        drawn = replicate(fitted.fitted, number, seed=3)
        return np.std([m.marginal('income')[0] for m in drawn.models])

    whole = spread()
    monkeypatch.setattr(replication, '_MOST_ROWS', 300)
    assert spread() == pytest.approx(whole, rel=0.45)
    rows, shrink = replicate(fitted.fitted, 2, seed=3).rows(0)
    assert len(rows['sex']) == 300
    assert shrink == pytest.approx(np.sqrt(300 / round(fitted.fitted.model.total)))


def test_pickles_hold_no_replicates(fitted, tmp_path):
    fitted.save(tmp_path / 'without.pkl')
    fitted.replicates(2, seed=0, progress=False)
    fitted.save(tmp_path / 'with.pkl')
    sizes = [(tmp_path / name).stat().st_size for name in ('without.pkl', 'with.pkl')]
    assert sizes[0] == pytest.approx(sizes[1], rel=0.01)
