"""Domains that are not public, learnt within the budget; only such columns cost anything."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import pandas as pd

from sdv_prefair.columns._dtypes import holds_value, public_dtype
from sdv_prefair.columns._facts import ColumnDomain, Numbers, Undeclared
from sdv_prefair.columns._grids import DecimalCells, MonthCells, NullCells
from sdv_prefair.columns._texts import CanonicalValue
from sdv_prefair.counting import Counts, Encoder, Source
from sdv_prefair.errors import DomainError, shown
from sdv_prefair.learning._ranges import (
    Purse,
    RoughRange,
    end_cells,
    learn_datetimes,
    learn_ends,
    learn_size,
    month_cells,
    size_cells,
)
from sdv_prefair.learning._values import counts_of_beginnings, learn_categories
from sdv_prefair.privacy import Entropy, Ledger, PrivateTable, PrivateValues

__all__ = ['learn_domains', 'reserved_delta', 'undeclared_columns']

# The share of the budget that is spent if every column has to be learnt.
LEARNING_SHARE = Fraction(1, 5)
# A column that is known to have very many values gets this many times as much as others.
_FOR_MANY = 3
_DELTA_SHARE = 0.5


def undeclared_columns(domains: Mapping[str, ColumnDomain]) -> list[str]:
    """Return the columns whose domain has to be learnt."""
    return list(_undeclared(domains))


def reserved_delta(domains: Mapping[str, ColumnDomain], delta: float) -> float:
    """Return the part of delta that thresholds on unknown categories will use."""
    return _DELTA_SHARE * delta if _unknown_categories(domains) else 0.0


def learn_domains(
    domains: Mapping[str, ColumnDomain],
    source: Source,
    ledger: Ledger,
    entropy: Entropy,
) -> dict[str, ColumnDomain]:
    """Return the domains with every undeclared one learnt.

    The source is read three times at most, for any number of columns: for histograms over public
    grids, for the counts of unknown categories, and for the bounds of ranges.

    Privacy: each undeclared column may spend ``LEARNING_SHARE`` of the budget over the number of
    columns, three times that if it is public that it has very many values, and and each unknown
    categorical column an equal part of the reserved delta. What is not spent stays in the ledger
    for the measurements. Declared columns are not read.
    """
    undeclared, purses = _undeclared(domains), _purses(domains, ledger)
    _check_others(undeclared, source.dtypes)
    _check_texts(undeclared, source.dtypes)
    unknown = _unknown_categories(domains)
    grids = {c: _grid(domain, source.dtypes[c]) for c, domain in undeclared.items()}
    counts = _count(source, grids)
    values, beginnings = _values(source, undeclared, unknown, counts, ledger, entropy)
    table = PrivateTable(counts, ledger, entropy)
    learnt: dict[str, ColumnDomain] = dict(domains)
    rough: dict[str, RoughRange] = {}
    for column, domain in undeclared.items():
        grid, purse, dtype = grids[column], purses[column], source.dtypes[column]
        if isinstance(grid, MonthCells):
            learnt[column] = learn_datetimes(table, column, domain, grid, purse)
        elif isinstance(grid, DecimalCells):
            found = learn_size(table, column, domain, dtype, purse)
            if isinstance(found, Numbers):
                learnt[column] = found
            else:
                rough[column] = found
    learnt |= _learn_ends(rough, source, ledger, entropy)
    of_categories = {column: purses[column] for column in unknown}
    dtypes = {column: source.dtypes[column] for column in unknown}
    learnt |= learn_categories(values, beginnings, undeclared, dtypes, of_categories, ledger)
    return learnt


def _grid(domain: Undeclared, dtype: Any) -> MonthCells | DecimalCells | NullCells:
    if domain.kind == 'categories':
        return NullCells()
    return (size_cells if domain.kind == 'numbers' else month_cells)(domain, dtype)


def _learn_ends(
    rough: Mapping[str, RoughRange], source: Source, ledger: Ledger, entropy: Entropy
) -> dict[str, ColumnDomain]:
    """Return the ranges of numbers without the empty cells at either end."""
    cells = {c: end_cells(found.domain, source.dtypes[c]) for c, found in rough.items()}
    table = PrivateTable(_count(source, cells), ledger, entropy)
    return {c: learn_ends(table, c, rough[c], source.dtypes[c], ledger) for c in rough}


def _check_others(undeclared: Mapping[str, Undeclared], dtypes: pd.Series) -> None:
    """Raise if a column cannot hold the replacement of its rare values.

    A string given for all columns simply does not apply to columns of numbers.
    """
    for column, domain in undeclared.items():
        if domain.named_other and not holds_value(dtypes[column], domain.other):
            raise DomainError(
                f"Column '{column}': other ({shown(domain.other)}) does not fit into a column of "
                f'dtype {str(public_dtype(dtypes[column]))!r}. Give a value of its type, or leave '
                'the column out.'
            )


def _check_texts(undeclared: Mapping[str, Undeclared], dtypes: pd.Series) -> None:
    """Raise if public facts about strings are given for a column without strings."""
    for column, domain in undeclared.items():
        is_about_texts = domain.prefix is not None or domain.form is not None
        if is_about_texts and not holds_value(dtypes[column], 'text'):
            raise DomainError(
                f"Column '{column}': range_groups, regex_format and rare_sdtype are about texts, "
                f'and a column of dtype {str(public_dtype(dtypes[column]))!r} holds none. Convert '
                'the column to text, or leave them out.'
            )


def _undeclared(domains: Mapping[str, ColumnDomain]) -> dict[str, Undeclared]:
    return {c: domain for c, domain in domains.items() if isinstance(domain, Undeclared)}


def _purses(domains: Mapping[str, ColumnDomain], ledger: Ledger) -> dict[str, Purse]:
    undeclared = undeclared_columns(domains)
    one = float(LEARNING_SHARE / max(1, len(domains)))
    weights = [one * (_FOR_MANY if _undeclared(domains)[c].many else 1) for c in undeclared]
    shares = ledger.shares(ledger.budget, [*weights, 1 - sum(weights)])
    delta = ledger.reserved_delta / max(1, len(_unknown_categories(domains)))
    return {
        column: Purse(rho, delta, ledger)
        for column, rho in zip(undeclared, shares[:-1], strict=True)
    }


def _count(source: Source, grids: Mapping[str, Encoder]) -> Counts:
    """Return the histograms over grids; if there are no grids, nothing is read."""
    return source.count(grids, [(column,) for column in grids]) if grids else Counts({}, {})


def _values(
    source: Source,
    undeclared: Mapping[str, Undeclared],
    categories: list[str],
    nulls: Counts,
    ledger: Ledger,
    entropy: Entropy,
) -> tuple[PrivateValues, PrivateValues]:
    """Return how often each value, null, and each common prefix occurs.

    If there are no unknown categories, nothing is read.
    """
    found = source.value_counts(categories) if categories else {}
    words = {c: _words_in(found[c], undeclared[c].missing) for c in categories}
    counts = {c: {v: n for v, n in found[c].items() if v not in words[c]} for c in categories}
    with_null: dict[str, dict[Any, int]] = {
        c: {
            **counts[c],
            None: int(nulls.project((c,))[NullCells.null_code]) + sum(words[c].values()),
        }
        for c in categories
    }
    beginnings = {
        c: counts_of_beginnings(counts[c], length)
        for c in categories
        if (length := undeclared[c].prefix) is not None
    }
    return (
        PrivateValues(with_null, ledger, entropy),
        PrivateValues(beginnings, ledger, entropy),
    )


def _words_in(
    counts: Mapping[CanonicalValue, int], words: Sequence[str]
) -> dict[CanonicalValue, int]:
    """Return the words for a missing value among the counts: such a row counts as null alone."""
    return {v: n for v, n in counts.items() if v.kind == 'str' and v.text in words}


def _unknown_categories(domains: Mapping[str, ColumnDomain]) -> list[str]:
    return [c for c, domain in _undeclared(domains).items() if domain.kind == 'categories']
