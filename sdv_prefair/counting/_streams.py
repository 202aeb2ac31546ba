"""Tables that are read as a stream of Arrow record batches, never as a whole."""

import contextlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
from pyarrow import fs
from sdv.errors import InvalidDataError, SynthesizerInputError

from sdv_prefair.columns._dtypes import as_described
from sdv_prefair.columns._lookups import is_text
from sdv_prefair.counting._arrow import (
    as_stored,
    check_can_be_read_as,
    check_same_columns,
    common_schema,
)
from sdv_prefair.counting._worker_counts import CHUNK_ROWS
from sdv_prefair.errors import PrivateDataError

# -- Folders that are more than their files: table formats with a log of which rows are valid ------
#
# Their Parquet files contain deleted rows and old versions of others. Read as plain files, these
# would be counted: people who were removed from the table, and some people twice.

_READERS = {
    'Delta Lake': 'DeltaTable(path)',
    'Apache Iceberg': 'table.scan()',
    'Apache Hudi': "spark.read.format('hudi').load(path)",
}


def check_plain_files(path: str | Path) -> None:
    """Raise if a path is such a table, contains one, or is inside one.

    Args:
        path: The path of a file or folder, or a URI that Arrow supports.
    """
    filesystem, place = _locate(path)
    for kind in _kinds(filesystem, place):
        raise PrivateDataError(
            f"'{path}' belongs to a table of {kind}, whose files hold deleted and outdated rows "
            f'too. Let its own reader choose the rows, as in fit_table({_READERS[kind]}).'
        )


def _locate(path: str | Path) -> tuple[fs.FileSystem, str]:
    try:
        filesystem, place = fs.FileSystem.from_uri(str(path))
    except (pa.ArrowInvalid, OSError):  # not a URI
        return fs.LocalFileSystem(), Path(path).resolve().as_posix()
    return filesystem, place


def _kinds(filesystem: fs.FileSystem, place: str) -> Iterator[str]:
    """Yield the kinds of tables whose logs are inside a folder, next to it or above it."""
    is_folder = filesystem.get_file_info(place).type == fs.FileType.Directory
    selected = [fs.FileSelector(place, recursive=True)] if is_folder else []
    folders = [place, *_folders_above(place)]
    logs = [f'{folder}/{log}' for folder in folders for log in ('_delta_log', '.hoodie')]
    selected += [logs, *(fs.FileSelector(f'{f}/metadata', allow_not_found=True) for f in folders)]
    for selection in selected:
        for info in filesystem.get_file_info(selection):
            if info.type != fs.FileType.NotFound and (kind := _kind_of_log(info.path)):
                yield kind


def _folders_above(place: str) -> list[str]:
    parts = place.split('/')
    return ['/'.join(parts[:depth]) for depth in range(len(parts) - 1, 0, -1)]


def _kind_of_log(path: str) -> str | None:
    folder, _, name = path.rpartition('/')
    if name == '_delta_log':
        return 'Delta Lake'
    if name == '.hoodie':
        return 'Apache Hudi'
    is_iceberg = name.endswith('.metadata.json') and folder.rpartition('/')[2] == 'metadata'
    return 'Apache Iceberg' if is_iceberg else None


# -- Columns that are names of folders, as in ``year=2024/``: typed by the metadata alone ----------
#
# Arrow infers their types from the names of all folders, so that one row in a new folder would
# change the type of the column for all others. Here they are strings, converted name by name to the
# type in the metadata; what cannot be converted is null.


