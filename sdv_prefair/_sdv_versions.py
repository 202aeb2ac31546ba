"""The only module that depends on which version of SDV is installed.

===========================  ===============================  ===================================
SDV                          1.38 and later                   2
===========================  ===============================  ===================================
tables, in and out           a DataFrame                      DataFrames by their names
``sample``                   writes to ``output_file_path``   writes to ``output_folder_path``
metadata                     says nothing of ranges           holds them
ordered categories           are categorical                  are ordinal
===========================  ===============================  ===================================

Metadata that was loaded with ranges keeps them under SDV 1 too, but SDV 1 considers it invalid. So
SDV gets only what it accepts, and everything else in this package reads the whole metadata.
"""

import functools
from collections.abc import Callable
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar, cast

import pandas as pd
from sdv.metadata import Metadata
from sdv.single_table.base import BaseSingleTableSynthesizer

IS_FIRST = version('sdv').partition('.')[0] == '1'
RANGE_KEYS = (
    'range_min',
    'range_max',
    'range_values',
    'range_is_nullable',
    'decimal_places',
    'high_cardinality',
    'range_groups',
)
"""What metadata says of a column's values."""

# Keys that no version of SDV supports: for any column, and for columns that are not ids.
_OWN_KEYS = ('range_groups', 'rare_sdtype', 'missing_values')
_OF_IDS = ('regex_format',)

Frames = dict[str, pd.DataFrame]
Method = TypeVar('Method', bound=Callable[..., Any])


def accepted(metadata: Any) -> Any:
    """Return the metadata as SDV accepts it: unchanged, or a copy without keys unknown to SDV 1."""
    tables = metadata.tables.values() if isinstance(metadata, Metadata) else ()
    known = [known_to_sdv(about) == about for t in tables for about in t.columns.values()]
    if all(known):
        return metadata
    shown = metadata.copy()
    for table in shown.tables.values():
        table.columns = {c: known_to_sdv(about) for c, about in table.columns.items()}
    return shown


def detect_with_ranges(name: str, table: pd.DataFrame) -> Metadata:
    """Return what SDV detects in a table, with ranges under SDV 1 too. They are not private.

    Privacy: reads rows outside the budget. What is detected about values is for the owner of the
    data.
    """
    detected = Metadata.detect_from_dataframes({name: table})
    if IS_FIRST:
        for column, about in detected.tables[name].columns.items():
            about.update(_range_seen(table[column].dropna(), about['sdtype']))
    return detected


def _range_seen(values: pd.Series, sdtype: str) -> dict[str, Any]:
    if sdtype == 'categorical':
        return {'range_values': values.unique().tolist()}
    if sdtype == 'numerical' and len(values):
        return dict(
            zip(('range_min', 'range_max'), values.agg(['min', 'max']).tolist(), strict=True)
        )
    return {}


def known_to_sdv(about: dict[str, Any]) -> dict[str, Any]:
    """Return the part of a column's description that SDV supports."""
    unknown = _OWN_KEYS if about.get('sdtype') == 'id' else _OWN_KEYS + _OF_IDS
    if not IS_FIRST:
        return {key: value for key, value in about.items() if key not in unknown}
    kept = {key: value for key, value in about.items() if key not in (*RANGE_KEYS, *unknown)}
    return kept | ({'sdtype': 'categorical'} if about.get('sdtype') == 'ordinal' else {})


def whole(given: Any, kept: Metadata) -> Metadata:
    """Return the metadata with everything it contained when it was given.

    Args:
        given: The user's metadata.
        kept: SDV's version of the part that it accepts.
    """
    return kept if accepted(given) is given else given.copy()


def by_name(data: Any, table_name: str) -> Any:
    """Return tables by name; a single frame is the one table."""
    return {table_name: data} if isinstance(data, pd.DataFrame) else data


def as_given_back(tables: Frames) -> Any:
    """Return tables in the form that this version of SDV returns."""
    return next(iter(tables.values())) if IS_FIRST else tables


class _SamplingOfFirst(BaseSingleTableSynthesizer):
    """Sampling with the arguments of SDV 1."""

    def sample(
        self,
        num_rows: int,
        max_tries_per_batch: int = 100,
        batch_size: int | None = None,
        output_file_path: str | None = None,
        independent_rows: bool = False,
    ) -> pd.DataFrame:
        """Sample rows from the model.

        Args:
            num_rows: Number of rows.
            max_tries_per_batch: How often to sample again if constraints reject rows.
            batch_size: Rows to sample at once; all of them if None.
            output_file_path: File to write the rows to as well, as CSV.
            independent_rows: Whether rows are sampled independently of each other; see the
                documentation.

        Returns:
            The table.
        """
        given = max_tries_per_batch, batch_size, output_file_path
        sampled: pd.DataFrame = self._sample_as_sdv(independent_rows, num_rows, *given)
        return sampled


class _SamplingOfSecond(BaseSingleTableSynthesizer):
    """Sampling with the arguments of SDV 2."""

    def sample(
        self,
        num_rows: int,
        main_table_name: str | None = None,
        max_tries_per_batch: int = 100,
        batch_size: int | None = None,
        output_folder_path: str | None = None,
        independent_rows: bool = False,
    ) -> Frames:
        """Sample rows from the model.

        By default, values are assigned by systematic sampling: in every 65,536 rows, the count of
        each value differs from the model's by less than one row, far less than in independent rows.
        Use it for the table that is released. Its rows are not independent of each other, so a
        standard error or a test that assumes independence, within one table or across several, is
        wrong: for these, set ``independent_rows``. Neither accounts for the noise in the model,
        which all samples of one fit share.

        Args:
            num_rows: Number of rows.
            main_table_name: Name of the table, as in SDV.
            max_tries_per_batch: How often to sample again if constraints reject rows.
            batch_size: Rows to sample at once; all of them if None.
            output_folder_path: Folder to write the rows to as well, as CSV.
            independent_rows: Whether rows are sampled independently of each other.

        Returns:
            The table by its name.
        """
        given = main_table_name, max_tries_per_batch, batch_size, output_folder_path
        sampled: Frames = self._sample_as_sdv(independent_rows, num_rows, *given)
        return sampled


def takes_tables(method: Method) -> Method:
    """Return a method of a synthesizer that accepts tables in the form of the installed SDV.

    Args:
        method: A method that takes tables by name.
    """

    @functools.wraps(method)
    def given_as_sdv_has_them(self: Any, *given: Any, **named: Any) -> Any:
        name = self._table_name
        tables = {key: by_name(data, name) for key, data in named.items()}
        return method(self, *(by_name(data, name) for data in given), **tables)

    return cast(Method, given_as_sdv_has_them)


# To a type checker it is SDV 2.
if TYPE_CHECKING or not IS_FIRST:  # noqa: SIM108  # which mypy would take for either
    Sampling = _SamplingOfSecond
else:
    Sampling = _SamplingOfFirst
