"""Guests of a hotel: a table with columns of every sdtype that both versions of SDV know."""

import numpy as np
import pandas as pd
from contract import Table
from sdv.metadata import Metadata

ROOMS = ['basic', 'deluxe', 'suite']
LEARNT = ['room', 'rewards', 'fee', 'arrived', 'left', 'rate']
COLUMNS = {
    'guest': {'sdtype': 'id', 'regex_format': 'G-[0-9]{4}'},
    'email': {'sdtype': 'email', 'pii': True},
    'room': {'sdtype': 'categorical', 'range_values': ROOMS},
    'rewards': {'sdtype': 'boolean'},
    'fee': {'sdtype': 'numerical', 'range_min': 0.0, 'range_max': 50.0, 'decimal_places': 1},
    'arrived': {
        'sdtype': 'datetime',
        'datetime_format': '%d %b %Y',
        'range_min': '01 Jan 2020',
        'range_max': '31 Dec 2020',
    },
    'left': {
        'sdtype': 'datetime',
        'datetime_format': '%d %b %Y',
        'range_min': '01 Jan 2020',
        'range_max': '31 Jan 2021',
    },
    'rate': {
        'sdtype': 'numerical',
        'range_min': -100,
        'range_max': 500,
        'decimal_places': 0,
        'range_is_nullable': False,
    },
    'address': {'sdtype': 'address', 'pii': True},
}
ROLES = {'protected': ['rewards'], 'admissible': ['room', 'arrived'], 'outcome': ['fee']}


def guests(num_rows=300, columns=COLUMNS, roles=ROLES):
    """Return the table; other columns than those here are not in it."""
    drawn = np.random.default_rng(5)
    room = drawn.integers(0, 3, num_rows)
    days = drawn.integers(0, 360, num_rows)
    arrived = pd.Timestamp('2020-01-01') + pd.to_timedelta(days, 'D')
    left = arrived + pd.to_timedelta(drawn.integers(1, 20, num_rows), 'D')
    frame = pd.DataFrame({
        'guest': [f'G-{row:04}' for row in range(num_rows)],
        'email': [f'real{row}@example.org' for row in range(num_rows)],
        'room': pd.Series(np.array(ROOMS)[room]).mask(drawn.random(num_rows) < 0.1),
        'rewards': drawn.random(num_rows) < 0.4,
        'fee': pd.Series((drawn.random(num_rows) * 20 + 10 * room).round(1)).mask(room == 0),
        'arrived': arrived.strftime('%d %b %Y'),
        'left': pd.Series(left.strftime('%d %b %Y')).mask(drawn.random(num_rows) < 0.1),
        'rate': (drawn.normal(100 + 80 * room, 30)).clip(-100, 500).round().astype('int64'),
        'address': [f'{row} Real Street' for row in range(num_rows)],
    })
    described = {'columns': dict(columns), 'primary_key': 'guest', 'alternate_keys': ['email']}
    metadata = Metadata.load_from_dict({'tables': {'guests': described}})
    return Table({'guests': frame[list(columns)]}, metadata, dict(roles))
