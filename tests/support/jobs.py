"""A table about jobs with a rule of every kind in it."""

import warnings

import numpy as np
import pandas as pd
from sdv.cag import FixedIncrements, Inequality, OneHotEncoding, SingleTableProgrammableConstraint
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer, PrivacyWarning
from sdv_prefair.constraints import PublicCombinations

CITIES = {'de': ['berlin', 'bonn'], 'fr': ['nice', 'paris']}
PAIRS = [(country, city) for country, cities in CITIES.items() for city in cities]


def words(*values):
    return {'sdtype': 'categorical', 'range_values': list(values), 'range_is_nullable': False}


def number(low, high, nullable=False, places=0):
    return {
        'sdtype': 'numerical',
        'range_min': low,
        'range_max': high,
        'decimal_places': places,
        'range_is_nullable': nullable,
    }


def day(nullable=True):
    return {
        'sdtype': 'datetime',
        'datetime_format': '%Y-%m-%d',
        'range_min': '2019-01-01',
        'range_max': '2022-12-31',
        'range_is_nullable': nullable,
    }


METADATA = Metadata.load_from_dict({
    'tables': {
        'jobs': {
            'primary_key': 'key',
            'columns': {
                'key': {'sdtype': 'id', 'regex_format': 'k[0-9]{6}'},
                'sex': words('F', 'M'),
                'grade': words('a', 'b', 'c'),
                'paid': words('no', 'yes'),
                'first': number(0, 60),
                'last': number(0, 90, nullable=True),
                'after': number(0, 120, nullable=True),
                'country': words(*CITIES),
                'city': words('berlin', 'bonn', 'nice', 'paris'),
                'amount': number(0, 10_000),
                'red': number(0, 1),
                'green': number(0, 1),
                'blue': number(0, 1),
                'hired': day(),
                'left': day(),
            },
        }
    }
})
ROLES = {'protected': ['sex'], 'admissible': ['grade'], 'outcome': ['paid']}


def rows(num_rows=3000, seed=0):
    """People whose sex decides when they start, and when they stop decides their pay."""
    rng = np.random.default_rng(seed)
    sex = rng.choice(['F', 'M'], num_rows)
    first = np.where(sex == 'F', rng.integers(0, 20, num_rows), rng.integers(20, 60, num_rows))
    last = np.minimum(first + rng.geometric(0.15, num_rows), 90).astype(float)
    after = np.minimum(last + rng.geometric(0.1, num_rows), 120)
    paid = np.where((last > 30) ^ (rng.random(num_rows) < 0.05), 'yes', 'no')
    last[rng.random(num_rows) < 0.1] = np.nan
    country, city = np.array(PAIRS)[rng.integers(0, 4, num_rows)].T
    colour = rng.integers(0, 3, num_rows)
    hired = pd.Timestamp('2019-03-01') + pd.to_timedelta(rng.integers(0, 700, num_rows), 'D')
    left = hired + pd.to_timedelta(rng.integers(1, 200, num_rows), 'D')
    return pd.DataFrame({
        'key': [f'k{i:06}' for i in range(num_rows)],
        'sex': sex,
        'grade': rng.choice(['a', 'b', 'c'], num_rows),
        'paid': paid,
        'first': first,
        'last': last,
        'after': after,
        'country': pd.Categorical(country),
        'city': city,
        'amount': rng.integers(0, 200, num_rows) * 50,
        'red': (colour == 0).astype(int),
        'green': (colour == 1).astype(int),
        'blue': (colour == 2).astype(int),
        'hired': hired,
        'left': pd.Series(left).mask(rng.random(num_rows) < 0.1),
    })


class Younger(SingleTableProgrammableConstraint):
    """The amount is below a limit for those who started early."""

    def __init__(self, first, amount):
        self.first, self.amount = first, amount

    def is_valid(self, data):
        return (data[self.first] > 30) | (data[self.amount] < 5000)


def every_kind():
    return [
        Inequality('first', 'last', strict_boundaries=True),
        PublicCombinations(['country', 'city'], PAIRS),
        FixedIncrements('amount', 50),
        OneHotEncoding(['red', 'green', 'blue']),
        Inequality('hired', 'left'),
        Inequality('last', 'after'),  # last is consumed: rows are rejected
        Younger('first', 'amount'),
    ]


def make(constraints=(), metadata=METADATA, **changes):
    arguments = {'public_ranges': True, 'epsilon': 4.0} | ROLES | changes
    synthesizer = PreFairSynthesizer(metadata, **arguments)
    if constraints:
        synthesizer.add_constraints(list(constraints))
    return synthesizer


def fit(constraints=(), table=None, **changes):
    synthesizer = make(constraints, **changes)
    with warnings.catch_warnings():
        if changes.get('seed') is not None:
            warnings.simplefilter('ignore', PrivacyWarning)
        synthesizer.fit({'jobs': rows() if table is None else table})
    return synthesizer
