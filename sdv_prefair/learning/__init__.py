"""Domains that are not public, learnt within the budget: only columns that need it pay."""

from collections.abc import Mapping
from fractions import Fraction

import pandas as pd

from sdv_prefair.column_domain import ColumnDomain, Undeclared
from sdv_prefair.learning.columns import (
    Purse,
    learn_categories,
    learn_datetimes,
    learn_numbers,
)
from sdv_prefair.privacy import Entropy, Ledger

__all__ = ['learn_domains', 'reserved_delta']

# If every column had to be learnt, this part of the budget would pay for it.
LEARNING_SHARE = Fraction(1, 5)
_DELTA_SHARE = 0.5

Edges = tuple[float, ...]


def reserved_delta(domains: Mapping[str, ColumnDomain], delta: float) -> float:
    """Return the part of delta that thresholds on unknown categories will use."""
    return _DELTA_SHARE * delta if _unknown_categories(domains) else 0.0


def learn_domains(
    domains: Mapping[str, ColumnDomain],
    table: pd.DataFrame,
    bins: int,
    ledger: Ledger,
    entropy: Entropy,
) -> tuple[dict[str, ColumnDomain], dict[str, Edges]]:
    """Return the domains with every undeclared one learnt, and unequal bins where they pay.

    Privacy: each undeclared column may spend ``LEARNING_SHARE`` of the budget over the number
    of columns, and categories an equal part of the reserved delta. What is not spent stays
    in the ledger for the measurements. Declared columns are not read.
    """
    undeclared = [column for column, d in domains.items() if isinstance(d, Undeclared)]
    if not undeclared:
        return dict(domains), {}
    weight = float(LEARNING_SHARE / len(domains))
    rest = 1 - weight * len(undeclared)
    shares = ledger.shares(ledger.budget, [weight] * len(undeclared) + [rest])
    delta = ledger.reserved_delta / max(1, len(_unknown_categories(domains)))
    learnt, edges = dict(domains), {}
    for column, rho in zip(undeclared, shares[:-1], strict=True):
        purse = Purse(rho, delta, ledger, entropy)
        learnt[column], found = _learn(table[column], domains[column], bins, purse)
        if found:
            edges[column] = found
    return learnt, edges


def _learn(
    column: pd.Series, undeclared: Undeclared, bins: int, purse: Purse
) -> tuple[ColumnDomain, Edges | None]:
    if undeclared.kind == 'categories':
        return learn_categories(column, undeclared, purse), None
    if undeclared.kind == 'datetimes':
        return learn_datetimes(column, undeclared, purse), None
    return learn_numbers(column, undeclared, bins, purse)


def _unknown_categories(domains: Mapping[str, ColumnDomain]) -> list[str]:
    return [
        column
        for column, domain in domains.items()
        if isinstance(domain, Undeclared) and domain.kind == 'categories'
    ]
