"""Counting a table that comes as a sequence of pandas frames: CSV files, and Dask's partitions.

Every part is read as ``fit`` reads a whole frame, so the codes are the same. One part is in memory
at a time.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from sdv_prefair.counts._frame_persons import PersonsSeen
from sdv_prefair.counts._kernel import CHUNK_ROWS, Accumulator, Counts
from sdv_prefair.counts._reshape import Reshape
from sdv_prefair.counts._source import Encoder, Progress, sizes
from sdv_prefair.counts._streams import reading
from sdv_prefair.counts._tally import Tally, value_counts

Parts = Callable[[list[str]], Iterator[pd.DataFrame]]


@dataclass(frozen=True)
class FramePartsSource:
    """A table in parts, which can be read more than once.

    Attributes:
        parts: Returns some columns of all parts, from the first on.
        dtypes: The dtypes of the columns, the same in all parts.
        person_column: Column that identifies persons, if any.
        max_rows: How many rows of a person are counted, the first ones.
        reshape: How some columns are computed from others.
    """

    parts: Parts
    dtypes: pd.Series
    person_column: str | None = None
    max_rows: int = 1
    reshape: Reshape | None = None

    can_be_read_again = True

    def reshaped(self, reshape: Reshape, dtypes: pd.Series) -> 'FramePartsSource':
        """Return the table with some columns replaced by others."""
        return replace(self, reshape=reshape, dtypes=dtypes)

    def count(
        self,
        encoders: Mapping[str, Encoder],
        cliques: Iterable[Sequence[str]],
        progress: Progress = iter,
    ) -> Counts:
        """Return the histograms of the cliques, over the codes of the encoders."""
        accumulator = Accumulator(sizes(encoders), cliques)
        with reading():
            for frame in progress(self._read(list(encoders))):
                codes = {c: encoder.encode(frame[c]) for c, encoder in encoders.items()}
                for start in range(0, len(frame), CHUNK_ROWS):
                    chunk = slice(start, start + CHUNK_ROWS)
                    accumulator.add({column: values[chunk] for column, values in codes.items()})
        return accumulator.counts()

    def value_counts(self, columns: Iterable[str]) -> dict[str, Tally]:
        """Return how often each value of each column occurs; nulls are left out."""
        tallies: dict[str, Tally] = {column: Counter() for column in columns}
        with reading():
            for frame in self._read(list(tallies)):
                for column, tally in tallies.items():
                    tally.update(value_counts(frame[column]))
        return tallies

    def _read(self, columns: list[str]) -> Iterator[pd.DataFrame]:
        wanted = columns if self.reshape is None else self.reshape.columns_read(columns)
        persons = None
        if self.person_column is not None:
            wanted = list(dict.fromkeys([*wanted, self.person_column]))
            persons = PersonsSeen(self.max_rows)
        for frame in self.parts(wanted):
            if persons is not None:
                frame = frame[persons.may_stay(frame[self.person_column])]
            yield self._reshape(frame)

    def _reshape(self, frame: pd.DataFrame) -> pd.DataFrame:
        if self.reshape is None:
            return frame
        made = self.reshape.transform(frame[list(self.reshape.dtypes)])
        kept = frame[[c for c in frame if c not in self.reshape.dtypes]]
        return pd.concat([kept, made], axis=1)
