"""Tables that are read as a stream of Arrow record batches, never as a whole."""

import contextlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.dataset as ds
from sdv.errors import InvalidDataError, SynthesizerInputError

from sdv_prefair.counts._file_types import (
    as_stored,
    check_can_be_read_as,
    check_same_columns,
    common_schema,
)
from sdv_prefair.counts._kernel import CHUNK_ROWS
from sdv_prefair.counts._partitions import FolderColumns, discovered
from sdv_prefair.counts._readable import is_text
from sdv_prefair.counts._table_formats import check_plain_files
from sdv_prefair.errors import PrivateDataError

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
