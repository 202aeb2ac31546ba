"""A table of values that doors have mistaken for others, and what its columns are."""

import datetime as dt
from decimal import Decimal
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pyarrow as pa
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer

TEXTS = ['a', 'A', ' a', 'a ', '"q"', 'x,y', "o'k", '\U0001f600', '\u00e9', 'e\u0301', 'NA', 'null']
TEXTS += ['007', '7', 'nan', 'True', '\\N', '%20', '\u00df', 'SS']
NUMBERS = [0.0, -0.0, 1.5, -1.5, float('inf'), float('-inf'), float('nan'), 1e300, 5e-324, 0.1, 2.0]
CODES = ['007', '7', '07', '1e3', '1000']
COLUMNS = {
    'text': {'sdtype': 'categorical', 'range_values': TEXTS},
    'code': {'sdtype': 'categorical', 'range_values': CODES},
    'number': {'sdtype': 'numerical', 'range_min': -2.0, 'range_max': 2.0},
    'whole': {'sdtype': 'numerical', 'range_min': -3, 'range_max': 300, 'decimal_places': 0},
    'flag': {'sdtype': 'boolean'},
    'day': {
        'sdtype': 'datetime',
        'datetime_format': '%d.%m.%Y',
        'range_min': '01.01.2020',
        'range_max': '31.12.2021',
    },
}
TYPED = {
    'date': {'sdtype': 'datetime', 'range_min': '2020-01-01', 'range_max': '2021-12-31'},
    'moment': {'sdtype': 'datetime', 'range_min': '2020-01-01', 'range_max': '2021-12-31'},
    'instant': {
        'sdtype': 'datetime',
        'range_min': '2020-01-01T00:00:00+00:00',
        'range_max': '2021-12-31T00:00:00+00:00',
    },
    'price': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 9, 'decimal_places': 2},
}


def odd_frame(num_rows: int) -> pd.DataFrame:
    """Return rows of columns that text can hold, with the dtypes that a CSV file has."""
    rng = np.random.default_rng(0)
    days = pd.date_range('2019-12-01', '2022-01-31').strftime('%d.%m.%Y')
    frame = pd.DataFrame({
        'text': _some(rng, [*TEXTS, 'b', None], num_rows),
        'code': _some(rng, [*CODES, '0007', None], num_rows),
        'number': rng.choice(NUMBERS, num_rows),
        'whole': pd.array(rng.integers(-9, 400, num_rows), dtype='Int64'),
        'flag': pd.array(rng.choice([True, False], num_rows), dtype='boolean'),
        'day': _some(rng, [*days, '31.02.2020', 'soon', None], num_rows),
    })
    frame.loc[::17, ['whole', 'flag']] = pd.NA
    return frame


def odd_table(num_rows: int) -> pa.Table:
    """Return the same rows as Arrow has them, with columns that text has no types for."""
    rng = np.random.default_rng(1)
    days = [dt.date(2019, 12, 1) + dt.timedelta(days=int(n)) for n in range(800)]
    noon = dt.time(12, 30, 59, 999_999)
    moments = [dt.datetime.combine(day, noon) for day in days]
    zone = ZoneInfo('Europe/Berlin')
    prices = [Decimal(n) / 100 for n in range(-50, 1000)]
    table = pa.Table.from_pandas(odd_frame(num_rows), preserve_index=False)
    more = {
        'date': pa.array(_some(rng, [*days, None], num_rows), pa.date32()),
        'moment': pa.array(_some(rng, [*moments, None], num_rows), pa.timestamp('us')),
        'instant': pa.array(
            [m and m.replace(tzinfo=zone) for m in _some(rng, [*moments, None], num_rows)],
            pa.timestamp('us', 'Europe/Berlin'),
        ),
        'price': pa.array(_some(rng, [*prices, None], num_rows), pa.decimal128(9, 2)),
    }
    for name, column in more.items():
        table = table.append_column(name, column)
    return table.replace_schema_metadata(None)


def new(typed: bool = False, **changes: object) -> PreFairSynthesizer:
    """Return a synthesizer with a seed for the table."""
    columns = COLUMNS | TYPED if typed else COLUMNS
    metadata = Metadata.load_from_dict({'tables': {'odd': {'columns': columns}}})
    arguments = {'structure': 'none', 'public_ranges': True, 'seed': 1, 'epsilon': 9.0}
    return PreFairSynthesizer(metadata, **(arguments | changes))


def _some(rng: np.random.Generator, values: list, num_rows: int) -> np.ndarray:
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects[rng.integers(0, len(values), num_rows)]
