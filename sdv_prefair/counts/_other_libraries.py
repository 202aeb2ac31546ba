"""Tables of other libraries that keep rows themselves, read as these libraries say.

None of the libraries is imported here: whoever passes such a table has it.
"""

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pyarrow as pa

from sdv_prefair.counts._frame_parts import Parts
from sdv_prefair.counts._kernel import CHUNK_ROWS
from sdv_prefair.counts._part_types import as_described
from sdv_prefair.counts._streams import (
    ProtocolStream,
    ScannedStream,
    Stream,
    with_nulls_ruled_out,
)
from sdv_prefair.errors import PrivateDataError


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
