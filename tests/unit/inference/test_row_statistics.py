"""Any statistic of a table: for the population, and for the private table."""

import pytest
from people import people

from sdv_prefair import PreFairSynthesizer, load_release

pytestmark = pytest.mark.filterwarnings('ignore::UserWarning')
PEOPLE = people(1500, ('sex', 'education', 'home', 'income'))


@pytest.fixture(scope='module')
def nearly_exact():
    synthesizer = PreFairSynthesizer(
        PEOPLE.metadata, epsilon=1e4, public_ranges=True, seed=1, **PEOPLE.roles
    )
    synthesizer.fit(PEOPLE.data)
    synthesizer.replicates(12, seed=0, progress=False)
    return synthesizer


def share(table):
    return (table['income'] == 'high').mean()


def error_of(synthesizer, sampling):
    found = synthesizer.estimate_statistic(share, 1500, progress=False, sampling=sampling)
    return found['standard_error'].item()


def test_without_noise_a_statistic_of_the_private_table_is_known(nearly_exact):
    """Chance alone is 0.011 for 1500 rows; dealt out evenly, rows leave next to nothing of it."""
    population, table = (error_of(nearly_exact, sampling) for sampling in (True, False))
    assert population > 0.004, 'the chance of the rows, from 12 replicates'
    assert table < 0.1 * population


def test_an_opened_release_answers_the_same(nearly_exact, tmp_path):
    nearly_exact.save_release(tmp_path / 'fit.prefair')
    opened = load_release(tmp_path / 'fit.prefair')
    opened.replicates(12, seed=0, progress=False)
    assert error_of(opened, False) == pytest.approx(error_of(nearly_exact, False), abs=1e-3)


def test_a_table_of_more_rows_than_are_drawn_strays_less(nearly_exact, monkeypatch):
    """Of a tenth of the rows deviations are those of all, so that they cancel all the same."""
    monkeypatch.setattr('sdv_prefair.inference._replication._MOST_ROWS', 150)
    nearly_exact.replicates(12, seed=0, progress=False)
    assert error_of(nearly_exact, False) < 0.1 * error_of(nearly_exact, True)
