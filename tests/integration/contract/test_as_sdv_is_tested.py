"""What SDV's tests of its base class and of copulas ask, asked of it and of ours, by our cases.

They run under SDV 1 and 2. What differs by design is in ``test_differences``.
"""

import importlib.metadata
import json
import logging
import uuid
import warnings

import numpy as np
import pandas as pd
import pytest
from contract import CONTROL, NO_NOISE, fit, make, only
from guests import COLUMNS, LEARNT, ROOMS, guests
from rdt.transformers import AnonymizedFaker, RegexGenerator
from sdv.cag import FixedCombinations, FixedIncrements, Inequality, OneHotEncoding, Range
from sdv.data_processing.errors import NotFittedError
from sdv.errors import (
    InvalidDataError,
    RefitWarning,
    SamplingError,
    SynthesizerInputError,
    VersionError,
)
from sdv.evaluation import evaluate_quality, run_diagnostic
from sdv.metadata import Metadata
from sdv.sampling import Condition, DataFrameCondition
from sdv.utils import load_synthesizer

from sdv_prefair._sdv_versions import accepted, as_given_back, by_name

KINDS = (CONTROL, 'none', 'planned')
NUMBER = {'sdtype': 'numerical', 'range_min': 0, 'range_max': 99, 'decimal_places': 0}
MADE = {}


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def fitted(kind):
    """Return a fit of each kind; it is made once."""
    if kind not in MADE:
        MADE[kind] = fit(kind, guests())
    MADE[kind].reset_sampling()
    return MADE[kind]


@pytest.fixture(scope='module')
def table():
    return guests()


def numbers(kind, **columns):
    """Return a fit to three columns of numbers, or those given."""
    frame = pd.DataFrame(columns or {c: range(100) for c in ('one', 'two', 'three')})
    about = {c: NUMBER | {'range_min': float(v.min())} for c, v in frame.items()}
    described = {'columns': about}
    metadata = Metadata.load_from_dict({'tables': {'guests': described}})
    unfitted = guests()._replace(data={'guests': frame}, metadata=metadata, roles={})
    return fit('none' if kind == 'planned' else kind, unfitted)


def quiet(call, *given, **named):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return call(*given, **named)


# -- sampling ---------------------------------------------------------------------------------


def test_rows_are_as_many_as_asked_with_the_columns_of_the_table(fitted, table):
    sampled = only(fitted.sample(num_rows=120))
    assert len(sampled) == 120
    assert list(sampled.columns) == list(table.frame.columns)
    assert (sampled.dtypes == table.frame.dtypes).all()


def test_two_samples_differ_and_a_reset_repeats_the_first(fitted):
    first, second = only(fitted.sample(30)), only(fitted.sample(30))
    assert not first.equals(second)
    fitted.reset_sampling()
    pd.testing.assert_frame_equal(only(fitted.sample(30)), first)


def test_nothing_is_sampled_without_a_fit(kind, table):
    synthesizer = make(kind, table)
    for call in (
        lambda: synthesizer.sample(3),
        lambda: synthesizer.sample_from_conditions([Condition({'room': 'suite'}, 2)]),
    ):
        with pytest.raises(SamplingError, match='has not been fitted'):
            call()
    with pytest.raises((SamplingError, NotFittedError)):
        quiet(synthesizer.sample_remaining_columns, pd.DataFrame({'room': ['suite']}))


def test_the_number_of_rows_is_needed(fitted):
    with pytest.raises(ValueError, match='must specify the number of rows'):
        fitted.sample(None)


# -- conditions -------------------------------------------------------------------------------


@pytest.mark.parametrize('batch_size', [None, 50, 1000])
def test_conditions_of_any_batch_size_come_in_their_order(kind, batch_size):
    synthesizer = numbers(kind)
    asked = [Condition({'one': 10}, num_rows=100), Condition({'one': 50}, num_rows=10)]
    sampled = only(quiet(synthesizer.sample_from_conditions, asked, batch_size=batch_size))
    assert sampled['one'].tolist() == [10] * 100 + [50] * 10


