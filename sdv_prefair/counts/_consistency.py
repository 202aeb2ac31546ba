"""Checks that histograms can come from one table: they must agree where they overlap."""

import numpy as np

from sdv_prefair.counts._kernel import Clique, Counts
from sdv_prefair.errors import PrivateDataError


def check_consistent(counts: Counts, reason: str) -> None:
    """Raise unless all histograms agree with those of single columns, and there is a row.

    Args:
        counts: The histograms, with those of all single columns.
        reason: What it means if they do not agree.

    Raises:
        PrivateDataError: Names the clique; no count is in the message.
    """
    for clique in counts.cliques:
        histogram = counts.project(clique)
        for axis, column in enumerate(clique):
            others = tuple(other for other in range(len(clique)) if other != axis)
            if not np.array_equal(histogram.sum(axis=others), counts.project((column,))):
                raise PrivateDataError(
                    f"The counts of {list(clique)} do not add up to those of '{column}': {reason}"
                )
    totals = {int(counts.observed(clique)[1].sum()) for clique in _single(counts)}
    if len(totals) > 1:
        raise PrivateDataError(f'The counts of single columns differ in their sum: {reason}')
    check_not_empty(counts)


def check_not_empty(counts: Counts) -> None:
    """Raise if no row was counted."""
    if not counts.observed(counts.cliques[0])[1].any():
        raise PrivateDataError('The table has no rows. Give at least one.')


def _single(counts: Counts) -> list[Clique]:
    return [clique for clique in counts.cliques if len(clique) == 1]
