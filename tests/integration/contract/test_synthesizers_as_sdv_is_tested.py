"""What else SDV's tests of synthesizers ask: files, metadata, keys, generators, dtypes, reports.

They run under SDV 1 and 2, with a Gaussian copula as the control. ``sdv_coverage.md`` says which of
SDV's tests each of ours answers.
"""

import datetime
import importlib
import json
import warnings

import numpy as np
import pandas as pd
import pytest
from contract import CONTROL, Table, fit, make, only
from guests import COLUMNS, guests
from rdt.transformers import AnonymizedFaker, IndexGenerator, RegexGenerator
from sdv.cag import FixedCombinations
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata
from sdv.utils import load_synthesizer

from sdv_prefair import PreFairSynthesizer
from sdv_prefair._sdv_versions import IS_FIRST, accepted, as_given_back

OURS = 'none'
ROWS = 60
NUMBER = {'sdtype': 'numerical', 'range_min': -99, 'range_max': 99, 'decimal_places': 0}
WORD = {'sdtype': 'categorical', 'range_values': ['a', 'b', 'c'], 'range_is_nullable': False}
SAVING = 'saving the metadata'


@pytest.fixture(params=(CONTROL, OURS))
def kind(request):
    return request.param


def table_of(frame, **columns):
    metadata = Metadata.load_from_dict({'tables': {'guests': {'columns': columns}}})
    return Table({'guests': pd.DataFrame(frame)}, metadata, {})


def numbered():
    drawn = np.random.default_rng(8)
    frame = {'number': drawn.integers(-50, 50, ROWS), 'word': drawn.choice(['a', 'b', 'c'], ROWS)}
    return table_of(frame, number=NUMBER, word=WORD)


def keyed(**key):
    """Return the table with a key."""
    table = numbered()
    about = {'key': {'sdtype': 'id'} | key, 'number': NUMBER, 'word': WORD}
    described = {'columns': about, 'primary_key': 'key'}
    metadata = Metadata.load_from_dict({'tables': {'guests': described}})
    frame = pd.DataFrame({'key': range(100, 100 + ROWS)}).join(table.frame)
    return Table({'guests': frame}, metadata, {})


def quiet(call, *given, **named):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return call(*given, **named)


def made_of(kind, metadata):
    """Return a synthesizer of metadata that is used as it is."""
    if kind == CONTROL:
        return type(make(CONTROL, numbered()))(metadata)
    return PreFairSynthesizer(metadata, structure=OURS, public_ranges=True)


def advice(caught):
    """Return the warnings that metadata was not saved."""
    return [one for one in caught if SAVING in str(one.message)]


# -- metadata ---------------------------------------------------------------------------------

CHANGES = {
    'update_column': {'column_name': 'one', 'sdtype': 'categorical'},
    'set_primary_key': {'column_name': 'one'},
    'add_alternate_keys': {'column_names': ['one', 'two']},
    'add_column_relationship': {
        'relationship_type': 'address',
        'column_names': ['town', 'country'],
    },
    'set_sequence_key': {'column_name': 'one'},
    'add_column': {'column_name': 'four', 'sdtype': 'numerical'},
}


@pytest.mark.parametrize('method', CHANGES)
def test_every_change_of_metadata_that_is_not_saved_is_told_once(kind, method):
    columns = {'one': {'sdtype': 'id'}, 'two': {'sdtype': 'id'}, 'three': {'sdtype': 'boolean'}}
    columns |= {'town': {'sdtype': 'city'}, 'country': {'sdtype': 'country_code'}}
    metadata = Metadata.load_from_dict({'tables': {'guests': {'columns': columns}}})
    getattr(metadata, method)(table_name='guests', **CHANGES[method])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        made = made_of(kind, metadata)
        again = made_of(kind, metadata)
    assert len(advice(caught)) == 1
    assert made.get_metadata().to_dict() == again.get_metadata().to_dict() == metadata.to_dict()


