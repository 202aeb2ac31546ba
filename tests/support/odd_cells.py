"""Cells that no column expects, and that one row may hold all the same."""

import datetime as dt
import uuid
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

SECRET = 'Zyzzyva4711'


def _refuse(*_: Any) -> Any:
    raise RuntimeError(SECRET)


class Unruly:
    """An object that raises whatever is asked of it."""

    __hash__ = __eq__ = __lt__ = __float__ = __int__ = __index__ = __bool__ = _refuse
    __str__ = __repr__ = __len__ = __iter__ = __mod__ = __array__ = _refuse


class Incomparable(Unruly):
    """One that has the hash of a text that others hold."""

    def __hash__(self):
        return hash('x')


class UnrulyZone(dt.tzinfo):
    """A time zone that nobody can ask."""

    utcoffset = dst = tzname = _refuse


class Text(str):
    """A text of another type."""


WEST = dt.timezone(dt.timedelta(hours=-5))
HASHABLE = {
    'last day': dt.datetime(9999, 12, 31),
    'last date': dt.date(9999, 12, 31),
    'last instant': dt.datetime(9999, 12, 31, 23, tzinfo=WEST),
    'first date': dt.date(1, 1, 1),
    'before nanoseconds': dt.datetime(1600, 2, 3),
    'far year': np.datetime64('300000-01-01', 's'),
    'farthest year': np.datetime64(2**62, 'Y'),
    'not a time': np.datetime64('NaT'),
    'with zone': dt.datetime(2020, 5, 1, tzinfo=WEST),
    'without zone': dt.datetime(2020, 5, 1),
    'numpy timedelta': np.timedelta64(3, 's'),
    'timedelta': pd.Timedelta(days=3),
    'quiet NaN': Decimal('NaN'),
    'infinite decimal': Decimal('Infinity'),
    'endless decimal': Decimal('1E+999999'),
    'decimal': Decimal('1.00'),
    'endless number': 10**5000,
    'negative endless number': -(10**5000),
    'infinity': float('inf'),
    'negative infinity': float('-inf'),
    'negative zero': -0.0,
    'complex': 1j,
    'fraction': Fraction(1, 3),
    'half': 0.5,
    'boolean': True,
    'numpy boolean': np.bool_(True),
    'whole number': 1,
    'float': 1.0,
    'half a character': '\ud800',
    'text of another type': Text('x'),
    'numpy text': np.str_('x'),
    'digits': '12',
    'underscores': '1_2',
    'long digits': '9' * 5000,
    'now': 'now',
    'today': 'today',
    'time of day': '10:30',
    'date as number': 20200501,
    'bytes': b'x\xff',
    'missing': pd.NA,
    'none': None,
    'tuple': (1, 'x'),
    'tuple of an object': (object(),),
    'identifier': uuid.UUID(int=7),
    'secret': SECRET,
}
CELLS = HASHABLE | {
    'signalling NaN': Decimal('sNaN'),
    'list': [1],
    'dictionary': {},
    'set': {1},
    'array': np.array([1.5]),
    'empty array': np.array([]),
    'unruly': Unruly(),
    'incomparable': Incomparable(),
    'in an unruly zone': dt.datetime(2020, 5, 1, tzinfo=UnrulyZone()),
    'column': pd.Series([1, 2]),
}


def objects(cells: Sequence[Any]) -> pd.Series:
    """Return a column of objects that holds these cells as they are."""
    array = np.empty(len(cells), dtype=object)
    for position, cell in enumerate(cells):
        array[position] = cell
    return pd.Series(array, dtype=object)


# Not sampled_from, which would compare cells.
odd_cells = st.integers(0, len(CELLS) - 1).map(lambda position: list(CELLS.values())[position])
plain_cells = st.one_of(
    st.text(max_size=6),
    st.integers(),
    st.floats(),
    st.decimals(),
    st.datetimes(),
    st.datetimes(timezones=st.timezones()),
    st.dates(),
    st.times(),
    st.timedeltas(),
    st.booleans(),
    st.none(),
    st.binary(max_size=4),
    st.complex_numbers(),
    st.fractions(),
    st.dates().map(str),
    st.datetimes().map(lambda moment: moment.strftime('%d/%m/%Y')),
    st.integers(0, 30).map(str),
)
cells = odd_cells | plain_cells
