"""Columns that are names of folders, as in ``year=2024/``: typed by the metadata alone.

Arrow infers their types from the names of all folders, so that one row in a new folder would
change the type of the column for all others. Here they are strings, converted name by name to the
type in the metadata; what cannot be converted is null.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds

from sdv_prefair.values._text_cells import as_described


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
