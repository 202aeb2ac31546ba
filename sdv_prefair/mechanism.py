"""From counts to noisy measurements: one-way marginals, a fair tree, its two-way marginals.

Paper: Marginals-MST with the fair selection step of Algorithm 1 or 2. After this file nothing
private is left: the result is a list of measurements.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

import numpy as np

from sdv_prefair.errors import BudgetError, shown
from sdv_prefair.model import (
    Compression,
    GraphicalModel,
    Measurement,
    compress_rare_codes,
    estimate,
    one_way_model,
)
from sdv_prefair.privacy import PrivateTable
from sdv_prefair.roles import Roles
from sdv_prefair.structure import FairTree, Strategy
from sdv_prefair.structure.scores import IndependenceGap, PrivateScores
from sdv_prefair.structure.tree import Pair

# So many standard deviations are taken for more than noise.
_CLEAR = 5.0


@dataclass(frozen=True)
class Budget:
    """How rho is divided.

    Attributes:
        one_way: Share of the one-way marginals.
        selection: Share of the selection; what a structure does not use goes to the two-ways,
            as does the rest.
        cells_exponent: A marginal of n cells gets a part proportional to n to this power.
            2/3 minimises the summed L1 noise; 0 gives equal parts.
        discount_noise: Whether a pair's score is lowered by the error its measurement will
            leave, so that a table that noise would drown is not chosen for its size.
        shrink: Whether tables that are mostly noise are drawn towards independence.
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


@dataclass(frozen=True)
class Release:
    """What leaves the mechanism.

    Attributes:
        measurements: The noisy marginals.
        tree: The edges whose marginals were measured.
        compressions: How the codes of each column were merged.
        mostly_outside: Columns of which, by their noisy marginal, most rows hold a value that
            the domain does not.
    """

    measurements: list[Measurement]
    tree: FairTree
    compressions: dict[str, Compression]
    mostly_outside: list[str]


def declared_cliques(columns: list[str], roles: Roles, strategy: Strategy) -> list[tuple[str, ...]]:
    """Return the histograms the mechanism may read: all one-ways and the strategy's pairs."""
    return [(column,) for column in columns] + list(strategy.declare(columns, roles))


def measure_and_select(
    table: PrivateTable,
    roles: Roles,
    strategy: Strategy,
    budget: Budget,
    hidden_codes: Mapping[str, Mapping[str, int | None]] = MappingProxyType({}),
    progress: Callable[[str], None] = lambda step: None,
) -> Release:
    """Run steps 6 to 8 of a fit: measure one-ways, select a tree, measure its two-ways.

    Privacy: spends all that is left in the table's ledger, through the table alone.

    Args:
        table: Answers and debits.
        roles: The roles of the table's columns.
        strategy: How the tree is selected.
        budget: How what is left in the ledger is divided.
        hidden_codes: For columns with a code that must not be drawn, the arguments ``other``
            and ``stand_in`` of `compress_rare_codes`.
        progress: Called with the name of each step.
    """
    columns = list(table.domain)
    available = table.ledger.remaining
    one_way_rho = table.ledger.shares(available, _weights(budget, len(columns)))
    progress('Measuring one-way marginals')
    one_ways = _measure(table, [(c,) for c in columns], one_way_rho[0], budget, 'measure one-ways')
    mostly_outside = [m.columns[0] for m in one_ways if _is_mostly_outside(m, hidden_codes)]
    compressions = {
        m.columns[0]: compress_rare_codes(m, **hidden_codes.get(m.columns[0], {})) for m in one_ways
    }
    table.regroup({column: c.group_of for column, c in compressions.items()})
    one_ways = [compressions[m.columns[0]].compress(m) for m in one_ways]
    progress('Selecting the tree')
    tree = _select(table, one_ways, roles, strategy, budget, one_way_rho[1])
    progress('Measuring two-way marginals')
    two_ways = _measure(table, tree.edges, table.ledger.remaining, budget, 'measure two-ways')
    return Release(one_ways + two_ways, tree, compressions, mostly_outside)


