"""Frequent values of a column, and common beginnings of texts."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from sdv_prefair.columns._facts import Categories, Undeclared, prefix_of
from sdv_prefair.columns._texts import CanonicalValue, distinct_values
from sdv_prefair.learning._ranges import Purse, warn_unlearnt, with_nulls
from sdv_prefair.privacy import Ledger, PrivateValues
from sdv_prefair.privacy._accounting import LEARN_DOMAINS
from sdv_prefair.privacy._answers import gaussian_variance

# -- Counts of strings by prefix, where prefixes define public groups ------------------------------


@dataclass(frozen=True)
class Tail:
    """All strings with one prefix that are too rare to be learnt.

    Attributes:
        beginning: The prefix.
    """

    beginning: str


def counts_of_beginnings(counts: Mapping[CanonicalValue, int], length: int) -> dict[str, int]:
    """Return how many rows hold a string with each prefix.

    Privacy: computed from private counts, and just as private. Each row is in at most one of these
    counts, so queries on them have the same sensitivity as queries on the values.

    Args:
        counts: How many rows hold each value.
        length: The number of characters of a prefix.
    """
    rows: dict[str, int] = {}
    for value, count in counts.items():
        beginning = prefix_of(value.value, length)
        if beginning is not None:
            rows[beginning] = rows.get(beginning, 0) + count
    return rows


# -- Frequent values, learnt with each column's share of the budget --------------------------------
#
# There are two rounds. In the first, every column spends a third of its share. The share of rows
# that it misses then differs: almost none for a column with two values, half for one with
# thousands. So the columns' parts for the second round are pooled, and divided according to what
# each column has missed.

# The weights of the first and the second round; and of the prefixes, for columns whose prefixes are
# counted.
_ROUNDS, _WITH_BEGINNINGS = (1, 2), (1, 1, 1)
# More than proportional: in a long tail each value has fewer rows and is harder to detect.
_TO_THE_NEEDY = 1.5
# How many standard deviations a column must have missed to be queried again, and for "other" to
# have a value. If that is due to noise, few rows show it; if not, many rows are not given a wrong
# value.
_ASKED_AGAIN, _SHOWN = 1.0, 1.5


@dataclass(frozen=True)
class _Found:
    """What was learnt about a column.

    Attributes:
        counts: Noisy counts of its values; the key None stands for null.
        variances: The variance of the noise in each count.
    """

    counts: Mapping[Any, int]
    variances: Mapping[Any, float]

    @property
    def rows(self) -> float:
        """The noisy number of rows that hold a value found, or null."""
        return float(sum(self.counts.values()))

    @property
    def sigma(self) -> float:
        """Standard deviation of the noise in that number."""
        return math.sqrt(sum(self.variances.values()))

    def with_more(self, more: '_Found') -> '_Found':
        """Return what both rounds have found; where both have a count, the second's is kept."""
        return _Found(
            {**self.counts, **more.counts},
            {**self.variances, **more.variances},
        )


def learn_categories(
    table: PrivateValues,
    beginnings: PrivateValues,
    undeclared: Mapping[str, Undeclared],
    dtypes: Mapping[str, Any],
    purses: Mapping[str, Purse],
    ledger: Ledger,
) -> dict[str, Categories]:
    """Learn the frequent values of all columns; all rarer ones become "other".

    Privacy: thresholds on noisy counts, see ``frequent_values``, at most twice for each column, and
    each time with an equal part of its delta. The queries of the second round depend on the answers
    of the first. Columns with public groups of strings have one more query, for frequent prefixes.
    """
    parts = {
        c: ledger.shares(purse.rho, _ROUNDS if undeclared[c].prefix is None else _WITH_BEGINNINGS)
        for c, purse in purses.items()
    }
    purses = {c: replace(p, delta=p.delta / len(parts[c])) for c, p in purses.items()}
    found = {c: _ask(table, c, parts[c][0], purse) for c, purse in purses.items()}
    missed = _missed(found, _ASKED_AGAIN)
    pool = sum((part[1] for part in parts.values()), Fraction(0))
    shares = ledger.shares(pool, [share**_TO_THE_NEEDY for share in missed.values()])
    for column, rho in zip(missed, shares, strict=True):
        found[column] = found[column].with_more(_ask(table, column, rho, purses[column]))
    for column, part in parts.items():
        if (length := undeclared[column].prefix) is not None:
            whole = _ask(beginnings, column, part[2], purses[column])
            found[column] = found[column].with_more(_tails(found[column], whole, length))
    rare = _missed(found, _SHOWN)
    return {
        c: _domain(c, undeclared[c], found[c], dtypes[c]).showing_other(c in rare) for c in purses
    }


def _ask(table: PrivateValues, column: str, rho: Fraction, purse: Purse) -> _Found:
    counts = table.frequent(column, rho, purse.delta, LEARN_DOMAINS)
    variance = float(gaussian_variance(rho, purse.ledger.max_rows_per_person**2))
    return _Found(counts, dict.fromkeys(counts, variance))


def _missed(found: Mapping[str, _Found], clear: float) -> dict[str, float]:
    """Return the share of rows whose value was not found, for columns that have missed some.

    The number of rows is not known, but as a rule there is some column of which nearly all values
    are found. With a single column there is nothing to compare, so it counts as having missed some.

    Args:
        found: What was learnt about each column.
        clear: How many standard deviations of its noise a column must have missed.
    """
    if len(found) == 1:
        return dict.fromkeys(found, 1.0)
    total = max((f.rows - f.sigma for f in found.values()), default=0.0)
    missed = {c: total - f.rows for c, f in found.items()}
    return {
        c: missed[c] / total for c, f in found.items() if missed[c] > clear * f.sigma and total > 0
    }


def _tails(found: _Found, whole: _Found, length: int) -> _Found:
    """Return how many rows of each prefix hold a value that was not found, where that is clear.

    Privacy: post-processing.

    Args:
        found: The values found.
        whole: The frequent prefixes, whose counts include the values found.
        length: The number of characters of a prefix.
    """
    counts, variances = dict(whole.counts), dict(whole.variances)
    for value, count in found.counts.items():
        beginning = None if value is None else prefix_of(value.value, length)
        if beginning in counts:
            counts[beginning] -= count
            variances[beginning] += found.variances[value]
    clear = {b: n for b, n in counts.items() if n > _SHOWN * math.sqrt(variances[b])}
    return _Found({Tail(b): n for b, n in clear.items()}, {Tail(b): variances[b] for b in clear})


def _domain(column: str, undeclared: Undeclared, found: _Found, dtype: Any) -> Categories:
    values = [value for value in found.counts if isinstance(value, CanonicalValue)]
    tails = sorted(value.beginning for value in found.counts if isinstance(value, Tail))
    if not values and not tails:
        warn_unlearnt(column, 'range_values')
    noise = math.sqrt(found.variances.get(None, 0.0))
    undeclared = with_nulls(undeclared, found.counts.get(None, 0), noise)
    ordered = sorted(values, key=lambda value: (value.kind, value.text))
    return undeclared.with_values(distinct_values(ordered), dtype, tails)
