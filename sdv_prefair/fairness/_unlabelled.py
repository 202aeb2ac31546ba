"""Outcomes and the columns that no statement names: whether they may be adjacent.

An unlabelled column may be a proxy for a protected one. An outcome that depends on it leaves the
synthetic table fair, since the model separates the proxy from the protected column; but a model
trained on that table can use the proxy, and is then unfair to real people, in whose rows the
two are still dependent.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations

from sdv_prefair.fairness._statements import Statements

APART, FREE = 'apart', 'free'
"""No outcome is adjacent to such a column; or it may be, as long as the statements hold."""

UNLABELLED_CHOICES = (None, APART, FREE)


def outcomes_beside_unlabelled(
    cliques: Iterable[Sequence[str]], statements: Statements
) -> list[tuple[str, str]]:
    """Return the pairs of an outcome and a column that no statement names.

    Args:
        cliques: Columns that a model connects directly, or may connect.
        statements: An outcome is a column on the right of one of them.
    """
    outcomes, named = set(statements.outcome), set(statements.columns())
    pairs = {
        (outcome, other)
        for clique in cliques
        for pair in combinations(clique, 2)
        for outcome, other in (pair, pair[::-1])
        if outcome in outcomes and other not in named
    }
    return sorted(pairs, key=str)