def _is_mostly_outside(measurement: Measurement, hidden_codes: Mapping) -> bool:
    other = hidden_codes.get(measurement.columns[0], {}).get('other')
    if other is None:
        return False
    clear_of_noise = _CLEAR * np.max(measurement.stddev)
    return bool(measurement.values[other] > max(clear_of_noise, measurement.values.sum() / 2))


def estimate_release(release: Release, estimator: str, budget: Budget) -> GraphicalModel:
    """Run step 9 of a fit: estimate the model. Post-processing of released values."""
    return estimate(
        release.measurements,
        {column: c.num_groups for column, c in release.compressions.items()},
        release.tree.edges,
        estimator=estimator,
        compressions=release.compressions,
        shrink=budget.shrink,
    )


def _weights(budget: Budget, num_columns: int) -> list[Fraction]:
    if num_columns == 1:
        return [Fraction(1), Fraction(0), Fraction(0)]
    return [budget.one_way, budget.selection, 1 - budget.one_way - budget.selection]


def _measure(
    table: PrivateTable, cliques: list[tuple[str, ...]], rho: Fraction, budget: Budget, step: str
) -> list[Measurement]:
    weights = [_cells(table.domain, clique) ** budget.cells_exponent for clique in cliques]
    measurements = []
    for clique, share in zip(cliques, table.ledger.shares(rho, weights), strict=True):
        values, sigma = table.measure(tuple(clique), share, step)
        measurements.append(Measurement(tuple(clique), values, sigma))
    return measurements


def _select(
    table: PrivateTable,
    one_ways: list[Measurement],
    roles: Roles,
    strategy: Strategy,
    budget: Budget,
    rho: Fraction,
) -> FairTree:
    columns = list(table.domain)
    _, expected = one_way_model(one_ways)
    pairs = strategy.declare(columns, roles)
    two_way_rho = table.ledger.remaining - rho
    discount = {}
    if budget.discount_noise:
        rows = table.ledger.max_rows_per_person
        discount = expected_errors(pairs, expected, two_way_rho, rows, budget.cells_exponent)
    scores = PrivateScores(table, IndependenceGap(expected, discount), rho)
    return strategy.select(columns, roles, scores)


def expected_errors(
    pairs: list[Pair],
    expected: Mapping[str, np.ndarray],
    rho: Fraction,
    max_rows_per_person: int,
    cells_exponent: float,
) -> dict[Pair, float]:
    """Return the L1 error to expect in each pair's table once it is measured and estimated.

    A cell errs by its noise, but where independence predicts next to nothing the estimate, which
    is never negative, errs by about that prediction at most. The other edges of the tree are
    not known yet, so they are taken to be average pairs.

    Privacy: a function of released values, so within a pair it is a constant.

    Args:
        pairs: The pairs that may be chosen.
        expected: The one-way model: expected counts of each column, all of one total.
        rho: What all two-way measurements may spend together.
        max_rows_per_person: What one person can change in a table.
        cells_exponent: As in `Budget`.
    """
    domain = {column: counts.size for column, counts in expected.items()}
    weight = {pair: _cells(domain, pair) ** cells_exponent for pair in pairs}
    others = (len(domain) - 2) * math.fsum(weight.values()) / max(1, len(weight))
    errors = {}
    for first, second in pairs:
        share = weight[first, second] / (weight[first, second] + others)
        sigma = max_rows_per_person / math.sqrt(2 * float(rho) * share)
        shares = expected[second] / expected[second].sum()
        errors[first, second] = _capped_sum(expected[first], shares, math.sqrt(2 / math.pi) * sigma)
    return errors


def _capped_sum(rows: np.ndarray, shares: np.ndarray, most: float) -> float:
    """Return the sum of ``min(most, row * share)`` over all cells, without making the table."""
    shares = np.sort(shares)
    below = np.concatenate([[0.0], np.cumsum(shares)])
    with np.errstate(divide='ignore'):
        place = np.searchsorted(shares, most / rows)
    return float((rows * below[place] + most * (shares.size - place)).sum())


def _cells(domain: Mapping[str, int], clique: tuple[str, ...]) -> int:
    return math.prod(domain[column] for column in clique)
