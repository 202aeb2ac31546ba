"""How a line is cut into bins, and how rows spread within them."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class BinShape:
    """Bins of unequal width, and how rows spread within them: released or public facts.

    Attributes:
        edges: Cuts between bins, which hold their lower edge, as ``NumberBins`` and
            ``DatetimeBins`` take them.
        finer: Further cuts, inside bins.
        weights: One relative weight for each segment between consecutive cuts of ``edges`` and
            ``finer`` together, the ends of the range included; () means evenly within bins.
    """

    edges: tuple[Any, ...]
    finer: tuple[Any, ...] = ()
    weights: tuple[float, ...] = ()
