"""Groups of the protected columns and strata of the admissible ones."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from sdv_prefair.metrics._codes import encode
from sdv_prefair.metrics._strata import RowEncoder, Strata, stratify
from sdv_prefair.metrics._table_pair import Tables

STRATA_BINS = 8
"""Default bins of an admissible number: few, so that strata contain both groups."""

_BETWEEN = ', '
_MISSING = 'missing'


def group_names(
    tables: Tables, protected: str | Sequence[str], num_bins: int | None = STRATA_BINS
) -> np.ndarray:
    """Return the group of each real row, as text.

    A group of numbers or dates is named by its smallest and largest value.
    """
    names = tables.select('protected', protected)
    codes = encode([tables.real], tables.columns, names, num_bins, single_values=0)[0]
    parts = [
        _ranges(tables.real[name], codes[name])
        if tables.columns[name]['sdtype'] in {'numerical', 'datetime'}
        else _values(tables.real[name])
        for name in names
    ]
    if len(parts) == 1:
        return parts[0]
    # Quoted where it would be ambiguous: two groups must not have the same name.
    quoted = [[repr(text) if _BETWEEN in text else text for text in part] for part in parts]
    return np.array([_BETWEEN.join(texts) for texts in zip(*quoted, strict=True)], dtype=str)


def strata_of(
    tables: Tables,
    admissible: str | Sequence[str],
    num_bins: int | None = STRATA_BINS,
    synthesizer: RowEncoder | None = None,
) -> Strata:
    """Return the strata of the real rows, by the codes of a model if there is one."""
    names = tables.select('admissible', admissible)
    return stratify([tables.real], tables.columns, names, synthesizer, num_bins, single_values=0)


def strata_codes(
    tables: Tables, admissible: str | Sequence[str], num_bins: int | None = STRATA_BINS
) -> np.ndarray:
    """Return the stratum of each real row: equal where the admissible columns agree."""
    return strata_of(tables, admissible, num_bins).codes[0]


def _values(series: pd.Series) -> np.ndarray:
    """Return values as text; a missing one is called so, and a text 'missing' is quoted."""
    texts = series.astype(str).to_numpy(dtype=str).astype(object)
    texts[texts == _MISSING] = repr(_MISSING)
    texts[series.isna().to_numpy()] = _MISSING
    return texts.astype(str)


def _ranges(series: pd.Series, codes: np.ndarray) -> np.ndarray:
    ends = series.groupby(codes).agg(['min', 'max'])
    names = {
        code: _shown(low) if low == high or pd.isna(low) else f'{_shown(low)} to {_shown(high)}'
        for code, low, high in ends.itertuples()
    }
    return np.array([names[code] for code in codes], dtype=str)


def _shown(value: object) -> str:
    if pd.isna(value):
        return _MISSING
    if isinstance(value, pd.Timestamp):
        return str(value.date()) if value == value.normalize() else str(value)
    return f'{value:g}'
