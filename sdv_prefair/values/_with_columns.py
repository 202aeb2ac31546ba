"""Adding columns to tables, whatever their names are.

``DataFrame.assign(**columns)`` and ibis' ``mutate``, ``select`` and ``aggregate`` with keywords
fail for a column named as one of their own parameters, such as 'self'.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd


def with_columns(frame: pd.DataFrame, columns: Mapping[str, Any]) -> pd.DataFrame:
    """Return a copy of a frame with some columns added or replaced."""
    made = frame.copy()
    for name, cells in columns.items():
        made[name] = cells
    return made
