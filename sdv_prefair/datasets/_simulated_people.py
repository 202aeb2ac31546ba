"""Small simulated tables, each made for one question: loans, capital gains, careers.

Like the census, they come with public metadata and roles, so that an example can start with the
question instead of the set-up.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from sdv.metadata import Metadata

from sdv_prefair.datasets._dataset import Dataset, categorical, numerical, public_metadata
from sdv_prefair.datasets._simulated import simulate_census
from sdv_prefair.roles import Roles

_LOAN_COLUMNS = ('sex', 'race', 'education', 'occupation', 'income', 'home_owner', 'region')
_MOST_GAIN = 100_000
DISTRICTS = {
    'north': ('Northmoor', 'Hillend', 'Fairport'),
    'east': ('Eastgate', 'Marsham'),
    'south': ('Southwold', 'Greenley', 'Kingsby'),
    'west': ('Westbury', 'Oldham Cross'),
}
"""The districts of each region in `simulate_careers`: public, as on a map."""

# How often people of a region live in a district, relative to the others, which have 1.
_DISTRICT_WEIGHTS = {'Northmoor': 8.0, 'Hillend': 3.0, 'Fairport': 0.01, 'Kingsby': 0.5}
_FIRST_WORKING_AGE = 14


def simulate_loans(num_rows: int = 10_000, seed: int = 0) -> Dataset:
    """Simulate loan decisions that depend on sex directly, and whether the loans were repaid.

    Args:
        num_rows: Number of people.
        seed: Seed of the generator; the same seed gives the same table.

    Returns:
        The table ``'loans'``: columns of the census, the label ``repaid`` and the decision
        ``approved``. Both depend on income; the decision also depends on sex, which is unfair by
        every notion of fairness.
    """
    census = simulate_census(num_rows, seed)
    people = census.data['census'][list(_LOAN_COLUMNS)].copy()
    rng = np.random.default_rng(seed)
    reliable = rng.normal(0.5 * (people['income'] == '>50K'), 1.0)
    people['repaid'] = _yes_or_no(rng, 2 * reliable)
    people['approved'] = _yes_or_no(rng, 2 * reliable - 1.0 + 1.8 * (people['sex'] == 'male'))
    columns = _columns_of(census.metadata, 'census')
    described = {name: columns[name] for name in _LOAN_COLUMNS}
    described |= dict.fromkeys(('repaid', 'approved'), categorical(['yes', 'no']))
    roles = Roles(
        protected=['sex', 'race'], admissible=['education', 'income'], outcome=['approved']
    )
    return Dataset({'loans': people}, public_metadata('loans', described), roles)


def simulate_gains(num_rows: int = 10_000, seed: int = 0) -> Dataset:
    """Simulate numbers that bins of equal width get wrong: mostly zeros, then a long tail.

    Args:
        num_rows: Number of people.
        seed: Seed of the generator; the same seed gives the same table.

    Returns:
        The table ``'people'``. Nine in ten people have a ``gain`` of 0, the others a log-normal
        one; half of them work 40 ``hours``; ``income`` depends on both.
    """
    rng = np.random.default_rng(seed)
    gain = np.where(rng.random(num_rows) < 0.9, 0, rng.lognormal(8, 1, num_rows).round())
    hours = np.where(rng.random(num_rows) < 0.5, 40, rng.integers(1, 100, num_rows))
    gain = gain.clip(0, _MOST_GAIN).astype(int)
    people = pd.DataFrame({
        'sex': rng.choice(['f', 'm'], num_rows).astype(object),
        'hours': hours,
        'gain': gain,
        'income': np.where(gain + 100 * hours > 4_000, 'high', 'low').astype(object),
    })
    columns = {
        'sex': categorical(['f', 'm']),
        'hours': numerical(1, 99),
        'gain': numerical(0, _MOST_GAIN),
        'income': categorical(['low', 'high']),
    }
    roles = Roles(protected=['sex'], admissible=['hours', 'gain'], outcome=['income'])
    return Dataset({'people': people}, public_metadata('people', columns), roles)


def simulate_careers(num_rows: int = 10_000, seed: int = 0) -> Dataset:
    """Simulate a census whose rows obey two rules.

    Args:
        num_rows: Number of people.
        seed: Seed of the generator; the same seed gives the same table.

    Returns:
        The census without ``email``, and with two more columns: ``started_work`` is never above
        ``age``, and a ``district`` lies in one ``region``. Some districts are rare.
    """
    census = simulate_census(num_rows, seed)
    rng = np.random.default_rng(seed)
    people = census.data['census'].drop(columns='email')
    people['district'] = [_district_of(rng, region) for region in people['region']]
    started = rng.integers(_FIRST_WORKING_AGE, 31, num_rows) + rng.geometric(0.3, num_rows)
    people['started_work'] = np.minimum(started, people['age'])
    columns = _columns_of(census.metadata, 'census')
    del columns['email']
    columns['district'] = categorical(name for names in DISTRICTS.values() for name in names)
    columns['started_work'] = columns['age'] | {'range_min': _FIRST_WORKING_AGE}
    metadata = public_metadata('census', columns, primary_key='person_id')
    return Dataset({'census': people}, metadata, census.roles)


def _yes_or_no(rng: np.random.Generator, log_odds: pd.Series | np.ndarray) -> np.ndarray:
    probability = 1 / (1 + np.exp(-np.asarray(log_odds)))
    return np.where(rng.random(len(probability)) < probability, 'yes', 'no').astype(object)


def _district_of(rng: np.random.Generator, region: str) -> str:
    names = DISTRICTS[region]
    weights = np.array([_DISTRICT_WEIGHTS.get(name, 1.0) for name in names])
    return str(rng.choice(names, p=weights / weights.sum()))


def _columns_of(metadata: Metadata, table_name: str) -> dict:
    return dict(metadata.to_dict()['tables'][table_name]['columns'])
