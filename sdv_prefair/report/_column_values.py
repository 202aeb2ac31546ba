"""The values a column can take according to its encoder: public, or learnt within the budget."""

from typing import Any

import pandas as pd

from sdv_prefair.columns import CategoryCodes, ColumnCodes
from sdv_prefair.report._words import counted


def values_of(codes: ColumnCodes | None) -> dict[str, Any]:
    """Return values or limits of a column, and whether it can be missing.

    Args:
        codes: The encoder; None for a column that is not modelled.
    """
    if codes is None:
        return {}
    about: dict[str, Any] = {'nullable': bool(codes.nullable)}
    if isinstance(codes, CategoryCodes):
        return about | {'shown': tuple(codes.labels()[: len(codes.shown)])}
    low, high = (getattr(codes, end, None) for end in ('low', 'high'))
    if low is None or high is None:  # a third-party encoder
        return about | {'shown': tuple(codes.labels()[: codes.num_codes - bool(codes.nullable)])}
    places = getattr(codes, 'decimal_places', None)
    decimals = f', {counted(places, "decimal")}' if places else ''
    return about | {'limits': f'{_limit(low)} to {_limit(high)}{decimals}'}


def _limit(value: Any) -> str:
    if isinstance(value, pd.Timestamp):
        return value.isoformat(sep=' ').removesuffix(' 00:00:00')
    return f'{value:,.10g}' if isinstance(value, int | float) else str(value)
