"""What all kinds of learning share: a column's part of the budget, and nulls."""

import warnings
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from sdv_prefair._users_line import users_line
from sdv_prefair.domain._columns import Undeclared
from sdv_prefair.errors import PrivacyWarning
from sdv_prefair.learning._bounds import CLEAR, CountCells
from sdv_prefair.privacy import Ledger, PrivateTable
from sdv_prefair.privacy._ledger_words import LEARN_DOMAINS


@dataclass(frozen=True)
class Purse:
    """What one column may spend on its domain, and the ledger that is debited."""

    rho: Fraction
    delta: float
    ledger: Ledger


def with_nulls(undeclared: Undeclared, noisy: float, sigma: float) -> Undeclared:
    """Return the domain, nullable only if the noisy count shows that rows hold nulls.

    Whether a column may hold nulls is often not public. If noise alone suggested nulls, they would
    appear in synthetic rows of a column that has none.

    Privacy: post-processing.

    Args:
        undeclared: The public facts about the column.
        noisy: The noisy number of nulls.
        sigma: Standard deviation of the noise.
    """
    if not undeclared.learns_nulls:
        return undeclared
    return replace(undeclared, nullable=undeclared.nullable and bool(noisy > CLEAR * sigma))


def cell_counter(
    table: PrivateTable, column: str, num_cells: int, parts: list[Fraction]
) -> CountCells:
    """Return a function that measures groups of cells of a column; each call spends one part.

    Privacy: every answer is one noisy histogram; one of its cells holds all rows in no group.
    """
    left = iter(parts)

    def count(starts: np.ndarray, together: int) -> tuple[np.ndarray, float]:
        group_of = np.full(num_cells + 1, len(starts), dtype=np.int64)
        for group, start in enumerate(starts.tolist()):
            group_of[start : min(start + together, num_cells)] = group
        noisy, sigma = table.measure_groups(column, group_of, next(left), LEARN_DOMAINS)
        return noisy, sigma

    return count


def warn_unlearnt(name: Any, keys: str) -> None:
    """Warn that the domain of a column could not be learnt."""
    warnings.warn(
        f"Nothing in column '{name}' stood out from the noise, so its domain could not be learnt "
        f'within the budget. Declare {keys} in the metadata if they are public, or raise epsilon.',
        PrivacyWarning,
        stacklevel=users_line(),
    )
