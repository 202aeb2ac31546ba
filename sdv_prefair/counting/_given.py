"""Counts that the owner of the rows has made, and the queries to make them."""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from sdv.errors import SynthesizerInputError

from sdv_prefair.counting import Clique, Counts, Encoder, check_cells
from sdv_prefair.counting._kernel import check_consistent, gather
from sdv_prefair.counting._source import count_name
from sdv_prefair.errors import PrivateDataError

# -- Histograms from the user's own queries: checked before anything is fitted to them -------------


def counts_of_user(
    given: Mapping[Any, Any],
    domain: Mapping[str, int],
    cliques: Iterable[Clique],
    drawn: Mapping[str, int] = MappingProxyType({}),
) -> Counts:
    """Return the user's histograms as ``Counts``.

    Args:
        given: For each clique an array with an axis for each column, or a DataFrame with a row for
            each cell: its codes, and the count.
        domain: Number of codes of each column.
        cliques: The cliques that must be given, and no others.
        drawn: For columns with a hidden code after all others, the number of codes without it.
            Arrays may omit its cells: then no row has it.

    Raises:
        PrivateDataError: If one is missing, has another shape, or contradicts another. No count
            is in the message.
    """
    cliques = [tuple(clique) for clique in cliques]
    found = _by_columns(given)
    _check_keys(found, cliques)
    observed = {}
    for clique in cliques:
        check_cells(clique, domain)
        columns, histogram = found[frozenset(clique)]
        if not isinstance(histogram, pd.DataFrame):
            histogram = _with_hidden(np.asarray(histogram), columns, domain, drawn)
        observed[clique] = _read(histogram, columns, clique, domain)
    counts = Counts(domain, observed)
    check_consistent(counts, 'run all queries again, on one snapshot of the table.')
    return counts


def _with_hidden(
    array: np.ndarray, columns: Clique, domain: Mapping[str, int], drawn: Mapping[str, int]
) -> np.ndarray:
    """Return an array with cells for hidden codes, adding empty ones if it has none."""
    if array.ndim != len(columns):
        return array
    missing = [
        domain[column] - size if size == drawn.get(column) else 0
        for column, size in zip(columns, array.shape, strict=True)
    ]
    return np.pad(array, [(0, cells) for cells in missing]) if any(missing) else array


def _by_columns(given: Mapping[Any, Any]) -> dict[frozenset[str], tuple[Clique, Any]]:
    if not isinstance(given, Mapping):
        raise PrivateDataError(
            'The counts must be a dictionary from column names to histograms, as in '
            "{('age',): array, ('age', 'sex'): array}."
        )
    named = {((key,) if isinstance(key, str) else tuple(key)): h for key, h in given.items()}
    found = {frozenset(key): (key, histogram) for key, histogram in named.items()}
    if len(found) < len(named):
        raise PrivateDataError('The counts hold a clique twice. Give each set of columns once.')
    return found


def _check_keys(found: Mapping[frozenset[str], Any], cliques: list[Clique]) -> None:
    expected = {frozenset(clique): clique for clique in cliques}
    if missing := [list(clique) for key, clique in expected.items() if key not in found]:
        raise PrivateDataError(
            f'The counts of {missing} are missing. count_queries() returns a query for each '
            'histogram that is needed.'
        )
    if unknown := [list(columns) for key, (columns, _) in found.items() if key not in expected]:
        raise PrivateDataError(
            f'The counts of {unknown} are not needed, so they must not be given: the model may '
            'read the histograms of count_queries() only.'
        )


def _read(
    histogram: Any, columns: Clique, clique: Clique, domain: Mapping[str, int]
) -> tuple[np.ndarray | None, np.ndarray]:
    if isinstance(histogram, pd.DataFrame):
        codes, counts = _cells_of_frame(histogram, clique, domain)
    else:
        codes, counts = _cells_of_array(histogram, columns, clique, domain)
    shape = tuple(domain[column] for column in clique)
    return gather(np.ravel_multi_index(codes, shape), counts, shape)


