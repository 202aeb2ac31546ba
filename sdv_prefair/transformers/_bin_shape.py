"""Bins of unequal width, and the distribution of rows within them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from typing import Any

from sdv_prefair.errors import DomainError


@dataclass(frozen=True)
class BinShape:
    """Bins of unequal width, and the distribution of rows within them: released or public facts.

    To give a bin of its own to a value that many rows share, use two edges: the value and its
    successor, for numbers the one from ``numpy.nextafter``. The upper bound of the range needs only
    one edge, and weights.

    Attributes:
        edges: Cuts between bins, which contain their lower edge.
        finer: Further cuts, inside bins.
        weights: How likely rows are between one cut and the next, for ``edges`` and ``finer``
            together, from one end of the range to the other: one weight more than there are cuts.
            Only weights within a bin are compared. Without weights, rows are uniform within bins;
            so they are in a bin whose weights are all 0.
    """

    edges: tuple[Any, ...]
    finer: tuple[Any, ...] = ()
    weights: tuple[float, ...] = ()

    def __post_init__(self):
        object.__setattr__(self, 'edges', tuple(self.edges))
        object.__setattr__(self, 'finer', tuple(self.finer))
        if not all(map(_is_weight, self.weights)):
            raise DomainError('weights must be finite numbers, 0 or more.')
        object.__setattr__(self, 'weights', tuple(map(float, self.weights)))
        if len(self.weights) not in (0, len(self.edges) + len(self.finer) + 1):
            raise DomainError('weights must be one more than there are edges and finer cuts.')

    def check_cuts(self, low: Any, high: Any) -> None:
        """Raise ``DomainError`` unless cuts strictly increase, above ``low`` and up to ``high``."""
        for name, cuts in (('edges', self.edges), ('finer', self.finer)):
            if not all(low < cut <= high for cut in cuts):
                raise DomainError(f'{name} must be above the lower end of the range and within it.')
            if not all(one < next_one for one, next_one in pairwise(cuts)):
                raise DomainError(f'{name} must be increasing.')
        if not set(self.edges).isdisjoint(self.finer):
            raise DomainError('finer must not repeat edges.')


def _is_weight(weight: Any) -> bool:
    is_number = isinstance(weight, Real) and not isinstance(weight, bool)
    return is_number and 0 <= weight < math.inf


def as_shape(edges: 'Sequence[Any] | BinShape | None') -> BinShape | None:
    """Return edges as a shape with uniform bins; None for bins of equal width."""
    return edges if edges is None or isinstance(edges, BinShape) else BinShape(tuple(edges))
