"""Synthetic rows written to a file in chunks: memory does not grow with their number."""

import copy
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import tqdm

from sdv_prefair._atomic_write import draft_of
from sdv_prefair.columns import ColumnCodes
from sdv_prefair.columns._dtypes import with_columns
from sdv_prefair.columns._telling import shown_values
from sdv_prefair.inference import Replicates
from sdv_prefair.inference._row_statistics import ModelOfRows
from sdv_prefair.model import GraphicalModel

if TYPE_CHECKING:
    from sdv_prefair.synthesizer._after_fit import AfterFit

# -- The types of columns in a file that is written in parts ---------------------------------------
#
# Arrow infers the type of a column of objects from its values, and pandas writes timestamps in as
# much detail as the others beside them need. In a part of a file that would depend on which values
# happen to be in the part: integers in the first one would turn 2.5 in the next one into 2, and two
# codes would look the same. So it is decided beforehand, by all values that a column can show.


def types_of_objects(columns: Mapping[str, ColumnCodes]) -> dict[str, pa.DataType]:
    """Return the Arrow type of each column of objects, by all values that it can show.

    Raises:
        ValueError: If the values of a column have several types.
    """
    shown = {column: shown_values(codes).rename(column) for column, codes in columns.items()}
    types = {c: arrow_type(values) for c, values in shown.items() if _holds_objects(values)}
    # Of a column that shows no value but null, the dtype is what there is to go by.
    return {column: kind for column, kind in types.items() if not pa.types.is_null(kind)}


def check_objects(part: pd.DataFrame, schema: pa.Schema, known: Mapping[str, pa.DataType]) -> None:
    """Raise for objects that a schema would change, in columns whose values nobody knows.

    Args:
        part: A part of a table.
        schema: Of the parts before it.
        known: The types of columns of which all values are known.
    """
    for column in part.columns.difference(list(known)):
        if part[column].dtype == object:
            found, wanted = arrow_type(part[column]), schema.field(column).type
            fits = pa.types.is_integer(found) and pa.types.is_floating(wanted)
            if not (found == wanted or pa.types.is_null(found) or fits):
                _refuse(column)


def arrow_type(values: pd.Series) -> pa.DataType:
    """Return the type in which Arrow stores values.

    Raises:
        ValueError: If there is none, as they have several types.
    """
    try:
        return pa.Array.from_pandas(values).type
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        _refuse(values.name)


def shown_moments(columns: Mapping[str, ColumnCodes]) -> dict[str, pd.Series]:
    """Return timestamps as detailed as a column can show, of each column of timestamps."""
    shown = {column: shown_values(codes) for column, codes in columns.items()}
    return {column: values for column, values in shown.items() if is_moments(values)}


def is_moments(values: pd.Series) -> bool:
    """Whether pandas writes these values in as much detail as all of them need."""
    return isinstance(values.dtype, pd.DatetimeTZDtype) or (
        isinstance(values.dtype, np.dtype) and values.dtype.kind == 'M'
    )


def written_alike(moments: pd.Series, shown: pd.Series) -> pd.Series:
    """Return timestamps as text, in as much detail as those that the column can show need."""
    texts = pd.concat([shown.astype(moments.dtype), moments], ignore_index=True).astype(str)
    return texts[len(shown) :].set_axis(moments.index).where(moments.notna(), None)


def _holds_objects(values: pd.Series) -> bool:
    return bool(values.dtype == object) or isinstance(values.dtype, pd.CategoricalDtype)


def _refuse(column: object) -> NoReturn:
    raise ValueError(
        f"Column '{column}' holds values of several types, which a column of a Parquet file cannot "
        'hold. Write a .csv file instead.'
    ) from None


# -- Tables of rows from other models than the fitted one: replicates of it ------------------------


def tables_of(
    synthesizer: 'AfterFit',
    models: Any,
    num_rows: int,
    independent_rows: bool,
    seed: int | None = None,
) -> Iterator[pd.DataFrame]:
    """Yield a table of rows of each model; the synthesizer's random state is unchanged."""
    draw = _drawing_twin(synthesizer)
    for number, model in enumerate(models):
        model_seed = None if seed is None else np.random.default_rng([seed, number])
        yield draw(model, model_seed, num_rows, independent_rows)


def counted_tables(
    synthesizer: 'AfterFit', drawn: Replicates
) -> Iterator[tuple[pd.DataFrame, float]]:
    """Yield the table that each replicate was counted from, and its excess spread."""
    draw = _drawing_twin(synthesizer)
    for number in range(len(drawn)):
        codes, shrink = drawn.rows(number)
        rows = ModelOfRows(drawn.original, codes)
        yield draw(rows, None, rows.num_rows, False), shrink


Draw = Callable[[GraphicalModel, np.random.Generator | None, int, bool], pd.DataFrame]


def _drawing_twin(synthesizer: 'AfterFit') -> Draw:
    """Return a sampler for other models, with the encoders and constraints of a fit."""
    kept = synthesizer._replicates
    twin = copy.deepcopy(synthesizer, {id(kept): kept})
    twin.reset_sampling()
    (name,) = synthesizer.fitted.plan.original_metadata.tables

    def draw(
        model: GraphicalModel,
        rng: np.random.Generator | None,
        num_rows: int,
        independent_rows: bool,
    ) -> pd.DataFrame:
        own = copy.copy(model)
        twin.__dict__['_result'] = replace(synthesizer.fitted, model=own)
        own.set_random_state(rng)
        twin.__dict__['_random_state_set'] = True
        table: pd.DataFrame = twin.sample(num_rows, independent_rows=independent_rows)[name]
        return table

    return draw


