"""Outcomes and the columns that no statement names: whether they may be neighbours.

A column that nobody labelled may stand for a protected one. An outcome that hangs on it leaves the
synthetic table fair, since the model keeps the stand-in from the protected column; but what is
learnt from that table can use the stand-in, and is then unfair to real people, in whose rows the
two still go together.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations

from sdv_prefair.fairness.statements import Statements

APART, FREE = 'apart', 'free'
"""No outcome touches such a column; or it may, as long as the statements hold."""

UNLABELLED_CHOICES = (None, APART, FREE)


def outcomes_beside_unlabelled(
    cliques: Iterable[Sequence[str]], statements: Statements
) -> list[tuple[str, str]]:
    """Return the pairs of an outcome and a column that no statement names.

    Args:
        cliques: Columns that a model ties together directly, or may tie.
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
