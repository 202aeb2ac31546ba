"""Strings by their beginnings, where these are public groups: how many rows have each."""

from collections.abc import Mapping
from dataclasses import dataclass

from sdv_prefair.domain.value_groups import prefix_of
from sdv_prefair.values.canonical import CanonicalValue


@dataclass(frozen=True)
class Tail:
    """All strings with a beginning that are too rare to be learnt.

    Attributes:
        beginning: What they begin with.
    """

    beginning: str


def counts_of_beginnings(counts: Mapping[CanonicalValue, int], length: int) -> dict[str, int]:
    """Return how many rows hold a text with each beginning.

    Privacy: of private counts, and private as they are. A row is in one of the counts at most, so
    what is asked of them costs as much as what is asked of the values.

    Args:
        counts: How many rows hold each value.
        length: How many characters a beginning has.
    """
    rows: dict[str, int] = {}
    for value, count in counts.items():
        beginning = prefix_of(value.value, length)
        if beginning is not None:
            rows[beginning] = rows.get(beginning, 0) + count
    return rows
