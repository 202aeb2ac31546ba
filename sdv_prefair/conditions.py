"""Conditions of a sample: which values may be asked for, and what asking does to fairness."""

import warnings
from collections.abc import Mapping

import pandas as pd

from sdv_prefair.errors import FairnessWarning
from sdv_prefair.roles import Roles
from sdv_prefair.structure import is_justifiably_fair
from sdv_prefair.transformers import ColumnCodes


def check_values(conditions: pd.DataFrame, transformers: Mapping[str, ColumnCodes]) -> None:
    """Raise ``ValueError`` for a value that the public domain does not hold."""
    for column in conditions.columns:
        if column not in transformers:
            continue
        outside = ~transformers[column].is_declared(conditions[column])
        if outside.any():
            asked = conditions[column][outside].tolist()[0]
            raise ValueError(
                f"Column '{column}' cannot be {asked!r}: its domain does not hold this value. "
                'Ask for a value within the range in the metadata.'
            )


def warn_if_unfair(columns: list[str], cliques: list[tuple[str, ...]], roles: Roles) -> None:
    """Warn if conditioning on these columns together re-creates a forbidden dependence.

    Rows asked for by a protected and an outcome value at once are joined by the asking, as if
    one more clique held both.
    """
    if is_justifiably_fair(cliques, roles) and not is_justifiably_fair([*cliques, columns], roles):
        warnings.warn(
            f'The conditions fix {sorted(columns)} together, which ties protected to outcome '
            'columns past the admissible ones. The fairness guarantee does not cover these rows.',
            FairnessWarning,
            stacklevel=4,
        )
