"""Tables as codes, for libraries that know nothing else: 0, 1, 2, ... in every column.

Values are numbered in their order. Numbers and dates of more than a hundred values are cut at
quantiles of the real rows first, which is not private; everybody who is compared gets the same.
"""

import numpy as np
import pandas as pd

from sdv_prefair.datasets import Dataset
from sdv_prefair.datasets._dataset import categorical, public_metadata
from sdv_prefair.roles import Roles

_MOST_VALUES, _BINS = 100, 32


def as_codes(dataset: Dataset, most_codes: int | None = None) -> Dataset:
    """Return the table as codes, with metadata that says how many each column has.

    Args:
        dataset: The table.
        most_codes: Columns of more codes are left out, for libraries that cannot cope with them.
    """
    ((name, table),) = dataset.data.items()
    codes = pd.DataFrame({column: _codes(table[column]) for column in table})
    kept = {c: size for c, size in sizes(codes).items() if size <= (most_codes or size)}
    described = {column: categorical(list(range(size))) for column, size in kept.items()}
    roles = {
        role: [column for column in columns if column in kept]
        for role, columns in dataset.roles.as_dict().items()
    }
    return Dataset({name: codes[list(kept)]}, public_metadata(name, described), Roles(**roles))


def sizes(codes: pd.DataFrame) -> dict[str, int]:
    """Return the number of codes of every column."""
    return {column: int(codes[column].max()) + 1 for column in codes}


def _codes(values: pd.Series) -> np.ndarray:
    if pd.api.types.is_numeric_dtype(values) and values.nunique() > _MOST_VALUES:
        edges = np.unique(values.quantile(np.arange(1, _BINS) / _BINS))
        return np.searchsorted(edges, values.to_numpy(), side='left')
    if values.isna().any():
        values = values.astype(object).where(values.notna(), '')
    return np.unique(values.astype(str) if values.dtype == object else values, return_inverse=True)[
        1
    ]
