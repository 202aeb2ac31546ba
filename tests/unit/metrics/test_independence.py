import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy

from sdv_prefair.datasets import simulate_census
from sdv_prefair.errors import RolesError
from sdv_prefair.metrics import (
    ConditionalMutualInformation,
    conditional_mutual_information,
    independence_test,
)
from sdv_prefair.metrics._independence import _Informative

ROLES = {'protected': ['sex', 'race'], 'outcome': 'income'}
ADMISSIBLE = ['education', 'occupation', 'hours']


def by_entropies(outcome, protected, strata):
    """I(O; P | A) = H(O, A) + H(P, A) - H(O, P, A) - H(A), from pandas' own counts."""
    frame = pd.DataFrame({'o': outcome, 'p': protected, 'a': strata})

    def h(*columns):
        return entropy(frame.value_counts(list(columns)).to_numpy(dtype=float))

    return h('o', 'a') + h('p', 'a') - h('o', 'p', 'a') - h('a')


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=60
    )
)
def test_estimate_agrees_with_entropies(rows):
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    expected = by_entropies(*columns)
    assert conditional_mutual_information(*columns) == pytest.approx(expected, abs=1e-9)


def test_copy_within_strata_has_the_entropy_of_the_outcome():
    outcome = np.tile([0, 1], 50)
    assert conditional_mutual_information(outcome, outcome, np.zeros(100)) == pytest.approx(
        np.log(2)
    )
    assert conditional_mutual_information(outcome, outcome, outcome) == 0.0


def test_many_outcome_values_are_counted_alike():
    rng = np.random.default_rng(0)
    outcome, protected, strata = (rng.integers(size, size=400) for size in (90, 50, 3))
    expected = by_entropies(outcome, protected, strata)
    assert conditional_mutual_information(outcome, protected, strata) == pytest.approx(expected)


@given(st.integers(0, 10_000))
def test_shuffle_keeps_every_strata_s_outcomes(seed):
    rng = np.random.default_rng(seed)
    rows = _Informative(*(rng.integers(size, size=80) for size in (3, 2, 5))).rows
    shuffled = rows.shuffled(rng)
    for stratum in np.unique(rows.stratum):
        inside = rows.stratum == stratum
        assert sorted(shuffled[inside]) == sorted(rows.outcome[inside])


def test_shuffle_makes_every_arrangement_equally_likely():
    rows = _Informative([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 0]).rows
    rng = np.random.default_rng(0)
    seen = pd.Series([tuple(rows.shuffled(rng).tolist()) for _ in range(6000)]).value_counts()
    assert len(seen) == 6
    # Chi-squared with five degrees of freedom is above 20.5 with probability 0.001.
    assert ((seen - 1000) ** 2 / 1000).sum() < 20.5


def test_null_matches_a_slow_shuffle_by_stratum():
    rng = np.random.default_rng(3)
    outcome, protected, strata = (rng.integers(size, size=300) for size in (2, 3, 20))
    result = independence_test(outcome, protected, strata, permutations=400, seed=1)
    slow = []
    for _ in range(400):
        shuffled = outcome.copy()
        for stratum in range(20):
            inside = np.flatnonzero(strata == stratum)
            shuffled[inside] = outcome[rng.permutation(inside)]
        slow.append(by_entropies(shuffled, protected, strata))
    error = np.std(slow) * np.sqrt(2 / 400)
    assert result.null_mean == pytest.approx(np.mean(slow), abs=4 * error)
    assert result.null_interval[0] < np.mean(slow) < result.null_interval[1]


def test_p_value_is_even_under_independence_and_small_under_dependence():
    rng = np.random.default_rng(4)
    p_values = []
    for _ in range(60):
        strata = rng.integers(30, size=600)
        protected = rng.random(600) < 0.2 + 0.02 * strata
        outcome = rng.random(600) < 0.8 - 0.02 * strata
        p_values.append(independence_test(outcome, protected, strata, 49, rng).p_value)
    # Binomial(60, 0.1) exceeds 15 with probability 0.0002.
    assert sum(p <= 0.1 for p in p_values) <= 15
    assert sum(p <= 0.5 for p in p_values) >= 15
    outcome = rng.random(600) < 0.3 + 0.4 * protected
    assert independence_test(outcome, protected, strata, 99, rng).p_value == pytest.approx(0.01)


