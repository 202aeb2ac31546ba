"""Words for a missing value are null where declared or usual, and values where listed."""

import json
import re

import ibis
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer, learning
from sdv_prefair.columns._grids import NullCells
from sdv_prefair.columns._texts import USUAL_WORDS
from sdv_prefair.counting._compiled import compiled_one
from sdv_prefair.counting._expressions import code_expression
from sdv_prefair.counting._frame import FrameSource
from sdv_prefair.domain import Undeclared
from sdv_prefair.metrics import OneWayTotalVariation
from sdv_prefair.transformers import CategoryCodes, TailedCodes

WORDS = st.lists(st.sampled_from(['NA', '?', '', 'none', 'aa', '-9', 'ä']), unique=True)
CELLS = st.lists(
    st.sampled_from(['a', 'b', 'NA', '?', '', 'none', 'a*', 'aa', 'ab', '-9', 'ä', 'na', None]),
    min_size=1,
    max_size=8,
)


def encoders(words, nullable):
    yield CategoryCodes(['a', 'b'], nullable, missing=words)
    yield CategoryCodes(['a', 'b'], nullable, other=False, missing=words)
    yield CategoryCodes(['a', 'b'], nullable, other_value='rest', missing=words)
    yield TailedCodes(['b'], nullable, shared=True, tails=['a', 'n'], missing=words)


@given(CELLS, WORDS, st.booleans())
def test_a_word_is_null_in_every_form_and_engine(cells, words, nullable):
    column = pd.Series(cells, dtype=object)
    empty = column.where(~column.isin(words), None)
    array = pa.array(cells, pa.string())
    table = ibis.memtable(pa.table({'x': array}), schema={'x': 'string'})
    for encoder, plain in zip(encoders(words, nullable), encoders([], nullable), strict=True):
        expected = plain.encode(empty).tolist()
        assert encoder.encode(column).tolist() == expected
        for dtype in ('category', 'string', pd.ArrowDtype(pa.string())):
            assert encoder.encode(column.astype(dtype)).tolist() == expected
        if lookup := compiled_one(encoder, pa.string()):
            assert lookup.encode(array).tolist() == expected
        codes = table.mutate(code=code_expression(table['x'], encoder, 'duckdb'))
        assert sorted(codes.execute()['code']) == sorted(expected)


