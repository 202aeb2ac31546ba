"""Conditional sampling: every asked value is met exactly, the rest is drawn given it."""

import warnings

import numpy as np
import pandas as pd
import pytest
from contract import CONTROL, STRUCTURES, fit, make, only
from every_dtype import every_dtype
from hypothesis import given
from hypothesis import strategies as st
from people import LEARNT, people
from sdv.errors import SamplingError
from sdv.metadata import Metadata
from sdv.sampling import Condition, DataFrameCondition

from sdv_prefair import FairnessWarning, PreFairSynthesizer

ODD_VALUES = st.one_of(
    st.sampled_from([
        'F',
        'M',
        'f',
        'own',
        'college',
        'high',
        '1',
        '41',
        '14/07/2009',
        '14/7/2009',
    ]),
    st.sampled_from([None, np.nan, True, False, np.inf, 2**60, 41, 41.0, 41.5, 0.1, 0.125]),
    st.integers(0, 120),
    st.integers(0, 10_000).map(lambda cents: cents / 100),
    st.floats(0, 1e5),
    st.floats(0, 100, width=32).map(np.float32),
)

pytestmark = pytest.mark.filterwarnings('ignore::sdv_prefair.errors.FairnessWarning')


def from_conditions(synthesizer, *conditions, **options):
    return only(synthesizer.sample_from_conditions(list(conditions), **options))


def test_a_condition_on_a_word(any_fit, table):
    sampled = from_conditions(any_fit, Condition({'sex': 'F', 'education': 'college'}, num_rows=25))
    assert len(sampled) == 25
    assert (sampled['sex'] == 'F').all() and (sampled['education'] == 'college').all()
    assert list(sampled.columns) == list(table.frame.columns)
    assert sampled['key'].is_unique


@pytest.mark.parametrize(
    'asked',
    [
        {'sex': 'F'},
        {'education': 'doctorate'},
        {'age': 41},
        {'age': np.int64(41)},
        {'age': 41.0},
        {'wage': 12_345.67},
        {'wage': 0},
        {'hired': '14/07/2009'},
        {'home': None},
        {'wage': np.nan},
        {'hired': None, 'wage': None, 'home': None},
        {'age': 30, 'wage': 5.0, 'hired': '01/01/2000', 'home': 'own'},
        {'sex': 'M', 'income': 'high', 'education': 'school', 'age': 99},
    ],
    ids=str,
)
def test_every_kind_of_value(our_fit, table, asked):
    sampled = from_conditions(our_fit, Condition(asked, num_rows=8))
    assert len(sampled) == 8
    assert (sampled.dtypes == table.frame.dtypes).all()
    for column, value in asked.items():
        assert (sampled[column].isna() if pd.isna(value) else sampled[column] == value).all()


def test_made_up_columns_can_be_asked_for_too(any_fit):
    sampled = from_conditions(any_fit, Condition({'note': 'hello', 'sex': 'F'}, num_rows=6))
    assert (sampled['note'] == 'hello').all() and (sampled['sex'] == 'F').all()
    sampled = from_conditions(any_fit, Condition({'note': 'hello'}, num_rows=6))
    assert (sampled['note'] == 'hello').all() and len(sampled) == 6


def test_several_conditions_over_different_columns(any_fit):
    sampled = from_conditions(
        any_fit,
        Condition({'sex': 'F'}, num_rows=4),
        Condition({'income': 'high'}, num_rows=3),
        Condition({'sex': 'M'}, num_rows=2),
        DataFrameCondition(pd.DataFrame({'home': ['own', 'rent'], 'sex': ['F', 'M']})),
    )
    assert len(sampled) == 11
    assert list(sampled.index) == list(range(11))
    assert list(sampled['sex'][:6]) == ['F'] * 4 + ['M'] * 2
    assert list(sampled['income'][6:9]) == ['high'] * 3
    assert list(sampled['home'][9:]) == ['own', 'rent']


def test_conditions_are_written_to_a_folder(any_fit, tmp_path):
    conditions = [Condition({'sex': 'F'}, num_rows=4), Condition({'income': 'low'}, num_rows=3)]
    sampled = from_conditions(any_fit, *conditions, output_folder_path=str(tmp_path), batch_size=2)
    written = pd.read_csv(tmp_path / 'people.csv')
    assert len(written) >= len(sampled) == 7
    assert (written['sex'][:4] == 'F').all() and (written['income'][4:] == 'low').all()


def test_every_line_is_completed_in_its_place(any_fit, table):
    known = table.frame[['sex', 'education']].head(40)
    before = known.copy()
    sampled = only(any_fit.sample_remaining_columns(known))
    pd.testing.assert_frame_equal(known, before)
    pd.testing.assert_frame_equal(sampled[['sex', 'education']], known, check_dtype=False)
    assert set(sampled.columns) == set(table.frame.columns)


