"""What ``fit_table`` takes: each kind of table, and the source that counts it."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds

from sdv_prefair.counts.batches import BatchSource
from sdv_prefair.counts.source import Source
from sdv_prefair.counts.streams import (
    DatasetStream,
    ProtocolStream,
    ReaderStream,
    Stream,
    frames_stream,
    parquet_stream,
    reading,
)
from sdv_prefair.errors import PrivateDataError

Describe = Callable[[pa.Schema], pd.Series]


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
        describe: Checks a schema and returns the dtypes that stand for its types.
        person_column: Column that tells persons apart, if any.
        max_rows: How many rows of a person are counted.
        columns: The metadata of each column.
        rows_stay: Whether a database counts its rows itself; None for what suits it.
    """
    engine = type(table).__module__.partition('.')[0]
    if engine == 'ibis':
        from sdv_prefair.counts.databases import open_database

        return open_database(table, describe, (person_column, max_rows), columns, rows_stay)
    if engine == 'pyspark':
        return _open_spark(table, describe, person_column, max_rows)
    if rows_stay:
        raise PrivateDataError(
            f'The rows of a {type(table).__name__} are read here, so rows_stay cannot be True. '
            'Leave it out, or pass a table of a database, through ibis, or a Spark DataFrame.'
        )
    with reading('opened'):
        stream = _open_stream(table, columns)
    return BatchSource(stream, describe(stream.schema), person_column, max_rows)


def _open_stream(table: Any, columns: Mapping[str, dict[str, Any]]) -> Stream:
    if isinstance(table, str | Path):
        return parquet_stream(table, columns)
    if isinstance(table, ds.Dataset):
        return DatasetStream(table)
    if isinstance(table, pa.RecordBatchReader):
        return ReaderStream(table)
    if hasattr(table, '__arrow_c_stream__') and not isinstance(table, pd.DataFrame):
        return ProtocolStream(lambda: pa.RecordBatchReader.from_stream(table))
    if hasattr(table, 'collect_batches'):
        return frames_stream(table)
    raise PrivateDataError(
        f'fit_table cannot read a {type(table).__name__}. Give the path of a Parquet file or '
        'folder, an Arrow reader, dataset or table, a DuckDB relation, a polars frame, an ibis '
        "table or a Spark DataFrame. A pandas DataFrame goes to fit, as in fit({'table': df})."
    )


def _open_spark(table: Any, describe: Describe, person_column: str | None, max_rows: int) -> Source:
    from sdv_prefair.counts.spark import SparkSource, bound_rows

    with reading('opened'):
        schema = table.limit(0).toArrow().schema
    dtypes = describe(schema)
    if person_column is not None:
        table = bound_rows(table, person_column, max_rows)
    return SparkSource(table, dtypes)
