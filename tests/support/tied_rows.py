"""Tables with constraints whose ties decide sex and pay, fits of them, and rows asked for."""

import warnings

import numpy as np
import pandas as pd
from sdv.cag import SingleTableProgrammableConstraint
from sdv.metadata import Metadata
from sdv.sampling import Condition

from sdv_prefair import FairnessWarning, PreFairSynthesizer

NUM_ROWS = 6000
PAIRS = [('a', 'x'), ('a', 'y'), ('b', 'y'), ('c', 'x'), ('c', 'z')]


def words(*values):
    return {'sdtype': 'categorical', 'range_values': list(values), 'range_is_nullable': False}


def number(high, places=0, nullable=False):
    about = {'sdtype': 'numerical', 'range_min': 0, 'range_max': high}
    return (
        about
        | {'range_is_nullable': nullable}
        | ({} if places is None else {'decimal_places': places})
    )


class Sum(SingleTableProgrammableConstraint):
    """The total is modelled in place of the second number; each row by itself."""

    row_wise = True
    column_names = ['low', 'high']

    def get_updated_metadata(self, metadata):
        described = metadata.to_dict()
        (table,) = described['tables'].values()
        table['columns'].pop('high')
        table['columns']['total'] = number(320, places=None)
        return Metadata.load_from_dict(described)

    def transform(self, data):
        data['total'] = data['low'] + data.pop('high')
        return data

    def reverse_transform(self, data):
        data['high'] = data.pop('total') - data['low']
        return data

    def is_valid(self, data):
        return (data['high'] >= 0) & (data['high'] <= 200)


REAL = {'low': number(120, None), 'high': number(200, None)}


def rows(columns, num_rows=20_000, seed=0, decide=None):
    """Rows in which what ties the admissible columns decides sex and pay.

    Args:
        columns: The metadata of the admissible columns.
        num_rows: How many.
        seed: Of the random numbers.
        decide: Which of the finished rows are on one side, if that is not told by the draw.
    """
    rng = np.random.default_rng(seed)
    gap = rng.gamma(3, 15, num_rows)
    if columns['low']['sdtype'] == 'categorical':
        pair = rng.integers(0, len(PAIRS), num_rows)
        low, high = np.array(PAIRS)[pair].T
        frame, decides = {'low': low, 'high': high}, pair % 2 == 1
    elif 'mid' in columns and columns['high']['range_max'] == 1:
        which = rng.integers(0, 3, num_rows)
        frame = {c: (which == place).astype(int) for place, c in enumerate(columns)}
        decides = which == 1
    elif columns['high']['sdtype'] == 'categorical':
        low = rng.integers(0, 121, num_rows) * 5
        decides = low // 100 % 2 == 1
        frame = {'low': low, 'high': rng.choice(['x', 'y'], num_rows)}
    else:
        low = rng.gamma(6, 10, num_rows).clip(0, 120)
        mid = (low + gap / 2 + 1).clip(0, 150)
        frame = {'low': low, 'mid': mid, 'high': (np.maximum(mid, low) + gap / 2 + 1).clip(0, 200)}
        decides = gap > 40
    frame = pd.DataFrame(frame)[list(columns)]
    for column, about in columns.items():
        if about.get('decimal_places') == 0:
            frame[column] = frame[column].round().astype(int)
        if about['range_is_nullable']:
            frame[column] = frame[column].mask(rng.random(num_rows) < 0.1)
    chance = (
        np.where(decides, 0.85, 0.15) if decide is None else np.where(decide(frame), 0.97, 0.03)
    )
    return frame.assign(
        sex=np.where(rng.random(num_rows) < chance, 'F', 'M'),
        paid=np.where(rng.random(num_rows) < chance, 'yes', 'no'),
    )


def fit(constraints, columns, decide=None, **changes):
    described = columns | {'sex': words('F', 'M'), 'paid': words('no', 'yes')}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': described}}})
    arguments = {'epsilon': 100.0, 'public_ranges': True, 'numeric_bins': 6} | changes
    synthesizer = PreFairSynthesizer(
        metadata, protected=['sex'], admissible=list(columns), outcome=['paid'], **arguments
    )
    synthesizer.add_constraints(constraints)
    synthesizer.fit({'t': rows(columns, decide=decide)})
    return synthesizer


def ask(synthesizer, asked, num_rows=NUM_ROWS):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', FairnessWarning)
        return synthesizer.sample_from_conditions([Condition(asked, num_rows)])['t']