def test_metadata_that_was_saved_or_not_changed_is_not_warned_about(kind, tmp_path):
    table = table_of({'one': [1, 2, 3] * 9, 'two': ['a', 'b', 'c'] * 9}, one=NUMBER, two=WORD)
    detected = quiet(Metadata.detect_from_dataframes, table.data)
    detected.save_to_json(tmp_path / 'detected.json')
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        for metadata in (accepted(table.metadata), detected):
            made_of(kind, metadata).fit(as_given_back(table.data))
        later = made_of(kind, detected)
        detected.update_column('one', 'guests', sdtype='categorical')
        detected.save_to_json(tmp_path / 'changed.json')
        later.fit(as_given_back(table.data))
    assert not advice(caught)


def test_detected_names_that_are_whole_numbers(kind):
    frame = pd.DataFrame({1: range(30), 2: range(30, 60), 3: ['a', 'b', 'c'] * 10})
    metadata = quiet(Metadata.detect_from_dataframes, {'guests': frame})
    sampled = only(quiet(fit, kind, Table({'guests': frame}, metadata, {})).sample(5))
    assert list(sampled.columns) == [1, 2, 3]


def test_moments_stay_within_the_detected_ranges(kind):
    if IS_FIRST and kind == OURS:
        pytest.skip('SDV 1 detects no ranges; what is not declared is learnt')
    table = guests(80)
    metadata = quiet(Metadata.detect_from_dataframes, table.data)
    sampled = only(quiet(fit, kind, table._replace(metadata=metadata)).sample(80))
    for column in ('arrived', 'left'):
        made, real = (pd.to_datetime(t[column], format='%d %b %Y') for t in (sampled, table.frame))
        assert real.min() <= made.min() and made.max() <= real.max()


# -- files ------------------------------------------------------------------------------------


def test_a_file_without_an_identity_is_given_one(kind, tmp_path):
    synthesizer = fit(kind, numbered())
    del synthesizer._synthesizer_id
    synthesizer.save(tmp_path / 'it.pkl')
    loaded = load_synthesizer(tmp_path / 'it.pkl')
    assert isinstance(loaded._synthesizer_id, str)
    assert not hasattr(synthesizer, '_synthesizer_id')
    assert len(only(loaded.sample(3))) == 3


def test_one_that_was_not_fitted_survives_a_file(kind, tmp_path):
    table = numbered()
    synthesizer = make(kind, table)
    quiet(synthesizer.save, tmp_path / 'it.pkl')
    loaded = load_synthesizer(tmp_path / 'it.pkl')
    assert type(loaded) is type(synthesizer)
    assert loaded._synthesizer_id == synthesizer._synthesizer_id
    assert loaded.get_info() == synthesizer.get_info()
    quiet(loaded.fit, as_given_back(table.data))
    assert len(only(loaded.sample(3))) == 3


def test_dates_of_making_and_fitting_are_today(kind):
    synthesizer = make(kind, numbered())
    today = datetime.datetime.today().strftime('%Y-%m-%d')
    assert synthesizer.get_info()['creation_date'] == today
    assert synthesizer.get_info()['fitted_sdv_version'] is None
    quiet(synthesizer.fit, as_given_back(numbered().data))
    assert synthesizer.get_info()['last_fit_date'] == today


def test_a_refit_forgets_the_combinations_of_the_first(kind):
    words = {'sdtype': 'categorical', 'range_is_nullable': False}
    city, state = (words | {'range_values': v} for v in (['LA', 'SF', 'CHI'], ['CA', 'IL']))
    first = table_of({'city': ['LA', 'SF', 'CHI'] * 20, 'state': ['CA', 'CA', 'IL'] * 20},
                     city=city, state=state)  # fmt: skip
    second = as_given_back({'guests': first.frame[first.frame['city'] != 'SF']})
    synthesizer = make(kind, first)
    synthesizer.add_constraints([FixedCombinations(['city', 'state'])])
    seen = []
    for rows in (as_given_back(first.data), second):
        quiet(synthesizer.fit, rows)
        sampled = only(synthesizer.sample(200))
        seen.append(set(zip(sampled['city'], sampled['state'], strict=True)))
    assert seen == [
        {('LA', 'CA'), ('SF', 'CA'), ('CHI', 'IL')},
        {('LA', 'CA'), ('CHI', 'IL')},
    ]


