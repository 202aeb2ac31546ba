"""Tables of other libraries that keep rows themselves, read as these libraries say.

None of the libraries is imported here: whoever passes such a table has it.
"""

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pyarrow as pa

from sdv_prefair.counts.frame_parts import Parts
from sdv_prefair.counts.kernel import CHUNK_ROWS
from sdv_prefair.counts.streams import ProtocolStream, ScannedStream, Stream
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


def ray_stream(dataset: Any) -> Stream:
    """Return the stream of a Ray dataset."""
    schema = dataset.schema().base_schema
    if not isinstance(schema, pa.Schema):  # its blocks are pandas' frames
        one_row = dataset.iter_batches(batch_size=1, batch_format='pyarrow')
        schema = next(iter(one_row)).schema

    def batches() -> Iterator[pa.RecordBatch]:
        parts = dataset.iter_batches(batch_size=CHUNK_ROWS, batch_format='pyarrow')
        for part in parts:
            yield from part.select(schema.names).cast(schema).to_batches()

    return ProtocolStream(lambda: pa.RecordBatchReader.from_batches(schema, batches()))


def dask_parts(frame: Any) -> tuple[pd.DataFrame, Parts]:
    """Return a Dask DataFrame without rows, and what reads its partitions one by one."""
    empty = pd.DataFrame({
        str(name): pd.Series(dtype=dtype) for name, dtype in frame.dtypes.items()
    })
    given = dict(zip(empty.columns, frame.columns, strict=True))

    def parts(wanted: list[str]) -> Iterator[pd.DataFrame]:
        selected = frame[[given[name] for name in wanted]]
        for number in range(selected.npartitions):
            part = selected.partitions[number].compute().set_axis(wanted, axis=1)
            _check_dtypes(part, empty)
            yield part.reset_index(drop=True)

    return empty, parts


def _check_dtypes(part: pd.DataFrame, empty: pd.DataFrame) -> None:
    """Raise if a partition has other types than Dask says, as then its values may read otherwise.

    Types are public, as those of files are.
    """
    for column in part:
        if _kind(part[column].dtype) != _kind(empty[column].dtype):
            raise PrivateDataError(
                f"Column '{column}' has types that differ between the partitions of the table and "
                f'its description ({empty[column].dtype}). Convert it with astype.'
            )


def _kind(dtype: Any) -> Any:
    """Return a dtype; of categories only that they are: which there are may differ."""
    return 'category' if isinstance(dtype, pd.CategoricalDtype) else dtype