def test_lines_keep_their_index(any_fit):
    known = pd.DataFrame({'sex': ['F', 'M', 'F']}, index=[10, 11, 15])
    sampled = only(any_fit.sample_remaining_columns(known))
    assert list(sampled.index) == [10, 11, 15]
    assert list(sampled['sex']) == ['F', 'M', 'F']


@pytest.fixture(scope='module', params=STRUCTURES)
def quick_fit(request):
    """Ours without columns that are made up one by one, for large samples."""
    return fit(request.param, people(columns=LEARNT))


@pytest.mark.slow
def test_thousands_of_different_lines(quick_fit):
    real = people(5000, LEARNT[:-1], seed=7).frame
    assert len(real.drop_duplicates()) > 4900
    sampled = only(quick_fit.sample_remaining_columns(real))
    pd.testing.assert_frame_equal(sampled[list(real)], real)
    assert set(sampled['income']) == {'low', 'high'}


def test_given_all_columns_nothing_is_left_to_draw(our_fit, table):
    learnt = table.frame[list(LEARNT)].head(30)
    sampled = only(our_fit.sample_remaining_columns(learnt))
    pd.testing.assert_frame_equal(sampled[list(learnt)], learnt)


@pytest.mark.parametrize('asked', [{'income': 'high'}, {'home': None}, {'education': 'school'}])
def test_the_rest_is_distributed_as_among_rows_that_happen_to_match(quick_fit, asked):
    (column, value), num_rows = next(iter(asked.items())), 8000
    drawn = only(quick_fit.sample(4 * num_rows))
    matching = drawn[drawn[column].isna() if value is None else drawn[column] == value]
    asked_for = from_conditions(quick_fit, Condition(asked, num_rows=num_rows))
    for other in ('sex', 'education', 'income', 'home'):
        expected = matching[other].value_counts(normalize=True, dropna=False)
        found = asked_for[other].value_counts(normalize=True, dropna=False)
        assert (found.reindex(expected.index, fill_value=0) - expected).abs().max() < 0.05, other


@pytest.mark.parametrize(
    ('asked', 'message'),
    [
        ({'sex': 'X'}, "'sex' was requested with a value"),
        ({'sex': None}, "'sex' was requested with a value"),
        ({'education': 'COLLEGE'}, "'education' was requested with a value"),
        ({'age': 900}, "'age' was requested with a value"),
        ({'wage': -0.5}, "'wage' was requested with a value"),
        ({'wage': 'much'}, "'wage' was requested with a value"),
        ({'hired': '31/12/1999'}, "'hired' was requested with a value"),
        ({'hired': '2009-07-14'}, "'hired' was requested with a value"),
        ({'age': 41.5}, "'age' was requested with a value"),
        ({'age': '41'}, "'age' was requested with a value"),
        ({'age': True}, "'age' was requested with a value"),
        ({'age': None}, "'age' was requested with a value"),
        ({'wage': 0.125}, "'wage' was requested with a value"),
        ({'wage': np.float32(0.1)}, "'wage' was requested with a value"),
        ({'wage': np.inf}, "'wage' was requested with a value"),
        ({'hired': '14/7/2009'}, "'hired' was requested with a value"),
        ({'hired': pd.Timestamp('2009-07-14 12:00')}, "'hired' was requested with a value"),
        ({'home': True}, "'home' was requested with a value"),
    ],
    ids=str,
)
def test_values_that_the_domain_does_not_hold_are_named(our_fit, asked, message):
    for ask in (
        lambda: from_conditions(our_fit, Condition(asked, num_rows=2)),
        lambda: our_fit.sample_remaining_columns(pd.DataFrame([asked])),
    ):
        with pytest.raises(ValueError, match=message):
            ask()


@given(column=st.sampled_from(LEARNT), value=ODD_VALUES)
def test_what_is_asked_comes_back_with_its_code_or_is_refused(our_fit, column, value):
    """The codes that rows are drawn given are those that the shown values have."""
    codes = our_fit.fitted.encoding.transformers[column]
    try:
        sampled = from_conditions(our_fit, Condition({column: value}, num_rows=3))[column]
    except ValueError as error:
        assert 'was requested with a value outside its domain' in str(error)
        return
    evidence = codes.encode(pd.Series(codes.hold(pd.Series([value]))))
    assert (codes.encode(sampled) == evidence).all()
    assert (sampled.isna() if pd.isna(value) else sampled == value).all()


def test_columns_that_cannot_be_asked_for_are_named(any_fit):
    for wanted, message in (
        ({'salary': 3}, "Unexpected column name 'salary'"),
        ({'key': 3}, "'key' because it is the primary key"),
    ):
        with pytest.raises(ValueError, match=message):
            from_conditions(any_fit, Condition(wanted, num_rows=2))
        with pytest.raises(ValueError, match=message):
            any_fit.sample_remaining_columns(pd.DataFrame([wanted]))