def people(word, rows=4_000):
    values = np.random.default_rng(1).choice([word, 'low', 'high'], rows, p=[0.4, 0.3, 0.3])
    return pd.DataFrame({'grade': values.astype(object), 'sex': ['f', 'm'] * (rows // 2)})


def synthesizer_of(**about):
    columns = {
        'grade': {'sdtype': 'categorical', **about},
        'sex': {'sdtype': 'categorical', 'range_values': ['f', 'm'], 'range_is_nullable': False},
    }
    metadata = Metadata.load_from_dict({'tables': {'people': {'columns': columns}}})
    return PreFairSynthesizer(metadata, epsilon=20.0, structure='none', public_ranges=True)


def shares(**about):
    synthesizer = synthesizer_of(**about)
    synthesizer.fit({'people': people('NA')}, check=False)
    rows = synthesizer.sample(4_000)['people']['grade']
    # With one learnt column, rows of "other" are too few to be ruled out.
    rows = rows[rows != 'other'].fillna('(null)')
    return rows.value_counts(normalize=True), synthesizer


@pytest.mark.parametrize(
    'about',
    [
        {},
        {'missing_values': ['NA']},
        {'range_values': ['low', 'high'], 'missing_values': ['NA']},
    ],
)
def test_a_word_comes_back_as_null(about):
    found, _ = shares(**about)
    assert found['(null)'] == pytest.approx(0.4, abs=0.04)
    assert set(found.index) == {'low', 'high', '(null)'}


@pytest.mark.parametrize('about', [{'missing_values': []}, {'range_values': ['NA', 'low', 'high']}])
def test_a_word_is_a_value_where_that_is_said(about):
    found, _ = shares(**about)
    assert found['NA'] == pytest.approx(0.4, abs=0.04)


def test_a_word_that_may_not_be_missing_is_spread_over_the_values():
    found, _ = shares(range_is_nullable=False)
    assert set(found.index) == {'low', 'high'}


def test_a_release_reads_rows_as_its_fit_did(tmp_path):
    _, synthesizer = shares(missing_values=['NA', '?'])
    synthesizer.save_release(tmp_path / 'people.prefair')
    opened = PreFairSynthesizer.load_release(tmp_path / 'people.prefair')
    rows = opened.sample(300)['people']
    assert rows['grade'].isna().any()
    assert opened.get_metadata().tables['people'].columns['grade'].get('missing_values') in (
        None,
        ['NA', '?'],
    )


@pytest.mark.parametrize('word', ['NA', 'none', 'Missing', '.'])
def test_the_line_of_the_remedy_settles_it(word):
    told = repr(synthesizer_of().check({'people': people(word)}))
    assert 'look like a word for a missing value' in told
    line = json.loads('{' + re.search(r'add ("missing_values": \[.*?\])', told).group(1) + '}')
    assert not synthesizer_of(**line).check({'people': people(word)})


@pytest.mark.parametrize(
    'about',
    [
        {'sdtype': 'numerical', 'range_min': 0, 'range_max': 9},
        {'sdtype': 'datetime', 'datetime_format': '%Y'},
        {'sdtype': 'boolean'},
    ],
)
def test_declared_words_of_other_columns_are_no_finding(about):
    cells = {'numerical': ['1', '2'], 'datetime': ['2001', '2002'], 'boolean': [True, False]}
    rows = pd.DataFrame({'grade': pd.Series([*cells[about['sdtype']] * 30, '-'], dtype=object)})
    rows['sex'] = 'f'
    told = synthesizer_of(**about).check({'people': rows}).to_frame()
    assert '-' in ' '.join(told.loc[told['column'] == 'grade', 'examples'])
    told = synthesizer_of(**about, missing_values=['-']).check({'people': rows}).to_frame()
    assert '-' not in ' '.join(told.loc[told['column'] == 'grade', 'examples'])


def test_the_usual_words_are_those_that_readers_of_csv_files_lose():
    from pandas._libs.parsers import STR_NA_VALUES

    assert set(USUAL_WORDS) == {*STR_NA_VALUES, '?', '-'}


def test_a_row_with_a_word_counts_once_when_values_are_learnt(monkeypatch):
    asked = []
    monkeypatch.setattr(learning, 'PrivateValues', lambda exact, *_: asked.append(exact['grade']))
    table = pd.DataFrame({'grade': ['NA', 'a', None, '', 'b']}, dtype=object)
    domain = Undeclared('categories', missing=USUAL_WORDS, prefix=1)
    source = FrameSource(table)
    nulls = source.count({'grade': NullCells()}, [('grade',)])
    learning._values(source, {'grade': domain}, ['grade'], nulls, None, None)
    values, beginnings = ({getattr(v, 'text', v): n for v, n in a.items()} for a in asked)
    assert values == {'a': 1, 'b': 1, None: 3}
    assert sum(beginnings.values()) == 2


def test_metrics_read_rows_as_a_fit_does():
    real, synthetic = people('NA'), people('NA')
    synthetic['grade'] = synthetic['grade'].where(synthetic['grade'] != 'NA', None)
    for about, expected in (({'missing_values': ['NA']}, 0.0), ({}, 0.4)):
        columns = {'grade': {'sdtype': 'categorical', **about}, 'sex': {'sdtype': 'categorical'}}
        distance = OneWayTotalVariation.compute_breakdown(real, synthetic, {'columns': columns})
        assert distance['score'] == pytest.approx(expected / 2, abs=0.02)
