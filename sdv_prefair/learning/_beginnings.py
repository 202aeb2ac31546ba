"""Counts of strings by prefix, where prefixes define public groups."""

from collections.abc import Mapping
from dataclasses import dataclass

from sdv_prefair.domain._value_groups import prefix_of
from sdv_prefair.values._canonical import CanonicalValue


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
