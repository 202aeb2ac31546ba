"""Any table: by path, by library, by connection; each row counts once."""

import glob
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds

from sdv_prefair.counting._batches import BatchSource, FramePartsSource, Parts, as_described
from sdv_prefair.counting._csv import CsvFiles, UnreadableCsv
from sdv_prefair.counting._source import Source
from sdv_prefair.counting._streams import (
    DatasetStream,
    ProtocolStream,
    ReaderStream,
    ScannedStream,
    Stream,
    check_plain_files,
    frames_stream,
    parquet_stream,
    reading,
    with_nulls_ruled_out,
)
from sdv_prefair.counting._worker_counts import CHUNK_ROWS
from sdv_prefair.errors import PrivateDataError

# -- The paths of a table: one, several, or a pattern; each file counts once -----------------------
#
# If a file were listed twice, or matched by both a folder and a pattern, everybody in it would
# count twice. That would double the sensitivity, so it is refused.

_CSV = tuple(
    f'{kind}{packed}' for kind in ('.csv', '.tsv') for packed in ('', '.gz', '.bz2', '.xz', '.zst')
)
_IN_PATTERN = '*?['


@dataclass(frozen=True)
class TableFiles:
    """Files of one kind that form one table.

    Attributes:
        paths: The paths of the files; or the one file, folder or URI that was given.
        are_csv: Whether they are CSV files; otherwise they are Parquet files.
    """

    paths: tuple[str, ...]
    are_csv: bool

    @property
    def as_dataset(self) -> str | list[str]:
        """The argument for Arrow: a single path, which may be a folder, or a list of files."""
        return self.paths[0] if len(self.paths) == 1 else list(self.paths)


def is_paths(table: Any) -> bool:
    """Whether a table is given by a path, or by a list of paths."""
    if isinstance(table, list | tuple | set | frozenset):
        return bool(table) and all(isinstance(path, str | Path) for path in table)
    return isinstance(table, str | Path)


def table_files(given: str | Path | Iterable[str | Path]) -> TableFiles:
    """Return the files that paths denote; nothing but names is read.

    Args:
        given: A path, a pattern such as ``'part-*.csv'``, or several of these. A folder denotes the
            Parquet files in it.

    Raises:
        PrivateDataError: If there are no files, one is listed twice, or they are of both kinds.
    """
    if isinstance(given, str | Path):
        paths = _matching(str(given))
    else:
        listed = sorted(given) if isinstance(given, set | frozenset) else list(given)
        paths = [path for one in listed for path in _matching(str(one))]
    are_csv = [path.lower().endswith(_CSV) for path in paths]
    if any(are_csv) and not all(are_csv):
        raise PrivateDataError(
            'The paths lead to CSV files and to others, but a table has files of one kind. Give '
            'only CSV files, or only Parquet files and folders of them.'
        )
    if any(are_csv):
        _check_local(paths)
    elif len(paths) > 1:
        paths = [path for one in paths for path in _parquet_files(one)]
    _check_once(paths)
    return TableFiles(tuple(paths), any(are_csv))


def _matching(path: str) -> list[str]:
    """Return the paths that a pattern matches, in order; any other or existing path, itself."""
    if not any(letter in path for letter in _IN_PATTERN) or Path(path).exists():
        return [path]
    if '://' in path:
        raise PrivateDataError(
            f"'{path}' is a pattern in a URI, which cannot be searched. List the paths, or give "
            'the folder.'
        )
    found = sorted(glob.glob(path, recursive=True))
    if not found:
        raise PrivateDataError(f"No path matches '{path}'. Correct the pattern.")
    return found


def _check_local(paths: Sequence[str]) -> None:
    for path in paths:
        if '://' in path:
            raise PrivateDataError(
                f"'{path}' is a URI, and CSV files are read from local paths. Copy the file, or "
                'save it as Parquet.'
            )


def _parquet_files(path: str) -> list[str]:
    check_plain_files(path)
    if '://' in path or not Path(path).is_dir():
        return [path]
    return list(ds.dataset(path, format='parquet').files)


def _check_once(paths: Sequence[str]) -> None:
    places = [_identity(path) for path in paths]
    for number, (path, place) in enumerate(zip(paths, places, strict=True)):
        if place in places[:number]:
            raise PrivateDataError(
                f"'{path}' names a file that is already listed, so its rows would count twice. "
                'List every file once.'
            )


def _identity(path: str) -> Any:
    """Return an identity of a file that is the same for all its names and links."""
    try:
        found = Path(path).stat()
    except (OSError, ValueError):  # it does not exist, which is reported later, or is a URI
        return path
    return found.st_dev, found.st_ino


# -- Tables of other libraries that keep rows themselves, read as these libraries say --------------
#
# None of the libraries is imported here: whoever passes such a table has it.


