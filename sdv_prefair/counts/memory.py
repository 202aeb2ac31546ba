"""Counting rows that are in memory."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from sdv_prefair.counts.kernel import CHUNK_ROWS, Accumulator, Counts


def count_codes(
    codes: Mapping[str, np.ndarray],
    domain: Mapping[str, int],
    cliques: Iterable[Sequence[str]],
    progress: Callable[[Iterable], Iterable] = iter,
) -> Counts:
    """Count the declared cliques in columns of integer codes.

    Privacy: reads every row; the result is private until a ``PrivateTable`` answers from it.

    Args:
        codes: One integer array a column, all of one length.
        domain: Number of codes of each column.
        cliques: The cliques to count; nothing else is.
        progress: Wraps the sequence of chunks, to show a progress bar.
    """
    accumulator = Accumulator(domain, cliques)
    num_rows = len(next(iter(codes.values())))
    for start in progress(range(0, num_rows, CHUNK_ROWS)):
        chunk = slice(start, start + CHUNK_ROWS)
        accumulator.add({column: values[chunk] for column, values in codes.items()})
    return accumulator.counts()
