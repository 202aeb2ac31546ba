"""The allocation of the privacy budget, and the error that each share leaves."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sdv_prefair.errors import BudgetError, shown
from sdv_prefair.model import Measurement
from sdv_prefair.privacy import PrivateTable
from sdv_prefair.selection._tree import Pair


@dataclass(frozen=True)
class Budget:
    """How rho is divided.

    Attributes:
        one_way: Share of the one-way marginals.
        selection: Share of the selection; two-way marginals get the rest, and what a structure does
            not use.
        cells_exponent: A marginal of n cells gets a part proportional to n to this power.
            2/3 minimises the summed L1 noise; 0 gives equal parts.
        discount_noise: Whether a pair's score is lowered by the error that its measurement will
            leave, so that a table that noise would swamp is not chosen for its size.
        shrink: Whether tables that are mostly noise are shrunk towards independence.
    """

    one_way: Fraction
    selection: Fraction
    cells_exponent: float
    discount_noise: bool
    shrink: bool


BUDGETS = {
    'paper': Budget(Fraction(1, 3), Fraction(1, 3), 0.0, False, False),
    # Departs: chosen by simulation on Adult, COMPAS and Census KDD, so a guess elsewhere.
    'tuned': Budget(Fraction(45, 100), Fraction(10, 100), 2 / 3, True, True),
}


def resolve_budget(budget: str) -> Budget:
    """Return the named division of rho."""
    if isinstance(budget, str) and budget in BUDGETS:
        return BUDGETS[budget]
    raise BudgetError(f"budget ({shown(budget)}) must be 'tuned' or 'paper'.")


def measure(
    table: PrivateTable,
    cliques: Sequence[tuple[str, ...]],
    rho: Fraction,
    budget: Budget,
    step: str,
) -> list[Measurement]:
    """Measure marginals, each with a share of rho by its number of cells.

    Privacy: spends rho.
    """
    weights = [weight(table.domain, clique, budget) for clique in cliques]
    measurements = []
    for clique, share in zip(cliques, table.ledger.shares(rho, weights), strict=True):
        values, sigma = table.measure(tuple(clique), share, step)
        measurements.append(Measurement(tuple(clique), values.astype(np.float64), sigma))
    return measurements


def weight(domain: Mapping[str, int], clique: tuple[str, ...], budget: Budget) -> float:
    """Return the weight by which a marginal gets its share."""
    weight: float = math.prod(domain[column] for column in clique) ** budget.cells_exponent
    return weight


def expected_noise(rho: float, max_rows_per_person: int) -> float:
    """Return the mean absolute noise of a cell of a marginal measured with ``rho``."""
    return math.sqrt(2 / math.pi) * max_rows_per_person / math.sqrt(2 * rho)


def expected_errors(
    pairs: list[Pair],
    expected: Mapping[str, np.ndarray],
    rho: Fraction,
    max_rows_per_person: int,
    budget: Budget,
) -> dict[Pair, float]:
    """Return the L1 error to expect in each pair's table once it is measured and estimated.

    The error of a cell is its noise; but where independence predicts almost nothing, the error of
    the estimate, which is never negative, is about that prediction at most. The other edges of the
    tree are not known yet, so they are assumed to be average pairs.

    Privacy: a function of released values, so within a pair it is a constant.

    Args:
        pairs: The pairs that may be chosen.
        expected: The one-way model: expected counts of each column, all of one total.
        rho: The budget of all two-way measurements together.
        max_rows_per_person: How many rows one person may have.
        budget: The weights by which rho is divided.
    """
    domain = {column: counts.size for column, counts in expected.items()}
    weight_of = {pair: weight(domain, pair, budget) for pair in pairs}
    others = (len(domain) - 2) * math.fsum(weight_of.values()) / max(1, len(weight_of))
    errors = {}
    for first, second in pairs:
        own = weight_of[first, second]
        noise = expected_noise(float(rho) * own / (own + others), max_rows_per_person)
        shares = expected[second] / expected[second].sum()
        errors[first, second] = _capped_sum(expected[first], shares, noise)
    return errors


def _capped_sum(rows: np.ndarray, shares: np.ndarray, most: float) -> float:
    """Return the sum of ``min(most, row * share)`` over all cells, without building the table."""
    shares = np.sort(shares)
    below = np.concatenate([[0.0], np.cumsum(shares)])
    with np.errstate(divide='ignore'):
        place = np.searchsorted(shares, most / rows)
    return float((rows * below[place] + most * (shares.size - place)).sum())
