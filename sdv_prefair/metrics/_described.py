"""Columns of two tables side by side, unbinned: statistics, and what a reader plots first."""

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from sdv_prefair.metrics._quality import frequent_values, known_numbers, kolmogorov_smirnov
from sdv_prefair.metrics._tables import Described, Frames, Tables, read_tables
from sdv_prefair.plots._column_pairs import plot_category_pair, plot_number_pair
from sdv_prefair.plots._style import plain_text

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)

_SECONDS_A_DAY = 86_400
_POINTS = 200
_MOST_CATEGORIES = 20


def describe_numbers(
    real_data: Frames,
    synthetic_data: Frames,
    metadata: Described | None = None,
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
    described = [_of_column(tables, name) for name in tables.numbers_and_dates]
    names = ['column', 'table']
    if not described:
        return pd.DataFrame(index=pd.MultiIndex.from_arrays([[], []], names=names))
    return pd.concat(described).set_index(names)


def _of_column(tables: Tables, name: str) -> pd.DataFrame:
    real, synthetic = tables.real[name], tables.synthetic[name]
    is_date = tables.columns[name]['sdtype'] == 'datetime'
    rows = [_of_values(column, is_date) for column in (real, synthetic)]
    made = pd.DataFrame(rows, dtype=object)
    made.insert(0, 'KS', kolmogorov_smirnov(real, synthetic))
    shares = frequent_values(real, synthetic)
    differs = (shares['real'] - shares['synthetic']).abs()
    where: Any = differs.idxmax() if len(differs) else np.nan
    made.insert(2, 'value', as_value(where, is_date))
    made.insert(3, 'share', shares.loc[where].to_numpy() if len(shares) else np.nan)
    return made.assign(column=name, table=['real', 'synthetic'])


def _of_values(column: pd.Series, is_date: bool) -> dict[str, Any]:
    known = known_numbers(column)
    none = len(known) == 0
    quantiles = [np.nan] * len(QUANTILES) if none else np.quantile(known, QUANTILES).tolist()
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


def plot_column_pair(
    real_data: Frames,
    synthetic_data: Frames,
    column: str,
    metadata: Described | None = None,
    table_name: str | None = None,
) -> go.Figure:
    """Plot a column of the real and of the synthetic table, without bins.

    Numbers and dates are shown by their distribution functions and most frequent values,
    everything else by the shares of its values.

    Privacy: reads the real rows outside any budget.

    Args:
        real_data: The real rows.
        synthetic_data: The synthetic rows.
        column: Name of the column.
        metadata: SDV ``Metadata``, its ``dict``, or ``None``.
        table_name: Which table, where there are several.
    """
    tables = read_tables(real_data, synthetic_data, metadata, table_name)
    tables.select('column', column)
    return column_figure(tables, column).update_layout(title=plain_text(column))


def column_figure(tables: Tables, column: str) -> go.Figure:
    """Return the figure of a column that is modelled."""
    pair = tables.real[column], tables.synthetic[column]
    is_number = column in tables.numbers_and_dates
    if not is_number or not all(len(known_numbers(series)) for series in pair):
        return plot_category_pair(shares_of_categories(*pair))
    is_date = tables.columns[column]['sdtype'] == 'datetime'
    curves, frequent = cumulative_shares(*pair), frequent_values(*pair).head(10)
    frequent.index = pd.Index([shown_value(as_value(v, is_date)) for v in frequent.index])
    return plot_number_pair([as_value(v, is_date) for v in curves.index], curves, frequent)


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
    shares = [
        np.column_stack([
            np.searchsorted(part, values, 'left'), np.searchsorted(part, values, 'right')
        ]).ravel() / len(part)
        for part in map(np.sort, known)
    ]  # fmt: skip
    index = pd.Index(np.repeat(values, 2))
    return pd.DataFrame({'real': shares[0], 'synthetic': shares[1]}, index=index)


def shares_of_categories(real: pd.Series, synthetic: pd.Series) -> pd.DataFrame:
    """Return the shares of the most frequent values, null among them, the most frequent first."""
    counted = [
        column.astype(object).value_counts(normalize=True, dropna=False)
        for column in (real, synthetic)
    ]
    shares = pd.concat(counted, axis=1, keys=['real', 'synthetic']).fillna(0.0)
    shares.index = pd.Index(['(null)' if pd.isna(value) else value for value in shares.index])
    ordered = shares.sort_values('real', ascending=False, kind='stable')
    return ordered.head(_MOST_CATEGORIES)


def as_value(number: float, is_date: bool) -> Any:
    """Return a number as it is, and the seconds of a date as a timestamp."""
    if not is_date or not np.isfinite(number):
        return number
    return pd.Timestamp(np.datetime64(round(number), 's'))


def shown_value(value: Any) -> str:
    """Return a number or a date as a table or a figure shows it."""
    if isinstance(value, pd.Timestamp):
        return value.isoformat(sep=' ').removesuffix(' 00:00:00')
    return f'{value:,.10g}'
