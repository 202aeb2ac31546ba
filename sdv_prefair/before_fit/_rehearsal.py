"""Sampling once before a fit, from made-up rows: what would be refused later is refused first.

No row is read, so a refusal shows nothing about any.
"""

import pandas as pd
from sdv.errors import SynthesizerInputError

from sdv_prefair.before_fit._made_up_rows import made_up_rows
from sdv_prefair.columns._facts import Undeclared
from sdv_prefair.fitting._settings import Settings

_ROWS = 2_000


def rehearse(settings: Settings, dtypes: pd.Series) -> None:
    """Raise if constraints fail on made-up rows, or leave none of them.

    Not rehearsed if a domain is still to be learnt: made-up values of it would prove nothing.

    Args:
        settings: Prepared for the table's dtypes.
        dtypes: The dtypes of the table.

    Raises:
        SynthesizerInputError: If no row satisfies all constraints.
    """
    plan = settings.plan
    is_public = not any(isinstance(d, Undeclared) for d in plan.original_domains.values())
    if not plan.rules or plan.learns_combinations or not is_public:
        return
    rows = made_up_rows(settings, dtypes, _ROWS)
    restored = plan.restore(plan.transform(rows))
    if restored.empty:
        names = ', '.join(type(rule.constraint).__name__ for rule in plan.rules)
        raise SynthesizerInputError(
            f'No row can be made that satisfies all constraints ({names}): of {_ROWS:,} made-up '
            'rows within the declared ranges none does. Leave out constraints that contradict '
            'each other or the ranges, or pass check=False to fit all the same.'
        )
