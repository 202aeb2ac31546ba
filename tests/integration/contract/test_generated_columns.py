"""Keys, personal columns, ids and unknown columns are made up; nothing of the rows is in them."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from contract import CONTROL, KINDS, STRUCTURES, Table, fit, make, only
from people import SECRET
from sdv.evaluation import run_diagnostic
from sdv.metadata import Metadata
from walk import differing_paths

from sdv_prefair.errors import PrivacyWarning

NUM_ROWS = 60
# What names a fit, and the generator it samples from before it is seeded.
NAMES_AND_DRAWS = {'._synthesizer_id', '._result.model._rng'}
WORD = {'sdtype': 'categorical', 'range_values': ['a', 'b'], 'range_is_nullable': False}


def with_column(values, about, **keys):
    """Return a table of one column that is to be made up and one that is learnt."""
    columns = {'made': about, 'word': WORD}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns} | keys}})
    frame = pd.DataFrame({'made': values, 'word': ['a', 'b'] * (NUM_ROWS // 2)})
    return Table({'t': frame}, metadata, {})


def texts(dtype='object'):
    return pd.Series([f'{SECRET}{row}' for row in range(NUM_ROWS)]).astype(dtype)


def numbers(dtype='int64'):
    return pd.Series(np.arange(NUM_ROWS)).astype(dtype)


def test_every_column_is_there_and_no_text_of_the_rows(any_fit, table):
    sampled = only(any_fit.sample(100))
    assert list(sampled.columns) == list(table.frame.columns)
    made_up = ['email', 'badge', 'note']
    if not type(any_fit).__name__.startswith('GaussianCopula'):
        made_up += ['group']  # SDV learns ids that are no keys, and hands them out again
    for column in made_up:
        assert sampled[column].dtype == table.frame[column].dtype
        assert not sampled[column].dropna().str.contains(SECRET).any()


def test_keys_are_unique_across_samples(any_fit):
    one, two = only(any_fit.sample(200)), only(any_fit.sample(200))
    both = pd.concat([one, two])
    for key in ('key', 'email', 'badge'):
        assert both[key].is_unique
        assert both[key].notna().all()
    assert both['badge'].str.fullmatch('B[0-9]{6}').all()


def test_nothing_of_them_is_in_the_pickle(our_fit):
    assert SECRET.encode() not in pickle.dumps(our_fit)


@pytest.mark.filterwarnings('ignore::sdv_prefair.errors.PrivacyWarning')
@pytest.mark.parametrize('structure', STRUCTURES)
def test_other_values_in_them_make_no_difference_at_all(structure, table):
    others = table.frame.assign(
        key=table.frame['key'] % 7,
        email='same',
        badge=table.frame['badge'].str[:2],
        group=[None] * len(table.frame),
        note=table.frame['note'].fillna('there'),
    )
    one = fit(structure, table, seed=1)
    two = fit(structure, table._replace(data={'people': others}), seed=1)
    assert differing_paths(one, two) <= NAMES_AND_DRAWS


ODD_DTYPES = {
    'text': texts(),
    'string': texts('string'),
    'arrow text': texts(pd.ArrowDtype(pa.string())),
    'category': texts('category'),
    'ordered category': texts(pd.CategoricalDtype(texts(), ordered=True)),
    'int8': numbers('int8'),
    'uint8': numbers('uint8'),
    'int64': numbers(),
    'Int16': numbers('Int16'),
    'float32': numbers('float32'),
    'arrow int': numbers('int64[pyarrow]'),
    'nulls': numbers('Int64').mask(numbers() < 20),
    'text and nulls': texts().mask(numbers() < 20),
    'all null': pd.Series([None] * NUM_ROWS, dtype=object),
    'bool': numbers() < 30,
    'boolean': (numbers() < 30).astype('boolean'),
    'moment': pd.Series(pd.date_range('1966-06-06', periods=NUM_ROWS)),
    'moment us': pd.Series(pd.date_range('1966-06-06', periods=NUM_ROWS)).dt.as_unit('us'),
    'zone': pd.Series(pd.date_range('1966-06-06', periods=NUM_ROWS, tz='Europe/Paris')),
    'arrow date': pd.Series(pd.date_range('1966-06-06', periods=NUM_ROWS)).astype(
        pd.ArrowDtype(pa.date32())
    ),
    'arrow decimal': numbers('float64').astype(pd.ArrowDtype(pa.decimal128(9, 2))),
}


@pytest.mark.parametrize('name', ODD_DTYPES)
def test_unknown_columns_of_any_dtype_are_made_up_in_it(name):
    values = ODD_DTYPES[name]
    table = with_column(values, {'sdtype': 'unknown'})
    synthesizer = fit('none', table)
    sampled = only(synthesizer.sample(40))['made']
    category = isinstance(values.dtype, pd.CategoricalDtype)
    assert sampled.dtype == ('category' if category else values.dtype)
    assert sampled.notna().all()
    assert not sampled.astype(str).str.contains(SECRET).any()
    assert SECRET.encode() not in pickle.dumps(synthesizer)
    synthesizer.reset_sampling()
    pd.testing.assert_series_equal(only(synthesizer.sample(40))['made'], sampled)


@pytest.mark.parametrize(
    'values',
    [
        pd.Series(pd.to_timedelta(np.arange(NUM_ROWS), unit='s')),
        pd.Series(np.arange(NUM_ROWS) * 1j),
        pd.Series([[row] for row in range(NUM_ROWS)]),
    ],
    ids=['timedelta', 'complex', 'lists'],
)
def test_unknown_columns_of_other_dtypes_become_text_as_in_sdv(values):
    sampled = only(fit('none', with_column(values, {'sdtype': 'unknown'})).sample(20))['made']
    assert sampled.str.startswith('sdv-pii-').all()


@pytest.mark.parametrize('name', ['text', 'category', 'int8', 'Int16', 'arrow int', 'float32'])
@pytest.mark.parametrize('role', ['primary', 'alternate', 'none'])
def test_ids_are_made_up_in_their_dtype(name, role):
    keys = {'primary': {'primary_key': 'made'}, 'alternate': {'alternate_keys': ['made']}}
    values = ODD_DTYPES[name]
    table = with_column(values, {'sdtype': 'id'}, **keys.get(role, {}))
    synthesizer = fit('none', table)
    sampled = only(synthesizer.sample(40))['made']
    assert sampled.dtype == ('category' if name == 'category' else values.dtype)
    assert sampled.is_unique or role == 'none'
    assert sampled.notna().all()
    assert not sampled.astype(str).str.contains(SECRET).any()
    assert SECRET.encode() not in pickle.dumps(synthesizer)


def test_two_columns_of_one_kind_are_not_made_up_alike():
    columns = {'a': {'sdtype': 'id'}, 'b': {'sdtype': 'id'}, 'word': WORD}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    frame = pd.DataFrame({'a': numbers(), 'b': numbers(), 'word': ['a', 'b'] * (NUM_ROWS // 2)})
    sampled = only(fit('none', Table({'t': frame}, metadata, {})).sample(50))
    assert (sampled['a'] != sampled['b']).any()


@pytest.mark.filterwarnings('ignore::sdv_prefair.errors.PrivacyWarning')
def test_the_values_that_a_category_lists_leave_no_trace():
    one, two = (
        fit('none', with_column(values.astype('category'), {'sdtype': 'unknown'}), seed=1)
        for values in (texts(), texts().str.upper())
    )
    assert differing_paths(one, two) <= NAMES_AND_DRAWS


@pytest.mark.parametrize('kind', KINDS)
def test_addresses_and_coordinates_are_made_up_when_the_add_on_is_absent(kind):
    about = {
        'street': {'sdtype': 'street_address', 'pii': True},
        'city': {'sdtype': 'city', 'pii': True},
        'lat': {'sdtype': 'latitude', 'pii': True},
        'lon': {'sdtype': 'longitude', 'pii': True},
        'sex': WORD,
        'education': WORD,
        'income': WORD,
    }
    relationships = [
        {'type': 'address', 'column_names': ['street', 'city']},
        {'type': 'gps', 'column_names': ['lat', 'lon']},
    ]
    tables = {'t': {'columns': about, 'column_relationships': relationships}}
    with pytest.warns(UserWarning, match='add-on'):
        metadata = Metadata.load_from_dict({'tables': tables})
        metadata.validate()
    words = {c: np.random.default_rng(0).choice(['a', 'b'], NUM_ROWS) for c in list(about)[4:]}
    secret = {'street': SECRET, 'city': SECRET, 'lat': 12.345678, 'lon': 65.432123}
    roles = {'protected': ['sex'], 'admissible': ['education'], 'outcome': ['income']}
    table = Table({'t': pd.DataFrame(secret | words)}, metadata, roles)
    synthesizer = fit(kind, table)
    sampled = only(synthesizer.sample(50))
    assert list(sampled.columns) == list(about)
    for column, value in secret.items():
        assert (sampled[column] != value).all()
        assert sampled[column].nunique() > 1
    if kind != CONTROL:
        assert set(synthesizer.get_fair_graph()) == {'sex', 'education', 'income'}
        kept = pickle.dumps(synthesizer)
        assert SECRET.encode() not in kept
        assert pickle.dumps(12.345678)[3:11] not in kept


def test_columns_of_high_cardinality_pay_for_their_values():
    about = {'sdtype': 'categorical', 'high_cardinality': True}
    common = with_column(['often'] * 30 + ['seldom'] * 29 + [SECRET], about)
    synthesizer = fit('none', common, epsilon=50.0)
    sampled = only(synthesizer.sample(100))['made']
    assert set(sampled.dropna()) <= {'often', 'seldom', 'other'}
    assert {'often', 'seldom'} <= set(sampled)
    assert 'learn domains' in set(synthesizer.get_privacy_ledger()['step'])
    assert SECRET.encode() not in pickle.dumps(synthesizer)


@pytest.mark.parametrize('values', [texts(), texts('string'), numbers(), numbers('Int64')])
def test_when_no_value_of_it_is_common_none_is_sampled(values):
    about = {'sdtype': 'categorical', 'high_cardinality': True}
    synthesizer = make('none', with_column(values, about), epsilon=1.0)
    with pytest.warns(PrivacyWarning, match="Nothing in column 'made' stood out from the noise"):
        synthesizer.fit(with_column(values, about).data)
    sampled = only(synthesizer.sample(30))['made']
    assert not set(sampled.dropna()) - {'other'}, 'texts have a name for it, numbers are null'
    assert sampled.dtype == ('float64' if values.dtype == 'int64' else values.dtype)


def test_personal_columns_that_are_declared_not_personal_are_learnt():
    cities = ['Rome'] * 40 + ['Oslo'] * 20
    table = with_column(cities, {'sdtype': 'city', 'pii': False})
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        sampled = only(fit('none', table).sample(300))['made']
    assert set(sampled.dropna()) == {'Rome', 'Oslo'}
    assert abs((sampled == 'Rome').mean() - 2 / 3) < 0.15


def test_the_diagnostic_is_perfect(our_fit, table):
    report = run_diagnostic(table.data, our_fit.sample(200), table.metadata, verbose=False)
    assert report.get_score() == 1.0
