"""What SDV's tests of single constraints ask of a synthesizer, asked of it and of ours.

They run under SDV 1 and 2. What differs by design is in ``test_differences``.
"""

import importlib

import numpy as np
import pandas as pd
import pytest
from contract import CONTROL, Table, make, only
from sdv.cag import FixedCombinations, FixedIncrements, Inequality, OneHotEncoding, Range
from sdv.metadata import Metadata
from sdv.sampling import Condition
from sdv.utils import load_constraints

from sdv_prefair._sdv_versions import IS_FIRST, accepted, as_given_back

ROWS = 400
DAY = {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'}
SECOND = {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d %H:%M:%S'}
WHOLE = {'sdtype': 'numerical', 'decimal_places': 0}


@pytest.fixture(params=(CONTROL, 'none'))
def kind(request):
    return request.param


def described(frame, **columns):
    metadata = Metadata.load_from_dict({'tables': {'guests': {'columns': columns}}})
    return Table({'guests': frame}, metadata, {})


def fitted(kind, table, *constraints):
    synthesizer = make(kind, table)
    synthesizer.add_constraints(list(constraints))
    synthesizer.fit(as_given_back(table.data))
    return synthesizer


def draws():
    return np.random.default_rng(11)


def with_nulls(*columns, share=0.25):
    drawn = draws()
    return [pd.Series(column).mask(drawn.random(ROWS) < share) for column in columns]


# -- inequalities -----------------------------------------------------------------------------


def ordered_numbers():
    low = draws().integers(0, 20, ROWS)
    high = low + 1 + draws().integers(0, 10, ROWS)
    low, high = with_nulls(low.astype(float), high.astype(float))
    low_range, high_range = ({'range_min': 0, 'range_max': most} for most in (20, 31))
    frame = pd.DataFrame({'low': low, 'high': high, 'word': draws().choice(['a', 'b'], ROWS)})
    word = {'sdtype': 'categorical', 'range_values': ['a', 'b'], 'range_is_nullable': False}
    return described(frame, low=WHOLE | low_range, high=WHOLE | high_range, word=word)


def test_nulls_come_on_either_side_of_an_inequality_and_on_both(kind):
    sampled = only(fitted(kind, ordered_numbers(), Inequality('low', 'high')).sample(2_000))
    patterns = set(zip(sampled['low'].isna(), sampled['high'].isna(), strict=True))
    assert patterns == {(False, False), (False, True), (True, False), (True, True)}
    both = sampled.dropna()
    assert (both['low'] <= both['high']).all()


@pytest.mark.parametrize('strict', [False, True])
def test_moments_are_ordered(kind, strict):
    low = pd.Timestamp('2024-01-01') + pd.to_timedelta(draws().integers(0, 100, ROWS), 'D')
    high = low + pd.to_timedelta(1 + draws().integers(0, 30, ROWS), 'D')
    ends = {'range_min': '2024-01-01', 'range_max': '2024-06-30', 'range_is_nullable': False}
    table = described(pd.DataFrame({'low': low, 'high': high}), low=DAY | ends, high=DAY | ends)
    sampled = only(
        fitted(kind, table, Inequality('low', 'high', strict_boundaries=strict)).sample(300)
    )
    assert sampled.dtypes.eq('datetime64[ns]').all()
    holds = sampled['low'] < sampled['high'] if strict else sampled['low'] <= sampled['high']
    assert holds.all()


def test_a_moment_and_a_day_that_are_texts_are_ordered(kind):
    moment = pd.Timestamp('2016-07-01') + pd.to_timedelta(draws().integers(0, 10**6, ROWS), 's')
    day = moment.normalize() + pd.to_timedelta(1 + draws().integers(0, 5, ROWS), 'D')
    frame = pd.DataFrame({
        'sent': moment.strftime('%Y-%m-%d %H:%M:%S'),
        'due': day.strftime('%Y-%m-%d'),
    })
    table = described(
        frame,
        sent=SECOND
        | {'range_min': '2016-07-01 00:00:00', 'range_max': '2016-07-20 00:00:00'}
        | {'range_is_nullable': False},
        due=DAY
        | {'range_min': '2016-07-01', 'range_max': '2016-07-31', 'range_is_nullable': False},
    )
    sampled = only(fitted(kind, table, Inequality('sent', 'due')).sample(200))
    sent = pd.to_datetime(sampled['sent'], format='%Y-%m-%d %H:%M:%S')
    due = pd.to_datetime(sampled['due'], format='%Y-%m-%d')
    assert (sent.dt.normalize() <= due).all()


@pytest.mark.parametrize('strict', [False, True])
def test_three_numbers_are_ordered_beside_nulls(kind, strict):
    low = draws().integers(0, 20, ROWS)
    middle, high = low + 2 + draws().integers(0, 5, ROWS), low + 9 + draws().integers(0, 5, ROWS)
    columns = with_nulls(low.astype(float), middle.astype(float), high.astype(float), share=0.1)
    frame = pd.DataFrame(dict(zip(('low', 'middle', 'high'), columns, strict=True)))
    ends = WHOLE | {'range_min': 0, 'range_max': 40}
    table = described(frame, low=ends, middle=ends, high=ends)
    constraint = Range('low', 'middle', 'high', strict_boundaries=strict)
    sampled = only(fitted(kind, table, constraint).sample(500))
    whole = sampled.dropna()
    gap = min((whole['middle'] - whole['low']).min(), (whole['high'] - whole['middle']).min())
    assert len(whole) > 100
    assert gap > 0 if strict else gap >= 0
    assert sampled.isna().any().all()


def test_conditions_on_a_column_that_a_constraint_ties_are_kept_with_it(kind):
    synthesizer = fitted(kind, ordered_numbers(), Inequality('low', 'high'))
    sampled = only(synthesizer.sample_from_conditions([Condition({'word': 'b'}, 40)]))
    assert (sampled['word'] == 'b').all()
    both = sampled.dropna()
    assert (both['low'] <= both['high']).all()


# -- combinations, increments, one hot --------------------------------------------------------


@pytest.mark.parametrize('values', [['x', 'y', None], [True, False, None]])
def test_combinations_hold_nulls_booleans_and_texts(kind, values):
    chosen = draws().integers(0, 3, ROWS)
    frame = pd.DataFrame({
        'one': pd.Series(['a', 'b', 'c'])[chosen].to_numpy(),
        'two': pd.Series(values, dtype=object)[chosen].to_numpy(),
    })
    one = {'sdtype': 'categorical', 'range_values': ['a', 'b', 'c'], 'range_is_nullable': False}
    two = {'sdtype': 'categorical', 'range_values': values[:2]}
    sampled = only(
        fitted(kind, described(frame, one=one, two=two), FixedCombinations(['one', 'two'])).sample(
            200
        )
    )
    real = set(zip(frame['one'], frame['two'].fillna('null'), strict=True))
    made = set(zip(sampled['one'], sampled['two'].astype(object).fillna('null'), strict=True))
    assert made == real


@pytest.mark.parametrize('dtype', ['int64', 'Int64', 'float64'])
def test_increments_keep_the_dtype_and_its_nulls(kind, dtype):
    steps = pd.Series(draws().integers(0, 20, ROWS) * 10).astype(dtype)
    if dtype != 'int64':
        steps = steps.mask(draws().random(ROWS) < 0.2)
    ends = {'range_min': 0, 'range_max': 200, 'range_is_nullable': dtype != 'int64'}
    table = described(pd.DataFrame({'step': steps, 'word': 'a'}),
                      step=WHOLE | ends,
                      word={'sdtype': 'categorical', 'range_values': ['a', 'b']})  # fmt: skip
    sampled = only(fitted(kind, table, FixedIncrements('step', 10)).sample(300))
    assert sampled['step'].dtype == dtype
    assert (sampled['step'].dropna() % 10 == 0).all()
    assert sampled['step'].isna().any() == (dtype != 'int64')


@pytest.mark.parametrize('strategy', ['one_hot', 'categorical'])
def test_one_of_several_columns_is_one(kind, strategy):
    chosen = draws().integers(0, 3, ROWS)
    frame = pd.DataFrame({c: (chosen == place).astype(int) for place, c in enumerate('xyz')})
    bit = WHOLE | {'range_min': 0, 'range_max': 1, 'range_is_nullable': False}
    constraint = OneHotEncoding(list('xyz'), learning_strategy=strategy)
    sampled = only(fitted(kind, described(frame, x=bit, y=bit, z=bit), constraint).sample(200))
    assert (sampled.sum(axis=1) == 1).all()
    assert sampled.isin([0, 1]).all().all()
    assert (sampled.sum() > 20).all()


# -- constraints as things --------------------------------------------------------------------


def test_constraints_of_a_file_can_be_added_to_another(kind, tmp_path):
    first = make(kind, ordered_numbers())
    first.add_constraints([Inequality('low', 'high', strict_boundaries=True)])
    first.get_constraints(tmp_path / 'them.json')
    second = make(kind, ordered_numbers())
    second.add_constraints(load_constraints(tmp_path / 'them.json'))
    second.fit(as_given_back(ordered_numbers().data))
    sampled = only(second.sample(100)).dropna()
    assert (sampled['low'] < sampled['high']).all()


def test_constraints_that_are_added_in_turn_all_hold(kind):
    table = ordered_numbers()
    synthesizer = make(kind, table)
    synthesizer.add_constraints([Inequality('low', 'high')])
    synthesizer.add_constraints([Inequality('low', 'high', strict_boundaries=True)])
    synthesizer.fit(as_given_back(table.data))
    sampled = only(synthesizer.sample(60)).dropna()
    assert (sampled['low'] < sampled['high']).all()
    assert len(synthesizer.get_constraints()) == 2


@pytest.mark.parametrize(
    'constraint',
    [
        Inequality('low', 'word'),
        FixedIncrements('word', 5),
        FixedCombinations(['low', 'nowhere']),
        Inequality('low', 'high', table_name='elsewhere'),
    ],
    ids=['sdtypes', 'no number', 'no column', 'no table'],
)
def test_constraints_that_do_not_fit_the_metadata_are_refused_at_once(kind, constraint):
    with pytest.raises(Exception, match='word|nowhere|elsewhere'):
        make(kind, ordered_numbers()).add_constraints([constraint])


# -- evaluation -------------------------------------------------------------------------------


def test_plots_of_a_column_and_of_a_pair(kind):
    table = ordered_numbers()
    sampled = fitted(kind, table, Inequality('low', 'high')).sample(100)
    given = {
        'real_data': as_given_back(table.data),
        'synthetic_data': sampled,
        'metadata': accepted(table.metadata),
    }
    if not IS_FIRST:
        given['table_name'] = 'guests'
    evaluation = importlib.import_module('sdv.evaluation' + '.single_table' * IS_FIRST)
    shown = evaluation.get_column_plot(**given, column_name='word')
    assert len(shown.data) == 2  # the real one and ours
    assert evaluation.get_column_pair_plot(**given, column_names=['low', 'word']).data
