"""Blocks of columns: a few histograms that contain all the histograms a database has to make.

Grouping all rows takes a database about as long for four columns as for two. So it groups rows by
blocks of columns, and sums the cells of a block, which are few, into the histograms within it.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

Positions = tuple[int, ...]

# A block has at most so many cells, unless it is a single clique. With more, databases spend on
# large hash tables what they save on passes: tried up to this number, which 33 ** 3 is below.
_MOST_CELLS = 65_536


@dataclass(frozen=True)
class Block:
    """Columns by whose values rows are grouped.

    Attributes:
        columns: Their positions, in order.
        cliques: The histograms that are sums over the cells of the block.
    """

    columns: Positions
    cliques: list[Positions]


def blocks_of(cliques: Sequence[Positions], sizes: Sequence[int]) -> list[Block]:
    """Return blocks that contain every clique; each clique belongs to one of them.

    A block starts as a clique that no block contains yet. As long as cells allow, it takes in the
    column that completes the most such cliques: a greedy covering, since the smallest is NP-hard.

    Privacy: a function of public facts.

    Args:
        cliques: Of each the positions of its columns.
        sizes: The number of codes of every column.
    """
    waiting: defaultdict[int, set[Positions]] = defaultdict(set)
    for clique in cliques:
        for column in clique:
            waiting[column].add(clique)
    blocks = []
    for clique in sorted(dict.fromkeys(cliques), key=len, reverse=True):
        if clique in waiting[clique[0]]:
            columns = _grown(clique, waiting, sizes)
            inside = {c for column in columns for c in waiting[column] if columns.issuperset(c)}
            for column in columns:
                waiting[column] -= inside
            blocks.append(Block(tuple(sorted(columns)), sorted(inside)))
    return blocks


def _grown(
    clique: Positions, waiting: defaultdict[int, set[Positions]], sizes: Sequence[int]
) -> set[int]:
    """Return the columns of the clique and those that complete further cliques."""
    columns: set[int] = set()
    completed: Counter[int] = Counter()  # by each column, if it comes next
    coming = list(clique)
    while coming:
        columns.add(column := coming.pop())
        for other in waiting[column]:
            missing = [each for each in other if each not in columns]
            if len(missing) == 1:
                completed[missing[0]] += 1
        if not coming:
            room = _MOST_CELLS // math.prod(sizes[each] for each in columns)
            fitting = [c for c in completed if c not in columns and sizes[c] <= room]
            coming = sorted(fitting, key=lambda c: (completed[c], -sizes[c], -c))[-1:]
    return columns