def _cells_of_frame(
    frame: pd.DataFrame, clique: Clique, domain: Mapping[str, int]
) -> tuple[list[np.ndarray], np.ndarray]:
    name = count_name(clique)
    if set(frame.columns) != {*clique, name}:
        raise PrivateDataError(
            f'The counts of {list(clique)} must have the columns {[*clique, name]} and no others.'
        )
    codes = [_whole(frame[column], clique) for column in clique]
    for column, code in zip(clique, codes, strict=True):
        if (code >= domain[column]).any():
            raise PrivateDataError(
                f"The counts of {list(clique)} have codes of '{column}' that do not exist: they "
                f'go from 0 to {domain[column] - 1}.'
            )
    return codes, _whole(frame[name], clique)


def _cells_of_array(
    array: Any, columns: Clique, clique: Clique, domain: Mapping[str, int]
) -> tuple[list[np.ndarray], np.ndarray]:
    array = np.asarray(array)
    shape = tuple(domain[column] for column in columns)
    if array.shape != shape:
        raise PrivateDataError(
            f'The counts of {list(columns)} must have the shape {shape}, a cell for each code.'
        )
    array = array.transpose([columns.index(column) for column in clique])
    codes = [axis.ravel() for axis in np.indices(array.shape)]
    return codes, _whole(array.ravel(), clique)


def _whole(numbers: Any, clique: Clique) -> np.ndarray:
    try:
        given = np.asarray(numbers)
        whole = given.astype(np.int64)
        usable = given.dtype != bool and (whole == given).all() and (whole >= 0).all()
    except (TypeError, ValueError, OverflowError):
        usable = False
    if not usable:
        raise PrivateDataError(
            f'The counts of {list(clique)} must be integers, 0 or more, and so must codes.'
        )
    return whole


# -- The queries of all histograms that a fit reads, as SQL ----------------------------------------


_IN_MYSQL = re.compile(r'HEX\(CAST\((`(?:[^`]|``)*`\.`(?:[^`]|``)*`) AS CHAR\)\)')


class CountQueries(dict[Clique, str]):
    """A query for each clique; printed, a script of all of them."""

    def __str__(self) -> str:
        return '\n\n'.join(f'-- {" x ".join(clique)}\n{sql};' for clique, sql in self.items())


def write_queries(
    table_name: str,
    dtypes: Mapping[str, Any],
    encoders: Mapping[str, Encoder],
    cliques: Iterable[Clique],
    person: tuple[str | None, int],
    dialect: str,
) -> CountQueries:
    """Return the queries of the cliques' histograms.

    Args:
        table_name: What the table is called.
        dtypes: The dtype of each column.
        encoders: What turns the modelled ones into codes.
        cliques: The cliques.
        person: The column that tells persons apart, if any, and how many rows each may have.
        dialect: The database, in ibis' words.
    """
    try:
        import ibis

        from sdv_prefair.counting._sql import bound_rows, histogram_queries
    except ImportError:
        raise SynthesizerInputError(
            "count_queries needs ibis: install it with pip install 'sdv-prefair[sql]'."
        ) from None
    _check_dialect(dialect)
    types = {column: _type(dtype, encoders.get(column)) for column, dtype in dtypes.items()}
    table = ibis.table(types, name=table_name)
    person_column, max_rows = person
    if person_column is not None:
        table = bound_rows(table, person_column, max_rows, dialect)
    queries = histogram_queries(table, encoders, cliques, dialect)
    return CountQueries({clique: _written(query, dialect) for clique, query in queries.items()})


def _check_dialect(dialect: str) -> None:
    """Raise unless it is the name of a database that queries are written for."""
    from sdv_prefair.counting._expressions import DATABASES

    if dialect not in DATABASES:
        raise SynthesizerInputError(
            f'count_queries cannot write SQL for {dialect!r}. Choose one of {sorted(DATABASES)}, '
            'or let fit_table read the rows.'
        )


def _written(query: Any, dialect: str) -> str:
    import ibis

    sql = str(ibis.to_sql(query, dialect=dialect))
    # ibis has no word for a character set; without it that of the connection is taken.
    return _IN_MYSQL.sub(r'HEX(CONVERT(\1 USING utf8mb4))', sql) if dialect == 'mysql' else sql


def _type(dtype: Any, encoder: Encoder | None) -> str:
    if encoder is not None and hasattr(encoder, 'instants'):
        return "timestamp('UTC')" if encoder.instants else 'timestamp'
    if pd.api.types.is_bool_dtype(dtype):
        return 'boolean'
    if pd.api.types.is_integer_dtype(dtype):
        return 'int64'
    return 'float64' if pd.api.types.is_float_dtype(dtype) else 'string'
