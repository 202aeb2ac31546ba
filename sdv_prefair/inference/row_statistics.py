"""Any statistic of a table, computed on rows of each replicate."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair.errors import QueryError
from sdv_prefair.inference.model_errors import interval_of_errors
from sdv_prefair.inference.ratio_interval import Interval
from sdv_prefair.values.arrays import Floats

Statistic = Callable[[pd.DataFrame], Any]

_ANY_NUMBER = (-np.inf, np.inf)


def estimate_of_rows(
    function: Statistic, table: pd.DataFrame, replicated: Iterable[pd.DataFrame], level: float
) -> pd.DataFrame:
    """Return a statistic of a synthetic table, with intervals by its values on replicates.

    Privacy: post-processing of synthetic rows.

    Args:
        function: Takes a table; returns a number, or some with names: a Series or a dictionary.
        table: Rows of the model.
        replicated: Rows of each replicate.
        level: How often intervals are to hold the truth.
    """
    own = _numbers(function(table))
    values = np.array([_same_numbers(function(rows), own) for rows in replicated])
    lines = [
        interval_of_errors(estimate, values[:, place] - estimate, level, _ANY_NUMBER)
        for place, estimate in enumerate(own.to_numpy().tolist())
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
    """Return the numbers of a replicate; what it does not have is nan, as for an absent group."""
    numbers = _numbers(value)
    if isinstance(value, dict | pd.Series):
        numbers = numbers.reindex(own.index)
    if len(numbers) != len(own):
        raise QueryError('The function must return equally many numbers for every table.')
    found: Floats = numbers.to_numpy(dtype=np.float64)
    return found
