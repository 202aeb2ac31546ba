"""From counts to noisy measurements: one-way marginals, a fair tree, its two-way marginals.

A strategy that goes beyond its tree takes the last step in turns with choosing, see
``extension.py``.

Paper: Marginals-MST with the fair selection step of Algorithm 1 or 2. After this file nothing
private is left: the result is a list of measurements.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

import numpy as np

from sdv_prefair.mechanisms.budget import Budget, expected_errors, measure
from sdv_prefair.mechanisms.chords import CHORDS_SHARE, measure_with_chords
from sdv_prefair.mechanisms.scores import PrivateScores, independence_gap
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
from sdv_prefair.structure import (
    ExtendingStrategy,
    FairTree,
    Pair,
    Strategy,
    declared_pairs,
    oversized_pairs,
)

# So many standard deviations are taken for more than noise.
_CLEAR = 5.0


@dataclass(frozen=True)
class Release:
    """What leaves the mechanism.

    Attributes:
        measurements: The noisy marginals.
        edges: The pairs of columns whose marginals were measured.
        compressions: How the codes of each column were merged.
        mostly_outside: Columns of which, by their noisy marginal, most rows hold a value that
            the domain does not.
    """

    measurements: list[Measurement]
    edges: list[tuple[str, str]]
    compressions: dict[str, Compression]
    mostly_outside: list[str]


def declared_cliques(
    domain: Mapping[str, int], roles: Roles, strategy: Strategy
) -> list[tuple[str, ...]]:
    """Return the histograms the mechanism may read: all one-ways and the strategy's pairs.

    Pairs too large to measure are left out.
    """
    return [(column,) for column in domain] + declared_pairs(domain, roles, strategy)


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
    columns, ledger = list(table.domain), table.ledger
    # Before codes are merged: what was counted does not change with them.
    pairs = declared_pairs(table.domain, roles, strategy)
    oversized = oversized_pairs(table.domain, roles, strategy)
    one_way_rho, selection_rho, _ = ledger.shares(ledger.remaining, _shares(budget, bool(pairs)))
    progress('Measuring one-way marginals')
    one_ways = measure(table, [(c,) for c in columns], one_way_rho, budget, 'measure one-ways')
    mostly_outside = [m.columns[0] for m in one_ways if _is_mostly_outside(m, hidden_codes)]
    compressions = {
        m.columns[0]: compress_rare_codes(m, **hidden_codes.get(m.columns[0], {})) for m in one_ways
    }
    table.regroup({column: c.group_of for column, c in compressions.items()})
    one_ways = [compressions[m.columns[0]].compress(m) for m in one_ways]
    progress('Selecting the tree')
    chords_rho = Fraction(0)
    if isinstance(strategy, ExtendingStrategy):
        selection_rho, chords_rho = ledger.shares(selection_rho, [1 - CHORDS_SHARE, CHORDS_SHARE])
    tree = _select(table, one_ways, roles, strategy, budget, selection_rho, pairs, oversized)
    progress('Measuring two-way marginals')
    if isinstance(strategy, ExtendingStrategy):
        two_ways = measure_with_chords(
            table, one_ways, tree.edges, roles, strategy, budget, chords_rho, pairs
        )
    else:
        two_ways = measure(table, tree.edges, ledger.remaining, budget, 'measure two-ways')
    edges = [measurement.columns for measurement in two_ways]
    return Release(one_ways + two_ways, edges, compressions, mostly_outside)


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
        release.edges,
        estimator=estimator,
        compressions=release.compressions,
        shrink=budget.shrink,
    )


def _shares(budget: Budget, has_pairs: bool) -> list[Fraction]:
    if not has_pairs:
        return [Fraction(1), Fraction(0), Fraction(0)]
    return [budget.one_way, budget.selection, 1 - budget.one_way - budget.selection]


def _select(
    table: PrivateTable,
    one_ways: list[Measurement],
    roles: Roles,
    strategy: Strategy,
    budget: Budget,
    rho: Fraction,
    pairs: list[Pair],
    oversized: list[Pair],
) -> FairTree:
    columns = list(table.domain)
    _, expected = one_way_model(one_ways)
    two_way_rho = table.ledger.remaining - rho
    discount = {}
    if budget.discount_noise:
        rows = table.ledger.max_rows_per_person
        discount = expected_errors(pairs, expected, two_way_rho, rows, budget)
    scores = PrivateScores(table, independence_gap(expected, discount), rho, oversized)
    return strategy.select(columns, roles, scores)
