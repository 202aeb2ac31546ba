"""Rows are written in parts: all of them are there, memory holds one part, and drafts go."""

import copy
import signal
import subprocess
import sys
import time
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from census_doors import CENSUS, new
from rdt.transformers import AnonymizedFaker, RegexGenerator
from sdv.errors import SamplingError
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.synthesizer._written_rows import drawn_parts, write_parts

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


GENERATORS = [
    *(AnonymizedFaker('person', 'first_name', cardinality_rule=rule) for rule in (None, 'unique')),
    *(RegexGenerator('[0-9]{3}', rule) for rule in (None, 'unique')),
    AnonymizedFaker(None, 'random_int', {'min': 0, 'max': 999}),
    None,
]


@pytest.mark.parametrize('rows_at_a_time', [1, 40, 200])
@pytest.mark.parametrize('generator', GENERATORS, ids=repr)
def test_no_key_comes_twice_whatever_makes_them(generator, rows_at_a_time, tmp_path):
    synthesizer, path = with_key(generator), tmp_path / 'x.csv'
    try:
        synthesizer.sample_to(path, 200, rows_at_a_time=rows_at_a_time, progress=False)
    except SamplingError as error:
        assert "'key' is a key" in f'{error} {error.__cause__}'
        assert getattr(generator, 'cardinality_rule', 'unique') != 'unique'
        return
    assert pd.read_csv(path)['key'].is_unique


def with_key(generator):
    """Return a fitted synthesizer whose keys come from a generator, or from ours."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({c: rng.choice(['u', 'v'], 300) for c in ('p', 'a', 'o')})
    table['key'] = [f'k{row}' for row in range(300)]
    columns = {c: {'sdtype': 'categorical', 'range_values': ['u', 'v']} for c in ('p', 'a', 'o')}
    columns['key'] = {'sdtype': 'id'}
    tables = {'t': {'primary_key': 'key', 'columns': columns}}
    roles = {'protected': ['p'], 'admissible': ['a'], 'outcome': ['o'], 'public_ranges': True}
    synthesizer = PreFairSynthesizer(Metadata.load_from_dict({'tables': tables}), 100.0, **roles)
    if generator is not None:
        synthesizer.auto_assign_transformers({'t': table})
        synthesizer.update_transformers({'key': copy.deepcopy(generator)})
    synthesizer.fit({'t': table})
    return synthesizer


def parts_of(num_rows, rows=20_000):
    return drawn_parts(lambda n: pd.DataFrame({'x': range(n), 'y': ['abc'] * n}), num_rows, rows)


@pytest.mark.slow
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
    import sdv_prefair._atomic_write as module

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


@pytest.mark.parametrize('name', ['x.csv', 'x.parquet'])
def test_columns_whose_names_are_integers_are_written(name, tmp_path):
    parts = [pd.DataFrame({0: [1, 2], 1: pd.Timestamp('2024-01-01'), 2: 'a'})] * 2
    write_parts(iter(parts), tmp_path / name, 4)
    read = pd.read_parquet if name.endswith('parquet') else pd.read_csv
    assert list(read(tmp_path / name)) == ['0', '1', '2'] and len(read(tmp_path / name)) == 4


def fitted_to(column, about, dtype):
    """Return a synthesizer of a table with this column, in which all its values are frequent."""
    rng = np.random.default_rng(0)
    words = {c: rng.choice(['u', 'v'], 400) for c in ('p', 'a', 'o')}
    table = pd.DataFrame({**words, 'x': pd.Series(column * (400 // len(column)), dtype=dtype)})
    columns = {c: {'sdtype': 'categorical', 'range_values': ['u', 'v']} for c in words}
    tables = {'t': {'columns': {**columns, 'x': about}}}
    roles = {'protected': ['p'], 'admissible': ['a'], 'outcome': ['o'], 'public_ranges': True}
    synthesizer = PreFairSynthesizer(Metadata.load_from_dict({'tables': tables}), 100.0, **roles)
    synthesizer.fit({'t': table})
    return synthesizer


def test_values_survive_parquet_files_that_are_written_in_parts(tmp_path):
    about = {'sdtype': 'categorical', 'range_values': [2, 2.5], 'range_is_nullable': False}
    fitted_to([2, 2.5], about, 'object').sample_to(tmp_path / 'x.parquet', 80, rows_at_a_time=1)
    assert set(pd.read_parquet(tmp_path / 'x.parquet')['x']) == {2.0, 2.5}


def test_columns_that_parquet_cannot_hold_are_refused_before_rows_are_written(tmp_path):
    about = {'sdtype': 'categorical', 'range_values': [2, 'two'], 'range_is_nullable': False}
    synthesizer = fitted_to([2, 'two'], about, 'object')
    with pytest.raises(ValueError, match=r"'x' holds values of several types.*Write a \.csv file"):
        synthesizer.sample_to(tmp_path / 'x.parquet', 1)
    synthesizer.sample_to(tmp_path / 'x.csv', 80, rows_at_a_time=1)
    assert set(pd.read_csv(tmp_path / 'x.csv')['x']) == {'2', 'two'}


def test_other_endings_are_refused(fitted, tmp_path):
    with pytest.raises(ValueError, match=r'must end in \.csv'):
        fitted.sample_to(tmp_path / 'x.xlsx', 3)
