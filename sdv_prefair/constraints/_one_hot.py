"""Exactly one of several columns is 1 (SDV's OneHotEncoding): which one is modelled.

Departs: SDV's default ``learning_strategy='one_hot'`` models the columns separately and sets the
largest to 1. In a model of integer codes several columns, or none, would be 1, and the synthetic
table would not show which of them was sampled. So both strategies are
enforced in the model, by one column whose values are the names of the columns.
"""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from sdv.cag import OneHotEncoding

from sdv_prefair.columns import ColumnCodes
from sdv_prefair.columns._dtypes import cast, read_numbers
from sdv_prefair.columns._facts import Categories, ColumnDomain
from sdv_prefair.constraints._transformation import Transformation, unused_name, written_dtype


class WhichColumn(Transformation):
    """A OneHotEncoding: ``a``, ``b`` and ``c`` become ``a#b#c``, the name of the one that is 1.

    In a row with no 1, or with several, the first column with the largest value counts.

    Args:
        constraint: SDV's constraint.
        taken: Column names already in use.
    """

    def __init__(self, constraint: OneHotEncoding, taken: Iterable[str]):
        columns = tuple(constraint._column_names)
        self._name = unused_name('#'.join(columns), taken)
        super().__init__(constraint, columns, {self._name: columns})

    def derive(
        self, domains: Mapping[str, ColumnDomain], dtypes: Mapping[str, Any]
    ) -> dict[str, ColumnDomain]:
        """Return a domain of the names of the columns, which depends on no other public facts."""
        self._dtypes = {c: written_dtype(domains[c], dtypes.get(c)) for c in self.columns}
        return {self._name: Categories(self.columns, nullable=False, complete=True)}

    def make(self, frame: pd.DataFrame, column: str) -> Any:
        """Return the name of the column that is 1."""
        ones = np.column_stack([_as_numbers(frame[c]) for c in self.columns])
        return np.array(self.columns, dtype=object)[ones.argmax(axis=1)]

    def clues(self, asked: pd.DataFrame) -> list[Hashable]:
        """Return the requested numbers."""
        columns = [_as_numbers(asked[c]).tolist() for c in self.columns if c in asked]
        return list(zip(*columns, strict=True)) if columns else [None] * len(asked)

    def likelihoods(
        self, asked: pd.DataFrame, codes: Mapping[str, ColumnCodes]
    ) -> dict[str, np.ndarray]:
        """Return which columns can be the 1."""
        wanted = {c: _as_numbers(asked[c])[0] for c in self.columns if c in asked}
        if not wanted or len(wanted) == len(self.columns) or self._name not in codes:
            return {}
        fits = np.zeros(codes[self._name].num_codes)
        for code, name in enumerate(codes[self._name].values):
            fits[code] = all((column == name) == number for column, number in wanted.items())
        return {self._name: fits}

    def restore(
        self, frame: pd.DataFrame, asked: pd.DataFrame | None = None
    ) -> tuple[dict[str, Any], np.ndarray]:
        """Return columns of 0 and 1."""
        which = frame[self._name].to_numpy(dtype=object)
        all_rows = np.ones(len(frame), dtype=bool)
        restored = {
            c: cast((which == c).astype(np.int64), ~all_rows, self._dtypes[c]) for c in self.columns
        }
        return restored, all_rows


def _as_numbers(column: pd.Series) -> np.ndarray:
    numbers, nulls = read_numbers(column)
    return np.where(nulls, 0.0, numbers.astype(np.float64))
