"""What all metrics share: two tables in one form, and SDMetrics' interface around one function.

SDMetrics passes frames and a metadata ``dict``; SDV 2.0 has ``{table name: frame}`` and a
``Metadata`` object. Both are accepted, and a table without metadata too.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import pandas as pd
from sdmetrics.goal import Goal
from sdmetrics.single_table.base import SingleTableMetric
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_prefair.columns._dtypes import with_columns
from sdv_prefair.columns._texts import MISSING_VALUES, as_words
from sdv_prefair.errors import RolesError, shown

MODELLED_SDTYPES = ('categorical', 'ordinal', 'boolean', 'numerical', 'datetime')

Frames = pd.DataFrame | dict[str, pd.DataFrame]
Described: TypeAlias = Metadata | Mapping[str, Any]
Column = Mapping[str, Any]


def is_number(column: Column) -> bool:
    """Whether a column holds numbers or dates, by its metadata."""
    return column['sdtype'] in {'numerical', 'datetime'}


@dataclass(frozen=True)
class Tables:
    """A real and a synthetic table, dates as datetimes, and the metadata of modelled columns.

    Attributes:
        real: The real rows; the synthetic ones where only these are measured.
        synthetic: The synthetic rows.
        columns: Metadata of every column that is modelled: no keys, no personal identifiers.
    """

    real: pd.DataFrame
    synthetic: pd.DataFrame
    columns: dict[str, Column]

    @property
    def frames(self) -> list[pd.DataFrame]:
        """The tables that there are, the synthetic one last."""
        return [self.synthetic] if self.real is self.synthetic else [self.real, self.synthetic]

    @property
    def numbers_and_dates(self) -> list[str]:
        """The columns that hold numbers or dates."""
        return [name for name, column in self.columns.items() if is_number(column)]

    def select(
        self, role: str, names: str | Iterable[str], may_be_empty: bool = False
    ) -> list[str]:
        """Return ``names`` as a list after checking that they can be measured."""
        names = [names] if isinstance(names, str) or not isinstance(names, Iterable) else [*names]
        missing = [name for name in names if name not in list(self.columns)]
        if missing or not (names or may_be_empty):
            raise RolesError(
                f'{role} ({names}) must name columns of the table that are modelled. '
                f'Not among them: {missing}. They are {list(self.columns)}.'
            )
        return names


def read_tables(
    real_data: Frames | None,
    synthetic_data: Frames,
    metadata: Described | None = None,
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
    given = {'synthetic_data': _one_table(synthetic_data, table_name)}
    if real_data is not None:
        given = {'real_data': _one_table(real_data, table_name), **given}
    columns = _modelled_columns(metadata, table_name, next(iter(given.values())))
    for name, frame in given.items():
        _check_frame(name, frame, columns)
    declared = [_as_declared(_without_words(f, columns), columns) for f in given.values()]
    return Tables(declared[0], declared[-1], columns)


class TableMetric(SingleTableMetric):
    """A metric of a synthetic table: SDMetrics' interface around the one function ``measure``.

    Attributes:
        goal: Whether smaller is better, as it is unless a metric says otherwise.
        min_value: The least value.
        max_value: The greatest value.
        real_rows: Whether ``real_data`` is needed, may be ``None``, or is not looked at.
        score_alone: The options with which the score alone is computed quickly.
        measure: Returns the ``score`` of `Tables` and what it is made of, given the options.
    """

    goal = Goal.MINIMIZE
    min_value = 0.0
    max_value = 1.0
    real_rows: ClassVar[Literal['needed', 'optional', 'ignored']] = 'needed'
    score_alone: ClassVar[Mapping[str, Any]] = {}
    measure: ClassVar[Callable[..., dict[str, Any]]]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.name = cls.__name__

    @classmethod
    def compute_breakdown(
        cls,
        real_data: Frames | None,
        synthetic_data: Frames,
        metadata: Described | None = None,
        table_name: str | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        """Return the score and what it is made of.

        Args:
            real_data: The real rows, a frame or ``{table name: frame}``.
            synthetic_data: The synthetic rows, in the same form; any number of them.
            metadata: SDV ``Metadata``, its ``dict``, or ``None``.
            table_name: Which table, where there are several.
            **options: Those of ``measure``.

        Returns:
            ``score``, and what ``measure`` says.
        """
        if real_data is None and cls.real_rows == 'needed':
            raise SynthesizerInputError(
                f'{cls.__name__} compares with the real rows. Pass them as real_data.'
            )
        real_data = None if cls.real_rows == 'ignored' else real_data
        return cls.measure(read_tables(real_data, synthetic_data, metadata, table_name), **options)

    @classmethod
    def compute(
        cls,
        real_data: Frames | None,
        synthetic_data: Frames,
        metadata: Described | None = None,
        table_name: str | None = None,
        **options: Any,
    ) -> float:
        """Return the score alone; arguments as in ``compute_breakdown``."""
        options |= cls.score_alone
        found = cls.compute_breakdown(real_data, synthetic_data, metadata, table_name, **options)
        score: float = found['score']
        return score


def _check_frame(name: str, frame: pd.DataFrame, columns: Iterable[str]) -> None:
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
    return data if isinstance(data, pd.DataFrame) else data[_only_table(data, table_name)]


def _only_table(tables: Mapping[str, Any], table_name: str | None) -> str:
    if table_name is None and len(tables) == 1:
        return next(iter(tables))
    if table_name is None or table_name not in tables:
        given = '' if table_name is None else f' ({shown(table_name)})'
        raise ValueError(f'table_name{given} must be one of {list(tables)}.')
    return table_name


def _modelled_columns(
    metadata: Described | None, table_name: str | None, frame: pd.DataFrame
) -> dict[str, Column]:
    if metadata is None:
        # Dtypes that SDMetrics has no type for (timedelta, category) count as categories.
        types = SingleTableMetric._DTYPES_TO_TYPES
        return {name: types.get(frame[name].dtype.kind, types['O']) for name in frame.columns}
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


def _as_declared(frame: pd.DataFrame, columns: Mapping[str, Column]) -> pd.DataFrame:
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


def _without_words(frame: pd.DataFrame, columns: Mapping[str, Column]) -> pd.DataFrame:
    """Return the table with null for words that are declared to stand for a missing value."""
    texts = [name for name in columns if pd.api.types.is_object_dtype(frame[name])]
    words = {name: as_words(columns[name].get(MISSING_VALUES) or ()) for name in texts}
    return with_columns(
        frame, {c: frame[c].where(~frame[c].isin(words[c]), None) for c in texts if words[c]}
    )


def _as_datetimes(values: pd.Series, name: str, written: str | None) -> pd.Series:
    try:
        return pd.to_datetime(values, format=written or 'ISO8601')
    except (ValueError, TypeError, OverflowError):  # pandas' message would quote a row
        raise ValueError(
            f"Column '{name}' holds values other than timestamps in its datetime_format "
            f'({shown(written)}). Correct the column, or the format in the metadata.'
        ) from None