def library_stream(table: Any, library: str, person_column: str | None) -> Stream | None:
    """Return the stream of a table that its library reads as Arrow; None if it is none of these.

    Args:
        table: Any object.
        library: The library that it is of.
        person_column: Column that tells persons apart, if any.
    """
    if library == 'deltalake' and hasattr(table, 'to_pyarrow_dataset'):
        return delta_stream(table, person_column)
    if library == 'pyiceberg' and (hasattr(table, 'scan') or hasattr(table, 'to_arrow')):
        return iceberg_stream(table)
    if library == 'ray' and hasattr(table, 'iter_batches'):
        return ray_stream(table)
    return None


def delta_stream(table: Any, person_column: str | None) -> Stream:
    """Return the stream of a ``deltalake.DeltaTable``: the rows of its version, and no others.

    Privacy: deltalake reads deletion vectors by an engine that gives rows in any order. So with
    persons such a table is refused: which of a person's rows count must not depend on others'.
    """
    try:
        return ScannedStream(table.to_pyarrow_dataset())
    except Exception as error:
        if 'Protocol' not in type(error).__name__ or not hasattr(table, 'scan'):
            raise
    if person_column is not None:
        raise PrivateDataError(
            'The Delta table has deletion vectors or renamed columns, which deltalake reads in no '
            'certain order, but with person_column the first rows of each person count. Rewrite '
            'the table without them (REORG TABLE ... APPLY (PURGE)), or pass it as a Spark '
            'DataFrame.'
        )
    return ProtocolStream(lambda: pa.RecordBatchReader.from_stream(table.scan()))


def iceberg_stream(table: Any) -> Stream:
    """Return the stream of a pyiceberg table, as it was when it was loaded, or of a scan of it."""
    scan = table.scan() if hasattr(table, 'scan') else table
    return ProtocolStream(scan.to_arrow_batch_reader)


def ray_stream(dataset: Any) -> Stream | None:
    """Return the stream of a Ray dataset; None if its blocks are pandas' frames."""
    schema = dataset.schema().base_schema
    return BlockStream(dataset, schema) if isinstance(schema, pa.Schema) else None


class BlockStream:
    """The blocks of a Ray dataset, each of its own types: what has no value may have another.

    Args:
        dataset: The dataset.
        schema: Names and types of its columns, as Ray says.
    """

    can_be_read_again = True

    def __init__(self, dataset: Any, schema: pa.Schema):
        self._dataset, self.schema = dataset, with_nulls_ruled_out(schema, [schema])

    def read(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        """Yield the columns of all rows, block by block."""
        parts = self._dataset.iter_batches(batch_size=CHUNK_ROWS, batch_format='pyarrow')
        for part in parts:
            yield from part.select(columns).to_batches()


def frame_parts(table: Any, library: str) -> tuple[pd.DataFrame, Parts] | None:
    """Return a table that is kept in pandas frames, if it is: without rows, and what reads it.

    Args:
        table: Any object.
        library: The library that it is of.
    """
    is_dask = library in {'dask', 'dask_expr'}
    if is_dask and hasattr(table, 'npartitions') and hasattr(table, 'dtypes'):
        return dask_parts(table)
    if library == 'ray' and hasattr(table, 'iter_batches'):
        schema = table.schema().base_schema
        return None if isinstance(schema, pa.Schema) else ray_parts(table, schema)
    return None


def ray_parts(dataset: Any, schema: Any) -> tuple[pd.DataFrame, Parts]:
    """Return a Ray dataset of pandas frames without rows, and what reads them one by one."""
    empty = _empty(dict(zip(schema.names, schema.types, strict=True)))

    def parts(wanted: list[str]) -> Iterator[pd.DataFrame]:
        for part in dataset.iter_batches(batch_size=CHUNK_ROWS, batch_format='pandas'):
            yield as_described(part[wanted].reset_index(drop=True), empty.dtypes)

    return empty, parts


def dask_parts(frame: Any) -> tuple[pd.DataFrame, Parts]:
    """Return a Dask DataFrame without rows, and what reads its partitions one by one."""
    empty = _empty(frame.dtypes)
    given = dict(zip(empty.columns, frame.columns, strict=True))

    def parts(wanted: list[str]) -> Iterator[pd.DataFrame]:
        selected = frame[[given[name] for name in wanted]]
        for number in range(selected.npartitions):
            part = selected.partitions[number].compute().set_axis(wanted, axis=1)
            yield as_described(part.reset_index(drop=True), empty.dtypes)

    return empty, parts


def _empty(dtypes: Any) -> pd.DataFrame:
    return pd.DataFrame({str(name): pd.Series(dtype=dtype) for name, dtype in dtypes.items()})


# -- The kinds of tables that ``fit_table`` takes, and the source that counts each -----------------


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
        from sdv_prefair.counting._databases import open_database

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
    from sdv_prefair.counting._spark import SparkSource, bound_rows

    with reading('opened'):
        schema = table.limit(0).toArrow().schema
    dtypes = describe(schema)
    if person_column is not None:
        table = bound_rows(table, person_column, max_rows)
    return SparkSource(table, dtypes, schema)
