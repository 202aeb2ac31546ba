"""Fits of neighbours of which one has an odd row more: alike but for what was paid for."""

import pickle
import traceback
import warnings

import numpy as np
import pandas as pd
import pytest
from odd_cells import CELLS, HASHABLE, SECRET, objects
from sdv.metadata import Metadata
from walk import differing_paths

from sdv_prefair import PreFairSynthesizer, PrivacyWarning
from sdv_prefair.errors import PrivateDataError

NUM_ROWS = 600
# With this much, what many rows hold is learnt, and the one row is lost in the noise but with a
# probability of about one in a million.
EPSILON = 20.0
# What may differ: the noisy model, lines of the ledger, what names the object.
PAID = (
    '._result.model',
    '._result.looks',
    '._account._attempts[0].ledger._debits',
    '._result.prepared.learning',
    '._preparation.prepared.learning',
    '._synthesizer_id',
)
# Made of noisy answers too: learnt bounds, bins that follow the data, and whether there are nulls
# (with none, noise alone says yes in one column of about 740).
LEARNT = ('[number]', '[day]', '[written]', '[word].nullable', '[rank].nullable', '[flag].nullable')
RANGES = {
    'word': {'range_values': ['x', 'y']},
    'rank': {'range_values': [1, 2, 3]},
    'number': {'range_min': 0, 'range_max': 31},
    'day': {'range_min': '2010-01-01', 'range_max': '2012-12-31'},
    'written': {'range_min': '01/01/2010', 'range_max': '31/12/2012'},
}
KINDS = {
    'key': {'sdtype': 'id'},
    'person': {'sdtype': 'id'},
    'ssn': {'sdtype': 'ssn', 'pii': True},
    'odd': {'sdtype': 'unknown'},
    'word': {'sdtype': 'categorical'},
    'rank': {'sdtype': 'ordinal'},
    'flag': {'sdtype': 'boolean'},
    'number': {'sdtype': 'numerical'},
    'day': {'sdtype': 'datetime'},
    'written': {'sdtype': 'datetime', 'datetime_format': '%d/%m/%Y'},
}


def metadata(is_declared):
    columns = {c: about | (RANGES.get(c, {}) if is_declared else {}) for c, about in KINDS.items()}
    return Metadata.load_from_dict({'tables': {'t': {'primary_key': 'key', 'columns': columns}}})


def rows():
    step = np.arange(NUM_ROWS)
    days = pd.Series(pd.Timestamp('2010-01-05') + pd.to_timedelta(step % 80, unit='D'))
    return pd.DataFrame({
        'key': [f'k{i}' for i in step],
        'person': [f'p{i}' for i in step],
        'ssn': [f'{i:09}' for i in step],
        'odd': [f'o{i}' for i in step],
        'word': np.array(['x', 'y'])[step % 2],
        'rank': step % 3 + 1,
        'flag': step % 2 == 0,
        'number': step % 15 + 16.25,
        'day': days.dt.date,
        'written': days.dt.strftime('%d/%m/%Y'),
    }).astype(object)


def with_row(frame, cell):
    """Return the frame with a row first that holds the cell in every column."""
    return pd.DataFrame({c: objects([cell, *frame[c]]) for c in frame})


def fit(frame, is_declared, discretization='uniform', check=False):
    synthesizer = PreFairSynthesizer(
        metadata(is_declared), epsilon=EPSILON, structure='none', public_ranges=True,
        # Whether rare values are shown as "other" is decided by noise, too.
        person_column='person', discretization=discretization, other=None,
    )  # fmt: skip
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        synthesizer.fit({'t': frame}, check)
        sampled = synthesizer.sample(80)['t']
    return synthesizer, sampled, [str(warning.message) for warning in caught]


def unpaid(one, two, paid_columns=()):
    paths = differing_paths(*(pickle.loads(pickle.dumps(fitted)) for fitted in (one, two)))
    paths = {path for path in paths if not path.startswith(PAID)}
    return {path for path in paths if not any(column in path for column in paid_columns)}


@pytest.fixture(scope='module')
def usual():
    stored = {'object': rows(), 'category': rows().astype('category')}
    made = {}

    def of_kind(kind, is_declared):
        if (kind, is_declared) not in made:
            made[kind, is_declared] = fit(stored[kind], is_declared)
        return stored[kind], *made[kind, is_declared]

    return of_kind


