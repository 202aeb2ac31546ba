"""What a shape may be, and that transformers refuse cuts that are none.

About ``_bins.py``.
"""

import numpy as np
import pytest

from sdv_prefair.columns._facts import Categories, Datetimes, Numbers
from sdv_prefair.errors import DomainError
from sdv_prefair.transformers import (
    BinShape,
    DatetimeBins,
    NumberBins,
    transformer_for,
    transformers_for,
)

NAN, INF = float('nan'), float('inf')


@pytest.mark.parametrize(
    ('weights', 'match'),
    [
        ([1, 2, NAN], 'finite'),
        ([1, 2, INF], 'finite'),
        ([1, 2, -1], '0 or more'),
        ([1, 2], 'one more'),
        ([1, 2, 3, 4], 'one more'),
        ([1, 2, 'x'], 'finite'),
        ([1, 2, True], 'finite'),
    ],
)
def test_weights_are_checked(weights, match):
    with pytest.raises(DomainError, match=match):
        BinShape((1,), (2,), tuple(weights))
    with pytest.raises(DomainError, match=match):
        NumberBins(0, 9, edges=[1], finer=[2], weights=weights)


@pytest.mark.parametrize(
    ('edges', 'finer', 'match'),
    [
        ([2, 1], [], 'edges must be increasing'),
        ([1, 1], [], 'edges must be increasing'),
        ([1], [4, 3], 'finer must be increasing'),
        ([0], [3], 'edges must be above'),
        ([1], [10], 'finer must be above'),
        ([1], [1], 'must not repeat'),
    ],
)
def test_cuts_that_belong_to_weights_are_in_order(edges, finer, match):
    weights = [1.0] * (len(edges) + len(finer) + 1)
    with pytest.raises(DomainError, match=match):
        NumberBins(0, 9, edges=edges, finer=finer, weights=weights)
    with pytest.raises(DomainError, match=match):
        days = [[f'2020-01-{10 + cut}' for cut in cuts] for cuts in (edges, finer)]
        DatetimeBins(
            '2020-01-10', '2020-01-19', '%Y-%m-%d', 5, days[0], True, None, days[1], weights
        )


def test_finer_cuts_need_edges():
    with pytest.raises(DomainError, match='need edges'):
        NumberBins(0, 9, finer=[1], weights=[1, 1])


def test_transformers_take_shapes_and_keep_them():
    shape = BinShape((1, 5), (3,), (9, 1, 2, 4))
    made = transformers_for(
        {'a': Numbers(0, 9, 0, False), 'b': Categories(('x',), False)}, 4, edges={'a': shape}
    )
    assert made['a'].labels() == ['0', '1 to 4', '5 to 9']
    assert made['a'].shape == shape
    assert NumberBins(0, 9).shape is None
    assert transformer_for(Numbers(0, 9, 0, False), 4, edges=[1, 5]).shape == BinShape((1, 5))
    day = BinShape(('2020-01-02',), (), (1.0, 0.0))
    moments = Datetimes('2020-01-01', '2020-01-05', '%Y-%m-%d', False)
    assert transformer_for(moments, 4, edges=day).shape == day
    assert transformer_for(moments, 4, edges=day).labels() == [
        '2020-01-01', '2020-01-02 to 2020-01-05'
    ]  # fmt: skip


def test_single_numbers_are_bins_of_their_own():
    after_zero = float(np.nextafter(0.0, 1.0))
    real = NumberBins(-5, 10, edges=[0, after_zero, 10], weights=[1, 1, 1, 1], nullable=False)
    assert real.labels() == ['[-5, 0)', '0', '(0, 10)', '10']
    assert real.bin_sizes().tolist() == [5, 0, 10, 0]
    assert real.encode([-1e-300, 0.0, 1e-300, 9.999, 10]).tolist() == [0, 1, 2, 2, 3]
    drawn = real.decode(np.repeat([1, 3], 50), np.random.default_rng(0))
    assert drawn.tolist() == [0.0] * 50 + [10.0] * 50
    cents = NumberBins(0, 5, decimal_places=2, edges=[1.5, float(np.nextafter(1.5, 2))])
    assert cents.labels() == ['0.0 to 1.49', '1.5', '1.51 to 5.0', '(null)']
