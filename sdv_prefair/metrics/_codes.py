"""Small integer codes for the values of columns, the same in every frame that is compared.

Categories have one code per value. Numbers and dates fall into bins of equal width over the
metadata's range, or over the first frame's range where the metadata has none; values outside go
to the nearest bin. Numbers of a short range with few decimals, such as integer hours per week,
keep one code for each. A missing value has a code of its own.

These are the codes of the synthesizer's defaults. That matters where dependence is measured
given a column: a model that is fair given single hours need not look fair given bins of ten.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair._arrays import Floats, Integers
from sdv_prefair.metrics._tables import Column, is_number

NUM_BINS = 32
"""Default number of bins of a number or a date; ``None`` keeps one code per value."""

SINGLE_VALUES = 100
"""Numbers that can take at most so many values are not binned by default."""

Codes = dict[str, Integers]
"""The codes of the rows of a frame, by column."""


def encode(
    frames: Sequence[pd.DataFrame],
    columns: Mapping[str, Column],
    names: Iterable[str],
    num_bins: int | None = NUM_BINS,
    single_values: int = SINGLE_VALUES,
) -> list[Codes]:
    """Return one ``{column: codes}`` for each frame; equal codes mean equal value or bin."""
    encoded: list[Codes] = [{} for _ in frames]
    cuts = np.cumsum([len(frame) for frame in frames])[:-1]
    for name in names:
        series = [frame[name] for frame in frames]
        codes = _codes(series, columns[name], num_bins, single_values)
        for store, part in zip(encoded, np.split(codes, cuts), strict=True):
            store[name] = part
    return encoded


def _codes(
    values: list[pd.Series], column: Column, num_bins: int | None, single_values: int
) -> Integers:
    if num_bins is None or not is_number(column):
        joined = pd.concat([series.astype(object) for series in values], ignore_index=True)
        return _missing_last(pd.factorize(joined)[0])
    numbers = np.concatenate([as_numbers(series) for series in values])
    low, high = _range(values[0], column)
    step = _step(values[0], column)
    if step is None:
        return _equal_bins(numbers - low, high - low, num_bins)
    size = round((high - low) / step) + 1
    count = size if size <= max(single_values, num_bins) else num_bins
    return _equal_bins(np.rint((numbers - low) / step), size, count)


def _missing_last(codes: Integers) -> Integers:
    return np.where(codes < 0, codes.max(initial=-1) + 1, codes)


def _range(reference: pd.Series, column: Column) -> tuple[float, float]:
    known = as_numbers(reference)
    known = known[np.isfinite(known)]
    low = _end(column, 'range_min', float(known.min(initial=np.inf)))
    high = _end(column, 'range_max', float(known.max(initial=-np.inf)))
    return (low, high) if low <= high else (0.0, 0.0)


def _end(column: Column, which: str, found: float) -> float:
    """Return an end of the declared range as a number, or else the one that was found."""
    end: Any = column.get(which)
    if end is None:
        return found
    if column['sdtype'] == 'datetime':
        end = pd.to_datetime(end, format=column.get('datetime_format', 'ISO8601'))
        return float(as_numbers(pd.Series([end]))[0])
    return float(end)


def _step(reference: pd.Series, column: Column) -> float | None:
    """Return the distance between neighbouring values where there is a smallest one."""
    if column['sdtype'] == 'datetime':
        return None
    decimals = column.get('decimal_places')
    if decimals is not None:
        return float(10.0**-decimals)
    known = as_numbers(reference)
    known = known[np.isfinite(known)]
    return 1.0 if (known == known.round()).all() else None


def as_numbers(series: pd.Series) -> Floats:
    """Numbers as they are, dates in seconds, missing values as NaN."""
    if series.dtype.kind == 'M':
        seconds = (series - pd.Timestamp(0, tz=series.dt.tz)) / pd.Timedelta(seconds=1)
        return np.asarray(seconds, dtype=np.float64)
    try:
        return pd.to_numeric(series).to_numpy(dtype=np.float64, na_value=np.nan)
    except (ValueError, TypeError):  # pandas' message would quote a row
        raise ValueError(
            f"Column '{series.name}' holds values other than numbers. Convert it with "
            "pandas.to_numeric, or give it the sdtype 'categorical' in the metadata."
        ) from None


def _equal_bins(distance: Floats, span: float, count: int) -> Integers:
    """Cut ``[0, span]`` into bins; values outside go to the nearest, NaN has its own."""
    position = np.floor(distance * float(count) / span) if span > 0 else 0.0 * distance
    codes = np.clip(np.nan_to_num(position, nan=0.0), 0, count - 1)
    return np.where(np.isnan(distance), count, codes).astype(np.int64)
