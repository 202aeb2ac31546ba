import numpy as np
import pytest
from fairlearn.metrics import MetricFrame, selection_rate
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.errors import SynthesizerInputError
from sdv_prefair.metrics import rate_gap

TABLES = st.integers(0, 10_000).map(np.random.default_rng)


def random_rows(rng, groups=3, strata=4, rows=60):
    return rng.random(rows) < 0.4, rng.integers(groups, size=rows), rng.integers(strata, size=rows)


def test_two_groups_by_hand():
    event = [1, 1, 0, 1, 0, 0]
    group = ['m', 'm', 'm', 'f', 'f', 'f']
    result = rate_gap(event, group)
    assert result.gap == pytest.approx(1 / 3)
    assert (result.first, result.second) == ('m', 'f')
    assert result.coverage == 1.0
    assert result.rates == pytest.approx({'m': 2 / 3, 'f': 1 / 3})


def test_strata_are_weighted_by_rows_and_one_sided_ones_left_out():
    # stratum 0: m 1/1, f 0/1 (2 rows); stratum 1: m 1/2, f 1/2 (4 rows); stratum 2: only m.
    event = [1, 0, 1, 0, 1, 0, 1, 1]
    group = ['m', 'f', 'm', 'm', 'f', 'f', 'm', 'm']
    strata = [0, 0, 1, 1, 1, 1, 2, 2]
    result = rate_gap(event, group, strata)
    assert result.gap == pytest.approx((2 * 1.0 + 4 * 0.0) / 6)
    assert result.coverage == pytest.approx(6 / 8)


def test_opposite_differences_cancel_as_in_the_papers_expectation():
    event, group, strata = [1, 0, 0, 1], ['m', 'f', 'm', 'f'], [0, 0, 1, 1]
    assert rate_gap(event, group, strata).gap == pytest.approx(0.0)


def test_simpsons_paradox_is_resolved_by_strata():
    rng = np.random.default_rng(0)
    strata = np.repeat([0, 1], 5000)
    group = rng.random(10_000) < np.where(strata == 0, 0.2, 0.8)
    event = rng.random(10_000) < np.where(strata == 0, 0.3, 0.7)
    assert rate_gap(event, group).gap > 0.2
    assert rate_gap(event, group, strata).gap < 0.05


@given(TABLES)
def test_whole_groups_agree_with_fairlearn(rng):
    event, group, _ = random_rows(rng)
    frame = MetricFrame(
        metrics=selection_rate, y_true=event, y_pred=event, sensitive_features=group
    )
    assert rate_gap(event, group).gap == pytest.approx(frame.difference())


@given(TABLES)
def test_two_groups_in_strata_agree_with_fairlearn_control_features(rng):
    event, group, strata = random_rows(rng, groups=2)
    frame = MetricFrame(
        metrics=selection_rate, y_true=event, y_pred=event,
        sensitive_features=group, control_features=strata,
    )  # fmt: skip
    rates = frame.by_group.unstack().reindex(columns=[0, 1])
    weights = np.bincount(strata, minlength=4)[rates.index]
    both = rates.notna().all(axis=1).to_numpy()
    expected = np.average((rates[1] - rates[0])[both], weights=weights[both])
    result = rate_gap(event, group, strata)
    assert result.gap == pytest.approx(abs(expected))
    assert result.coverage == pytest.approx(weights[both].sum() / len(event))


@given(TABLES)
def test_many_groups_agree_with_a_loop_over_pairs_and_strata(rng):
    event, group, strata = random_rows(rng, groups=4, strata=6)
    largest = 0.0
    for first in range(4):
        for second in range(4):
            total = weight = 0.0
            for stratum in range(6):
                inside = strata == stratum
                one, other = inside & (group == first), inside & (group == second)
                if first != second and one.any() and other.any():
                    total += inside.sum() * (event[one].mean() - event[other].mean())
                    weight += inside.sum()
            largest = max(largest, total / weight if weight else 0.0)
    assert rate_gap(event, group, strata).gap == pytest.approx(largest)


def test_small_groups_are_not_compared():
    event = [1] + [1, 0] * 10 + [1, 0, 0, 0] * 5
    group = ['one'] + ['a'] * 20 + ['b'] * 20
    assert rate_gap(event, group).first == 'one'
    result = rate_gap(event, group, min_rows=5)
    assert (result.first, result.second) == ('a', 'b')
    assert result.gap == pytest.approx(0.25)


@pytest.mark.parametrize('group', [['a', 'a'], []])
def test_fewer_than_two_groups_give_no_number(group):
    result = rate_gap([True, False][: len(group)], group)
    assert np.isnan(result.gap)
    assert result.first is None


