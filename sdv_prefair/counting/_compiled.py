"""The lookup table equivalent to an encoder for the values of an Arrow type, if there is one.

The table is filled by calling the encoder, as ``_arrow.py`` does for a batch: so the codes
are identical, whatever arithmetic it uses.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import types

from sdv_prefair.columns._grids import DecimalCells, FineCells, NullCells
from sdv_prefair.columns._lookups import (
    FIRST_SECOND,
    LAST_SECOND,
    Flags,
    Lookup,
    Numbers,
    Run,
    Steps,
    Texts,
    is_text,
    limits_of,
)
from sdv_prefair.counting._arrow import encode_array
from sdv_prefair.counting._source import Encoder

# -- Where the bins of an encoder begin, found by calling the encoder itself -----------------------
#
# A database has its own arithmetic: it rounds, casts and divides in its own way. So bins are not
# computed there but looked up, by comparing with the smallest number of each. These are found by
# binary search over all numbers of the column's type, however the encoder computes codes.

_SIGN = np.uint64(2**63)
# The timestamps that every database supports: the years 1 to 9999, in microseconds.
_FIRST_MICROS, _LAST_MICROS = FIRST_SECOND * 10**6, (LAST_SECOND + 1) * 10**6 - 1


@dataclass(frozen=True)
class Line:
    """All values of a type in increasing order, numbered from 0.

    Attributes:
        last: The number of the largest value.
        values: Returns the values with these numbers, in pandas.
    """

    last: int
    values: Callable[[np.ndarray], pd.Series]


def whole_numbers(dtype: np.dtype) -> Line:
    """Return all numbers of an integer dtype."""
    limits = np.iinfo(dtype)
    first = np.uint64(int(limits.min) % 2**64)
    return Line(
        int(limits.max) - int(limits.min),
        lambda position: pd.Series((position + first).view(np.int64).astype(dtype)),
    )


def real_numbers() -> Line:
    """Return all 64-bit floats, with the infinite ones at the ends.

    The bits of positive floats are in the order of the floats, those of negative ones in reverse.
    """
    first, last = (_rank(np.array([end])) for end in (-np.inf, np.inf))
    return Line(int(last[0] - first[0]), lambda position: pd.Series(_unrank(position + first)))


def moments(instants: bool) -> Line:
    """Return all timestamps whose year has four digits.

    Args:
        instants: Whether they have a time zone.
    """
    first = np.uint64(_FIRST_MICROS % 2**64)

    def values(position: np.ndarray) -> pd.Series:
        naive = pd.Series((position + first).view('datetime64[us]'))
        return naive.dt.tz_localize('UTC') if instants else naive

    return Line(_LAST_MICROS - _FIRST_MICROS, values)


def steps(encoder: Encoder, line: Line) -> tuple[int, list[tuple[Any, int]]]:
    """Return the code of the smallest value, and each value at which the code changes.

    The codes must increase with the values.
    """
    ends = np.array([0, line.last], dtype=np.uint64)
    lowest, highest = encoder.encode(line.values(ends)).tolist()
    wanted = np.arange(lowest + 1, highest + 1)
    if not len(wanted):
        return lowest, []
    below = np.zeros(len(wanted), dtype=np.uint64)  # where the code is still smaller
    reached = np.full(len(wanted), line.last, dtype=np.uint64)
    while (reached - below > 1).any():
        middle = below + (reached - below) // np.uint64(2)
        enough = encoder.encode(line.values(middle)) >= wanted
        below, reached = np.where(enough, below, middle), np.where(enough, middle, reached)
    starts = line.values(np.unique(reached))
    return lowest, list(zip(starts.tolist(), encoder.encode(starts).tolist(), strict=True))


def _rank(floats: np.ndarray) -> np.ndarray:
    bits = floats.view(np.uint64)
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)


def _unrank(ranks: np.ndarray) -> np.ndarray:
    return np.where(ranks & _SIGN, ranks & ~_SIGN, ~ranks).view(np.float64)


# -- The lookup table equivalent to an encoder for the values of an Arrow type, if there is one ----


_LONGEST_RUN = 65_536
_MOST_STEPS = 65_536


def compiled(encoders: Mapping[str, Encoder], schema: pa.Schema) -> dict[str, Lookup] | None:
    """Return a lookup for each column; None if one of them needs its encoder.

    Args:
        encoders: The encoders of the columns.
        schema: The types of the columns.
    """
    lookups = {c: compiled_one(encoder, schema.field(c).type) for c, encoder in encoders.items()}
    found = {column: lookup for column, lookup in lookups.items() if lookup is not None}
    return found if len(found) == len(lookups) else None


def compiled_one(encoder: Any, kind: pa.DataType) -> Lookup | None:
    """Return the lookup of codes for values of a type, if there is one."""
    if types.is_boolean(kind):
        codes = encode_array(encoder, pa.array([False, True]))
        return Flags(codes, encoder.unread_code)
    if is_text(kind):
        return _texts(encoder)
    if not _is_ordered(kind):
        return None
    if hasattr(encoder, 'values'):
        return _numbers(encoder, kind)
    if isinstance(encoder, FineCells | DecimalCells) and encoder.grid is not None:
        return encoder.grid if _is_number(kind) else None
    if _follows_clock(encoder, kind) or encoder.num_counted > _MOST_STEPS:
        return None  # codes do not increase with the values, or there are too many
    return _steps(encoder, kind)


def _texts(encoder: Any) -> Lookup | None:
    if isinstance(encoder, NullCells):
        return Texts(pa.array([], pa.large_string()), np.zeros(1, np.int64), encoder.unread_code)
    if not hasattr(encoder, 'values') or getattr(encoder, 'tails', None):
        return None  # the prefix of rare strings determines their code
    texts = pa.array(
        [value for value in (*encoder.values, *encoder.missing) if isinstance(value, str)],
        pa.large_string(),
    )
    codes = encode_array(encoder, texts)
    return Texts(texts, np.append(codes, _other_code(encoder)), encoder.unread_code)


def _numbers(encoder: Any, kind: pa.DataType) -> Lookup | None:
    if not _is_number(kind):
        return None
    dtype = np.dtype(kind.to_pandas_dtype())
    held: list[Any] = [v for v in encoder.values if isinstance(v, Real | Decimal)]
    if dtype.kind in 'iu':
        ends = np.iinfo(dtype)
        held = [int(v) for v in held if ends.min <= v <= ends.max and v == int(v)]
    numbers = np.unique(np.array([dtype.type(value) for value in held], dtype=dtype))
    codes = encode_array(encoder, pa.array(numbers, kind))
    if dtype.kind == 'i':
        numbers = numbers.astype(np.int64)
    return Numbers(numbers, np.append(codes, _other_code(encoder)), encoder.unread_code)


def _other_code(encoder: Any) -> int:
    code: int = encoder.unread_code if encoder.other_code is None else encoder.other_code
    return code


class _Stored:
    """An encoder called with the numbers by which an Arrow type stores its values.

    Args:
        encoder: The encoder.
        kind: The type.
    """

    def __init__(self, encoder: Encoder, kind: pa.DataType):
        self._encoder, self._kind = encoder, kind

    def encode(self, stored: Any) -> np.ndarray:
        array = pa.array(np.asarray(stored))
        if types.is_temporal(self._kind):
            width = pa.int32() if types.is_date32(self._kind) else pa.int64()
            array = array.cast(width).view(self._kind)
        return encode_array(self._encoder, array)


def _steps(encoder: Any, kind: pa.DataType) -> Lookup:
    line: Line = _line(kind)
    asked: Any = _Stored(encoder, kind)
    lowest, found = steps(asked, line)
    dtype = np.asarray(line.values(np.zeros(1, np.uint64))).dtype
    starts = np.array([start for start, _ in found], dtype=dtype)
    codes = np.array([lowest, *(code for _, code in found)], dtype=np.int64)
    if dtype.kind == 'i':
        starts = starts.astype(np.int64)
        if len(starts) and int(starts[-1]) - int(starts[0]) < _LONGEST_RUN:
            values = np.arange(int(starts[0]) - 1, int(starts[-1]) + 1)
            run = codes[np.searchsorted(starts, values, 'right')]
            return Run(int(values[0]), run, encoder.unread_code)
    return Steps(starts, codes, encoder.unread_code)


def _line(kind: pa.DataType) -> Line:
    """Return all values that a type can store, in increasing order."""
    if types.is_temporal(kind):
        first, last = limits_of(kind)
        start = np.uint64(first % 2**64)
        return Line(last - first, lambda place: pd.Series((place + start).view(np.int64)))
    if types.is_float32(kind):
        return short_numbers()
    if types.is_floating(kind):
        return real_numbers()
    return whole_numbers(np.dtype(kind.to_pandas_dtype()))


def short_numbers() -> Line:
    """Return all 32-bit floats, with the infinite ones at the ends."""
    negative = np.uint32(0xFF800000)  # the bits of minus infinity
    count = int(negative & np.uint32(0x7FFFFFFF)) + 1  # the number of floats of one sign

    def values(place: np.ndarray) -> pd.Series:
        below = place < count
        bits = np.where(below, int(negative) - place, place - np.uint64(count))
        return pd.Series(bits.astype(np.uint32).view(np.float32))

    return Line(2 * count - 1, values)


def _is_number(kind: pa.DataType) -> bool:
    is_float = types.is_float32(kind) or types.is_float64(kind)
    return bool(types.is_integer(kind) or is_float)


def _is_ordered(kind: pa.DataType) -> bool:
    return _is_number(kind) or bool(types.is_date32(kind) or types.is_timestamp(kind))


def _follows_clock(encoder: Any, kind: pa.DataType) -> bool:
    """Whether codes depend on the clocks of a time zone, which go back once a year."""
    zone = kind.tz if types.is_timestamp(kind) else None
    return zone not in (None, 'UTC', 'Etc/UTC') and not getattr(encoder, 'instants', False)
