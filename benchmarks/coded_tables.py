"""Tables as codes, for libraries that know nothing else: 0, 1, 2, ... in every column.

Values are numbered in their order. Numbers and dates of more than a hundred values are cut at
quantiles of the real rows first, which is not private; everybody who is compared gets the same.
"""

import numpy as np
import pandas as pd

from sdv_prefair.datasets import Dataset
from sdv_prefair.datasets.dataset import categorical, public_metadata

_MOST_VALUES, _BINS = 100, 32


def as_codes(dataset: Dataset) -> Dataset:
    """Return the table as codes, with metadata that says how many each column has."""
    ((name, table),) = dataset.data.items()
    codes = pd.DataFrame({column: _codes(table[column]) for column in table})
    described = {column: categorical(list(range(size))) for column, size in sizes(codes).items()}
    return Dataset({name: codes}, public_metadata(name, described), dataset.roles)


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
