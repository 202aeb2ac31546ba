import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats.contingency import association

from sdv_prefair.datasets import simulate_census
from sdv_prefair.metrics import (
    AverageCorrelationDifference,
    DownstreamAccuracy,
    OneWayTotalVariation,
    TwoWayTotalVariation,
)
from sdv_prefair.metrics._quality import corrected_cramers_v, total_variation


def test_total_variation_by_hand():
    assert total_variation([3, 1], [1, 1]) == pytest.approx(0.25)
    assert total_variation([1, 0], [0, 7]) == 1.0


def test_marginal_distances_by_hand():
    real = pd.DataFrame({'a': list('xxyy'), 'b': list('uvuv')})
    synthetic = pd.DataFrame({'a': list('xxxy'), 'b': list('uuvv')})
    one = OneWayTotalVariation.compute_breakdown(real, synthetic)
    assert one['marginals'] == pytest.approx({('a',): 0.25, ('b',): 0.0})
    assert one['score'] == pytest.approx(0.125)
    two = TwoWayTotalVariation.compute_breakdown(real, synthetic)
    # Cells xu, xv, yu, yv: real 1 1 1 1, synthetic 2 1 0 1.
    assert two['marginals'] == pytest.approx({('a', 'b'): 0.25})


@pytest.mark.parametrize(
    'metric', [OneWayTotalVariation, TwoWayTotalVariation, AverageCorrelationDifference]
)
def test_a_table_is_at_no_distance_from_itself(metric):
    data, metadata, _ = simulate_census(400, 0)
    assert metric.compute(data, data, metadata) == 0.0


@pytest.mark.parametrize('metric', [OneWayTotalVariation, TwoWayTotalVariation])
def test_the_number_of_rows_does_not_matter(metric):
    data, metadata, _ = simulate_census(400, 0)
    twice = pd.concat([data['census']] * 2)
    assert metric.compute(data, twice, metadata) == pytest.approx(0.0, abs=1e-12)


def test_keys_and_personal_columns_are_left_out():
    data, metadata, _ = simulate_census(100, 0)
    marginals = OneWayTotalVariation.compute_breakdown(data, data, metadata)['marginals']
    assert ('person_id',) not in marginals
    assert len(marginals) == 12


def test_disjoint_values_are_at_distance_one_and_missing_is_a_value():
    real = pd.DataFrame({'a': ['x', None]})
    assert OneWayTotalVariation.compute(real, pd.DataFrame({'a': ['z', 'w']})) == 1.0
    assert OneWayTotalVariation.compute(real, pd.DataFrame({'a': [np.nan, 'w']})) == 0.5


def test_shuffled_columns_keep_one_way_and_lose_two_way_marginals():
    data, metadata, _ = simulate_census(5000, 0)
    rng = np.random.default_rng(0)
    table = data['census']
    shuffled = table.apply(lambda column: column.to_numpy()[rng.permutation(len(column))])
    assert OneWayTotalVariation.compute(table, shuffled, metadata) == pytest.approx(0)
    assert TwoWayTotalVariation.compute(table, shuffled, metadata) > 0.08
    breakdown = AverageCorrelationDifference.compute_breakdown(table, shuffled, metadata)
    assert breakdown['marginals']['sex', 'income'] > 0.4


def test_number_of_bins_is_honoured():
    real = pd.DataFrame({'a': np.linspace(0, 1, 100)})
    synthetic = real + 0.0049
    assert OneWayTotalVariation.compute(real, synthetic, num_bins=2) < 0.02
    assert OneWayTotalVariation.compute(real, synthetic, num_bins=None) == pytest.approx(1.0)


@given(st.integers(0, 1000))
def test_correction_of_cramers_v_vanishes_with_many_rows(seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 50, size=(3, 4)) * 10**7
    expected = association(counts, method='cramer')
    assert corrected_cramers_v(counts) == pytest.approx(expected, abs=1e-3)


def test_correction_removes_the_bias_of_independent_columns():
    rng = np.random.default_rng(0)
    plain, corrected = [], []
    for _ in range(50):
        counts = rng.multinomial(100, np.full(25, 1 / 25)).reshape(5, 5)
        plain.append(association(counts, method='cramer'))
        corrected.append(corrected_cramers_v(counts))
    assert np.mean(corrected) < 0.1 < np.mean(plain)


@pytest.mark.parametrize('counts', [[[5, 3]], [[5], [2]], [[5, 0], [0, 0]], [[1, 0], [0, 0]]])
def test_a_table_with_one_row_or_column_has_no_association(counts):
    assert corrected_cramers_v(counts) == 0.0


def test_perfect_association_is_one():
    assert corrected_cramers_v(np.diag([500, 500, 500])) == pytest.approx(1.0, abs=0.01)


class TestDownstreamAccuracy:
    @pytest.mark.parametrize('model', ['linear', 'forest', 'mlp'])
    def test_beats_the_majority_and_chance_does_not(self, model):
        data, metadata, _ = simulate_census(1500, 0)
        other = simulate_census(1500, 1).data['census']
        breakdown = DownstreamAccuracy.compute_breakdown(
            data, other, metadata, outcome='income', model=model, seed=0
        )
        assert breakdown['score'] > breakdown['majority'] + 0.1
        rng = np.random.default_rng(0)
        noise = other.assign(income=rng.permutation(other['income']))
        score = DownstreamAccuracy.compute(
            data, noise, metadata, outcome='income', model=model, seed=0
        )
        assert score < breakdown['score'] - 0.1

    def test_majority_by_hand(self):
        table = pd.DataFrame({'a': [0.0, 1.0, 2.0, 3.0], 'y': ['n', 'n', 'n', 'p']})
        breakdown = DownstreamAccuracy.compute_breakdown(table, table, outcome='y')
        assert breakdown['majority'] == 0.75
        assert DownstreamAccuracy.compute(table, table.assign(y='p'), outcome='y') == 0.25

    def test_same_seed_same_score(self):
        data, metadata, _ = simulate_census(500, 0)
        options = {'outcome': 'income', 'model': 'forest', 'seed': 5}
        scores = {DownstreamAccuracy.compute(data, data, metadata, **options) for _ in range(2)}
        assert len(scores) == 1

    def test_values_seen_only_in_the_real_table_do_no_harm(self):
        data, metadata, _ = simulate_census(500, 0)
        narrow = data['census'].query("region == 'north'").assign(commute_km=np.nan)
        score = DownstreamAccuracy.compute(data, narrow, metadata, outcome='income', seed=0)
        assert 0.5 < score <= 1
