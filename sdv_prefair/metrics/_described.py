"""Summary statistics of numbers and dates in two tables, side by side."""

from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair.metrics._table_pair import Frames, Tables, read_tables
from sdv_prefair.metrics._unbinned import (
    frequent_values,
    known_numbers,
    kolmogorov_smirnov,
    numbers_and_dates,
)

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)

_SECONDS_A_DAY = 86_400
_POINTS = 200


def describe_numbers(
    real_data: Frames,
    synthetic_data: Frames,
    metadata: Any = None,
    table_name: str | None = None,
) -> pd.DataFrame:
    """Describe each numerical and datetime column in both tables, unbinned.

    Privacy: reads the real rows outside any budget.

    Args:
        real_data: The real rows.
        synthetic_data: The synthetic rows.
        metadata: SDV ``Metadata``, its ``dict``, or ``None``.
        table_name: Which table, where there are several.

    Returns:
        Two rows for each column, ``real`` and ``synthetic``: the share of nulls; the value whose
        share differs most and that share; mean, standard deviation (of dates in days) and
        quantiles. ``KS``, the Kolmogorov-Smirnov distance, is the same in both.
    """
    tables = read_tables(real_data, synthetic_data, metadata, table_name)
    described = [_of_column(tables, name) for name in numbers_and_dates(tables)]
    names = ['column', 'table']
    if not described:
        return pd.DataFrame(index=pd.MultiIndex.from_arrays([[], []], names=names))
    return pd.concat(described).set_index(names)


def cumulative_shares(real: pd.Series, synthetic: pd.Series, points: int = _POINTS) -> pd.DataFrame:
    """Return both distribution functions, before and at each of some values of either column.

    Args:
        real: The real column, with at least one value.
        synthetic: The synthetic column, likewise.
        points: How many quantiles of each column are used; jumps are preserved.

    Returns:
        ``real`` and ``synthetic``; the index holds each value twice, dates in seconds.
    """
    known = [known_numbers(column) for column in (real, synthetic)]
    levels = np.linspace(0, 1, points)
    values = np.unique([np.quantile(part, levels, method='nearest') for part in known])
    sides = [
        np.column_stack([np.searchsorted(part, values, side) for side in ('left', 'right')])
        for part in map(np.sort, known)
    ]
    shares = [counts.ravel() / len(part) for counts, part in zip(sides, known, strict=True)]
    return pd.DataFrame(
        {'real': shares[0], 'synthetic': shares[1]}, index=pd.Index(np.repeat(values, 2))
    )


def as_value(number: float, is_date: bool) -> Any:
    """Return a number as it is, and the seconds of a date as a timestamp."""
    if not is_date or not np.isfinite(number):
        return number
    return pd.Timestamp(np.datetime64(round(number), 's'))


def _of_column(tables: Tables, name: str) -> pd.DataFrame:
    real, synthetic = tables.real[name], tables.synthetic[name]
    is_date = tables.columns[name]['sdtype'] == 'datetime'
    rows = [_of_values(column, is_date) for column in (real, synthetic)]
    made = pd.DataFrame(rows, dtype=object)
    made.insert(0, 'KS', kolmogorov_smirnov(real, synthetic))
    shares = frequent_values(real, synthetic)
    differs = (shares['real'] - shares['synthetic']).abs()
    where = differs.idxmax() if len(differs) else np.nan
    made.insert(2, 'value', as_value(where, is_date))
    made.insert(3, 'share', shares.loc[where].to_numpy() if len(shares) else np.nan)
    return made.assign(column=name, table=['real', 'synthetic'])


def _of_values(column: pd.Series, is_date: bool) -> dict[str, Any]:
    known = known_numbers(column)
    none = len(known) == 0
    quantiles = [np.nan] * len(QUANTILES) if none else np.quantile(known, QUANTILES)
    scale = _SECONDS_A_DAY if is_date else 1
    described = {
        'nulls': float(column.isna().mean()),
        'mean': as_value(np.nan if none else known.mean(), is_date),
        'std': np.nan if none else known.std() / scale,
    }
    return described | {
        f'{level:.0%}': as_value(value, is_date)
        for level, value in zip(QUANTILES, quantiles, strict=True)
    }
