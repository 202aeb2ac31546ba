"""Sampling once before a fit, from made-up rows: what would be refused later is refused first.

No row is read, so a refusal shows nothing about any.
"""

import pandas as pd
from sdv.errors import SynthesizerInputError

from sdv_prefair.before_fit._made_up_rows import made_up_rows
from sdv_prefair.domain._columns import Undeclared
from sdv_prefair.fitting._settings import Settings

_ROWS = 2_000


def rehearse(settings: Settings, dtypes: pd.Series) -> None:
    """Raise if constraints fail on made-up rows, or leave none of them.

    What is still to be learnt is not rehearsed.

    Args:
        settings: Prepared for the table's dtypes.
        dtypes: The dtypes of the table.

    Raises:
        SynthesizerInputError: If no row satisfies all constraints.
    """
    plan = settings.plan
    if not plan.rules or plan.learns_combinations:
        return
    rows = made_up_rows(settings, dtypes, _ROWS)
    restored = plan.restore(plan.transform(rows))
    unknown = {c for c, d in plan.original_domains.items() if isinstance(d, Undeclared)}
    if restored.empty and not any(unknown & set(columns) for columns in plan.tied):
        names = ', '.join(type(rule.constraint).__name__ for rule in plan.rules)
        raise SynthesizerInputError(
            f'No row can be made that satisfies all constraints ({names}): of {_ROWS:,} made-up '
            'rows within the declared ranges none does. Leave out constraints that contradict '
            'each other or the ranges, or pass check=False to fit all the same.'
        )