def test_negative_and_fractional_numbers_can_be_asked_for(kind):
    one = pd.Series(np.arange(100) / -1.0)
    synthesizer = numbers(kind, one=one, two=pd.Series(range(100)))
    asked = [Condition({'one': -10.0}, num_rows=5), Condition({'one': -50}, num_rows=2)]
    sampled = only(quiet(synthesizer.sample_from_conditions, asked))
    assert sampled['one'].tolist() == [-10.0] * 5 + [-50.0] * 2
    assert sampled['one'].dtype == 'float64'


def test_nulls_can_be_asked_for_beside_other_values(fitted):
    asked = [Condition({'room': None, 'rewards': False}, num_rows=25)]
    sampled = only(quiet(fitted.sample_from_conditions, asked))
    assert len(sampled) == 25
    assert sampled['room'].isna().all()
    assert not sampled['rewards'].any()


@pytest.mark.parametrize('kind', KINDS[1:])  # SDV's own loses the lines with nulls here
def test_nulls_stand_among_known_columns(fitted):
    known = pd.DataFrame({'left': [None, '29 Dec 2020', None], 'fee': [5.0, np.nan, None]})
    sampled = only(quiet(fitted.sample_remaining_columns, known))
    assert sampled['left'].isna().tolist() == [True, False, True]
    assert sampled['left'][1] == '29 Dec 2020'
    assert sampled['fee'].isna().tolist() == [False, True, True]
    assert sampled['fee'][0] == 5.0


def test_frames_of_conditions(fitted):
    lines = pd.DataFrame({'room': ['suite', 'basic'], 'rewards': [True, False]})
    sampled = only(quiet(fitted.sample_from_conditions, [DataFrameCondition(lines)]))
    assert sampled['room'].tolist() == ['suite', 'basic']
    assert sampled['rewards'].tolist() == [True, False]


def test_values_that_no_row_can_have_are_an_error(fitted):
    with pytest.raises(ValueError, match=r'.'):
        quiet(fitted.sample_from_conditions, [Condition({'room': 'cellar'}, 3)])


def test_columns_that_are_not_there_are_an_error(fitted):
    with pytest.raises(ValueError, match='pool'):
        quiet(fitted.sample_from_conditions, [Condition({'pool': 'yes'}, 3)])


# -- made up columns --------------------------------------------------------------------------


def test_personal_values_are_none_of_the_real_ones(fitted, table):
    sampled = only(fitted.sample(100))
    for column in ('guest', 'email', 'address'):
        made = sampled[column]
        assert made.notna().all()
        assert column == 'guest' or not made.isin(table.frame[column]).any()
    assert sampled['guest'].is_unique
    assert sampled['email'].is_unique


def test_keys_follow_their_format_in_no_order(fitted):
    keys = only(fitted.sample(200))['guest']
    assert keys.str.fullmatch('G-[0-9]{4}').all()
    assert keys.tolist() != sorted(keys)


def few_keys(kind, regex, values, **about):
    columns = COLUMNS | {'guest': {'sdtype': 'id', 'regex_format': regex} | about}
    table = guests(len(values), columns)
    frame = table.frame.assign(guest=values)
    return table._replace(data={'guests': frame})


def test_more_keys_than_the_format_has_are_told_and_still_differ(kind):
    synthesizer = fit(kind, few_keys(kind, '[ABC]', list('ABC') * 1))
    with pytest.warns(UserWarning, match='can only generate 3 unique values'):
        sampled = only(synthesizer.sample(20))
    assert sampled['guest'].is_unique


@pytest.mark.parametrize('regex', ['[0-9]{3,4}', '0+', r'\d', r'\d{1,5}', r'\w', '0[a-z]'])
def test_whole_numbers_as_keys_must_not_begin_with_a_nought(kind, regex):
    table = few_keys(kind, regex, [1, 2, 3])
    synthesizer = make(kind, table)
    with pytest.raises(InvalidDataError, match='guest'):
        quiet(synthesizer.fit, as_given_back(table.data))


