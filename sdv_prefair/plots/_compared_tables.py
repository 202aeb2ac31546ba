"""Real and synthetic rows in SDV's plots. These figures show real rows: not private."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from sdmetrics import visualization

from sdv_prefair.errors import QueryError, shown

_NUMERIC = ('numerical', 'datetime')
# Points of a scatter plot; more overlap and bloat the file.
_MOST_POINTS = 5_000


def compare_tables(
    real: pd.DataFrame,
    synthetic: pd.DataFrame,
    described: Mapping[str, Mapping[str, Any]],
    modelled: Sequence[str],
    columns: str | Sequence[str] | None = None,
) -> Any:
    """Return a figure of a column or a pair of columns, or a figure of every modelled column.

    Privacy: not private; shows the real rows.

    Args:
        real: The private table.
        synthetic: A synthetic table.
        described: The metadata of each column.
        modelled: The columns that can be compared: all others are generated.
        columns: A column, two columns, or None.
    """
    if columns is None:
        return {c: compare_tables(real, synthetic, described, modelled, c) for c in modelled}
    asked = [columns] if isinstance(columns, str) else list(columns)
    if not 1 <= len(asked) <= 2 or not set(asked) <= set(modelled):
        raise QueryError(
            f'columns ({shown(columns)}) must be a modelled column, or a list of two: these are '
            f'{list(modelled)}.'
        )
    kinds = {described[column]['sdtype'] in _NUMERIC for column in asked}
    tables = [_as_drawn(table[asked], described) for table in (real, synthetic)]
    if len(asked) == 1:
        plot_type = 'distplot' if True in kinds else 'bar'
        figure = visualization.get_column_plot(*tables, asked[0], plot_type=plot_type)
    else:
        plot_type = 'box' if len(kinds) > 1 else 'scatter' if True in kinds else 'heatmap'
        tables = [table.sample(min(len(table), _MOST_POINTS), random_state=0) for table in tables]
        figure = visualization.get_column_pair_plot(*tables, asked, plot_type)
    return _marked(figure)


def _as_drawn(table: pd.DataFrame, described: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """Return columns for SDV's plots: timestamps parsed, values that cannot be parsed left out."""
    drawn = table.reset_index(drop=True)
    for column, about in described.items():
        if column not in drawn:
            continue
        if about['sdtype'] == 'datetime':
            written = about.get('datetime_format', 'ISO8601')
            drawn[column] = pd.to_datetime(drawn[column], format=written, errors='coerce')
        elif about['sdtype'] == 'numerical':
            drawn[column] = pd.to_numeric(drawn[column], errors='coerce')
        else:
            drawn[column] = drawn[column].astype(object).where(drawn[column].notna(), None)
    return drawn


def _marked(figure: go.Figure) -> go.Figure:
    title = figure.layout.title.text or 'Real vs. synthetic data'
    return figure.update_layout(
        title=f'{title}<br><sub>not private: shows real rows</sub>', margin_t=90
    )
