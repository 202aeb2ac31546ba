"""The unit of privacy: a person with a bounded number of rows."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair.values._boxed import boxed
from sdv_prefair.values._canonical import canonical_value


def bound_rows_per_person(
    table: pd.DataFrame, person_column: str | None, max_rows: int
) -> pd.DataFrame:
    """Return the table with at most ``max_rows`` rows of each person, namely the first ones.

    Privacy: which rows of a person are kept depends on that person's rows alone, so adding or
    removing a person changes at most ``max_rows`` rows of the result. Rows without a person, or
    with one that is not a plain value, count as one person's.
    """
    if person_column is None:
        return table
    return table[_earlier_rows(table[person_column]) < max_rows]


class PersonsSeen:
    """Keeps the first rows of each person in a sequence of frames.

    Memory grows with the number of persons.

    Privacy: as in ``bound_rows_per_person``, for all frames together.

    Args:
        max_rows: How many rows of a person are kept.
    """

    def __init__(self, max_rows: int):
        self._max_rows = max_rows
        self._number: dict[Any, int] = {}
        self._passed: Counter[int] = Counter()

    def may_stay(self, persons: pd.Series) -> np.ndarray:
        """Return which rows of the next frame are kept."""
        number = np.array([_number_of(p, self._number) for p in boxed(persons)], dtype=np.int64)
        different, row_of = np.unique(number, return_inverse=True)
        earlier = np.array([self._passed[n] for n in different.tolist()], dtype=np.int64)
        nth = pd.Series(number).groupby(number).cumcount().to_numpy()
        passes: np.ndarray = earlier[row_of] + nth < self._max_rows
        passed = np.bincount(row_of[passes], minlength=len(different))
        self._passed.update(dict(zip(different.tolist(), passed.tolist(), strict=True)))
        return passes


def _earlier_rows(person: pd.Series) -> np.ndarray:
    """Return, for each row, the number of rows above it of the same person."""
    if isinstance(person.dtype, pd.CategoricalDtype):
        number = person.cat.codes.to_numpy()
    elif pd.api.types.is_object_dtype(person.dtype):
        number = _numbered(person)
    else:
        number = person.factorize(use_na_sentinel=True)[0]
    return pd.Series(number).groupby(number).cumcount().to_numpy()


def _numbered(persons: Iterable[Any]) -> np.ndarray:
    """Return a number for each person, -1 for anything else; each cell is parsed on its own."""
    number: dict[Any, int] = {}
    return np.array([_number_of(person, number) for person in persons], dtype=np.int64)


def _number_of(person: Any, number: dict[Any, int]) -> int:
    """Return the number of a person, identified by plain values alone.

    An object of another class could claim to be equal to somebody else, and use up their rows.
    """
    if type(person) is not str:
        known = canonical_value(person)
        if known is None:
            return -1
        person = known.value
    return number.setdefault(person, len(number))