def test_a_format_that_cannot_be_made_is_refused(kind):
    with pytest.raises(SynthesizerInputError, match='complex regex'):
        make(kind, few_keys(kind, '(?=a)b|c', ['a', 'b', 'c']))


def test_a_first_name_can_be_a_key(kind):
    columns = COLUMNS | {'guest': {'sdtype': 'first_name'}}
    table = guests(30, columns)
    synthesizer = make(kind, table)
    quiet(synthesizer.auto_assign_transformers, as_given_back(table.data))
    made = synthesizer.get_transformers()['guest']
    assert (made.provider_name, made.function_name) == ('person', 'first_name')
    assert made.cardinality_rule == 'unique'


def test_numbers_in_a_personal_column_are_made_up(kind):
    table = guests(60, COLUMNS | {'address': {'sdtype': 'city', 'pii': True}})
    table = table._replace(data={'guests': table.frame.assign(address=0)})
    sampled = only(fit(kind, table).sample(20))
    assert sampled['address'].map(type).eq(str).all()


def test_unknown_columns_are_made_up(kind):
    table = guests(60, COLUMNS | {'address': {'sdtype': 'unknown'}})
    sampled = only(fit(kind, table).sample(5))
    assert sampled['address'].str.startswith('sdv-pii-').all()


def test_personal_columns_that_are_not_personal_can_be_fitted(kind):
    columns = COLUMNS | {'address': {'sdtype': 'address', 'pii': False}}
    assert len(only(fit(kind, guests(60, columns)).sample(4))) == 4


# -- transformers -----------------------------------------------------------------------------


def test_generators_are_assigned_by_the_metadata(kind, table):
    synthesizer = make(kind, table)
    quiet(synthesizer.auto_assign_transformers, as_given_back(table.data))
    transformers = synthesizer.get_transformers()
    assert set(transformers) == set(COLUMNS)
    assert isinstance(transformers['guest'], RegexGenerator)
    assert transformers['guest'].regex_format == 'G-[0-9]{4}'
    assert transformers['guest'].cardinality_rule == 'unique'
    assert isinstance(transformers['address'], AnonymizedFaker)
    assert transformers['address'].function_name == 'address'
    assert transformers['address'].cardinality_rule is None


def test_other_generators_are_used(kind, table):
    synthesizer = make(kind, table)
    quiet(synthesizer.auto_assign_transformers, as_given_back(table.data))
    chosen = AnonymizedFaker(provider_name='misc', function_name='uuid4', cardinality_rule='unique')
    synthesizer.update_transformers({'email': chosen})
    quiet(synthesizer.fit, as_given_back(table.data))
    assert isinstance(synthesizer.get_transformers()['email'], AnonymizedFaker)
    assert all(uuid.UUID(made) for made in only(synthesizer.sample(5))['email'])


def test_changing_them_after_a_fit_warns(kind):
    synthesizer = fit(kind, guests(40))
    with pytest.warns(RefitWarning, match='please refit'):
        synthesizer.update_transformers({'address': AnonymizedFaker('misc', 'uuid4')})


def test_preprocess_and_fit_processed_data_are_a_fit(kind, table):
    synthesizer = make(kind, table)
    processed = quiet(synthesizer.preprocess, as_given_back(table.data))
    assert set(LEARNT) <= set(only(processed).columns)
    quiet(synthesizer.fit_processed_data, processed)
    assert len(only(synthesizer.sample(10))) == 10


# -- fits, files, information -----------------------------------------------------------------


def test_a_refit_starts_the_generators_again(kind, table):
    synthesizer = fit(kind, table)
    first = only(synthesizer.sample(10))
    quiet(synthesizer.fit, as_given_back(table.data))
    again = only(synthesizer.sample(10))
    assert again['address'].tolist() == first['address'].tolist()
    assert set(again['guest']) == set(first['guest'])