def assert_alike(expected, found, is_declared):
    (one, sampled, warned), (two, sampled_two, warned_two) = expected, found
    assert not unpaid(one, two, () if is_declared else LEARNT)
    assert sampled.dtypes.equals(sampled_two.dtypes)
    assert warned == warned_two
    for column in ('word', 'rank', 'flag'):
        values = {(type(v), v) for v in sampled_two[column].dropna()}
        assert values <= {(type(v), v) for v in sampled[column].dropna()}, column
    assert SECRET.encode() not in pickle.dumps(two)


@pytest.mark.parametrize('is_declared', [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize('odd', CELLS)
def test_an_odd_row_of_objects_is_not_seen(usual, odd, is_declared):
    frame, *expected = usual('object', is_declared)
    assert_alike(expected, fit(with_row(frame, CELLS[odd]), is_declared), is_declared)


# pandas makes no category of some others, and calls True and 1 one category.
STORABLE = ('last day', 'infinity', 'half', 'digits', 'secret', 'tuple', 'bytes')


@pytest.mark.parametrize('odd', CELLS)
def test_a_look_before_the_fit_raises_nothing_of_a_cell(odd):
    """It may stop a fit for the owner, in its own words; no cell breaks it, and none is quoted."""
    try:
        _, _, warned = fit(with_row(rows(), CELLS[odd]), False, check=True)
    except PrivateDataError as stopped:
        assert 'NOT PRIVATE' in str(stopped)
        assert SECRET not in ''.join(traceback.format_exception(stopped))
    else:
        assert SECRET not in ''.join(warned)


@pytest.mark.parametrize('is_declared', [True, False])
@pytest.mark.parametrize('odd', STORABLE)
def test_an_odd_category_is_not_seen(usual, odd, is_declared):
    """One odd value makes all categories objects, or floats, and ends their order."""
    frame, *expected = usual('category', is_declared)
    cells = with_row(rows(), HASHABLE[odd]).astype('category')
    assert any(cells[c].dtype != frame[c].dtype for c in frame)
    assert_alike(expected, fit(cells, is_declared), is_declared)


@pytest.mark.parametrize('odd', ['far year', 'infinity', 'not a time', 'unruly'])
def test_beside_bins_that_follow_the_data_nothing_else_differs(odd):
    """Bins are made of noisy answers, as the model is; all else is as without the row."""
    one, sampled, _ = fit(rows(), True, 'private')
    two, sampled_two, _ = fit(with_row(rows(), CELLS[odd]), True, 'private')
    assert not unpaid(one, two, LEARNT)
    assert sampled.dtypes.equals(sampled_two.dtypes)


def test_the_comparison_would_see_an_odd_row(usual):
    frame, one, _, _ = usual('object', False)
    two, _, _ = fit(frame.assign(word='z'), False)
    assert unpaid(one, two), 'what was learnt is compared'


@pytest.mark.parametrize('order', [['x', 'y'], ['y', 'x'], ['y', 'x', 'z'], ['x', SECRET, 'y']])
def test_the_order_of_a_category_is_that_of_the_metadata(usual, order):
    ordered = pd.CategoricalDtype(order, ordered=True)
    frame, *_ = usual('object', True)
    _, sampled, _ = fit(frame.assign(word=frame['word'].astype(ordered)), True)
    assert sampled['word'].dtype == pd.CategoricalDtype(['x', 'y'], ordered=True)


def test_nothing_learnt_depends_on_which_row_came_first():
    """1, True and 1.0 are equal to Python; each is counted as what it is."""
    about = {'t': {'columns': {'word': {'sdtype': 'categorical'}}}}

    def learnt(cells):
        synthesizer = PreFairSynthesizer(
            Metadata.load_from_dict({'tables': about}), epsilon=50.0, structure='none'
        )
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', PrivacyWarning)
            synthesizer.fit({'t': pd.DataFrame({'word': objects(cells)})}, check=False)
        return [(type(v), v) for v in synthesizer.get_transformers()['word'].values]

    for odd in (True, 1.0, np.int64(1), np.float64(1)):
        assert learnt([odd, *[1] * 200, *['a'] * 200]) == [(int, 1), (str, 'a')]
    assert learnt([1, *[True] * 200]) == [(bool, True)]