class FolderColumns:
    """The columns of a table that come from the names of its folders.

    Args:
        names: Their names.
        columns: The metadata of all columns.
    """

    def __init__(
        self, names: Sequence[str] = (), columns: Mapping[str, dict[str, Any]] | None = None
    ):
        columns = columns or {}
        self.types = {name: _type(columns.get(name, {'sdtype': 'id'})) for name in names}
        self._described = {name: columns[name] for name in names if name in columns}

    @property
    def partitioning(self) -> ds.Partitioning:
        """Arrow's partitioning: it returns names as unchanged strings."""
        schema = pa.schema([(name, pa.string()) for name in self.types])
        return ds.HivePartitioning(schema, segment_encoding='none')

    def retype(self, schema: pa.Schema) -> pa.Schema:
        """Return the schema of a table, with the types of these columns."""
        fields = [f.with_type(self.types.get(f.name, f.type)) for f in schema]
        return pa.schema(fields, schema.metadata)

    def convert(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return a batch with these columns parsed."""
        for place, name in enumerate(batch.schema.names):
            if name in self.types:
                batch = batch.set_column(place, name, self._convert(name, batch.column(place)))
        return batch

    def _convert(self, name: str, column: pa.Array) -> pa.Array:
        written = column.dictionary_encode()
        texts = [_decoded(text) for text in written.dictionary.to_pylist()]
        cells = pd.DataFrame({name: pd.Series(texts, dtype=object)})
        values = as_described(cells, self._described)[name].tolist()
        kind = self.types[name]
        return pa.array([_held(value, kind) for value in values], kind).take(written.indices)


def discovered() -> ds.PartitioningFactory:
    """Return a partitioning that finds the names of such columns, whatever the folders' names."""
    return ds.HivePartitioning.discover(segment_encoding='none')


def _type(description: Mapping[str, Any]) -> pa.DataType:
    """Return a type that can hold the values that the metadata describes."""
    if description['sdtype'] == 'numerical':
        return pa.int64() if description.get('decimal_places') == 0 else pa.float64()
    if description['sdtype'] == 'boolean':
        return pa.bool_()
    kinds = {type(value) for value in description.get('range_values', ())}
    by_kind = {frozenset({int}): pa.int64(), frozenset({bool}): pa.bool_()}
    if kinds and kinds <= {int, float}:
        return by_kind.get(frozenset(kinds), pa.float64())
    return by_kind.get(frozenset(kinds), pa.string())


def _decoded(text: str | None) -> str | None:
    """Return the name of a folder with %20 and the like decoded; None if that is not a string."""
    try:
        return None if text is None else unquote(text, errors='strict') or None
    except UnicodeDecodeError:
        return None


def _held(value: Any, kind: pa.DataType) -> Any:
    """Return a value if a type can hold it, otherwise None."""
    if pd.isna(value):
        return None
    try:
        return pa.scalar(value, kind).as_py()
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        return None


# -- Tables that are read as a stream of Arrow record batches, never as a whole --------------------


_TO_BE_RAISED = (
    *(SynthesizerInputError, InvalidDataError, ImportError, MemoryError),
    *(KeyboardInterrupt, SystemExit, GeneratorExit),
)


class Stream(Protocol):
    """A source of record batches.

    Attributes:
        schema: Names and types of the columns.
        can_be_read_again: Whether ``read`` may be called more than once.
    """

    schema: pa.Schema
    can_be_read_again: bool

    def read(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        """Yield the whole table from its beginning; it may include other columns."""


class DatasetStream:
    """Files: only the requested columns are read.

    Args:
        dataset: Arrow's view of them. All files must have the same columns, of types that can be
            read as the dataset's, whatever the values are.
        folder_columns: Columns that come from names of folders, if these are to be parsed here.
    """

    can_be_read_again = True

    def __init__(self, dataset: ds.Dataset, folder_columns: FolderColumns | None = None):
        self._dataset = dataset
        self._folder_columns = folder_columns or FolderColumns()
        self._fragments = _fragments(dataset)
        schemas = [fragment.physical_schema for fragment in self._fragments or []]
        check_same_columns([_columns_of(fragment) for fragment in self._fragments or []])
        check_can_be_read_as(dataset.schema, schemas)
        schema = self._folder_columns.retype(dataset.schema)
        self.schema = with_nulls_ruled_out(schema, schemas or [schema])

    def read(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        """Yield the columns of all rows, file by file."""
        return map(self._folder_columns.convert, self._read(columns))

    def _read(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        # By name alone: in a plain list, a dot in a name would mean a nested column.
        options = {'columns': {c: ds.field(c) for c in columns}, 'batch_size': CHUNK_ROWS}
        if self._fragments is None:
            yield from self._dataset.to_batches(**options)
        for fragment in self._fragments or []:
            schema = as_stored(self._dataset.schema, fragment.physical_schema)
            for part in _parts(fragment):
                yield from part.to_batches(schema=schema, **options)


class ScannedStream:
    """Files that another library has chosen and described; a column missing in one is null there.

    Args:
        dataset: Arrow's view of them.
    """

    can_be_read_again = True

    def __init__(self, dataset: ds.Dataset):
        self._dataset = dataset
        self.schema = with_nulls_ruled_out(dataset.schema, [dataset.schema])

    def read(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        """Yield the columns of all rows, file by file."""
        return iter(
            self._dataset.to_batches(
                columns={c: ds.field(c) for c in columns},
                batch_size=CHUNK_ROWS,
                batch_readahead=1,
                fragment_readahead=1,
            )
        )


class ReaderStream:
    """A reader that can be read only once.

    Args:
        reader: The reader.
    """

    can_be_read_again = False

    def __init__(self, reader: pa.RecordBatchReader):
        self._reader = reader
        self.schema = reader.schema

    def read(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        """Yield the rest of the reader."""
        return iter(self._reader)


class ProtocolStream:
    """Anything that can open Arrow readers; engines run their query again for each.

    Args:
        open_reader: Returns a new reader.
    """

    can_be_read_again = True

    def __init__(self, open_reader: Callable[[], pa.RecordBatchReader]):
        self._open_reader = open_reader
        self._unread = open_reader()
        schema = self._unread.schema
        self.schema = with_nulls_ruled_out(schema, [schema])

    def read(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        """Yield all rows of a new reader."""
        reader, self._unread = self._unread or self._open_reader(), None
        yield from reader


def _fragments(dataset: ds.Dataset) -> list[ds.Fragment] | None:
    """Return the files of a dataset; None if it filters rows, which only Arrow can do."""
    try:
        return list(dataset.get_fragments())
    except ValueError:
        return None


def _columns_of(fragment: ds.Fragment) -> set[str]:
    """Return the columns of a file: those inside it, and those of its folders."""
    in_folders = ds.get_partition_keys(fragment.partition_expression)
    return {*fragment.physical_schema.names, *in_folders}


def _parts(fragment: ds.Fragment) -> list[ds.Fragment]:
    """Return the parts to read at a time: Arrow would read ahead, up to a gigabyte."""
    is_parquet = isinstance(fragment, ds.ParquetFileFragment)
    return fragment.split_by_row_group() if is_parquet else [fragment]


def parquet_stream(
    path: str | Path | list[str], columns: Mapping[str, dict[str, Any]] | None = None
) -> DatasetStream:
    """Return the stream of a Parquet file, or of a folder of them with hive partitions, if any.

    Strings are read as dictionaries, as Parquet stores them.

    Args:
        path: The path of the file or folder, or of several files.
        columns: The metadata of each column, by which the names of folders are parsed.
    """
    with reading('opened'):
        for one in path if isinstance(path, list) else [path]:
            check_plain_files(one)
        found = ds.dataset(path, format='parquet', partitioning=discovered())
        fragments = list(found.get_fragments())
        schemas = [fragment.physical_schema for fragment in fragments]
        check_same_columns([_columns_of(fragment) for fragment in fragments])
        common = common_schema(schemas) if schemas else found.schema
        names = [name for name in found.schema.names if name not in common.names]
        folder_columns = FolderColumns(names, columns)
        texts = [field.name for field in common if is_text(field.type)]
        dataset = ds.dataset(
            path,
            schema=_with_text_columns(common, texts, names),
            format=ds.ParquetFileFormat(dictionary_columns=texts),
            partitioning=folder_columns.partitioning,
        )
        return DatasetStream(dataset, folder_columns)


def _with_text_columns(schema: pa.Schema, stored: list[str], added: list[str]) -> pa.Schema:
    """Return the schema with dictionaries for some columns, and strings for some that it lacks."""
    fields = [
        field.with_type(pa.dictionary(pa.int32(), field.type)) if field.name in stored else field
        for field in schema
    ]
    return pa.schema([*fields, *(pa.field(name, pa.string()) for name in added)])


def frames_stream(lazy_frame: Any) -> ProtocolStream:
    """Return the stream of a lazy frame that is computed frame by frame, such as polars'."""

    def open_reader() -> pa.RecordBatchReader:
        schema = pa.RecordBatchReader.from_stream(lazy_frame.head(0).collect()).schema
        return pa.RecordBatchReader.from_batches(schema, _batches_of_frames(lazy_frame))

    return ProtocolStream(open_reader)


def _batches_of_frames(lazy_frame: Any) -> Iterator[pa.RecordBatch]:
    for frame in lazy_frame.collect_batches(chunk_size=CHUNK_ROWS, maintain_order=True, lazy=True):
        yield from pa.RecordBatchReader.from_stream(frame)


@contextlib.contextmanager
def reading(done: str = 'read to its end') -> Generator[None]:
    """Convert anything that an engine raises into an error that quotes no row.

    Args:
        done: The operation that failed.
    """
    try:
        yield
    except _TO_BE_RAISED:
        raise
    except BaseException as error:  # this includes panics of engines written in Rust
        kind = type(error).__name__
        raise PrivateDataError(
            f'The table could not be {done} ({kind}), so nothing was fitted. The message of the '
            'engine is left out because it may quote rows: read the table with the engine alone '
            'to see it.'
        ) from None


def with_nulls_ruled_out(schema: pa.Schema, written: Iterable[pa.Schema]) -> pa.Schema:
    """Return the schema with columns marked that no file allows to be null."""
    never_null = set.intersection(*(_never_null(part) for part in written))
    fields = [field.with_nullable(field.name not in never_null) for field in schema]
    return pa.schema(fields)


def _never_null(schema: pa.Schema) -> set[str]:
    """Return the columns that are not nullable, or that were numpy's integers or booleans.

    pandas writes the dtypes of a frame into the schema, and these dtypes cannot hold nulls.
    """
    described = (schema.pandas_metadata or {}).get('columns', [])
    never_null = {
        column['field_name']
        for column in described
        if column['pandas_type'] == column['numpy_type'] in _WITHOUT_NULLS
    }
    return never_null | {field.name for field in schema if not field.nullable}


_WITHOUT_NULLS = {'bool', *(f'{u}int{bits}' for u in ('', 'u') for bits in (8, 16, 32, 64))}