def test_information_before_and_after_a_fit(kind, table, fitted):
    before, after = make(kind, table).get_info(), fitted.get_info()
    assert before['is_fit'] is False and after['is_fit'] is True
    assert before['last_fit_date'] is None and after['last_fit_date']
    assert after['fitted_sdv_version'] == importlib.metadata.version('sdv')
    assert after['class_name'] == type(fitted).__name__


def test_a_file_gives_the_same_synthesizer_back(fitted, tmp_path):
    fitted.save(tmp_path / 'it.pkl')
    loaded = load_synthesizer(tmp_path / 'it.pkl')
    assert type(loaded) is type(fitted)
    assert loaded.get_info() == fitted.get_info()
    assert loaded._synthesizer_id == fitted._synthesizer_id
    assert loaded.get_metadata().to_dict() == fitted.get_metadata().to_dict()
    pd.testing.assert_frame_equal(only(loaded.sample(20)), only(fitted.sample(20)))


def test_a_file_of_a_later_version_is_refused(kind, table, tmp_path):
    synthesizer = fit(kind, table)
    synthesizer._fitted_sdv_version = '10.0.0'
    synthesizer.save(tmp_path / 'it.pkl')
    with pytest.raises(VersionError, match='Downgrading'):
        load_synthesizer(tmp_path / 'it.pkl')


def test_a_fit_of_an_earlier_version_is_not_fitted_again(kind, table):
    synthesizer = make(kind, table)
    synthesizer._fitted_sdv_version = '1.0.0'
    with pytest.raises(VersionError, match='Fitting this synthesizer again is not supported'):
        quiet(synthesizer.fit, as_given_back(table.data))


def test_metadata_that_was_changed_and_not_saved_warns_once(kind, table):
    changed = table._replace(metadata=accepted(table.metadata).copy())
    changed.metadata.update_column('address', 'guests', sdtype='unknown')
    roles = {} if kind == CONTROL else {'public_ranges': True} | table.roles
    with pytest.warns(UserWarning, match="saving the metadata using 'save_to_json'"):
        type(make(kind, table))(changed.metadata, **roles)


@pytest.mark.parametrize('names', [[0, 1, 2], [1, 'two', 3]])
def test_whole_numbers_as_names(kind, names):
    frame = pd.DataFrame({name: range(50) for name in names})
    metadata = Metadata.load_from_dict({
        'tables': {'guests': {'columns': {str(name): NUMBER for name in names}}}
    })
    table = guests()._replace(data={'guests': frame}, metadata=metadata, roles={})
    synthesizer = fit('none' if kind == 'planned' else kind, table)
    assert list(only(synthesizer.sample(5)).columns) == names
    assert list(frame.columns) == names


def test_categories_that_are_numbers_keep_their_type_and_nulls(kind):
    values = pd.Series([1, 2, 1, 2, np.nan] * 20)
    about = {'code': {'sdtype': 'categorical', 'range_values': [1.0, 2.0]}, 'number': NUMBER}
    metadata = Metadata.load_from_dict({'tables': {'guests': {'columns': about}}})
    frame = pd.DataFrame({'code': values, 'number': range(100)})
    table = guests()._replace(data={'guests': frame}, metadata=metadata, roles={})
    sampled = only(fit('none' if kind == 'planned' else kind, table).sample(200))['code']
    assert sampled.dtype == 'float64'
    assert set(sampled.dropna()) == {1.0, 2.0}
    assert 0 < sampled.isna().mean() < 0.5


