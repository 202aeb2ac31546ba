"""Which pairs are scored: all that were counted, or only as many as noise allows.

The noise on each score grows with the square root of their number. If scoring all pairs would
drown every score, scoring a few can still find the dependences that matter most: those of the
outcomes come first, then those of other columns with a role, then those of neighbouring columns.
"""

import math
from collections.abc import Sequence

from sdv_prefair.fairness._statements import Statements
from sdv_prefair.selection._strategy import Pair, looked_at

# All pairs are scored if the noise on a score is at most this share of all rows.
_TELLING = 0.2
# Otherwise as many as keep it at this share. They are chosen without looking at them, so hardly
# any of them depend on each other, and only a score far above the noise is evidence.
_CLEAR = 0.05


def scored_pairs(
    pairs: Sequence[Pair],
    columns: Sequence[str],
    roles: Statements,
    sigma: float,
    total: float,
) -> list[Pair]:
    """Return the pairs whose scores are worth their budget; none if noise would drown even one.

    Privacy: a function of public facts and of the released total; post-processing.

    Args:
        pairs: The pairs that were counted.
        columns: All columns, in the order of the metadata.
        roles: The roles of the columns.
        sigma: The standard deviation of the noise on a score if it is the only one.
        total: The estimated number of rows.
    """
    if sigma * math.sqrt(len(pairs)) <= _TELLING * total:
        return list(pairs)
    most = math.floor((_CLEAR * max(0.0, total) / sigma) ** 2)
    return looked_at(pairs, columns, roles, most)
