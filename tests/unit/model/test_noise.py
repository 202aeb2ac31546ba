import numpy as np
import pytest

from sdv_prefair.model import Compression, Measurement, estimate
from sdv_prefair.model._noise import (
    CLEAR,
    NOISY,
    SWAMPED,
    UNRELATED,
    lost,
    noise_of_columns,
    noise_of_pairs,
    sigma_of_codes,
)

ROWS = 10_000


def fitted(joint, sigma, seed=0, compressions=None):
    """A model of two columns whose marginals were measured with this noise."""
    rng = np.random.default_rng(seed)
    counts = ROWS * np.asarray(joint, dtype=float)

    def noisy(columns, table):
        return Measurement(columns, table + rng.normal(0, sigma, table.shape), sigma)

    measurements = [
        noisy(('a',), counts.sum(axis=1)),
        noisy(('b',), counts.sum(axis=0)),
        noisy(('a', 'b'), counts),
    ]
    domain = {'a': counts.shape[0], 'b': counts.shape[1]}
    if compressions:
        measurements = [
            m if m.columns != ('a',) else compressions['a'].compress(m) for m in measurements[:2]
        ]
        domain['a'] = compressions['a'].num_groups
        return estimate(measurements, domain, [], compressions=compressions)
    return estimate(measurements, domain, [('a', 'b')])


DEPENDENT = np.array([[0.4, 0.1], [0.1, 0.4]])
INDEPENDENT = np.outer([0.5, 0.5], [0.3, 0.7])


def test_misplaced_is_the_expected_distance_that_noise_causes():
    rng = np.random.default_rng(0)
    found = noise_of_columns(fitted(INDEPENDENT, 200.0))['a']
    draws = rng.normal(0, 200.0, (20_000, 2))
    expected = np.abs(draws).sum(axis=1).mean() / 2 / ROWS
    assert found.misplaced == pytest.approx(expected, rel=0.1)
    assert found.sigma == 200.0
    assert found.cells == 2


@pytest.mark.parametrize(
    ('joint', 'sigma', 'column', 'pair'),
    [
        (DEPENDENT, 10.0, CLEAR, CLEAR),
        (DEPENDENT, 800.0, NOISY, NOISY),
        (INDEPENDENT, 10.0, CLEAR, UNRELATED),
        (INDEPENDENT, 1500.0, SWAMPED, SWAMPED),
    ],
)
def test_verdicts(joint, sigma, column, pair):
    model = fitted(joint, sigma)
    assert noise_of_columns(model)['a'].verdict == column
    (found,) = noise_of_pairs(model)
    assert found.verdict == pair
    assert found.columns == ('a', 'b')
    assert found.is_lost == (pair == SWAMPED)
    assert [noise.columns for noise in lost(model)] == [
        noise.columns
        for noise in [*noise_of_columns(model).values(), found]
        if noise.verdict == SWAMPED
    ]


def test_signal_is_the_departure_from_independence_in_units_of_noise():
    expected = ROWS * 0.15 / 50.0
    signals = [noise_of_pairs(fitted(DEPENDENT, 50.0, seed))[0].signal for seed in range(5)]
    assert np.mean(signals) == pytest.approx(expected, rel=0.1)


def test_without_dependence_the_signal_is_below_the_noise():
    joint = np.outer(np.full(20, 0.05), np.full(20, 0.05))
    signals = [noise_of_pairs(fitted(joint, 5.0, seed))[0].signal for seed in range(10)]
    assert max(signals) < 0.6


def test_merged_codes_are_counted_and_share_their_group_s_noise():
    joint = np.outer([0.6, 0.3, 0.06, 0.04], [0.5, 0.5])
    merged = Compression(np.array([0, 1, 2, 2]), np.array([1.0, 1.0, 0.6, 0.4]))
    model = fitted(joint, 30.0, compressions={'a': merged})
    found = noise_of_columns(model)['a']
    assert found.merged == 2
    assert found.merged_share == pytest.approx(0.1, abs=0.03)
    assert sigma_of_codes(model, 'a') == pytest.approx([30.0] * 4)
    assert sigma_of_codes(model, 'b') == pytest.approx([30.0] * 2)


def test_a_code_that_takes_in_values_outside_the_domain_is_not_merged():
    joint = np.outer([0.6, 0.4, 0.0], [0.5, 0.5])
    taken_in = Compression(np.array([0, 1, 1]), np.array([1.0, 1.0, 0.0]))
    model = fitted(joint, 30.0, compressions={'a': taken_in})
    assert noise_of_columns(model)['a'].merged == 0
    # What is shown for code 1 is the count of its group, with the noise of both codes.
    assert sigma_of_codes(model, 'a')[:2] == pytest.approx([30.0, 30.0 * np.sqrt(2)])
