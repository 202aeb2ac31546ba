"""A small table with columns of every sdtype, of which seven are learnt and five made up."""

import numpy as np
import pandas as pd
from contract import Table
from sdv.metadata import Metadata

SECRET = 'Zyzzyva'  # part of every text in the columns that are made up
LEARNT = ('sex', 'education', 'age', 'wage', 'hired', 'home', 'income')
EDUCATIONS = ['school', 'college', 'doctorate']

_COLUMNS = {
    'key': {'sdtype': 'id'},
    'email': {'sdtype': 'email', 'pii': True},
    'sex': {'sdtype': 'categorical', 'range_values': ['F', 'M'], 'range_is_nullable': False},
    'education': {'sdtype': 'ordinal', 'range_values': EDUCATIONS, 'range_is_nullable': False},
    'age': {'sdtype': 'numerical', 'range_min': 18, 'range_max': 99, 'decimal_places': 0},
    'wage': {'sdtype': 'numerical', 'range_min': 0.0, 'range_max': 1e5, 'decimal_places': 2},
    'hired': {
        'sdtype': 'datetime',
        'datetime_format': '%d/%m/%Y',
        'range_min': '01/01/2000',
        'range_max': '31/12/2019',
    },
    'home': {'sdtype': 'categorical', 'range_values': ['rent', 'own']},
    'income': {
        'sdtype': 'categorical',
        'range_values': ['low', 'high'],
        'range_is_nullable': False,
    },
    'badge': {'sdtype': 'id', 'regex_format': 'B[0-9]{6}'},
    'group': {'sdtype': 'id'},
    'note': {'sdtype': 'unknown'},
}


def people(num_rows: int = 300, columns: tuple[str, ...] = tuple(_COLUMNS), seed: int = 0) -> Table:
    """Return the table, or some columns of it."""
    frame = _frame(num_rows, np.random.default_rng(seed))[list(columns)]
    about = {'columns': {column: _COLUMNS[column] for column in columns}}
    if 'key' in columns:
        about['primary_key'] = 'key'
    if 'email' in columns:
        about['alternate_keys'] = ['email']
    metadata = Metadata.load_from_dict({'tables': {'people': about}})
    roles = {'protected': ['sex'], 'admissible': ['education'], 'outcome': ['income']}
    return Table({'people': frame}, metadata, roles)


def _frame(num_rows: int, generator: np.random.Generator) -> pd.DataFrame:
    sex = generator.choice(['F', 'M'], num_rows)
    rung = np.clip(generator.integers(0, 3, num_rows) + (sex == 'M'), 0, 2)
    high = generator.random(num_rows) < 0.2 + 0.3 * rung
    wage = pd.Series(generator.gamma(2 + 3 * high, 8000).clip(0, 1e5).round(2))
    hired = pd.Timestamp('2000-01-01') + pd.to_timedelta(generator.integers(0, 7000, num_rows), 'D')
    home = pd.Series(np.where(generator.random(num_rows) < 0.3 + 0.4 * high, 'own', 'rent'))
    secrets = pd.Series([f'{SECRET}{row}' for row in range(num_rows)])
    return pd.DataFrame({
        'key': np.arange(num_rows) + 50_000_000,
        'email': secrets + '@example.org',
        'sex': sex,
        'education': pd.Categorical.from_codes(rung, EDUCATIONS, ordered=True),
        'age': generator.integers(18, 100, num_rows),
        'wage': wage.mask(generator.random(num_rows) < 0.2),
        'hired': pd.Series(hired.strftime('%d/%m/%Y')).mask(generator.random(num_rows) < 0.2),
        'home': home.mask(generator.random(num_rows) < 0.2),
        'income': np.where(high, 'high', 'low'),
        'badge': secrets,
        'group': secrets,
        'note': secrets.where(generator.random(num_rows) < 0.7),
    })
