"""Domains that are not public, learnt within the budget: only columns that need it pay."""

from collections.abc import Mapping
from fractions import Fraction

from sdv_prefair.counts import Counts, Encoder, Source
from sdv_prefair.counts.cells import MonthCells
from sdv_prefair.domain.columns import ColumnDomain, Undeclared
from sdv_prefair.learning.one_column import (
    Purse,
    first_look,
    learn_categories,
    learn_datetimes,
    learn_numbers,
)
from sdv_prefair.privacy import Entropy, Ledger, PrivateTable, PrivateValues

__all__ = ['learn_domains', 'learns_by_gaussians', 'reserved_delta', 'undeclared_columns']

# If every column had to be learnt, this part of the budget would pay for it.
LEARNING_SHARE = Fraction(1, 5)
_DELTA_SHARE = 0.5


def undeclared_columns(domains: Mapping[str, ColumnDomain]) -> list[str]:
    """Return the columns whose domain has to be learnt."""
    return list(_undeclared(domains))


def reserved_delta(domains: Mapping[str, ColumnDomain], delta: float) -> float:
    """Return the part of delta that thresholds on unknown categories will use."""
    return _DELTA_SHARE * delta if _unknown_categories(domains) else 0.0


def learns_by_gaussians(domains: Mapping[str, ColumnDomain]) -> bool:
    """Whether learning needs no noise but the Gaussian. Categories need a threshold as well."""
    return not _unknown_categories(domains)


def learn_domains(
    domains: Mapping[str, ColumnDomain],
    source: Source,
    ledger: Ledger,
    entropy: Entropy,
) -> dict[str, ColumnDomain]:
    """Return the domains with every undeclared one learnt.

    The source is read twice at most, whatever the number of columns: for histograms over public
    grids, and for the counts of unknown categories.

    Privacy: each undeclared column may spend ``LEARNING_SHARE`` of the budget over the number
    of columns, and categories an equal part of the reserved delta. What is not spent stays
    in the ledger for the measurements. Declared columns are not read.
    """
    purses = _purses(domains, ledger)
    undeclared = _undeclared(domains)
    grids = {
        column: first_look(domain, source.dtypes[column])
        for column, domain in undeclared.items()
        if domain.kind != 'categories'
    }
    rough = _look(source, grids, ledger, entropy)
    values = _values(source, _unknown_categories(domains), ledger, entropy)
    learnt = dict(domains)
    for column, purse in purses.items():
        domain = undeclared[column]
        if domain.kind == 'categories':
            learnt[column] = learn_categories(values, column, domain, purse)
        elif isinstance(grid := grids[column], MonthCells):
            learnt[column] = learn_datetimes(rough, column, domain, grid, purse)
        else:
            dtype = source.dtypes[column]
            learnt[column] = learn_numbers(rough, column, domain, dtype, purse)
    return learnt


def _undeclared(domains: Mapping[str, ColumnDomain]) -> dict[str, Undeclared]:
    return {c: domain for c, domain in domains.items() if isinstance(domain, Undeclared)}


def _purses(domains: Mapping[str, ColumnDomain], ledger: Ledger) -> dict[str, Purse]:
    undeclared = undeclared_columns(domains)
    weight = float(LEARNING_SHARE / max(1, len(domains)))
    rest = 1 - weight * len(undeclared)
    shares = ledger.shares(ledger.budget, [weight] * len(undeclared) + [rest])
    delta = ledger.reserved_delta / max(1, len(_unknown_categories(domains)))
    return {
        column: Purse(rho, delta, ledger)
        for column, rho in zip(undeclared, shares[:-1], strict=True)
    }


def _look(
    source: Source, grids: Mapping[str, Encoder], ledger: Ledger, entropy: Entropy
) -> PrivateTable:
    """Return the histograms over grids; without any, nothing is read."""
    counts = source.count(grids, [(column,) for column in grids]) if grids else Counts({}, {})
    return PrivateTable(counts, ledger, entropy)


def _values(
    source: Source, categories: list[str], ledger: Ledger, entropy: Entropy
) -> PrivateValues:
    """Return how often values occur; without unknown categories, nothing is read."""
    counts = source.value_counts(categories) if categories else {}
    return PrivateValues(counts, ledger, entropy)


def _unknown_categories(domains: Mapping[str, ColumnDomain]) -> list[str]:
    return [c for c, domain in _undeclared(domains).items() if domain.kind == 'categories']
