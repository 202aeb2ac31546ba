"""Bins with values of their own: every value sampled for a code determines that code.

Between a sampled value and what a user sees lie rounding, the column's dtype, a format and the
clock of a time zone, and each of them can move a value into another bin. Rows of both bins would
then be mixed under one value, and given that value, columns that the model separates would depend
on each other. So a value that fails the round trip is sampled again, and a bin without any value
that passes it is merged with its neighbour, or the column is refused.
"""

import abc
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from sdv_prefair.errors import DomainError
from sdv_prefair.transformers._bin_shape import BinShape
from sdv_prefair.transformers._bins import GridBins, RealBins
from sdv_prefair.transformers._column_codes import ColumnCodes
from sdv_prefair.values._dtypes import cast

# How often a value is sampled again before the bin's fallback is used.
_TRIES = 4


class BinCodes(ColumnCodes, abc.ABC):
    """A column as bins of a line.

    Subclasses pass their bins to ``_use_bins``, and define in ``_finish`` how a number sampled from
    a bin becomes a value.
    """

    _bins: GridBins | RealBins
    edges: tuple[Any, ...] | None

    @property
    def shape(self) -> BinShape | None:
        """Bins of unequal width, and the distribution of rows within them; None for equal bins."""
        if self.edges is None:
            return None
        return BinShape(self.edges, self.finer, self.weights)

    def _use_shape(
        self, edges: Sequence[Any] | None, finer: Sequence[Any], weights: Sequence[float]
    ) -> None:
        if edges is None and (len(finer) or len(weights)):
            raise DomainError('finer and weights need edges. Pass edges too.')
        shape = BinShape(tuple(edges or ()), tuple(finer), tuple(weights))
        self.edges = None if edges is None else shape.edges
        self.finer, self.weights = shape.finer, shape.weights

    def _check_cuts(self, edges: Any, finer: Any, low: Any, high: Any) -> None:
        """Raise unless cuts with weights are in order; edges alone may have any order."""
        if self.finer or self.weights:
            BinShape(edges, finer).check_cuts(low, high)

    @abc.abstractmethod
    def _finish(self, drawn: np.ndarray) -> Any:
        """Return numbers sampled from bins as values, before they are cast to the dtype."""

    def _may_move(self) -> bool:
        """Whether a value may be encoded as another bin than the one it was sampled from.

        If the conversion preserves order, a bin is preserved if both its ends are.
        """
        return self._ends_move

    def _refuse_bins(self) -> DomainError | None:
        """Return why bins must not be merged, or None."""
        return None

    @property
    def line(self) -> GridBins | RealBins:
        """The line that is divided into bins."""
        return self._bins

    @property
    def is_coarse(self) -> bool:
        """Whether bins hold more than one value."""
        return isinstance(self._bins, RealBins) or len(self._bins) < self._bins.size

    @property
    def _num_values(self) -> int:
        return len(self._bins)

    def _use_bins(self, bins: GridBins | RealBins) -> None:
        """Use the bins, but merge those without a value of their own with their neighbours."""
        self._bins = bins
        while not (own := self._find_stand_ins()).all():
            refusal = self._refuse_bins()
            if refusal is not None or not own.any():
                raise refusal or DomainError(
                    f'a column of dtype {str(self._dtype)!r} cannot hold any value of the range. '
                    'Convert the column, or correct the range.'
                )
            self._bins = self._bins.joined(own)

    def _find_stand_ins(self) -> np.ndarray:
        """Keep a fallback for each bin that determines its code; return which bins have one."""
        candidates = [self._bins.middles(), *self._bins.ends()]
        codes = np.arange(len(self._bins))
        self._stand_ins = candidates[0].copy()
        found = np.zeros(len(self._bins), dtype=bool)
        self._ends_move = False
        for candidate in candidates:
            own = self._is_own(candidate, codes)
            self._stand_ins[own & ~found] = candidate[own & ~found]
            found |= own
            self._ends_move |= not own.all()
        return found

    def _is_own(self, drawn: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Return which samples, converted to values, have the codes they were sampled for."""
        try:
            return self._is_read_back(self._finish(drawn), codes)
        except (TypeError, ValueError, OverflowError, pa.ArrowException):
            return np.zeros(len(codes), dtype=bool)

    def _is_read_back(self, values: Any, codes: np.ndarray) -> np.ndarray:
        column = pd.Series(cast(values, np.zeros(len(codes), dtype=bool), self._dtype))
        read, nulls = self._read(column)
        return ~nulls & (read == codes)

    def _write(self, codes: np.ndarray, generator: np.random.Generator) -> tuple[Any, np.ndarray]:
        drawn = self._bins.draw(codes, generator)
        values = self._finish(drawn)
        if self._may_move():
            moved = np.flatnonzero(~self._is_read_back(values, codes))
            if moved.size:
                drawn[moved] = self._draw_own(codes[moved], generator)
                values = self._finish(drawn)
        return values, np.zeros(len(codes), dtype=bool)

    def _draw_own(self, codes: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        """Sample again whatever has moved into another bin."""
        drawn = self._stand_ins[codes]
        left = np.arange(len(codes))
        for _ in range(_TRIES):
            if not left.size:
                break
            again = self._bins.draw(codes[left], generator)
            own = self._is_own(again, codes[left])
            drawn[left[own]] = again[own]
            left = left[~own]
        return drawn
