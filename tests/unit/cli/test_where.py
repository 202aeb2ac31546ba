"""``--where``: a text stands for one value of its column, or for none.

About ``_opened_release.py``.
"""

import pandas as pd
import pytest

from sdv_prefair.cli._opened_release import read_conditions
from sdv_prefair.transformers import CategoryCodes, DatetimeBins, NumberBins

FAR = 2**53
COLUMNS = {
    'kinds': CategoryCodes([1, True, '1', 0.5], dtype='object'),
    'far': CategoryCodes([FAR, FAR + 1, FAR + 2], dtype='int64'),
    'tenths': CategoryCodes([0.1, 0.2], dtype='float32'),
    'short': NumberBins(0.0, 1.0, dtype='float32'),
    'real': NumberBins(0.0, 1.0, dtype='float64'),
    'whole': NumberBins(0, 4 * FAR, decimal_places=0, nullable=False, dtype='int64'),
    'cents': NumberBins(0, 100, decimal_places=2, dtype='float32'),
    'day': DatetimeBins('2021-03-01', '2021-11-30', '%Y-%m-%d', dtype='datetime64[ns]'),
}
ABOUT = {
    name: {'sdtype': 'numerical' if isinstance(codes, NumberBins) else 'categorical'}
    for name, codes in COLUMNS.items()
}


def shown(condition):
    """Return what a column shows for a condition."""
    ((column, value),) = read_conditions([condition], ABOUT, COLUMNS).items()
    codes = COLUMNS[column]
    assert codes.is_declared(pd.Series([value], dtype=object)).all()
    return pd.Series(codes.hold(pd.Series([value], dtype=object))).tolist()[0]


@pytest.mark.parametrize(
    ('condition', 'value'),
    [
        ('kinds=1', 1),
        ("kinds='1'", '1'),
        ('kinds=True', True),
        ('kinds=true', True),
        ('kinds=0.50', 0.5),
        (f'far={FAR + 1}', FAR + 1),
        (f'far={FAR + 1}.0', FAR + 1),
        ('tenths=0.1', pd.Series([0.1], dtype='float32')[0]),
        ('short=0.1', pd.Series([0.1], dtype='float32')[0]),
        ('real=0.1', 0.1),
        (f'whole={FAR + 1}', FAR + 1),
        ('cents=0.10', pd.Series([0.1], dtype='float32')[0]),
        ('day=2021-05-05', pd.Timestamp('2021-05-05')),
    ],
)
def test_a_text_means_one_value(condition, value):
    assert shown(condition) == value
    assert isinstance(shown(condition), bool) == isinstance(value, bool)


@pytest.mark.parametrize(
    'condition',
    [
        'kinds=2',
        f'far={FAR + 3}',
        'tenths=0.10000001',
        'short=0.100000001',
        'real=0.1000000000000000055',
        'whole=2.7',
        'cents=0.125',
        'whole=1e400',
    ],
)
def test_a_text_between_values_means_none(condition):
    with pytest.raises(ValueError, match='must'):
        read_conditions([condition], ABOUT, COLUMNS)
