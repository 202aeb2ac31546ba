"""A canary audit from files to noisy answers: reading rows must not give away what noise hides.

The attacker knows every row but one, which is odd in all its cells, and sees all answers of
many fits with and without it. What is certified of epsilon (Clopper-Pearson, 99.9 per cent each
way) must stay under the claim; it must exceed the claim for a reader that lets the odd line
change how other lines are read.
"""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from certified import DELTA, certified_epsilon
from sdv.metadata import Metadata
from unreadable import as_text

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.cli._table_files import read_table
from sdv_prefair.columns._dtypes import as_described

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings('ignore:Nothing in column'),
    pytest.mark.filterwarnings('ignore:delta'),  # a small one could not be seen
]

# Of an event that always happens with the canary and never without, so many runs certify 1.6.
EPSILON, RUNS = 1.0, 80
COLUMNS = {
    'p': {'sdtype': 'categorical', 'range_values': ['f', 'm']},
    'a': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 2, 'decimal_places': 0},
    'o': {'sdtype': 'categorical', 'range_values': ['no', 'yes']},
}
METADATA = Metadata.load_from_dict({'tables': {'t': {'columns': COLUMNS}}})
ROLES = {'protected': ['p'], 'admissible': ['a'], 'outcome': ['o']}
ROWS = [('fm'[n % 2], n % 3, 'yes' if n % 5 else 'no') for n in range(200)]
CANARY = b'\xff,\xff,\xff,'  # no text in any cell, and a cell too many


def write_csv(folder, with_canary):
    path = folder / f'{with_canary}.csv'
    lines = [','.join(map(str, row)).encode() for row in ROWS]
    path.write_bytes(b'\n'.join([b'p,a,o', *[CANARY] * with_canary, *lines]))
    return path


def write_parquet(folder, with_canary):
    path = folder / f'{with_canary}.parquet'
    rows = [*[(None, None, None)] * with_canary, *ROWS]
    columns = dict(zip(COLUMNS, zip(*rows, strict=True), strict=True))
    for column in ('p', 'o'):
        raw = [b'\xff' if text is None else text.encode() for text in columns[column]]
        columns[column] = as_text(raw)
    pq.write_table(pa.table(columns | {'a': pa.array(columns['a'], pa.int64())}), path)
    return path


def fit_csv(synthesizer, path):
    synthesizer.fit({'t': read_table(path, METADATA)}, check=False)


def fit_guessed(synthesizer, path):
    """Fit a file as pandas reads it: a cell too many in the first row shifts all others."""
    options = {'dtype': object, 'keep_default_na': False, 'na_values': ['']}
    cells = pd.read_csv(path, encoding_errors='replace', **options)
    synthesizer.fit({'t': as_described(cells.reset_index(drop=True), COLUMNS)}, check=False)


def evidence(synthesizer):
    """Return the attacker's statistic: nulls, the last code of every column, weighed by noise."""
    return sum(
        measurement.values.ravel()[-1] / float(np.max(measurement.stddev)) ** 2
        for measurement in synthesizer._model.measurements
    )


def audit(write, fit, folder):
    def run(path):
        synthesizer = PreFairSynthesizer(
            METADATA, epsilon=EPSILON, delta=DELTA, public_ranges=True, **ROLES
        )
        fit(synthesizer, path)
        return evidence(synthesizer)

    paths = (write(folder, with_canary) for with_canary in (False, True))
    return certified_epsilon(*(np.array([run(path) for _ in range(RUNS)]) for path in paths))


@pytest.mark.parametrize(
    ('write', 'fit'),
    [(write_csv, fit_csv), (write_parquet, PreFairSynthesizer.fit_table)],
    ids=['csv', 'parquet'],
)
def test_an_odd_row_of_a_file_certifies_less_than_the_claim(write, fit, tmp_path):
    """Fails by chance in less than one of five hundred runs."""
    assert audit(write, fit, tmp_path) <= EPSILON


def test_the_audit_catches_a_reader_in_which_a_line_changes_others(tmp_path):
    assert audit(write_csv, fit_guessed, tmp_path) > EPSILON
