"""Rows are written in parts: all of them are there, memory holds one part, and drafts go."""

import signal
import subprocess
import sys
import time
import tracemalloc

import pandas as pd
import pytest
from census_doors import CENSUS, new

from sdv_prefair.synthesizer.written_rows import drawn_parts, write_parts

pytestmark = pytest.mark.filterwarnings('ignore:seed is given', 'ignore:Nothing of column')


@pytest.fixture(scope='module')
def fitted():
    synthesizer = new(seed=None)
    synthesizer.fit(CENSUS.data)
    return synthesizer


@pytest.mark.parametrize('name', ['x.csv', 'x.csv.gz', 'x.parquet'])
def test_all_rows_are_there_and_keys_differ_between_parts(name, fitted, tmp_path):
    fitted.sample_to(tmp_path / name, 2500, rows_at_a_time=700, progress=False)
    read = pd.read_parquet if name.endswith('parquet') else pd.read_csv
    table = read(tmp_path / name)
    whole = fitted.sample(2500)['census']
    assert len(table) == 2500 and list(table) == list(whole)
    assert table['person_id'].is_unique
    assert [path.name for path in tmp_path.iterdir()] == [name]
    if name.endswith('parquet'):
        assert table.dtypes.equals(whole.dtypes)


def test_parts_are_those_of_sample(tmp_path):
    one, two = new(), new()
    for synthesizer in (one, two):
        synthesizer.fit(CENSUS.data)
    one.sample_to(tmp_path / 'x.parquet', 900, rows_at_a_time=300)
    parts = [two.sample(300)['census'] for _ in range(3)]
    expected = pd.concat(parts, ignore_index=True)
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / 'x.parquet'), expected)


def parts_of(num_rows, rows=20_000):
    return drawn_parts(lambda n: pd.DataFrame({'x': range(n), 'y': ['abc'] * n}), num_rows, rows)


@pytest.mark.parametrize('name', ['x.csv', 'x.parquet'])
def test_memory_does_not_grow_with_rows(name, tmp_path):
    def peak(times):
        tracemalloc.start()
        write_parts(parts_of(20_000 * times), tmp_path / name, 20_000 * times)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(1)
    assert peak(12) < 1.3 * peak(3)


def test_columns_that_begin_with_nulls_are_written(tmp_path):
    parts = [
        pd.DataFrame({'a': [None, None], 'b': [1, 2]}),
        pd.DataFrame({'a': ['x', None], 'b': [3.0, float('nan')]}),
    ]
    write_parts(iter(parts), tmp_path / 'x.parquet', 4)
    table = pd.read_parquet(tmp_path / 'x.parquet', dtype_backend='pyarrow')
    assert table['a'].isna().tolist() == [True, True, False, True]
    assert table['b'].dropna().tolist() == [1, 2, 3]


def test_a_failure_half_way_leaves_what_was_there(tmp_path):
    (tmp_path / 'x.csv').write_text('old')

    def breaking():
        yield pd.DataFrame({'x': [1]})
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_parts(breaking(), tmp_path / 'x.csv', 2)
    assert (tmp_path / 'x.csv').read_text() == 'old'
    assert len(list(tmp_path.iterdir())) == 1


SLOW = """
import sys, time
from pathlib import Path
import importlib.util
spec = importlib.util.spec_from_file_location('atomic_write', sys.argv[1])
atomic_write = importlib.util.module_from_spec(spec)
spec.loader.exec_module(atomic_write)
with atomic_write.draft_of(Path(sys.argv[2])) as draft:
    draft.write_text('half')
    print('written', flush=True)
    time.sleep(60)
"""


def test_a_process_that_is_told_to_end_takes_its_draft_away(tmp_path):
    import sdv_prefair.atomic_write as module

    process = subprocess.Popen(
        [sys.executable, '-c', SLOW, module.__file__, str(tmp_path / 'x.csv')],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == 'written\n'
    assert [path.name[:9] for path in tmp_path.iterdir()] == ['.prefair-']
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=20) == 128 + signal.SIGTERM
    assert not list(tmp_path.iterdir())


def test_a_handler_of_ones_own_is_left_alone(tmp_path):
    seen = []
    before = signal.signal(signal.SIGTERM, lambda *_: seen.append(1))
    try:
        write_parts(told_to_end(), tmp_path / 'x.csv', 2)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert seen == [1] and (tmp_path / 'x.csv').exists()


def told_to_end():
    yield pd.DataFrame({'x': [1]})
    signal.raise_signal(signal.SIGTERM)
    time.sleep(0)
    yield pd.DataFrame({'x': [2]})


def test_other_endings_are_refused(fitted, tmp_path):
    with pytest.raises(ValueError, match=r'must end in \.csv'):
        fitted.sample_to(tmp_path / 'x.xlsx', 3)