def test_groups_that_share_no_stratum_give_no_number():
    result = rate_gap([1, 0], ['a', 'b'], [0, 1])
    assert np.isnan(result.gap)
    assert result.coverage == 0.0


def test_interval_has_about_the_stated_coverage():
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(100):
        strata = rng.integers(5, size=400)
        group = rng.integers(2, size=400)
        event = rng.random(400) < 0.3 + 0.05 * strata + 0.2 * group
        result = rate_gap(event, group, strata, bootstraps=100, confidence=0.9, seed=rng)
        hits += result.interval[0] <= 0.2 <= result.interval[1]
    # Binomial(100, 0.9) leaves 80..98 with probability below 0.003.
    assert 80 <= hits <= 98


def test_interval_allows_for_having_picked_the_most_distant_of_many_groups():
    """Without any difference it should hold zero in 95 of 100 tables, and does so in nearly all.

    Not widened, it would in 40 or so: a widened one that is right in 95 fails this below 1e-4.
    """
    rng = np.random.default_rng(3)
    hits = 0
    for _ in range(100):
        group, event = rng.integers(10, size=1000), rng.random(1000) < 0.4
        low, high = rate_gap(event, group, bootstraps=100, seed=rng).interval
        hits += low <= 0 <= high
    assert hits >= 86


@pytest.mark.parametrize('confidence', [0, 1, 95])
def test_a_confidence_that_is_no_share_is_refused(confidence):
    with pytest.raises(SynthesizerInputError, match='must be between 0 and 1'):
        rate_gap([1, 0], ['a', 'b'], bootstraps=5, confidence=confidence)


def test_interval_is_reproducible_and_holds_the_gap():
    event, group, strata = random_rows(np.random.default_rng(2), rows=500)
    one, same = (rate_gap(event, group, strata, bootstraps=50, seed=7) for _ in range(2))
    assert one.interval == same.interval
    assert one.interval[0] <= one.gap <= one.interval[1]


def test_interval_weighs_strata_like_the_gap():
    """One large stratum with a difference, three small ones without: the mean is the large's."""
    strata = np.repeat([0, 1, 2, 3], [2000, 20, 20, 20])
    group = np.tile([0, 1], 1030)
    event = np.where(strata == 0, group == 1, np.tile([0, 0, 1, 1], 515))
    result = rate_gap(event, group, strata, bootstraps=50, seed=0)
    assert result.gap > 0.9
    assert result.interval[0] > 0.9


def test_half_a_million_rows_with_many_strata():
    rng = np.random.default_rng(0)
    event, group, strata = random_rows(rng, groups=50, strata=200_000, rows=500_000)
    result = rate_gap(event, group, strata)
    assert 0 < result.gap < 1


def test_a_small_group_is_named_with_its_interval_and_no_interval_is_a_point():
    """29 people who are never chosen, everybody else 61 %."""
    group = np.array(['large', 'other'] * 300 + ['small'] * 29)
    event = np.r_[np.arange(600) % 100 < 61, np.zeros(29, dtype=bool)]
    found = rate_gap(event, group, min_rows=30, bootstraps=20, seed=0)
    assert found.left_out == ('small',)
    assert found.rates['small'] == found.intervals['small'][0] == 0
    assert found.intervals['small'][1] == pytest.approx(0.117, abs=0.001)
    assert rate_gap(event, group, bootstraps=20, seed=0).gap > 0.5
    never = np.zeros(60, dtype=bool)
    sides = np.repeat(['a', 'b'], 30)
    for strata in (None, np.arange(60) % 2):
        low, high = rate_gap(never, sides, strata, bootstraps=50, seed=0).interval
        assert low < -0.1 < 0.1 < high


def test_opposite_directions_cancel_in_the_paper_s_measure_and_not_in_the_unsigned_one():
    """.9 against .1 in one stratum and the reverse in the other: .80 within each, .00 signed."""
    rng = np.random.default_rng(0)
    group, strata = rng.integers(0, 2, (2, 4000))
    event = rng.random(4000) < np.where(group ^ strata, 0.9, 0.1)
    found = rate_gap(event, group, strata, bootstraps=50, seed=0)
    assert found.gap < 0.05
    assert found.unsigned == pytest.approx(0.8, abs=0.05)
    assert found.unsigned_interval[0] > 0.7
    alike = rate_gap(rng.random(4000) < 0.5, group, strata, bootstraps=50, seed=0)
    assert alike.unsigned_interval[0] < 0 < alike.unsigned_interval[1] < 0.05
