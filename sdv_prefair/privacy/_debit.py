"""A line of the ledger."""

import math
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Debit:
    """One line of the ledger: the query, the mechanism, the cost.

    Attributes:
        step: Step of the fit, in the words of the documentation.
        mechanism: Name of the mechanism that added the noise.
        columns: The columns whose counts were read.
        rho: The cost in zCDP; of a Gaussian that is also mu^2/2 in GDP.
        delta: The part of delta this line uses up (thresholded categories only).
        scale: sigma of a Gaussian, epsilon of the exponential mechanism.
    """

    step: str
    mechanism: str
    columns: tuple[str, ...]
    rho: Fraction
    delta: float = 0.0
    scale: float = math.nan
