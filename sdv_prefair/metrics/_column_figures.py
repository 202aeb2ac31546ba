"""A figure of one column, real and synthetic: what a reader plots first."""

from typing import Any

import pandas as pd
import plotly.graph_objects as go

from sdv_prefair.metrics._described import as_value, cumulative_shares
from sdv_prefair.metrics._table_pair import Frames, Tables, read_tables
from sdv_prefair.metrics._unbinned import frequent_values, known_numbers, numbers_and_dates
from sdv_prefair.plots._column_pairs import plot_category_pair, plot_number_pair
from sdv_prefair.plots._style import plain_text

_MOST_CATEGORIES = 20


def plot_column_pair(
    real_data: Frames,
    synthetic_data: Frames,
    column: str,
    metadata: Any = None,
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
    is_number = column in numbers_and_dates(tables)
    if not is_number or not all(len(known_numbers(series)) for series in pair):
        return plot_category_pair(shares_of_categories(*pair))
    is_date = tables.columns[column]['sdtype'] == 'datetime'
    curves, frequent = cumulative_shares(*pair), frequent_values(*pair).head(10)
    frequent.index = [shown_value(as_value(value, is_date)) for value in frequent.index]
    return plot_number_pair([as_value(v, is_date) for v in curves.index], curves, frequent)


def shares_of_categories(real: pd.Series, synthetic: pd.Series) -> pd.DataFrame:
    """Return the shares of the most frequent values, null among them, the most frequent first."""
    counted = [
        column.astype(object).value_counts(normalize=True, dropna=False)
        for column in (real, synthetic)
    ]
    shares = pd.concat(counted, axis=1, keys=['real', 'synthetic']).fillna(0.0)
    shares.index = ['(null)' if pd.isna(value) else value for value in shares.index]
    ordered = shares.sort_values('real', ascending=False, kind='stable')
    return ordered.head(_MOST_CATEGORIES)


def shown_value(value: Any) -> str:
    """Return a number or a date as a table or a figure shows it."""
    if isinstance(value, pd.Timestamp):
        return value.isoformat(sep=' ').removesuffix(' 00:00:00')
    return f'{value:,.10g}'