# -- Synthetic rows written to a file in chunks: memory does not grow with their number ------------


ROWS_AT_A_TIME = 1 << 20
"""Rows of a chunk, a multiple of the 65,536 that one systematic sample covers."""

_CSV = ('.csv', '.csv.gz')


def drawn_parts(
    draw: Callable[[int], pd.DataFrame], num_rows: int, rows_at_a_time: int, progress: bool = True
) -> Iterator[pd.DataFrame]:
    """Yield rows in chunks, with a bar if there are several.

    Args:
        draw: Samples a given number of rows.
        num_rows: Total number of rows.
        rows_at_a_time: Rows of a chunk.
        progress: Whether to show a bar.
    """
    first = min(rows_at_a_time, num_rows)
    yield draw(first)  # the disk may turn out to be full, which is reported without a bar
    if first == num_rows:
        return
    with tqdm.tqdm(total=num_rows, initial=first, desc='Writing rows', disable=not progress) as bar:
        for start in range(first, num_rows, rows_at_a_time):
            part = draw(min(rows_at_a_time, num_rows - start))
            yield part
            bar.update(len(part))


def write_parts(
    parts: Iterable[pd.DataFrame],
    path: Path,
    num_rows: int,
    columns: Mapping[str, ColumnCodes] = MappingProxyType({}),
) -> None:
    """Write a table that comes in chunks, in the format of the path's suffix.

    Args:
        parts: The chunks.
        path: Where to write.
        num_rows: Rows of all chunks.
        columns: What determines which values columns can show, of columns of which it is known.

    Raises:
        ValueError: If the path has another suffix, the format cannot hold a column, or the disk has
            no room for so many rows.
    """
    name = path.name.lower()
    if not name.endswith((*_CSV, '.parquet')):
        raise ValueError(f"'{path}' must end in .csv, .csv.gz or .parquet.")
    write = _ParquetFile if name.endswith('.parquet') else _CsvFile
    with draft_of(path) as draft:
        file: Any = write(draft, columns)
        written = 0
        try:
            for part in parts:
                file.add(part.set_axis(part.columns.astype(str), axis=1))
                if not written:
                    _check_room(draft, path, num_rows / max(len(part), 1))
                written += len(part)
        finally:
            file.close()


def _check_room(draft: Path, path: Path, times: float) -> None:
    """Raise if the disk has no room for a file that grows by this factor."""
    if draft.stat().st_size * (times - 1) > shutil.disk_usage(draft.parent).free:
        raise ValueError(
            f"The disk of '{path}' has no room for so many rows. Ask for fewer rows, or give a "
            'path on a larger disk.'
        )


class _CsvFile:
    """A CSV file that rows are appended to, all in the format of the first chunk."""

    def __init__(self, path: Path, columns: Mapping[str, ColumnCodes]):
        self._path, self._moments = path, shown_moments(columns)
        self._dtypes: pd.Series | None = None

    def add(self, part: pd.DataFrame) -> None:
        is_first = self._dtypes is None
        if is_first:
            self._dtypes = part.dtypes
            beside = {c: part[c] for c in part.columns if is_moments(part[c])}
            self._moments = beside | self._moments
        alike = _with_dtypes(part, self._dtypes)
        alike = with_columns(
            alike,
            {
                column: written_alike(alike[column], shown)
                for column, shown in self._moments.items()
                if column in alike and is_moments(alike[column])
            },
        )
        alike.to_csv(self._path, mode='w' if is_first else 'a', header=is_first, index=False)

    def close(self) -> None:
        pass


class _ParquetFile:
    """A Parquet file that row groups are appended to, with the types of the first chunk."""

    def __init__(self, path: Path, columns: Mapping[str, ColumnCodes]):
        self._path, self._types = path, types_of_objects(columns)
        self._writer: pq.ParquetWriter | None = None

    def add(self, part: pd.DataFrame) -> None:
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._path, _schema(part, self._types))
        check_objects(part, self._writer.schema, self._types)
        table = pa.Table.from_pandas(part, schema=self._writer.schema, preserve_index=False)
        self._writer.write_table(table)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


def _with_dtypes(part: pd.DataFrame, dtypes: Any) -> pd.DataFrame:
    """Return a chunk with the dtypes of the first; what cannot be converted stays as it is.

    Otherwise nullable integers would be written with decimals in one chunk only.
    """
    for column, dtype in dtypes.items():
        if part[column].dtype != dtype:
            try:
                part = with_columns(part, {column: part[column].astype(_beside_nulls(dtype))})
            except (TypeError, ValueError):
                continue
    return part


def _beside_nulls(dtype: Any) -> Any:
    """Return the dtype that holds integers and nulls; any other dtype as it is."""
    is_whole = isinstance(dtype, np.dtype) and dtype.kind in 'iu'
    return pd.array(np.empty(0, dtype)).dtype if is_whole else dtype


def _schema(part: pd.DataFrame, types: Mapping[str, pa.DataType]) -> pa.Schema:
    """Return the schema of a file, from its first chunk and what is known of columns of objects."""
    fields = [(c, types.get(c) or arrow_type(part[c])) for c in part.columns]
    table = pa.Table.from_pandas(part, schema=pa.schema(fields), preserve_index=False)
    return _without_null_types(table.schema)


def _without_null_types(schema: pa.Schema) -> pa.Schema:
    """Return a schema with strings for columns that are all null in the first chunk."""
    fields = [f.with_type(pa.string()) if pa.types.is_null(f.type) else f for f in schema]
    return pa.schema(fields, schema.metadata)
