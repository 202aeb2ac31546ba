"""The joint test of a statement: its null distribution, its level, and what it finds."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sdv_prefair.fairness import _joint_test
from sdv_prefair.fairness._joint_test import (
    ComparableRows,
    Squares,
    bennett,
    joint_codes,
    joint_test,
)


def judged(left, right, strata=None):
    strata = np.zeros(len(left)) if strata is None else strata
    return joint_test(ComparableRows(np.asarray(left), np.asarray(right), np.asarray(strata)))


@given(st.data())
def test_mean_and_variance_are_those_of_all_shuffles(data):
    """The closed form against every permutation of small strata."""
    sizes = data.draw(st.lists(st.integers(2, 5), min_size=1, max_size=2))
    rows = sum(sizes)
    stratum = np.repeat(np.arange(len(sizes)), sizes)
    group, outcome = (
        np.array(data.draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows)))
        for _ in range(2)
    )
    mean, variance = 0.0, 0.0
    for one in range(len(sizes)):
        mine = stratum == one
        if len(set(group[mine])) < 2:
            continue
        found = [_squares(group[mine], order) for order in permutations(outcome[mine])]
        mean, variance = mean + np.mean(found), variance + np.var(found)
    kept = ComparableRows(group, outcome, stratum)
    if len(kept.group):
        told = Squares(kept)
        assert told.mean == pytest.approx(mean)
        assert told.variance == pytest.approx(variance, abs=1e-9)


def _squares(group, outcome):
    outcome = np.array(outcome)
    total = 0.0
    for kind in set(outcome):
        for one in set(group):
            mine = group == one
            apart = (outcome[mine] == kind).mean() - (outcome == kind).mean()
            total += mine.sum() * apart**2
    return total


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 40), st.integers(0, 40))
def test_bennett_bounds_every_hypergeometric_tail(good, bad, drawn, count):
    null = stats.hypergeom(good + bad, good, min(drawn, good + bad))
    size, share = good + bad, good / (good + bad)
    drawn = min(drawn, size)
    mean = drawn * share
    variance = mean * (1 - share) * (size - drawn) / max(1, size - 1)
    if variance > 1e-9 and null.pmf(count) > 0:
        apart = abs(count - mean)
        support = np.arange(good + 1)
        exact = null.pmf(support)[np.abs(support - mean) >= apart - 1e-9].sum()
        assert exact <= bennett(np.array([apart]), np.array([variance]))[0] + 1e-9


@pytest.mark.parametrize(
    ('rows', 'groups', 'strata', 'rate'),
    [(60, 2, 1, 0.5), (300, 4, 40, 0.1), (300, 4, 100, 0.5), (900, 6, 9, 0.02), (200, 40, 3, 0.3)],
)
def test_fair_rows_are_accused_no_more_often_than_the_level(rows, groups, strata, rate):
    """At a level of 1 in 50, of 300 tables about 6 would fail; 18 is 5 standard deviations off."""
    rng, level = np.random.default_rng(rows + groups), 0.02
    failures = 0
    for _ in range(300):
        group, stratum = rng.integers(0, groups, rows), rng.integers(0, strata, rows)
        group = np.minimum(group, rng.integers(0, groups, rows))
        event = rng.random(rows) < np.clip(rate * (1 + stratum / strata), 0, 1)
        kept = ComparableRows(group, event, stratum)
        failures += joint_test(kept, level, rng).p_value <= level
    assert failures <= 18


def test_no_direction_and_no_intersection_cancels():
    rng = np.random.default_rng(3)
    sex, race, stratum = rng.integers(0, 2, (3, 2000))
    for odd in (sex ^ race, sex ^ stratum, sex ^ race ^ stratum):
        hired = rng.random(2000) < np.where(odd, 0.65, 0.35)
        assert judged(2 * sex + race, hired, stratum).p_value < 1e-4
    hired = rng.random(2000) < 0.35 + 0.3 * stratum
    assert judged(2 * sex + race, hired, stratum).p_value > 0.01
    assert judged(stratum, hired).p_value < 1e-6, 'what the strata explain'


def test_many_small_strata_of_either_direction_are_found_by_their_squares():
    rng = np.random.default_rng(4)
    stratum, sex = rng.integers(0, 500, 20_000), rng.integers(0, 2, 20_000)
    hired = rng.random(20_000) < np.where(sex ^ (stratum % 2), 0.6, 0.4)
    found = judged(sex, hired, stratum)
    assert found.p_value < 1e-6
    assert found.sees < found.sees_crossed < 0.2


def test_one_stratum_among_many_is_found():
    rng = np.random.default_rng(5)
    stratum, sex = rng.integers(0, 300, 30_000), rng.integers(0, 2, 30_000)
    event = np.where(stratum == 7, sex, rng.random(30_000) < 0.5)
    assert judged(sex, event, stratum).p_value < 1e-3


@pytest.mark.parametrize('gap', [1, 1.6])
def test_what_would_have_been_seen_is_seen(gap):
    """Of 200 tables with just that gap nine tenths show it, and nearly all with more."""
    rng = np.random.default_rng(6)
    stratum, sex = rng.integers(0, 5, 1500), rng.integers(0, 2, 1500)
    sees = judged(sex, rng.random(1500) < 0.4, stratum).sees * gap
    seen = [
        judged(sex, rng.random(1500) < 0.4 + sees * (sex - 0.5), stratum).p_value <= 1e-3
        for _ in range(200)
    ]
    assert np.mean(seen) >= (0.85 if gap == 1 else 0.99)


def test_rows_that_cannot_show_anything():
    assert judged([], []).p_value == 1
    assert judged(['a', 'a'], [0, 1]).p_value == 1
    assert np.isnan(judged(['a', 'b'], [0, 1]).sees)
    assert judged(['a', 'b', 'a', 'b'], [1, 1, 1, 1]).p_value == 1
    assert judged(['a', 'b', 'a', 'b'], [0, 1, 0, 1], [0, 0, 1, 1]).p_value > 0.3


def test_a_missing_group_and_one_that_is_called_nan_are_two():
    left = np.array([None] * 200 + ['nan'] * 200, dtype=object)
    assert judged(left, np.repeat([0, 1], 200)).p_value < 1e-6


def test_shuffles_decide_where_the_approximation_does_not(monkeypatch):
    rng = np.random.default_rng(8)
    stratum, sex = rng.integers(0, 60, 600), rng.integers(0, 2, 600)
    hired = rng.random(600) < np.where(sex ^ (stratum % 2), 0.7, 0.3)
    kept = ComparableRows(sex, hired, stratum)
    monkeypatch.setattr(_joint_test, '_APPROXIMATE_BELOW', 0.0)
    p_value = Squares(kept).p_value(5e-4, rng)
    assert p_value == 1 / 2401


def test_the_order_in_which_values_appear_decides_nothing():
    """Numbered by appearance, merged neighbours of independent columns would occur together."""
    rng = np.random.default_rng(9)
    left, right = (joint_codes([side]) for side in rng.integers(0, 3000, (2, 6000)))
    assert judged(left, right).p_value > 0.001
    words = np.array([f'w{code}' for code in right], dtype=object)
    assert judged(left, words).p_value > 0.001
