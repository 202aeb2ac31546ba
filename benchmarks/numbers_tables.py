"""The tables of raw_numbers.py: skewed columns, with the ranges that anyone would write."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from sdv_prefair import Roles
from sdv_prefair.datasets import Dataset, load_adult, load_census_kdd
from sdv_prefair.datasets._dataset import categorical, numerical, public_metadata

CENSUS_NUMBERS = (
    'age', 'wage_per_hour', 'capital_gains', 'capital_losses', 'stock_dividends', 'unknown',
    'num_emp', 'weeks_worked',
)  # fmt: skip
_CENSUS_ROWS, _SIMULATED_ROWS = 100_000, 30_000
_TRAINED = 0.7


class Split(NamedTuple):
    """A table of which a part is held out.

    Attributes:
        fitted: The rows to fit, with metadata and roles.
        held_out: The others.
        outcome: The column to predict.
        positive: Its value that is predicted.
    """

    fitted: Dataset
    held_out: pd.DataFrame
    outcome: str
    positive: object


def split(dataset: Dataset, positive: object, seed: int) -> Split:
    """Hold out three rows in ten."""
    ((name, table),) = dataset.data.items()
    order = np.random.default_rng(seed).permutation(len(table))
    fitted, held_out = np.split(order, [int(_TRAINED * len(table))])
    rows = {name: table.iloc[fitted].reset_index(drop=True)}
    (outcome,) = dataset.roles.outcome
    return Split(dataset._replace(data=rows), table.iloc[held_out], outcome, positive)


def adult(folder: Path) -> Dataset:
    """Return raw Adult with its codebook's ranges, without the words for education-num."""
    dataset = load_adult(folder, raw=True)
    return _only(dataset, [c for c in dataset.data['adult'] if c != 'education'])


def census(folder: Path) -> Dataset:
    """Return the numbers of Census KDD with sex, race and income; every third row or so."""
    dataset = load_census_kdd(folder)
    kept = _only(dataset, [*CENSUS_NUMBERS, 'race', 'sex', 'income_50k'])
    ((name, table),) = kept.data.items()
    return kept._replace(data={name: table.sample(_CENSUS_ROWS, random_state=0)})


def _only(dataset: Dataset, columns: list[str]) -> Dataset:
    ((name, table),) = dataset.data.items()
    described = dataset.metadata.to_dict()['tables'][name]['columns']
    metadata = public_metadata(name, {column: described[column] for column in columns})
    roles = {
        role: [column for column in names if column in columns]
        for role, names in dataset.roles.as_dict().items()
    }
    return Dataset({name: table[columns]}, metadata, Roles(**roles))


def simulated(_folder: Path) -> Dataset:
    """Return columns with a spike, a heavy tail, two modes, heaps and few years, all related."""
    rng = np.random.default_rng(0)
    size = _SIMULATED_ROWS
    group, region = rng.integers(0, 2, size), rng.integers(0, 4, size)
    wealth = rng.normal(0.3 * region + 0.2 * group, 1.0)
    table = pd.DataFrame({
        'group': np.array(['a', 'b'])[group],
        'region': np.array(['north', 'east', 'south', 'west'])[region],
        'gain': _zero_inflated(rng, wealth),
        'claim': np.minimum(np.round(200 * (rng.pareto(1.3, size) + 1), 2), 1_000_000),
        'travel': _bimodal(rng, wealth),
        'income': _heaped(rng, wealth),
        'since': _few_years(rng, region),
    })
    chance = 1 / (1 + np.exp(1.5 - wealth - 1.5 * (table['gain'] > 0) + (table['travel'] > 60)))
    table['outcome'] = np.where(rng.random(size) < chance, 'yes', 'no')
    roles = Roles(['group'], ['region', 'gain', 'claim', 'travel', 'income', 'since'], ['outcome'])
    return Dataset({'simulated': table}, public_metadata('simulated', _SIMULATED), roles)


_SIMULATED = {
    'group': categorical(['a', 'b']),
    'region': categorical(['north', 'east', 'south', 'west']),
    'gain': numerical(0, 1_000_000),
    'claim': numerical(0, 1_000_000, 2),
    'travel': numerical(0, 200, 1),
    'income': numerical(0, 1_000_000),
    'since': {
        'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d', 'range_min': '1900-01-01',
        'range_max': '2099-12-31', 'range_is_nullable': False,
    },
    'outcome': categorical(['no', 'yes']),
}  # fmt: skip


def _zero_inflated(rng: np.random.Generator, wealth: np.ndarray) -> np.ndarray:
    amount = np.exp(rng.normal(8 + 0.5 * wealth, 1.0))
    return np.where(rng.random(len(wealth)) < 0.7, 0, np.minimum(amount, 1_000_000)).astype(int)


def _bimodal(rng: np.random.Generator, wealth: np.ndarray) -> np.ndarray:
    is_far = rng.random(len(wealth)) < 1 / (1 + np.exp(wealth))
    minutes = np.where(is_far, rng.normal(95, 12, len(wealth)), rng.normal(25, 8, len(wealth)))
    return np.round(np.clip(minutes, 0, 200), 1)


def _heaped(rng: np.random.Generator, wealth: np.ndarray) -> np.ndarray:
    """Incomes that people round: six in ten to thousands, a quarter to hundreds."""
    income = np.exp(rng.normal(10.3, 0.3, len(wealth)) + 0.4 * wealth)
    unit = rng.choice([1000, 100, 1], len(wealth), p=[0.6, 0.25, 0.15])
    return (np.clip(income, 0, 1_000_000) / unit).round().astype(int) * unit


def _few_years(rng: np.random.Generator, region: np.ndarray) -> np.ndarray:
    """Days of five years out of two hundred, the first of a month more often than others."""
    year = 2015 + rng.binomial(4, (1 + region) / 5)
    day = rng.integers(0, 365, len(region))
    days = year.astype(str).astype('datetime64[D]') + day.astype('timedelta64[D]')
    first = days.astype('datetime64[M]').astype('datetime64[D]')
    return np.where(rng.random(len(region)) < 0.2, first, days).astype(str)


TABLES: dict[str, tuple[Callable[[Path], Dataset], object]] = {
    'Adult': (adult, '>50K'),
    'Census KDD, numbers': (census, '50000+.'),
    'Simulated': (simulated, 'yes'),
}
"""How each table is loaded, and the value of its outcome that is predicted."""
