"""The fuzz of ``test_shown_values`` sees what it looks for: values that tell nothing."""

import numpy as np
import pandas as pd
import pytest
from shown_values import (
    FORMS,
    MUCH,
    assert_nothing_hidden,
    checked,
    hidden_dependence,
    prepared,
)

from sdv_prefair.columns._bins import BinCodes
from sdv_prefair.columns._telling import tells_codes
from sdv_prefair.errors import DomainError
from sdv_prefair.transformers import CategoryCodes, DatetimeBins, NumberBins


class Shared(CategoryCodes):
    """Shows its first value for its second code."""

    def decode(self, codes, generator):
        return super().decode(np.where(np.asarray(codes) == 1, 0, codes), generator)


class Rounded(NumberBins):
    """Shows whole numbers, whatever its bins."""

    def decode(self, codes, generator):
        return np.round(super().decode(codes, generator))


class Yearless(DatetimeBins):
    """Shows the month alone."""

    def decode(self, codes, generator):
        return pd.Series(super().decode(codes, generator)).str[5:7].to_numpy()


BROKEN = {
    'categories': Shared(['a', 'b', 'c']),
    'numbers': Rounded(0.0, 8.0, bins=32, nullable=False),
    'moments': Yearless('2000-01-01', '2005-12-31', '%Y-%m-%d', bins=32),
}


@pytest.mark.parametrize('kind', BROKEN)
def test_broken_transformers_are_seen_and_refused(kind):
    for form in FORMS:
        assert hidden_dependence(BROKEN[kind], form) > MUCH
    assert not tells_codes(BROKEN[kind])
    with pytest.raises(DomainError, match=r"Values of \['x'\] would not determine their codes"):
        checked(BROKEN[kind])


def described(kind, low, high, written=None):
    bounds = {'range_min': low, 'range_max': high, 'range_is_nullable': False}
    return {'sdtype': kind} | bounds | ({'datetime_format': written} if written else {})


PARIS = 'datetime64[ns, Europe/Paris]'
YEARS = (pd.Timestamp('1990-01-01'), pd.Timestamp('2020-01-01'))
DAYS = (pd.Timestamp('2024-01-01'), pd.Timestamp('2024-01-04'))
UNMENDED = {
    'a skipped hour': (described('datetime', '2024-03-31 00:30', '2024-03-31 04:30'), PARIS),
    'no year': (described('datetime', *YEARS, '%m-%d'), 'object'),
    'half days': (described('datetime', *DAYS, '%Y-%m-%d %I'), 'object'),
    'the other century': (
        described('datetime', pd.Timestamp('1920'), pd.Timestamp('2060'), '%y'),
        'object',
    ),
    'the end of nanoseconds': (described('datetime', '1000-01-01', '2000-01-01'), 'datetime64[ns]'),
    'short floats of days': (described('datetime', *DAYS, '%Y%m%d'), 'float32'),
    'half floats': (described('numerical', 2048.0, 2060.0), 'float16'),
    'the end of half floats': (described('numerical', 0, 200_000), 'float16'),
    'floats': (described('numerical', 2**24, 2**24 + 9.0), 'float32'),
    'truth': (described('numerical', 0, 9), 'bool'),
}


@pytest.mark.parametrize('case', UNMENDED)
def test_what_is_mended_was_broken(case, monkeypatch):
    """Without the care that ``BinCodes`` takes, the same column hides a dependence."""
    description, dtype = UNMENDED[case]
    assert_nothing_hidden(lambda: prepared(description, dtype))

    def use_bins(self, bins):
        self._bins, self._ends_move = bins, False

    monkeypatch.setattr(BinCodes, '_use_bins', use_bins)
    monkeypatch.setattr(BinCodes, '_is_read_back', lambda self, _, codes: codes == codes)
    monkeypatch.setattr('sdv_prefair.columns._processor.untold_columns', lambda transformers: [])
    transformer = prepared(description, dtype)
    assert hidden_dependence(transformer, 'frame') > MUCH
    assert not tells_codes(transformer)
