"""Counting rows that are in memory."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from sdv_prefair.counts._kernel import CHUNK_ROWS, Accumulator, Counts
from sdv_prefair.counts._reshape import Reshape
from sdv_prefair.counts._source import Encoder, Progress, sizes
from sdv_prefair.counts._tally import Tally, value_counts


class FrameSource:
    """A table in memory.

    Args:
        frame: The private table.
        dtypes: The dtypes to assume, if different from those it has.
    """

    can_be_read_again = True

    def __init__(self, frame: pd.DataFrame, dtypes: pd.Series | None = None):
        self._frame = frame
        self.dtypes = frame.dtypes if dtypes is None else dtypes

    def reshaped(self, reshape: Reshape, dtypes: pd.Series) -> 'FrameSource':
        """Return the table with some columns replaced by others."""
        return FrameSource(reshape.transform(self._frame), dtypes)

    def count(
        self,
        encoders: Mapping[str, Encoder],
        cliques: Iterable[Sequence[str]],
        progress: Progress = iter,
    ) -> Counts:
        """Return the histograms of the cliques, over the codes of the encoders."""
        codes = {column: e.encode(self._frame[column]) for column, e in encoders.items()}
        return count_codes(codes, sizes(encoders), cliques, progress)

    def value_counts(self, columns: Iterable[str]) -> dict[str, Tally]:
        """Return how often each value of each column occurs; nulls are left out."""
        return {column: value_counts(self._frame[column]) for column in columns}


def count_codes(
    codes: Mapping[str, np.ndarray],
    domain: Mapping[str, int],
    cliques: Iterable[Sequence[str]],
    progress: Progress = iter,
) -> Counts:
    """Count the declared cliques in columns of integer codes.

    Privacy: reads every row; the result is private until a ``PrivateTable`` answers from it.

    Args:
        codes: One integer array per column, all of the same length.
        domain: Number of codes of each column.
        cliques: The cliques to count; nothing else is counted.
        progress: Wraps the sequence of chunks, to show a progress bar.
    """
    accumulator = Accumulator(domain, cliques)
    num_rows = len(next(iter(codes.values())))
    for start in progress(range(0, num_rows, CHUNK_ROWS)):
        chunk = slice(start, start + CHUNK_ROWS)
        accumulator.add({column: values[chunk] for column, values in codes.items()})
    return accumulator.counts()
