"""Multiples of an increment (SDV's FixedIncrements): the multiplier is modelled."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from sdv.cag import FixedIncrements

from sdv_prefair.columns._dtypes import cast, holds_nulls, read_numbers
from sdv_prefair.columns._facts import ColumnDomain, Numbers
from sdv_prefair.constraints._transformation import Transformation, unused_name, written_dtype
from sdv_prefair.errors import DomainError

_LARGEST = 2**61


class Multiples(Transformation):
    """A FixedIncrements: ``column`` becomes ``column#increment``, an integer.

    A value between two multiples counts as the nearer one.

    Args:
        constraint: SDV's constraint.
        taken: Column names already in use.
    """

    def __init__(self, constraint: FixedIncrements, taken: Iterable[str]):
        column = constraint.column_name
        self._name = unused_name(f'{column}#increment', taken)
        super().__init__(constraint, [column], {self._name: (column,)})
        self._increment = int(constraint.increment_value)

    def derive(
        self, domains: Mapping[str, ColumnDomain], dtypes: Mapping[str, Any]
    ) -> dict[str, ColumnDomain]:
        """Return the multipliers whose multiples lie in the public range."""
        (column,) = self.columns
        domain, dtype = domains[column], dtypes.get(column)
        low = None if domain.low is None else math.ceil(domain.low / self._increment)
        high = None if domain.high is None else math.floor(domain.high / self._increment)
        if low is not None and high is not None and low > high:
            raise DomainError(
                f'FixedIncrements cannot hold: no multiple of {self._increment} lies in the '
                f"declared range of '{column}'. Correct the range or the increment."
            )
        nullable = domain.nullable and holds_nulls(dtype)
        self._dtype = written_dtype(domain, dtype)
        self._bounds = (-_LARGEST if low is None else low, _LARGEST if high is None else high)
        if isinstance(domain, Numbers):
            return {self._name: Numbers(low, high, 0, nullable)}
        made = replace(domain, low=low, high=high, decimal_places=0, nullable=nullable)
        return {self._name: made}

    def make(self, frame: pd.DataFrame, column: str) -> Any:
        """Return the multipliers of the nearest multiples."""
        values = frame[self.columns[0]]
        numbers, nulls = read_numbers(values)
        nearest = np.rint(np.where(nulls, 0, numbers) / self._increment)
        # As floats, because the largest integers of some dtypes would overflow.
        multipliers = np.clip(nearest, *map(float, self._bounds)).astype(np.int64)
        return cast(np.clip(multipliers, *self._bounds), nulls, pd.Int64Dtype())

    def restore(
        self, frame: pd.DataFrame, asked: pd.DataFrame | None = None
    ) -> tuple[dict[str, Any], np.ndarray]:
        """Return the multiples."""
        multipliers, nulls = read_numbers(frame[self._name])
        multiples = np.where(nulls, 0, multipliers).astype(np.int64) * self._increment
        return {self.columns[0]: cast(multiples, nulls, self._dtype)}, np.ones(len(frame), bool)
