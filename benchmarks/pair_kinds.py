"""Two-way error by kind of pair: those that fairness rules out, and those that it does not.

Under the paper's strict rule outcomes touch outcomes and admissible columns only. So no clique of a
fair model holds an outcome with a protected column or with one that has no role.
"""

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from sdv_prefair.roles import Roles

FORBIDDEN, REASON, OTHER = 'forbidden', 'reason', 'other'
"""An outcome with what it must not touch; with an admissible column or an outcome; neither."""

KINDS = (FORBIDDEN, REASON, OTHER)


def kind_of(pair: tuple[str, str], roles: Roles) -> str:
    """Return which kind a pair of columns is."""
    outcomes = set(pair) & set(roles.outcome)
    if not outcomes:
        return OTHER
    return REASON if set(pair) <= set(roles.outcome) | set(roles.admissible) else FORBIDDEN


def pairs_by_kind(columns: list[str], roles: Roles) -> dict[str, int]:
    """Return how many pairs of each kind a table has."""
    kinds = [kind_of(pair, roles) for pair in combinations(columns, 2)]
    return {kind: kinds.count(kind) for kind in KINDS}


def errors_by_kind(marginals: Mapping[tuple[str, str], float], roles: Roles) -> dict[str, float]:
    """Return the mean error over the pairs of each kind; a kind without pairs has none."""
    found: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for pair, error in marginals.items():
        found[kind_of(pair, roles)].append(error)
    return {
        f'{kind} TVD2': float(np.mean(errors)) if errors else np.nan
        for kind, errors in found.items()
    }