def test_strata_of_one_row_or_one_value_say_nothing():
    result = independence_test([0, 1, 0, 1], [0, 1, 1, 1], [0, 1, 2, 2], permutations=19, seed=0)
    assert result.estimate == 0.0
    assert result.coverage == 0.0
    assert result.p_value == 1.0
    assert result.excess == 0.0


def test_same_seed_same_answer():
    rng = np.random.default_rng(5)
    columns = [rng.integers(size, size=200) for size in (2, 2, 9)]
    assert independence_test(*columns, 20, seed=3) == independence_test(*columns, 20, seed=3)


def test_missing_values_are_a_value():
    outcome = np.array(['x', None, 'x', None], dtype=object)
    assert conditional_mutual_information(outcome, [0, 1, 0, 1], [0] * 4) == pytest.approx(
        np.log(2)
    )


def test_half_a_million_rows():
    rng = np.random.default_rng(6)
    outcome, protected, strata = (rng.integers(size, size=500_000) for size in (2, 10, 20_000))
    result = independence_test(outcome, protected, strata, permutations=20, seed=0)
    assert result.estimate == pytest.approx(result.null_mean, rel=0.02)


class TestClass:
    @staticmethod
    def breakdowns(direct_effect):
        for seed in range(10):
            data, metadata, _ = simulate_census(3000, seed, direct_effect)
            yield ConditionalMutualInformation.compute_breakdown(
                data, data, metadata, **ROLES, admissible=ADMISSIBLE, permutations=49, seed=seed
            )

    def test_finds_the_direct_effect(self):
        for breakdown in self.breakdowns(1.0):
            assert breakdown['score'] > 1.2 * breakdown['null_interval'][1]
            assert breakdown['p_value'] == pytest.approx(0.02)
            assert 0.6 < breakdown['coverage'] <= 1.0

    def test_finds_nothing_without_it(self):
        # Binomial(10, 0.1) exceeds 5 with probability 0.0001.
        assert sum(breakdown['p_value'] <= 0.1 for breakdown in self.breakdowns(0.0)) <= 5

    def test_measures_the_synthetic_table_not_the_real_one(self):
        fair, metadata, _ = simulate_census(3000, 1, direct_effect=0.0)
        unfair = simulate_census(3000, 1).data
        options = {**ROLES, 'admissible': ADMISSIBLE}
        score = ConditionalMutualInformation.compute(unfair, fair, metadata, **options)
        assert score == ConditionalMutualInformation.compute(None, fair, metadata, **options)
        assert score < ConditionalMutualInformation.compute(fair, unfair, metadata, **options)

    def test_score_is_the_same_with_and_without_breakdown(self):
        data, metadata, _ = simulate_census(500, 2)
        options = {**ROLES, 'admissible': ADMISSIBLE}
        breakdown = ConditionalMutualInformation.compute_breakdown(
            data, data, metadata, **options, permutations=9, seed=0
        )
        score = ConditionalMutualInformation.compute(data, data, metadata, **options)
        assert breakdown['score'] == score
        assert breakdown['excess'] == pytest.approx(max(0, score - breakdown['null_mean']))

    def test_unknown_column_is_an_error(self):
        data, metadata, _ = simulate_census(50, 0)
        with pytest.raises(RolesError, match='gender'):
            ConditionalMutualInformation.compute(
                data, data, metadata, protected='gender', admissible='hours', outcome='income'
            )


def test_without_shuffles_nothing_is_said_of_them():
    rng = np.random.default_rng(0)
    outcome, protected, strata = rng.integers(2, size=(3, 100))
    result = independence_test(outcome, protected, strata, permutations=0)
    assert result.estimate == conditional_mutual_information(outcome, protected, strata)
    assert np.isnan([result.null_mean, *result.null_interval, result.p_value, result.excess]).all()
