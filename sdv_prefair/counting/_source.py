"""The interface between a fit and any source of rows: they can be counted, and nothing else."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pandas as pd

from sdv_prefair.columns._texts import CanonicalValue
from sdv_prefair.counting._kernel import Counts

if TYPE_CHECKING:
    from sdv_prefair.counting._arrow import Reshape

Progress = Callable[[Iterable[Any]], Iterable[Any]]


class Encoder(Protocol):
    """Turns the values of one column into codes, row by row, from public facts alone."""

    @property
    def num_counted(self) -> int:
        """Number of codes that are counted, including one that is never sampled."""

    @property
    def unread_code(self) -> int:
        """The code of null, and of values that cannot be parsed."""

    def encode(self, values: pd.Series) -> np.ndarray:
        """Return a code for each value."""


class Source(Protocol):
    """A private table that answers with exact counts."""

    @property
    def dtypes(self) -> pd.Series:
        """The dtype of each column, which is public."""

    @property
    def can_be_read_again(self) -> bool:
        """Whether it can be counted more than once."""

    def reshaped(self, reshape: 'Reshape', dtypes: pd.Series) -> 'Source':
        """Return the table with some columns replaced by others."""

    def count(
        self,
        encoders: Mapping[str, Encoder],
        cliques: Iterable[Sequence[str]],
        progress: Progress = iter,
    ) -> Counts:
        """Return the histograms of the cliques, over the codes of the encoders.

        Privacy: reads every row; the result is private until a ``PrivateTable`` answers from it.
        """

    def value_counts(self, columns: Iterable[str]) -> Mapping[str, Mapping[CanonicalValue, int]]:
        """Return how often each value of each column occurs; nulls are left out.

        Privacy: reads every row; the result is private until ``frequent_values`` thresholds it.
        """


def sizes(encoders: Mapping[str, Encoder]) -> dict[str, int]:
    """Return the number of codes of each column."""
    return {column: encoder.num_counted for column, encoder in encoders.items()}


def count_name(clique: Sequence[str]) -> str:
    """Return the name of the column of counts in the query for a histogram."""
    name = 'count'
    while name in clique:
        name += '_'
    return name
