"""A release verifies its own rows, whatever kinds of columns, dtypes, formats and texts they have.

From a file of the same rows that sampling reproduces, and of rows that came after them.
"""

import numpy as np
import pandas as pd
import pytest
from any_table import any_table
from profiles import generator, times
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer, load_release
from sdv_prefair.cli._verify_lines import rows_verified

pytestmark = pytest.mark.filterwarnings('ignore')


def check_own_rows(metadata, frame, folder, suffix='.csv', **arguments):
    """Fit, release, sample twice, and verify both files; return what the rows look like."""
    synthesizer = PreFairSynthesizer(metadata, **arguments)
    synthesizer.fit({'t': frame})
    synthesizer.save_release(folder / 'model.prefair')
    opened = load_release(folder / 'model.prefair')
    own = verified(opened, folder, f'own{suffix}', 60)
    assert own, own.failed
    assert any(check.about == 'origin' for check in own.checks)
    # One table in a thousand fails the test of the distribution by design, and not twice in a row.
    later = [verified(opened, folder, f'later{place}{suffix}', 45) for place in range(2)]
    assert any(later), [found.failed for found in later]
    by_chance = {'distribution', 'independence'}
    assert {check.about for found in later for check in found.failed} <= by_chance
    return opened.sample(10)['t']


def verified(opened, folder, name, rows):
    opened.sample_to(folder / name, rows, progress=False)
    return rows_verified(load_release(folder / 'model.prefair'), folder / name)


def described(**columns):
    return Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})


FREE = {'epsilon': 5.0, 'structure': 'none'}


@pytest.mark.parametrize('dtype', ['bool', 'object', 'category', 'boolean'])
def test_learnt_categories_that_are_true_or_false(dtype, tmp_path):
    flags = pd.Series([True, False] * 200, dtype=object).astype(dtype)
    frame = pd.DataFrame({'flag': flags, 'letter': list('uv') * 200})
    about = described(flag={'sdtype': 'categorical'}, letter={'sdtype': 'categorical'})
    check_own_rows(about, frame, tmp_path, **FREE)


@pytest.mark.parametrize('suffix', ['.csv', '.parquet'])
@pytest.mark.parametrize('dtype', ['Int64', 'boolean', 'category', 'float64', 'object'])
def test_a_column_of_which_nothing_was_learnt_shows_null_or_other(dtype, suffix, tmp_path):
    """At this epsilon no category of 40 rows stands out, and the column has no null by promise."""
    values = pd.Series([1, 0] * 20, dtype=object).astype(dtype)
    frame = pd.DataFrame({'x': values, 'letter': list('uv') * 20})
    column = {'sdtype': 'categorical', 'range_is_nullable': False}
    letters = {'sdtype': 'categorical', 'range_values': ['u', 'v']}
    about = described(x=column, letter=letters)
    rows = check_own_rows(about, frame, tmp_path, suffix, epsilon=0.1, structure='none')
    assert (rows['x'].isna() | (rows['x'].astype(object) == 'other')).all()


@pytest.mark.parametrize('ends', [{}, {'range_min': 0, 'range_max': 0}])
def test_numbers_that_are_all_zero_or_nearly(ends, tmp_path):
    """A range without a width has no grid; closer to zero than 2 to the -32 counts as zero."""
    near = np.zeros(400) if ends else np.random.default_rng(0).normal(0, 1e-12, 400)
    frame = pd.DataFrame({'x': near, 'letter': list('uv') * 200})
    about = described(x={'sdtype': 'numerical'} | ends, letter={'sdtype': 'categorical'})
    rows = check_own_rows(about, frame, tmp_path, **FREE)
    assert (rows['x'] == 0).all()


@pytest.mark.parametrize('kind', ['text', 'instants'])
def test_timestamps_with_a_zone_whose_range_is_learnt(kind, tmp_path):
    """As text they were refused after the budget was spent: learnt ends had no zone."""
    seconds = np.random.default_rng(0).integers(0, 10 * 86_400, 400)
    moments = pd.Series(pd.Timestamp('2008-06-09', tz='UTC') + pd.to_timedelta(seconds, unit='s'))
    written = '%Y-%m-%dT%H:%M:%S%z'
    values = moments.dt.strftime(written).astype(object) if kind == 'text' else moments
    frame = pd.DataFrame({'x': values, 'letter': list('uv') * 200})
    about = described(
        x={'sdtype': 'datetime', 'datetime_format': written}, letter={'sdtype': 'categorical'}
    )
    rows = check_own_rows(about, frame, tmp_path, **FREE)
    assert pd.to_datetime(rows['x'], format=written).dt.tz is not None


@pytest.mark.slow
def test_own_rows_of_any_table_verify(tmp_path):
    """Ten thousand tables in 34 nights, 300 a night; two files of each."""
    draw = generator('own rows')
    for case in range(times(30)):
        seed = draw.randrange(2**32)
        made, folder = any_table(seed), tmp_path / str(case)
        folder.mkdir()
        suffix = draw.choice(['.csv', '.csv', '.csv.gz', '.parquet'])
        try:
            check_own_rows(made.metadata, made.frame, folder, suffix, **made.arguments)
        except Exception as error:
            raise AssertionError(f'any_table({seed}), {suffix}') from error