def test_moments_as_long_texts_and_numbers(kind):
    texts = ['20220902110443', '20220916230356', '20220826173917', '20220826212135'] * 10
    about = {'sdtype': 'datetime', 'datetime_format': '%Y%m%d%H%M%S'}
    about |= {'range_min': '20220801000000', 'range_max': '20220930235959'}
    metadata = Metadata.load_from_dict({
        'tables': {'guests': {'columns': {'text': about, 'number': about}}}
    })
    frame = pd.DataFrame({'text': texts, 'number': list(map(int, texts))})
    table = guests()._replace(data={'guests': frame}, metadata=metadata, roles={})
    synthesizer = fit('none' if kind == 'planned' else kind, table)
    sampled = synthesizer.sample(10)
    assert (only(sampled).dtypes == frame.dtypes).all()
    quiet(synthesizer.validate, sampled)
    assert pd.to_datetime(only(sampled)['text'], format='%Y%m%d%H%M%S').notna().all()


def test_detected_metadata_is_enough(kind, table):
    frame = table.frame
    metadata = quiet(Metadata.detect_from_dataframes, {'guests': frame})
    metadata.update_column('address', 'guests', sdtype='unknown')
    detected = table._replace(metadata=metadata)
    assert len(only(quiet(fit, kind, detected, epsilon=NO_NOISE).sample(10))) == 10


def test_a_table_that_does_not_fit_is_refused(kind, table):
    synthesizer = make(kind, table)
    with pytest.raises(InvalidDataError, match='fee'):
        synthesizer.fit(as_given_back({'guests': table.frame.drop(columns='fee')}))


# -- reports ----------------------------------------------------------------------------------


def test_quality_and_diagnostic(fitted, table):
    sampled = by_name(fitted.sample(300), 'guests')
    metadata = accepted(table.metadata)
    quality = evaluate_quality(table.data, sampled, metadata, verbose=False)
    diagnostic = run_diagnostic(table.data, sampled, metadata, verbose=False)
    assert quality.get_score() > 0.75
    assert diagnostic.get_score() > 0.99


# -- constraints ------------------------------------------------------------------------------

WHOLE = {'sdtype': 'numerical', 'decimal_places': 0, 'range_is_nullable': False}
TIED = {
    'a': WHOLE | {'range_min': 0, 'range_max': 20},
    'b': WHOLE | {'range_min': 0, 'range_max': 30},
    'c': WHOLE | {'range_min': 0, 'range_max': 40},
    'city': {'sdtype': 'categorical', 'range_values': ['LA', 'SF', 'CHI']},
    'state': {'sdtype': 'categorical', 'range_values': ['CA', 'IL']},
    'step': WHOLE | {'range_min': 0, 'range_max': 100},
    'x': WHOLE | {'range_min': 0, 'range_max': 1},
    'y': WHOLE | {'range_min': 0, 'range_max': 1},
}


def tied():
    drawn = np.random.default_rng(3)
    a = drawn.integers(0, 20, 300)
    b = a + drawn.integers(1, 10, 300)
    city = drawn.choice(['LA', 'SF', 'CHI'], 300)
    x = drawn.integers(0, 2, 300)
    frame = pd.DataFrame({
        'a': a,
        'b': b,
        'c': b + drawn.integers(1, 10, 300),
        'city': city,
        'state': np.where(city == 'CHI', 'IL', 'CA'),
        'step': drawn.integers(0, 20, 300) * 5,
        'x': x,
        'y': 1 - x,
    })
    metadata = Metadata.load_from_dict({'tables': {'guests': {'columns': TIED}}})
    return guests()._replace(data={'guests': frame}, metadata=metadata, roles={})


CONSTRAINTS = {
    'inequality': (lambda: Inequality('a', 'b'), lambda t: t['a'] <= t['b']),
    'range': (lambda: Range('a', 'b', 'c'), lambda t: (t['a'] <= t['b']) & (t['b'] <= t['c'])),
    'combinations': (
        lambda: FixedCombinations(['city', 'state']),
        lambda t: (t['city'] == 'CHI') == (t['state'] == 'IL'),
    ),
    'increments': (lambda: FixedIncrements('step', 5), lambda t: t['step'] % 5 == 0),
    'one hot': (lambda: OneHotEncoding(['x', 'y']), lambda t: t['x'] + t['y'] == 1),
}