# -- keys and generators ----------------------------------------------------------------------


@pytest.mark.parametrize('regex', ['(10|20|30)[0-9]{4}', '(?=a)b|c'])
def test_formats_that_cannot_be_made_are_refused_when_it_is_made(kind, regex):
    with pytest.raises(SynthesizerInputError, match='complex regex'):
        make(kind, keyed(regex_format=regex))


def test_a_key_can_be_counted_from_a_number(kind):
    table = keyed()
    synthesizer = make(kind, table)
    quiet(synthesizer.auto_assign_transformers, as_given_back(table.data))
    counted = IndexGenerator(starting_value=5)
    synthesizer.update_transformers({'key': counted})
    quiet(synthesizer.fit, as_given_back(table.data))
    sampled = only(synthesizer.sample(20))
    assert isinstance(synthesizer.get_transformers()['key'], IndexGenerator)
    assert sorted(sampled['key']) == list(range(5, 25))


@pytest.mark.parametrize('rule', ['unique', None])
def test_generators_of_a_format_are_taken(kind, rule):
    table = keyed()
    table = table._replace(data={'guests': table.frame.assign(key=table.frame['key'].map(str))})
    synthesizer = make(kind, table)
    quiet(synthesizer.auto_assign_transformers, as_given_back(table.data))
    synthesizer.update_transformers({'key': RegexGenerator('[A-Z]{5}', cardinality_rule=rule)})
    quiet(synthesizer.fit, as_given_back(table.data))
    sampled = only(synthesizer.sample(10))
    assert isinstance(synthesizer.get_transformers()['key'], RegexGenerator)
    assert sampled['key'].str.fullmatch('[A-Z]{5}').all()
    assert sampled['key'].is_unique


def test_generators_can_be_changed_after_preprocessing(kind):
    table = guests(ROWS)
    synthesizer = make(kind, table)
    quiet(synthesizer.preprocess, as_given_back(table.data))
    quiet(synthesizer.update_transformers, {'email': AnonymizedFaker('misc', 'uuid4')})
    quiet(synthesizer.fit, as_given_back(table.data))
    assert (only(synthesizer.sample(5))['email'].str.len() == 36).all()


def test_personal_values_are_those_of_the_locale(kind):
    table = guests(ROWS, COLUMNS | {'address': {'sdtype': 'city', 'pii': True}})
    metadata = accepted(table.metadata)
    more = {} if kind == CONTROL else {'public_ranges': True, 'epsilon': 1e6} | table.roles
    synthesizer = quiet(type(make(kind, numbered())), metadata, locales=['ja_JP'], **more)
    quiet(synthesizer.fit, as_given_back(table.data))
    assert synthesizer.get_transformers()['address'].locales == ['ja_JP']
    assert not any(made.isascii() for made in only(synthesizer.sample(20))['address'])


# -- dtypes -----------------------------------------------------------------------------------

NULLABLE = ['Int8', 'Int16', 'Int32', 'Int64', 'UInt8', 'UInt64', 'Float32', 'Float64']


def test_nullable_dtypes_come_back_with_their_decimals(kind):
    steps = np.arange(ROWS) % 40
    frame = pd.DataFrame({d: pd.Series(steps, dtype=d).mask(steps % 5 == 0) for d in NULLABLE})
    frame['Float32'] = (frame['Float32'] / 10).astype('Float32')
    about = {d: NUMBER | {'range_min': 0, 'decimal_places': int(d == 'Float32')} for d in NULLABLE}
    sampled = only(fit(kind, table_of(frame, **about)).sample(ROWS))
    assert (sampled.dtypes == frame.dtypes).all()
    assert sampled.isna().any().all()
    tenths = sampled['Float32'].dropna()
    if kind == OURS or not IS_FIRST:  # SDV 1 does not round this dtype
        assert np.allclose(tenths * 10, (tenths * 10).round(), atol=1e-4)


