"""A damaged line of a CSV file is read by itself: all other rows are what they are without it."""

import gzip

import numpy as np
import pandas as pd
import pytest
from damaged_lines import DAMAGED, MARK
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer, load_release, save_metadata
from sdv_prefair.cli import main
from sdv_prefair.cli._table_files import read_table
from sdv_prefair.roles import Roles

COLUMNS = {
    'age': {'sdtype': 'numerical', 'range_min': 18, 'range_max': 90, 'decimal_places': 0},
    'pay': {'sdtype': 'numerical', 'range_min': 0.0, 'range_max': 9.5, 'decimal_places': 2},
    'size': {'sdtype': 'numerical', 'range_min': -9, 'range_max': 9},
    'children': {'sdtype': 'ordinal', 'range_values': [0, 1, 2, 3]},
    'sex': {'sdtype': 'categorical', 'range_values': ['f', 'm']},
    'colour': {'sdtype': 'categorical', 'range_values': ['red', 'dark, "grey"']},
    'member': {'sdtype': 'boolean'},
    'day': {
        'sdtype': 'datetime',
        'datetime_format': '%Y-%m-%d',
        'range_min': '2020-01-01',
        'range_max': '2024-12-31',
    },
    'name': {'sdtype': 'id'},
}
METADATA = Metadata.load_from_dict({'tables': {'t': {'columns': COLUMNS}}})
ROLES = Roles(['sex'], ['children'], ['member'])
HEADER = ','.join(COLUMNS).encode()
GOOD = [
    b'33,1.25,7,2,f,red,True,2024-01-31,007',
    b'57,9,-3.5,0,m,"dark, ""grey""",false,2023-11-05,8',
    b',,,,,,,,',
    b'18,0,0,3,f,red,1,2020-01-01,9',
]
PLACES = [0, 2, len(GOOD)]
pytestmark = pytest.mark.filterwarnings('error::FutureWarning')
damaged = pytest.mark.parametrize('line', DAMAGED.values(), ids=DAMAGED)


def with_line(line, place):
    return [*GOOD[:place], line, *GOOD[place:]]


def read(path, lines, ending=b'\n'):
    content = ending.join([HEADER, *lines])
    path.write_bytes(gzip.compress(content) if path.suffix == '.gz' else content)
    return read_table(path, METADATA)


def codes(table):
    # Bins that follow the data are made of noisy answers, so codes of two fits are not comparable.
    options = {'public_ranges': True, 'discretization': 'uniform'}
    synthesizer = PreFairSynthesizer(METADATA, **options, **ROLES.as_dict())
    return synthesizer.preprocess({'t': table})['t']


@damaged
@pytest.mark.parametrize('place', PLACES)
@pytest.mark.parametrize('ending', [b'\n', b'\r\n'], ids=['LF', 'CRLF'])
def test_all_other_rows_are_what_they_are_without_it(line, place, ending, tmp_path):
    plain = read(tmp_path / 'plain.csv', GOOD, ending)
    beside = read(tmp_path / 'beside.csv', with_line(line, place), ending)

    assert len(beside) == len(plain) + 1
    assert beside.dtypes.equals(plain.dtypes)
    pd.testing.assert_frame_equal(beside.drop(index=place).reset_index(drop=True), plain)


@damaged
def test_codes_are_those_of_the_other_rows_and_one_more(line, tmp_path):
    plain = codes(read(tmp_path / 'plain.csv.gz', GOOD))
    beside = codes(read(tmp_path / 'beside.csv.gz', with_line(line, 0)))

    assert beside.dtypes.equals(plain.dtypes)
    assert np.array_equal(beside.iloc[1:], plain)


def test_whole_files_are_read_as_pandas_reads_them(tmp_path):
    texts = ['a', 'b, c', 'say "x"', '"', ',', '  ', 'é', "'", '']
    frame = pd.DataFrame({'x': texts, 'y': texts[::-1]})
    frame.to_csv(tmp_path / 't.csv', index=False)
    described = {column: {'sdtype': 'categorical'} for column in frame}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': described}}})
    expected = pd.read_csv(tmp_path / 't.csv', dtype=object, keep_default_na=False)

    found = read_table(tmp_path / 't.csv', metadata).fillna('')
    assert found.to_numpy().tolist() == expected.to_numpy().tolist()


def test_long_files_are_typed_chunk_by_chunk_alike(tmp_path, monkeypatch):
    whole = read(tmp_path / 't.csv', GOOD * 5)
    monkeypatch.setattr('sdv_prefair.counting._csv._BLOCK_BYTES', 100)
    pd.testing.assert_frame_equal(read(tmp_path / 't.csv', GOOD * 5), whole)


@pytest.mark.parametrize('place', [0, 40])
def test_a_fit_survives_all_of_them_and_quotes_none(place, tmp_path, capsys):
    save_metadata(METADATA, ROLES, tmp_path / 'metadata.json')
    lines = GOOD * 10
    lines[place:place] = DAMAGED.values()
    (tmp_path / 't.csv').write_bytes(b'\n'.join([HEADER, *lines]))
    out = tmp_path / 't.prefair'
    arguments = ['--metadata', str(tmp_path / 'metadata.json'), '--ranges-are-public', '--quiet']

    assert main(['fit', str(tmp_path / 't.csv'), *arguments, '--out', str(out)]) == 0
    said = capsys.readouterr()
    assert MARK.decode() not in said.out + said.err
    sampled = load_release(out).sample(20)['t']
    assert set(sampled['sex'].dropna()) <= {'f', 'm'}


@pytest.mark.parametrize(
    'content',
    [b'age,"pay\n1,2', b'age,p\xff\n1,2', b'a\x00ge,pay\n1,2', b'age,pay\r1,2\r3,4'],
    ids=['unclosed', 'not UTF-8', 'NUL', 'carriage returns'],
)
def test_the_header_is_public_and_must_be_one(content, tmp_path):
    (tmp_path / 't.csv').write_bytes(content)
    with pytest.raises(ValueError, match='cannot be read as CSV'):
        read_table(tmp_path / 't.csv', METADATA)


def test_looking_at_a_table_is_not_thrown_off_either(tmp_path, capsys):
    (tmp_path / 't.csv').write_bytes(b'\n'.join([HEADER, *with_line(DAMAGED['trailing comma'], 0)]))
    assert main(['domain', str(tmp_path / 't.csv'), '--out', str(tmp_path / 'm.json')]) == 0
    written = Metadata.load_from_json(tmp_path / 'm.json')
    assert written.tables['t'].columns['age']['sdtype'] == 'numerical'
    capsys.readouterr()
