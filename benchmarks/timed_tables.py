"""The tables whose fits are timed: Adult as it is, Census KDD, and one of two hundred columns."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from sdv_prefair import Roles
from sdv_prefair.datasets import Dataset, load_adult, load_census_kdd
from sdv_prefair.datasets._dataset import categorical, public_metadata

_ROWS, _COLUMNS = 50_000, 200


def two_hundred_columns(folder: Path) -> Dataset:
    """Return columns of 2 to 15 codes that follow a slowly changing hidden one, more or less."""
    rng = np.random.default_rng(0)
    hidden, columns = rng.integers(0, 8, _ROWS), {}
    for place in range(_COLUMNS):
        codes = int(rng.integers(2, 16))
        follows = rng.random(_ROWS) < 0.3 * rng.random()
        columns[f'c{place}'] = np.where(follows, hidden % codes, rng.integers(0, codes, _ROWS))
        if place % 5 == 0:
            hidden = np.where(rng.random(_ROWS) < 0.2, rng.integers(0, 8, _ROWS), hidden)
    table = pd.DataFrame(columns)
    domains = {c: categorical(list(range(int(table[c].max()) + 1))) for c in table}
    roles = Roles(['c0'], [f'c{place}' for place in range(2, 12)], ['c1'])
    return Dataset({'table': table}, public_metadata('table', domains), roles)


def adult_codes(folder: Path) -> Dataset:
    """Return Adult as small integers, the form that mbi takes."""
    return load_adult(folder, raw=False)


TABLES: Mapping[str, Callable[[Path], Dataset]] = {
    'Adult': load_adult,
    'Adult in codes': adult_codes,
    'Census KDD': load_census_kdd,
    '200 columns': two_hundred_columns,
}
