"""A bucket for each of a few texts, found from a hash with two small tables: perfect hashing.

Spark compares a text with the one in its bucket, instead of with all. A hash says a group, the
group how far its texts move, and no two of the texts then share a bucket (hash and displace).
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

_SHIFTS = range(16, 48, 4)
_ROOM = (2, 4, 8, 16, 32)


@dataclass(frozen=True)
class Buckets:
    """Where each text lies.

    Attributes:
        shift: How many bits of a hash are not used for the bucket.
        moves: How far the texts of each group move; a power of two many.
        held: Which text each bucket holds, None for none; a power of two many.
    """

    shift: int
    moves: list[int]
    held: list[int | None]

    def bucket(self, hashed: int) -> int:
        """Return the bucket of a text that has this hash, a signed whole number of 64 bits."""
        move = self.moves[hashed & (len(self.moves) - 1)]
        return ((hashed >> self.shift) + move) & (len(self.held) - 1)


def find_buckets(hashes: Sequence[int]) -> Buckets | None:
    """Return buckets for texts with these hashes; None if two are the same."""
    if len(set(hashes)) < len(hashes):
        return None
    for room in _ROOM:
        num_buckets = 1 << (room * max(len(hashes), 1) - 1).bit_length()
        for shift in _SHIFTS:
            found = _settled(hashes, num_buckets, shift)
            if found is not None:
                return found
    return None


def _settled(hashes: Sequence[int], num_buckets: int, shift: int) -> Buckets | None:
    """Return buckets of a number and a shift, if there are: large groups choose theirs first."""
    moves, held = [0] * (num_buckets // 2), [None] * num_buckets
    buckets = Buckets(shift, moves, held)  # type: ignore[arg-type]
    for group, members in _groups(hashes, len(moves)):
        for moves[group] in range(num_buckets):
            places = [buckets.bucket(hashes[member]) for member in members]
            if len(set(places)) == len(places) and all(held[place] is None for place in places):
                break
        else:
            return None
        for place, member in zip(places, members, strict=True):
            held[place] = member  # type: ignore[call-overload]
    return buckets


def _groups(hashes: Sequence[int], num_groups: int) -> list[tuple[int, list[int]]]:
    """Return which texts are in each group, largest groups first."""
    members: dict[int, list[int]] = defaultdict(list)
    for number, hashed in enumerate(hashes):
        members[hashed & (num_groups - 1)].append(number)
    return sorted(members.items(), key=lambda group: -len(group[1]))
