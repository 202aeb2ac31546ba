"""Any statistic of a table, computed on rows of each replicate."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair._arrays import Floats
from sdv_prefair.errors import QueryError, shown
from sdv_prefair.inference._replication import Interval, Rows, interval_of_errors
from sdv_prefair.model import GraphicalModel

Statistic = Callable[[pd.DataFrame], Any]

_ANY_NUMBER = (-np.inf, np.inf)


def check_statistic(function: Any) -> None:
    """Raise unless a statistic can be called."""
    if not callable(function):
        raise QueryError(
            f'function ({shown(function)}) must take a table and return a number, or several as an '
            'array, a Series or a dictionary.'
        )


class ModelOfRows(GraphicalModel):
    """Stands in for a model: returns its sampled rows in order, cyclically.

    Args:
        model: The model.
        rows: The sampled codes.
    """

    def __init__(self, model: GraphicalModel, rows: Rows):
        super().__init__(model.domain, model.cliques, model.nodes, model.total)
        self._rows, self._next = rows, 0
        self.num_rows = len(next(iter(rows.values())))

    def sample(
        self,
        num_rows: int,
        evidence: Mapping[str, int] | None = None,
        independent_rows: bool = False,
    ) -> dict[str, np.ndarray]:
        """Return the next rows."""
        places = np.arange(self._next, self._next + num_rows) % self.num_rows
        self._next += num_rows
        return {column: codes[places] for column, codes in self._rows.items()}


def estimate_of_rows(
    function: Statistic,
    table: pd.DataFrame,
    replicated: Iterable[pd.DataFrame],
    level: float,
    truths: Iterable[tuple[pd.DataFrame, float]] | None = None,
) -> pd.DataFrame:
    """Return a statistic of a synthetic table, with intervals from its values on replicates.

    Privacy: post-processing of synthetic rows.

    Args:
        function: Takes a table; returns a number, or some with names: a Series or a dictionary.
        table: Rows of the model.
        replicated: Rows of each replicate.
        level: Confidence level of the intervals.
        truths: For each replicate the rows that it was counted from, and the factor that scales
            their deviations to a full table; without them, the model is the truth.
    """
    own = _numbers(function(table))
    estimates = own.to_numpy(dtype=np.float64)
    errors = np.array([_same_numbers(function(rows), own) - estimates for rows in replicated])
    if truths is not None:
        errors -= [
            shrink * (_same_numbers(function(rows), own) - estimates) for rows, shrink in truths
        ]
    lines = [
        interval_of_errors(estimate, errors[:, place], level, _ANY_NUMBER)
        for place, estimate in enumerate(estimates.tolist())
    ]
    return pd.DataFrame(lines, own.index, list(Interval._fields))


def _numbers(value: Any) -> pd.Series:
    numbers = pd.Series(value) if isinstance(value, dict | pd.Series) else None
    try:
        if numbers is None:
            numbers = pd.Series(np.atleast_1d(np.asarray(value, dtype=np.float64)))
        return numbers.astype(np.float64)
    except (TypeError, ValueError):
        raise QueryError(
            'The function must return a number, or several as an array, a Series or a dictionary.'
        ) from None


def _same_numbers(value: Any, own: pd.Series) -> Floats:
    """Return the numbers of a replicate; missing ones, such as an absent group's, are nan."""
    numbers = _numbers(value)
    if isinstance(value, dict | pd.Series):
        numbers = numbers.reindex(own.index)
    if len(numbers) != len(own):
        raise QueryError('The function must return equally many numbers for every table.')
    found: Floats = numbers.to_numpy(dtype=np.float64)
    return found
