"""Of ``_quality.py``: numbers and dates, value by value."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sdmetrics.single_column import KSComplement

from sdv_prefair.metrics import (
    FrequentValueDifference,
    KolmogorovSmirnovDistance,
    OneWayTotalVariation,
)
from sdv_prefair.metrics._quality import frequent_values, kolmogorov_smirnov

RANGE = {
    'columns': {
        'gain': {
            'sdtype': 'numerical', 'range_min': 0, 'range_max': 100_000, 'decimal_places': 0,
        }
    }
}  # fmt: skip


def lost_spike(rows=20_000):
    """Gains that are nine times in ten zero, and the same drawn evenly within 32 equal bins."""
    rng = np.random.default_rng(0)
    real = np.where(rng.random(rows) < 0.9, 0, rng.integers(1, 100_001, rows))
    starts = np.ceil(np.arange(33) * 100_001 / 32).astype(int)
    bins = np.searchsorted(starts, real, side='right') - 1
    synthetic = rng.integers(starts[bins], starts[bins + 1])
    return pd.DataFrame({'gain': real}), pd.DataFrame({'gain': synthetic})


def test_equal_bins_hide_a_lost_spike_and_values_do_not():
    real, synthetic = lost_spike()
    assert OneWayTotalVariation.compute(real, synthetic, RANGE) == 0.0
    assert KolmogorovSmirnovDistance.compute(real, synthetic, RANGE) > 0.85
    assert FrequentValueDifference.compute(real, synthetic, RANGE) == pytest.approx(0.9, abs=0.01)


def test_a_spike_that_was_never_there_is_seen():
    real, synthetic = lost_spike()
    assert FrequentValueDifference.compute(synthetic, real, RANGE) == pytest.approx(0.9, abs=0.01)


def test_a_spike_that_moves_a_little_is_seen_by_its_share_alone():
    real = pd.DataFrame({'x': [40.0] * 50 + list(np.linspace(0, 80, 50))})
    moved = real.replace(40.0, 40.5)
    assert FrequentValueDifference.compute(real, moved) == pytest.approx(0.5)
    # Half of the rows lie on the wrong side of 40 for half a unit only.
    assert KolmogorovSmirnovDistance.compute(real, moved) == pytest.approx(0.5)


def test_distances_by_hand():
    real = pd.DataFrame({'a': [1, 1, 2, 3], 'b': list('xyzx')})
    synthetic = pd.DataFrame({'a': [1, 2, 2, 2], 'b': list('xxxx')})
    found = KolmogorovSmirnovDistance.compute_breakdown(real, synthetic)
    assert found == {'score': pytest.approx(0.25), 'marginals': {('a',): pytest.approx(0.25)}}
    found = FrequentValueDifference.compute_breakdown(real, synthetic)
    assert found['marginals'] == {('a',): pytest.approx(0.5)}  # the share of 2: 1/4 and 3/4


def test_shares_are_those_of_values_that_are_not_null():
    real, synthetic = pd.Series([0, 0, None, 5]), pd.Series([0.0, None, None, 7])
    found = frequent_values(real, synthetic)
    assert found['real'].to_dict() == pytest.approx({0: 2 / 3, 5: 1 / 3, 7: 0})
    assert found['synthetic'].to_dict() == pytest.approx({0: 0.5, 5: 0, 7: 0.5})


def test_dates_are_compared_as_moments_whatever_their_unit_and_form():
    days = pd.Series(pd.date_range('2020-01-01', periods=30))
    columns = {'d': {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'}}
    real = pd.DataFrame({'d': days.dt.strftime('%Y-%m-%d')})
    same = pd.DataFrame({'d': days.astype('datetime64[us]')})
    late = pd.DataFrame({'d': days + pd.Timedelta(days=15)})
    for metric in (KolmogorovSmirnovDistance, FrequentValueDifference):
        assert metric.compute(real, same, {'columns': columns}) == pytest.approx(0)
    late_by = KolmogorovSmirnovDistance.compute(real, late, {'columns': columns})
    assert late_by == pytest.approx(0.5)


def test_a_column_without_a_value_tells_nothing_and_does_not_count():
    real = pd.DataFrame({'a': [1.0, 2.0], 'b': [np.nan, np.nan]})
    for metric in (KolmogorovSmirnovDistance, FrequentValueDifference):
        found = metric.compute_breakdown(real, real)
        assert found['score'] == 0
        assert np.isnan(found['marginals']['b',])


def test_a_table_without_numbers_has_no_score():
    words = pd.DataFrame({'a': list('xy')})
    assert np.isnan(KolmogorovSmirnovDistance.compute(words, words))


@given(
    st.lists(st.integers(-5, 5), min_size=1, max_size=40),
    st.lists(st.integers(-5, 5), min_size=1, max_size=40),
)
@pytest.mark.filterwarnings('ignore:ks_2samp')
def test_distances_are_those_of_sdmetrics_and_of_counting(real, synthetic):
    frames = pd.DataFrame({'x': real}), pd.DataFrame({'x': synthetic})
    expected = 1 - KSComplement.compute(*(frame['x'] for frame in frames))
    assert kolmogorov_smirnov(frames[0]['x'], frames[1]['x']) == pytest.approx(expected)
    differences = [
        abs(real.count(value) / len(real) - synthetic.count(value) / len(synthetic))
        for value in {*real, *synthetic}
    ]
    found = FrequentValueDifference.compute(*frames, frequent=11)
    assert found == pytest.approx(max(differences))