def test_many_categories_of_numbers_and_texts_come_back_and_no_others(kind):
    codes = list(range(50)) * 4
    texts = [str(code) for code in codes]
    listed = {'sdtype': 'categorical', 'range_is_nullable': False}
    about = {'code': listed | {'range_values': list(range(50))}, 'number': NUMBER}
    about['text'] = listed | {'range_values': texts[:50]}
    frame = pd.DataFrame({'code': codes, 'number': codes, 'text': texts})
    sampled = only(fit(kind, table_of(frame, **about)).sample(1_500))
    assert set(sampled['code']) == set(codes)
    assert set(sampled['text']) == set(texts)


def test_columns_of_category_dtype_are_taken(kind):
    table = numbered()
    frame = table.frame.assign(word=table.frame['word'].astype('category'))
    sampled = only(fit(kind, table._replace(data={'guests': frame})).sample(30))
    assert set(sampled['word']) <= {'a', 'b', 'c'}


def test_moments_as_numbers_too_long_for_64_bits(kind):
    texts = ['20220902110443000000', '20220916230356000000', '20220826173917000000'] * 20
    about = {'sdtype': 'datetime', 'datetime_format': '%Y%m%d%H%M%S%f'}
    about |= {'range_min': '20220801000000000000', 'range_max': '20220930235959000000'}
    frame = pd.DataFrame({'text': texts, 'number': list(map(int, texts))})
    synthesizer = fit(kind, table_of(frame, text=about, number=about))
    sampled = synthesizer.sample(10)
    quiet(synthesizer.validate, sampled)
    for column in ('text', 'number'):
        moments = pd.to_datetime(only(sampled)[column].astype(str), format='%Y%m%d%H%M%S%f')
        assert moments.dt.year.eq(2022).all() and moments.dt.month.isin([8, 9]).all()


def test_moments_of_several_time_zones_can_be_described(kind):
    zones = ['-0100', '+0200', '-0300', '-1200', '+1400']
    moments = [pd.Timestamp(f'2025-01-01 00:00:00{zone}') for zone in zones] * 12
    about = {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d %H:%M:%S%z'}
    about |= {'range_min': '2024-12-01 00:00:00+0000', 'range_max': '2025-02-01 00:00:00+0000'}
    frame = {'when': pd.Series([*moments[1:], None], dtype=object), 'number': range(ROWS)}
    table = table_of(frame, when=about, number=NUMBER)
    synthesizer = make(kind, table)
    quiet(synthesizer.auto_assign_transformers, as_given_back(table.data))
    assert quiet(synthesizer.validate, as_given_back(table.data)) is None


# -- reports ----------------------------------------------------------------------------------


@pytest.mark.parametrize('shape', ['box', 'heatmap', 'scatter', 'violin'])
def test_pairs_can_be_drawn_in_every_shape_from_some_rows(shape):
    table = numbered()
    frame = table.frame.assign(other=table.frame['number'] * 2)
    table = table_of(frame, number=NUMBER, word=WORD, other=NUMBER | {'range_max': 200})
    sampled = fit(OURS, table).sample(50)
    evaluation = importlib.import_module('sdv.evaluation' + '.single_table' * IS_FIRST)
    columns = ['word', 'number'] if shape in {'box', 'violin'} else ['number', 'other']
    drawn = evaluation.get_column_pair_plot(
        real_data=as_given_back(table.data),
        synthetic_data=sampled,
        metadata=accepted(table.metadata),
        column_names=columns,
        sample_size=40,
        plot_type=shape,
        **({} if IS_FIRST else {'table_name': 'guests'}),
    )
    assert [len(part.x) for part in drawn.data] == [40, 40]


def test_a_file_of_metadata_is_json(tmp_path):
    made_of(OURS, numbered().metadata).get_metadata().save_to_json(tmp_path / 'it.json')
    assert json.loads((tmp_path / 'it.json').read_text())['tables']['guests']['columns']
