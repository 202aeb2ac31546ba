"""Histograms from the user's own queries: checked before anything is fitted to them."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair.counts import Clique, Counts, check_cells
from sdv_prefair.counts._consistency import check_consistent
from sdv_prefair.counts._kernel import gather
from sdv_prefair.counts._source import count_name
from sdv_prefair.errors import PrivateDataError


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
