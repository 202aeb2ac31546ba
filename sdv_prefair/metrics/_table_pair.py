"""The arguments of the metrics in one form: two frames and the columns to compare.

SDMetrics passes frames and a metadata ``dict``; SDV 2.0 has ``{table name: frame}`` and a
``Metadata`` object. Both are accepted, and a table without metadata too.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd
from sdmetrics.single_table.base import SingleTableMetric
from sdv.metadata import Metadata

from sdv_prefair.errors import RolesError, shown
from sdv_prefair.values._with_columns import with_columns

MODELLED_SDTYPES = ('categorical', 'ordinal', 'boolean', 'numerical', 'datetime')

Frames = pd.DataFrame | dict[str, pd.DataFrame]


@dataclass(frozen=True)
class Tables:
    """A real and a synthetic table, dates as datetimes, and the metadata of modelled columns.

    Attributes:
        real: The real rows, or ``None`` where only the synthetic ones are measured.
        synthetic: The synthetic rows.
        columns: Metadata of every column that is modelled: no keys, no personal identifiers.
    """

    real: pd.DataFrame | None
    synthetic: pd.DataFrame
    columns: dict[str, dict[str, Any]]

    def select(
        self, role: str, names: str | Iterable[str], may_be_empty: bool = False
    ) -> list[str]:
        """Return ``names`` as a list after checking that they can be measured."""
        names = [names] if isinstance(names, str) or not isinstance(names, Iterable) else [*names]
        missing = [name for name in names if name not in self.columns]
        if missing or not (names or may_be_empty):
            raise RolesError(
                f'{role} ({names}) must name columns of the table that are modelled. '
                f'Not among them: {missing}. They are {list(self.columns)}.'
            )
        return names


def read_tables(
    real_data: Frames | None,
    synthetic_data: Frames,
    metadata: Metadata | dict | None = None,
    table_name: str | None = None,
) -> Tables:
    """Bring the arguments of a metric to one form.

    Args:
        real_data: Frame or ``{table name: frame}``; ``None`` where a metric needs none.
        synthetic_data: Frame or ``{table name: frame}``.
        metadata: SDV ``Metadata``, its ``dict``, the ``dict`` of one table, or ``None``: then
            the columns' types are taken from the dtypes.
        table_name: Which table, where there are several.
    """
    synthetic = _one_table(synthetic_data, table_name)
    real = None if real_data is None else _one_table(real_data, table_name)
    columns = _modelled_columns(metadata, table_name, synthetic if real is None else real)
    for name, frame in (('real_data', real), ('synthetic_data', synthetic)):
        if frame is not None:
            _check_frame(name, frame, columns)
    return Tables(
        None if real is None else _as_declared(real, columns),
        _as_declared(synthetic, columns),
        columns,
    )


def _check_frame(name: str, frame: pd.DataFrame, columns: dict[str, dict]) -> None:
    missing = [column for column in columns if column not in frame.columns]
    if missing:
        raise ValueError(
            f'{name} has no columns {missing}, which the metadata describes. Add them, or take '
            'them out of the metadata.'
        )
    if frame.empty:
        raise ValueError(f'{name} has no rows. Pass a table with rows.')
    if not all(isinstance(column, str) for column in columns):
        raise ValueError(f'{name} has columns whose names are not strings. Rename them.')


def _one_table(data: Frames, table_name: str | None) -> pd.DataFrame:
    if isinstance(data, pd.DataFrame):
        return data
    return data[_only_table(data, table_name)]


def _only_table(tables: dict, table_name: str | None) -> str:
    if table_name is None and len(tables) == 1:
        return next(iter(tables))
    if table_name not in tables:
        given = '' if table_name is None else f' ({shown(table_name)})'
        raise ValueError(f'table_name{given} must be one of {list(tables)}.')
    return table_name


def _modelled_columns(metadata, table_name: str | None, frame: pd.DataFrame) -> dict[str, dict]:
    if metadata is None:
        # Dtypes that SDMetrics has no type for (timedelta, category) count as categories.
        types = SingleTableMetric._DTYPES_TO_TYPES
        default = types['O']
        return {name: types.get(frame[name].dtype.kind, default) for name in frame.columns}
    table = metadata.to_dict() if isinstance(metadata, Metadata) else metadata
    if 'tables' in table:
        table = table['tables'][_only_table(table['tables'], table_name)]
    keys = table.get('primary_key') or []
    keys = {keys} if isinstance(keys, str) else set(keys)
    return {
        name: column
        for name, column in table['columns'].items()
        if column['sdtype'] in MODELLED_SDTYPES and name not in keys
    }


def _as_declared(frame: pd.DataFrame, columns: dict[str, dict]) -> pd.DataFrame:
    """Return the modelled columns, dates as datetimes and floats rounded as declared."""
    dates = {
        name: _as_datetimes(frame[name], name, column.get('datetime_format'))
        for name, column in columns.items()
        if column['sdtype'] == 'datetime'
    }
    rounded = {
        name: frame[name].round(column['decimal_places'])
        for name, column in columns.items()
        if column.get('decimal_places') is not None and pd.api.types.is_float_dtype(frame[name])
    }
    return with_columns(frame[list(columns)], dates | rounded)


def _as_datetimes(values: pd.Series, name: str, written: str | None) -> pd.Series:
    try:
        return pd.to_datetime(values, format=written or 'ISO8601')
    except (ValueError, TypeError, OverflowError):  # pandas' message would quote a row
        raise ValueError(
            f"Column '{name}' holds values other than timestamps in its datetime_format "
            f'({shown(written)}). Correct the column, or the format in the metadata.'
        ) from None
