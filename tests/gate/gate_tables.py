"""Six small tables with columns of every kind, made by a fixed stream of random numbers."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from sdv.metadata import Metadata

Columns = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Table:
    """A table, what is public about it, and its roles.

    Attributes:
        name: The name of the table.
        frame: The rows.
        columns: The metadata of each column.
        roles: The columns of each role.
        keys: What the metadata says of the table besides its columns.
    """

    name: str
    frame: pd.DataFrame
    columns: Columns
    roles: dict[str, list[str]]
    keys: dict[str, Any] = field(default_factory=dict)

    @property
    def metadata(self) -> Metadata:
        """The metadata of the table."""
        described = {'columns': self.columns, **self.keys}
        return Metadata.load_from_dict({'tables': {self.name: described}})

    @property
    def arrow(self) -> pa.Table:
        """The rows as an Arrow table, without what pandas would note beside its types."""
        return pa.Table.from_pandas(self.frame, preserve_index=False).replace_schema_metadata(None)


def tables() -> dict[str, Table]:
    """Return the tables by name."""
    made = (people(), census(), learnt(), visits(), odd(), wide())
    return {table.name: table for table in made}


def people(num_rows: int = 1200) -> Table:
    """Texts, whole numbers, decimals and dates; everything is declared; nulls here and there."""
    rng = np.random.default_rng(1)
    sex, race = _picked(rng, num_rows, 'mf'), _picked(rng, num_rows, ['a', 'b', 'c', 'd'])
    education = (4 * _mixed(rng, num_rows, sex == 'm')).astype(int)
    hours = (40 * _mixed(rng, num_rows, education > 1)).astype(int)
    wage = np.round(10 + 90 * _mixed(rng, num_rows, hours > 20) ** 3, 2)
    frame = pd.DataFrame({
        'sex': sex,
        'race': race,
        'education': np.array(['none', 'school', 'college', 'doctor'])[education],
        'hours': hours,
        'wage': _with_nulls(rng, pd.Series(wage), 0.1),
        'hired on': _days(rng, num_rows, '2015-01-01', 1500).dt.strftime('%Y-%m-%d'),
        'town': _with_nulls(rng, pd.Series(_picked(rng, num_rows, 'xyz')), 0.05),
        'promoted': np.where(_mixed(rng, num_rows, wage > 30) > 0.6, 'yes', 'no'),
    })
    columns: Columns = {
        'sex': _values('m', 'f'),
        'race': _values('a', 'b', 'c', 'd'),
        'education': _values('none', 'school', 'college', 'doctor'),
        'hours': _range(0, 60, decimal_places=0),
        'wage': _range(0, 200, decimal_places=2),
        'hired on': {
            'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d', 'range_min': '2015-01-01',
            'range_max': '2020-12-31',
        },
        'town': _values('x', 'y', 'z'),
        'promoted': _values('yes', 'no'),
    }  # fmt: skip
    roles = {
        'protected': ['sex', 'race'],
        'admissible': ['education', 'hours'],
        'outcome': ['promoted'],
    }
    return Table('people', frame, columns, roles)


def census(num_rows: int = 1500) -> Table:
    """Fourteen columns of few codes, in a chain, and one with many; several outcomes."""
    rng = np.random.default_rng(2)
    frame, before = {}, np.zeros(num_rows)
    for number in range(12):
        before = np.where(rng.random(num_rows) < 0.6, before, rng.random(num_rows))
        frame[f'c{number:02}'] = (before * (2 + number % 5)).astype(int)
    frame['many'] = (300 * _mixed(rng, num_rows, before > 0.5) ** 2).astype(int)
    frame['flag'] = rng.random(num_rows) < before
    columns = {f'c{number:02}': _values(*range(2 + number % 5)) for number in range(12)}
    columns |= {'many': _range(0, 300, decimal_places=0), 'flag': {'sdtype': 'boolean'}}
    roles = {
        'protected': ['c00', 'c05'],
        'admissible': ['c01', 'c02', 'c06'],
        'outcome': ['c03', 'flag'],
    }
    return Table('census', pd.DataFrame(frame), columns, roles)


def learnt(num_rows: int = 2500) -> Table:
    """Nothing is declared: texts with a long tail, numbers, decimals, dates of three kinds."""
    rng = np.random.default_rng(3)
    sex, rare = _picked(rng, num_rows, 'mf'), rng.random(num_rows) < 0.2
    place = np.where(rare, rng.integers(10, 900, num_rows), rng.integers(0, 3, num_rows))
    age = (17 + 60 * _mixed(rng, num_rows, sex == 'm')).astype(int)
    frame = pd.DataFrame({
        'sex': sex,
        'country': [f'country {number}' for number in place],
        'floor': place // 100,
        'age': age,
        'grade': np.round(4 * _mixed(rng, num_rows, age > 40), 3),
        'gain': np.where(rng.random(num_rows) < 0.7, 0, rng.integers(0, 99_999, num_rows)),
        'born': _days(rng, num_rows, '1940-01-01', 20_000).dt.strftime('%d.%m.%Y'),
        'seen': _with_nulls(rng, _days(rng, num_rows, '2020-01-01', 700), 0.1),
        'hired': np.where(_mixed(rng, num_rows, rare) > 0.5, 'yes', 'no'),
    })
    kinds = dict.fromkeys(('sex', 'country', 'floor', 'hired'), 'categorical')
    kinds |= dict.fromkeys(('age', 'grade', 'gain'), 'numerical')
    columns: Columns = {column: {'sdtype': kinds[column]} for column in frame if column in kinds}
    columns |= {
        'born': {'sdtype': 'datetime', 'datetime_format': '%d.%m.%Y'},
        'seen': {'sdtype': 'datetime'},
    }
    roles = {'protected': ['sex'], 'admissible': ['country', 'age'], 'outcome': ['hired']}
    return Table('learnt', frame, columns, roles)


def visits(num_rows: int = 2000) -> Table:
    """Several rows of each person, times without a format, a key, generated personal columns."""
    rng = np.random.default_rng(4)
    group, sick = _picked(rng, num_rows, 'uvw'), rng.random(num_rows)
    moments = _days(rng, num_rows, '2021-03-01', 90)
    moments += pd.to_timedelta(rng.integers(0, 86_400, num_rows), unit='s')
    frame = pd.DataFrame({
        'visit': [f'V{number:05}' for number in range(num_rows)],
        'person': [f'P{number:04}' for number in rng.integers(0, 700, num_rows)],
        'email': [f'{number}@example.org' for number in range(num_rows)],
        'group': group,
        'ward': (5 * _mixed(rng, num_rows, sick > 0.5)).astype(int),
        'came': moments,
        'days': pd.Series((20 * sick**2).astype(int)).astype('Int64'),
        'cost': _with_nulls(rng, pd.Series(np.round(900 * sick, 1)), 0.15),
        'urgent': pd.Series(rng.random(num_rows) < sick).astype('boolean'),
        'healed': np.where(_mixed(rng, num_rows, sick < 0.4) > 0.5, 'yes', 'no'),
    })
    columns: Columns = {
        'visit': {'sdtype': 'id', 'regex_format': 'V[0-9]{5}'},
        'person': {'sdtype': 'id', 'regex_format': 'P[0-9]{4}'},
        'email': {'sdtype': 'email', 'pii': True},
        'group': _values('u', 'v', 'w'),
        'ward': _values(0, 1, 2, 3, 4),
        'came': {
            'sdtype': 'datetime', 'range_min': '2021-03-01 00:00:00',
            'range_max': '2021-06-30 23:59:59',
        },
        'days': _range(0, 30, decimal_places=0),
        'cost': _range(0, 1000, decimal_places=1),
        'urgent': {'sdtype': 'boolean'},
        'healed': _values('yes', 'no'),
    }  # fmt: skip
    roles = {'protected': ['group'], 'admissible': ['ward', 'days'], 'outcome': ['healed']}
    return Table('visits', frame, columns, roles, {'primary_key': 'visit'})


def odd(num_rows: int = 900) -> Table:
    """Categories that are tuples, numbers or booleans, odd types, and ordered numbers."""
    rng = np.random.default_rng(5)
    pairs = [('a', 1), ('a', 2), ('b', 1)]
    low = rng.integers(0, 50, num_rows)
    zone = _days(rng, num_rows, '2019-10-20', 12).dt.tz_localize('Europe/Paris')
    frame = pd.DataFrame({
        'pair': pd.Series([pairs[at] for at in rng.integers(0, 3, num_rows)]),
        'side': pd.Categorical(_picked(rng, num_rows, ['left', 'right'])),
        'size': _picked(rng, num_rows, [0.5, 1.5, 2.5]),
        'told': pd.Series(rng.random(num_rows) < 0.4).astype(object).mask(low > 45),
        'low': low,
        'high': low + (30 * rng.random(num_rows)).astype(int),
        'when': zone,
        'word': pd.Series(_picked(rng, num_rows, ['blue', 'red'])).astype('string'),
        'rest': pd.Series(rng.integers(0, 9, num_rows)).astype('float32').mask(low > 47),
    })
    columns: Columns = {
        'pair': _values(*pairs),
        'side': _values('left', 'right'),
        'size': _values(0.5, 1.5, 2.5),
        'told': {'sdtype': 'boolean'},
        'low': _range(0, 50, decimal_places=0),
        'high': _range(0, 80, decimal_places=0),
        'when': {'sdtype': 'datetime', 'range_min': '2019-10-19', 'range_max': '2019-11-02'},
        'word': _values('red', 'blue', 'green'),
        'rest': _range(0, 9, decimal_places=0),
    }
    roles = {'protected': ['side'], 'admissible': ['pair', 'low'], 'outcome': ['told', 'word']}
    return Table('odd', frame, columns, roles)


def wide(num_rows: int = 2000) -> Table:
    """Twenty-six columns that all depend on three hidden ones."""
    rng = np.random.default_rng(6)
    hidden = rng.random((3, num_rows))
    frame = {
        f'w{number:02}': (
            np.where(rng.random(num_rows) < 0.7, hidden[number % 3], rng.random(num_rows))
            * (2 + number % 4)
        ).astype(int)
        for number in range(26)
    }
    columns = {f'w{number:02}': _values(*range(2 + number % 4)) for number in range(26)}
    roles = {'protected': ['w00'], 'admissible': ['w01', 'w02', 'w04'], 'outcome': ['w03']}
    return Table('wide', pd.DataFrame(frame), columns, roles)


def _mixed(rng: np.random.Generator, num_rows: int, raised: Any) -> np.ndarray:
    """Return numbers below one that are larger where the condition holds."""
    drawn = rng.random(num_rows)
    return np.where(raised, np.maximum(drawn, rng.random(num_rows)), drawn)


def _picked(rng: np.random.Generator, num_rows: int, values: Any) -> np.ndarray:
    values = np.array(list(values))
    return values[rng.integers(0, len(values), num_rows)]


def _days(rng: np.random.Generator, num_rows: int, first: str, days: int) -> pd.Series:
    drawn = rng.integers(0, days, num_rows)
    return pd.Series(pd.Timestamp(first) + pd.to_timedelta(drawn, unit='D'))


def _with_nulls(rng: np.random.Generator, values: pd.Series, share: float) -> pd.Series:
    return values.mask(rng.random(len(values)) < share)


def _values(*values: Any) -> dict[str, Any]:
    return {'sdtype': 'categorical', 'range_values': list(values)}


def _range(first: float, last: float, **facts: Any) -> dict[str, Any]:
    return {'sdtype': 'numerical', 'range_min': first, 'range_max': last, **facts}