@pytest.mark.parametrize('name', CONSTRAINTS)
def test_constraints_are_obeyed_and_survive_a_file(kind, name, tmp_path):
    constraint, holds = CONSTRAINTS[name]
    table = tied()
    synthesizer = make('none' if kind == 'planned' else kind, table)
    synthesizer.add_constraints([constraint()])
    quiet(synthesizer.fit, as_given_back(table.data))
    sampled = only(synthesizer.sample(200))
    assert len(sampled) == 200
    assert holds(sampled).all()
    assert list(sampled.columns) == list(TIED)
    synthesizer.validate_constraints(as_given_back({'guests': sampled}))
    synthesizer.save(tmp_path / 'it.pkl')
    assert holds(only(load_synthesizer(tmp_path / 'it.pkl').sample(50))).all()


def test_constraints_come_back_in_their_order_and_as_a_file(kind, tmp_path):
    synthesizer = make('none' if kind == 'planned' else kind, tied())
    given = [Inequality('a', 'b'), FixedIncrements('step', 5)]
    synthesizer.add_constraints(given)
    found = synthesizer.get_constraints()
    assert [type(constraint) for constraint in found] == [type(one) for one in given]
    synthesizer.get_constraints(tmp_path / 'them.json')
    written = json.loads((tmp_path / 'them.json').read_text())
    assert [one['class_name'] for one in written] == ['Inequality', 'FixedIncrements']


def test_constraints_on_columns_that_are_taken_reject_rows_and_say_so(kind, caplog):
    table = tied()
    synthesizer = make('none' if kind == 'planned' else kind, table)
    with caplog.at_level(logging.INFO):
        synthesizer.add_constraints([Inequality('a', 'b'), Inequality('b', 'c')])
    assert 'Enforcing constraint Inequality using reject sampling.' in caplog.text
    quiet(synthesizer.fit, as_given_back(table.data))
    sampled = only(synthesizer.sample(60))
    assert (sampled['a'] <= sampled['b']).all() and (sampled['b'] <= sampled['c']).all()


def test_constraints_hold_under_conditions(kind):
    table = tied()
    synthesizer = make('none' if kind == 'planned' else kind, table)
    synthesizer.add_constraints([Inequality('a', 'b')])
    quiet(synthesizer.fit, as_given_back(table.data))
    sampled = only(quiet(synthesizer.sample_from_conditions, [Condition({'city': 'SF'}, 30)]))
    assert (sampled['city'] == 'SF').all() and (sampled['a'] <= sampled['b']).all()


def test_rows_that_break_a_constraint_are_found(kind):
    table = tied()
    synthesizer = make('none' if kind == 'planned' else kind, table)
    synthesizer.add_constraints([Inequality('a', 'b')])
    quiet(synthesizer.fit, as_given_back(table.data))
    broken = table.frame.assign(b=-1)
    with pytest.raises(Exception, match='Inequality|inequality|not met'):
        synthesizer.validate_constraints(as_given_back({'guests': broken}))


def test_adding_constraints_after_a_fit_warns(kind):
    table = tied()
    synthesizer = fit('none' if kind == 'planned' else kind, table)
    with pytest.warns(RefitWarning, match='please refit'):
        synthesizer.add_constraints([Inequality('a', 'b')])


def test_what_is_no_list_of_constraints_is_refused(kind):
    with pytest.raises(ValueError, match='must be a list'):
        make('none' if kind == 'planned' else kind, tied()).add_constraints(Inequality('a', 'b'))


def test_constraints_on_columns_that_are_not_there_are_refused(kind):
    with pytest.raises(Exception, match='nowhere'):
        make('none' if kind == 'planned' else kind, tied()).add_constraints([
            Inequality('a', 'nowhere')
        ])


def test_rooms_are_those_that_were_declared(fitted):
    assert set(only(fitted.sample(300))['room'].dropna()) <= set(ROOMS)