@pytest.mark.parametrize('kind', [CONTROL, *STRUCTURES])
def test_conditions_need_a_fit(kind, table):
    synthesizer = make(kind, table)
    with pytest.raises(SamplingError, match='has not been fitted'):
        from_conditions(synthesizer, Condition({'sex': 'F'}, num_rows=2))


@pytest.mark.parametrize('kind', STRUCTURES)
def test_remaining_columns_need_a_fit(kind, table):
    with pytest.raises(SamplingError, match='has not been fitted'):
        make(kind, table).sample_remaining_columns(pd.DataFrame({'sex': ['F']}))


def test_nothing_asked_gives_nothing(any_fit):
    assert from_conditions(any_fit).empty


def test_resetting_repeats_conditional_samples_as_well(any_fit):
    def draw():
        any_fit.reset_sampling()
        return from_conditions(any_fit, Condition({'sex': 'F'}, num_rows=30))

    pd.testing.assert_frame_equal(draw(), draw())


@pytest.mark.parametrize('kind', ['greedy', 'exact', 'adaptive', 'tree'])
def test_asking_for_protected_and_outcome_together_warns(kind, fits):
    both, fair = {'sex': 'F', 'income': 'high'}, {'sex': 'F', 'education': 'college'}
    with pytest.warns(FairnessWarning, match="'income', 'sex'"):
        from_conditions(fits(kind), Condition(both, num_rows=3))
    with warnings.catch_warnings():
        warnings.simplefilter('error', FairnessWarning)
        from_conditions(fits(kind), Condition(fair, num_rows=3))


def test_asking_for_protected_beside_rows_asked_for_by_outcome_warns(fits):
    """Either request alone is covered; in one table, how a row was asked for tells both."""
    by_sex, by_income = Condition({'sex': 'F'}, 5), Condition({'income': 'high'}, 5)
    with warnings.catch_warnings():
        warnings.simplefilter('error', FairnessWarning)
        for alone in ([by_sex], [by_income], [by_sex, Condition({'sex': 'M'}, 5)]):
            from_conditions(fits('adaptive'), *alone)
    with pytest.warns(FairnessWarning, match='sex - income') as caught:
        from_conditions(fits('adaptive'), by_sex, by_income)
    assert len([one for one in caught if one.category is FairnessWarning]) == 1


@pytest.fixture(scope='module')
def wide():
    table = every_dtype(150)
    return table, fit('none', table)


@pytest.mark.slow
def test_a_null_can_be_asked_of_every_column_that_has_one(wide):
    table, synthesizer = wide
    known = table.frame.loc[:, table.frame.isna().any()]
    for columns in ([column] for column in known):
        nothing = dict.fromkeys(columns)
        sampled = from_conditions(synthesizer, Condition(nothing, num_rows=2))
        assert sampled[columns].isna().all().all(), columns
        assert (sampled.dtypes == table.frame.dtypes).all(), columns


@pytest.mark.slow
def test_the_real_rows_can_be_asked_of_every_dtype(wide):
    table, synthesizer = wide
    for column in table.frame:
        known = table.frame[[column]].head(30)
        sampled = only(synthesizer.sample_remaining_columns(known))
        pd.testing.assert_frame_equal(sampled[[column]], known)
        assert (sampled.dtypes == table.frame.dtypes).all(), column


@pytest.fixture(scope='module')
def places():
    """Categories that are tuples, and a fit of them."""
    rng = np.random.default_rng(0)
    names = [('north', 1), ('south', 2)]
    frame = pd.DataFrame({
        'sex': rng.choice(['F', 'M'], 500),
        'place': pd.Series([names[place] for place in rng.integers(0, 2, 500)]),
        'pay': rng.choice(['low', 'high'], 500),
    })
    columns = {name: {'sdtype': 'categorical'} for name in frame}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    roles = {'protected': ['sex'], 'admissible': ['place'], 'outcome': ['pay']}
    synthesizer = PreFairSynthesizer(metadata, epsilon=10.0, **roles)
    synthesizer.fit({'t': frame})
    return synthesizer


@pytest.mark.parametrize('num_rows', [1, 2, 3])
def test_a_tuple_is_one_value_however_many_rows_are_requested(places, num_rows):
    """pandas would spread ('north', 1) over two rows: one with 'north', one with 1."""
    asked = {'place': ('north', 1), 'sex': 'F'}
    sampled = from_conditions(places, Condition(asked, num_rows=num_rows))
    assert sampled['place'].tolist() == [('north', 1)] * num_rows
    assert sampled['sex'].tolist() == ['F'] * num_rows
    with pytest.raises(ValueError, match='outside its domain'):
        from_conditions(places, Condition({'place': ('east', 3)}, num_rows=num_rows))


@pytest.mark.parametrize('several', [['F', 'M'], {'F', 'M'}, np.array(['F', 'M'])])
def test_several_values_in_one_condition_are_refused(places, several):
    with pytest.raises(ValueError, match=r"columns \['sex'\] were requested with several values"):
        from_conditions(places, Condition({'sex': several}, num_rows=2))
