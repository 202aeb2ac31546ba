"""Values that many rows share, learnt from the columns' share of the budget.

In two rounds. In the first all columns get the same. What they have missed then differs: next to
nothing of a column with two values, half of one with thousands. So the second round is paid from
one purse, out of which each column gets as much as it has missed.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from sdv_prefair.domain.columns import Categories, Undeclared
from sdv_prefair.domain.value_groups import prefix_of
from sdv_prefair.learning.beginnings import Tail
from sdv_prefair.learning.one_column import Purse, warn_unlearnt, with_nulls
from sdv_prefair.privacy import Ledger, PrivateValues
from sdv_prefair.privacy.ledger_words import LEARN_DOMAINS
from sdv_prefair.privacy.mechanisms import gaussian_variance
from sdv_prefair.values.canonical import CanonicalValue, distinct_values

# What the first round may spend, and the second; and, of columns of which the beginnings of texts
# are asked for, what that may spend.
_ROUNDS, _WITH_BEGINNINGS = (1, 2), (1, 1, 1)
# More than in proportion: a long tail has values of ever fewer rows, each harder to see.
_TO_THE_NEEDY = 1.5
# How many standard deviations a column must have missed to be asked again, and for "other" to have
# a value: if that is noise, few rows show it, and if it is not, many rows keep what they have.
_ASKED_AGAIN, _SHOWN = 1.0, 1.5


@dataclass(frozen=True)
class _Found:
    """What was found of a column.

    Attributes:
        counts: Noisy counts of its values, and of null under None.
        variances: Of the noise in each.
    """

    counts: Mapping[Any, int]
    variances: Mapping[Any, float]

    @property
    def rows(self) -> float:
        """How many rows hold what was found, or nothing."""
        return float(sum(self.counts.values()))

    @property
    def sigma(self) -> float:
        """Of the noise in the number of rows."""
        return math.sqrt(sum(self.variances.values()))

    def with_more(self, more: '_Found') -> '_Found':
        """Return what both rounds have found; the second has less noise."""
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
    """Learn the values that many rows hold, of all columns; all rarer ones become "other".

    Privacy: thresholds on noisy counts, see ``frequent_values``, at most twice for each column and
    each time with an even part of its delta. What the second round asks follows from the first. Of
    columns with public groups of strings it is asked once more, which beginnings many rows have.
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
    """Return the share of rows whose value was not found, of columns that have missed some.

    How many rows there are is not known, but of some column nearly all values are found as a
    rule. Of a single column nobody can tell, so it counts as one that has missed some.

    Args:
        found: What was found of each column.
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
    """Return how many rows of each beginning hold a value that was not found, if that is clear.

    Privacy: post-processing.

    Args:
        found: What was found of the values.
        whole: Of which beginnings many rows are, with their values that were found.
        length: How many characters a beginning has.
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
