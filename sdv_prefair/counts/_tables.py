"""The kinds of tables that ``fit_table`` takes, and the source that counts each."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds

from sdv_prefair.counts._batches import BatchSource
from sdv_prefair.counts._csv_files import CsvFiles
from sdv_prefair.counts._csv_lines import UnreadableCsv
from sdv_prefair.counts._frame_parts import FramePartsSource, Parts
from sdv_prefair.counts._other_libraries import frame_parts, library_stream
from sdv_prefair.counts._paths import is_paths, table_files
from sdv_prefair.counts._source import Source
from sdv_prefair.counts._streams import (
    DatasetStream,
    ProtocolStream,
    ReaderStream,
    Stream,
    frames_stream,
    parquet_stream,
    reading,
)
from sdv_prefair.errors import PrivateDataError

Describe = Callable[[Any], pd.Series]  # takes an Arrow schema, or a frame without rows

_WAYS = {
    'pandas': " A pandas DataFrame goes to fit, as in fit({'table': df}).",
    'modin': " Pass modin's frame to fit, as in fit({'table': df.modin.to_pandas()}).",
    'numpy': " Make a pandas DataFrame of the array, and pass it to fit, as in fit({'table': df}).",
    'dask': ' Of Dask pass a DataFrame: a bag or array has to_dataframe or to_dask_dataframe.',
    'pyspark': ' Of Spark pass a DataFrame, as in fit_table(spark.createDataFrame(rows)).',
    'sqlalchemy': ' Open the table with ibis, as in fit_table(ibis.connect(url).table(name)).',
}


def open_table(
    table: Any,
    describe: Describe,
    person_column: str | None,
    max_rows: int,
    columns: Mapping[str, dict[str, Any]],
    rows_stay: bool | None = None,
) -> Source:
    """Return the source that counts a table; no row is read yet.

    Args:
        table: Any table that ``fit_table`` takes.
        describe: Checks a schema, or a frame without rows, and returns the dtypes that correspond
            to its types.
        person_column: Column that identifies persons, if any.
        max_rows: How many rows of a person are counted.
        columns: The metadata of each column.
        rows_stay: Whether a database counts its rows itself; None for the database's default.
    """
    engine = _engine(table)
    if engine == 'ibis':
        from sdv_prefair.counts._databases import open_database

        return open_database(table, describe, (person_column, max_rows), columns, rows_stay)
    if engine == 'pyspark' and hasattr(table, 'mapInArrow'):
        return _open_spark(table, describe, person_column, max_rows)
    if engine == 'pyspark' and hasattr(table, 'to_spark') and hasattr(table, 'columns'):
        return _open_spark(table.to_spark(), describe, person_column, max_rows)
    if rows_stay:
        raise PrivateDataError(
            f'The rows of a {type(table).__name__} are read here, so rows_stay cannot be True. '
            'Leave it out, or pass a table of a database, through ibis, or a Spark DataFrame.'
        )
    with reading('opened'):
        opened = _open_parts(table, engine, columns)
        if opened is not None:
            empty, parts = opened
            return FramePartsSource(parts, describe(empty), person_column, max_rows)
        stream = _open_stream(table, engine, columns, person_column)
    return BatchSource(stream, describe(stream.schema), person_column, max_rows)


def has_session_clock(table: Any) -> bool:
    """Whether a table's instants have no zone of their own: each session shows its own clock."""
    return _engine(table) in ('ibis', 'pyspark', 'duckdb', '_duckdb')


def _engine(table: Any) -> str:
    """Return the library that a table comes from."""
    return type(table).__module__.partition('.')[0]


def _open_parts(
    table: Any, engine: str, columns: Mapping[str, dict[str, Any]]
) -> tuple[pd.DataFrame, Parts] | None:
    """Return a table that comes as pandas frames, if it does: its empty frame, and its reader."""
    if (found := frame_parts(table, engine)) is not None:
        return found
    if not is_paths(table) or not (files := table_files(table)).are_csv:
        return None
    try:
        opened = CsvFiles([Path(path) for path in files.paths], columns)
    except UnreadableCsv as error:
        raise PrivateDataError(str(error)) from None
    return opened.empty, opened.parts


def _open_stream(
    table: Any, engine: str, columns: Mapping[str, dict[str, Any]], person_column: str | None
) -> Stream:
    if is_paths(table):
        return parquet_stream(table_files(table).as_dataset, columns)
    if isinstance(table, ds.Dataset):
        return DatasetStream(table)
    if isinstance(table, pa.RecordBatchReader):
        return ReaderStream(table)
    if (stream := library_stream(table, engine, person_column)) is not None:
        return stream
    if hasattr(table, '__arrow_c_stream__') and not isinstance(table, pd.DataFrame):
        return ProtocolStream(lambda: pa.RecordBatchReader.from_stream(table))
    if hasattr(table, 'collect_batches'):
        return frames_stream(table)
    raise PrivateDataError(
        f'fit_table cannot read a {type(table).__name__}. Give the path of a Parquet or CSV file, '
        'a list of these or a folder, an Arrow reader, dataset or table, a DuckDB relation, a '
        'polars, Dask or Spark DataFrame, a Ray dataset, a Delta or Iceberg table, or an ibis '
        f'table.{_WAYS.get(engine, "")}'
    )


def _open_spark(table: Any, describe: Describe, person_column: str | None, max_rows: int) -> Source:
    from sdv_prefair.counts._spark import SparkSource, bound_rows

    with reading('opened'):
        schema = table.limit(0).toArrow().schema
    dtypes = describe(schema)
    if person_column is not None:
        table = bound_rows(table, person_column, max_rows)
    return SparkSource(table, dtypes, schema)
