"""Strings that differ only by case or spaces, which people take for one value."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair._arrays import Flags
from sdv_prefair.columns._cells import are_null


def as_said(value: Any) -> str | None:
    """Return a string without case and extra spaces; None for anything else."""
    return ' '.join(value.split()).casefold() if isinstance(value, str) else None


def spelled_otherwise(cells: pd.Series, values: Iterable[Any]) -> Flags:
    """Return which cells match one of the values except for case and spaces."""
    listed = set(values)
    heard = {as_said(value) for value in listed} - {None}
    return np.array(
        [isinstance(c, str) and c not in listed and as_said(c) in heard for c in cells], dtype=bool
    )


def spelled_several_ways(cells: pd.Series) -> Flags:
    """Return which cells match a more frequent string of the column except for case and spaces."""
    texts = [c if isinstance(c, str) else None for c in cells.where(~are_null(cells), None)]
    ranked = pd.Series(texts, dtype=object).value_counts()
    chief: dict[str | None, str] = {}
    for text in ranked.index:
        chief.setdefault(as_said(text), text)
    return np.array([t is not None and chief[as_said(t)] != t for t in texts], dtype=bool)
