"""Verdicts about rows, and the gaps they rest on.

Of ``_verdicts.py`` and ``_verdicts.py``.
"""

import numpy as np
import pytest
from scipy import stats

from sdv_prefair.fairness._joint_test import ComparableRows
from sdv_prefair.fairness._verdicts import (
    CANNOT_TELL,
    FAIR,
    UNFAIR,
    find_gaps,
    judge_rows,
    newcombe,
)


def hired(rng, chance):
    return (rng.random(np.shape(chance)) < chance).astype(int)


def test_a_large_fair_table_is_fair_within_a_few_points():
    rng = np.random.default_rng(0)
    sex, stratum = rng.integers(0, 2, (2, 40_000))
    found = judge_rows(sex, hired(rng, 0.2 + 0.5 * stratum), stratum)
    assert found.kind == FAIR
    assert 0.01 < found.within < 0.05
    assert (found.coverage, found.told, found.reason) == (1, 1, '')
    assert str(found) == f'fair within {100 * found.within:.1f} points'
    assert found.interval[0] < 0.005 < 0.01 > found.mean


@pytest.mark.parametrize('crossed', [False, True])
def test_a_gap_is_told_with_a_lower_bound_that_holds(crossed):
    rng = np.random.default_rng(1)
    sex, stratum = rng.integers(0, 2, (2, 4000))
    side = sex ^ stratum if crossed else sex
    found = judge_rows(sex, hired(rng, 0.3 + 0.4 * side), stratum)
    assert found.kind == UNFAIR
    assert 0.25 < found.at_least < 0.4 < found.within < 0.55
    assert str(found).startswith('unfair by at least ')
    assert found.mean == pytest.approx(0.4, abs=0.05)
    assert found.interval[0] > 0.3
    assert {found.worst.first, found.worst.second} == {0, 1}


def test_two_columns_whose_xor_decides_are_unfair_together_and_fair_alone():
    rng = np.random.default_rng(2)
    sex, race = rng.integers(0, 2, (2, 6000))
    outcome, all_rows = hired(rng, 0.1 + 0.79 * (sex ^ race)), np.zeros(6000)
    assert judge_rows(sex, outcome, all_rows).kind == FAIR
    together = judge_rows(2 * sex + race, outcome, all_rows)
    assert together.kind == UNFAIR
    assert 0.7 < together.at_least < 0.79


def test_no_evidence_is_no_good_verdict_and_says_why():
    """80 % of men and 20 % of women hired, and admissible columns that single everybody out."""
    rng = np.random.default_rng(3)
    sex = rng.integers(0, 2, 2000)
    outcome = hired(rng, 0.2 + 0.6 * sex)
    alone = judge_rows(sex, outcome, np.arange(2000))
    assert (alone.kind, alone.reason) == (CANNOT_TELL, 'no stratum holds two groups')
    assert np.isnan([alone.p_value, alone.mean, *alone.interval, alone.sees]).all()
    assert (alone.within, alone.at_least, alone.coverage, alone.told) == (1, 0, 0, 0)
    few = judge_rows(sex, outcome, np.where(np.arange(2000) < 4, 0, np.arange(2000)))
    assert few.kind == CANNOT_TELL
    assert few.reason == 'only 0.2% of the rows are in strata with two groups'
    one = judge_rows(np.zeros(50), outcome[:50], np.zeros(50))
    assert one.reason == 'all rows are of one group'
    small = judge_rows(np.arange(40) % 5, outcome[:40], np.zeros(40))
    assert small.reason == '5 of 5 groups within strata have fewer than 30 rows'


def test_a_group_of_29_who_are_never_chosen_is_shown_with_its_interval():
    rng = np.random.default_rng(4)
    group = np.array(['small'] * 29 + ['large'] * 3000)
    outcome = np.r_[np.zeros(29, dtype=int), hired(rng, np.full(3000, 0.61))]
    found = judge_rows(group, outcome, np.zeros(3029))
    assert found.kind == UNFAIR
    assert found.worst.rows in {(3000, 29), (29, 3000)}
    small = found.groups.loc['small']
    assert (small['rows'], small['compared'], small['1'], small['1 low']) == (29, 29, 0, 0)
    assert small['1 high'] == pytest.approx(0.117, abs=0.001), 'not a width of zero'


def test_newcombes_interval_is_that_of_his_table():
    """Newcombe (1998), table II, method 10: 56/70 against 48/80, and no events at all."""
    cases = [((56, 70), (48, 80), (0.0524, 0.3339)), ((0, 20), (0, 10), (-0.2775, 0.1611))]
    for (a, m), (b, n), wanted in cases:
        rates, rows = (np.array([a / m]), np.array([b / n])), (np.array([m]), np.array([n]))
        found = newcombe(rates, rows, stats.norm.isf(0.025))
        assert [float(end[0]) for end in found] == pytest.approx(wanted, abs=1e-4)


@pytest.mark.parametrize('outcomes', [2, 4])
@pytest.mark.parametrize('strata', [1, 20])
def test_bounds_hold_for_random_tables(outcomes, strata):
    """With a level of 1 in 20, of 300 tables 15 may be wrong on either side; 30 is too many."""
    rng, above, below = np.random.default_rng(outcomes + strata), 0, 0
    for _ in range(300):
        rates = rng.dirichlet(np.ones(outcomes), (strata, 3))
        gaps = [
            np.abs(rates[:, a] - rates[:, b]).sum(axis=1).max() / 2 for a in (0, 1) for b in (1, 2)
        ]
        stratum, group = rng.integers(0, strata, 1500), rng.choice(3, 1500, p=[0.6, 0.3, 0.1])
        chosen = rates[stratum, group].cumsum(axis=1)
        outcome = (rng.random(1500)[:, None] > chosen[:, :-1]).sum(axis=1)
        found = find_gaps(ComparableRows(group, outcome, stratum), 0.1, 0.05)
        above += found.within < max(gaps)
        below += found.at_least > max(gaps)
    assert above <= 30
    assert below <= 30
