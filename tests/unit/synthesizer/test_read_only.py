"""Arguments stay as they were given: what is shown is what a fit uses.

About ``_arguments.py``.
"""

import copy
import inspect
import pickle
import warnings

import networkx as nx
import numpy as np
import pytest
from contract import fit, make, only
from people import people
from sdv.utils import load_synthesizer

from sdv_prefair import PreFairSynthesizer

NAMES = [n for n in inspect.signature(PreFairSynthesizer).parameters if n != 'metadata']
GIVEN = {
    'epsilon': 2.5,
    'delta': 1e-6,
    'protected': ['sex'],
    'admissible': ('education', 'age'),
    'outcome': ['income'],
    'structure': [
        ('education', 'sex'),
        ['education', 'age'],
        ['education', 'wage'],
        ['education', 'hired'],
        ['education', 'home'],
        ['education', 'income'],
    ],
    'budget': 'paper',
    'numeric_bins': 7,
    'public_ranges': True,
    'max_rows_per_person': 3,
    'person_column': 'key',
    'estimator': 'mbi',
    'enforce_min_max_values': False,
    'enforce_rounding': False,
    'locales': ['de_DE'],
    'seed': 11,
    'verbose': True,
    'discretization': 'uniform',
    'spikes': {'wage': [1200.0]},
    'fairness': None,
    'unlabelled': None,
    'other': 'anything else',
    'look_for_copies': False,
    'domain': {'age': {'range_max': 99}, 'home': {'range_is_nullable': True}},
}


@pytest.fixture(scope='module')
def fitted():
    return fit('adaptive', people())


def given():
    return copy.deepcopy(GIVEN)


def test_every_argument_comes_back_under_its_name():
    assert set(GIVEN) == set(NAMES)
    synthesizer = PreFairSynthesizer(people().metadata, **given())
    assert synthesizer.get_parameters() == GIVEN
    assert {name: getattr(synthesizer, name) for name in NAMES} == GIVEN


@pytest.mark.parametrize('name', NAMES)
def test_no_argument_can_be_set_or_deleted(name, fitted):
    for synthesizer in (PreFairSynthesizer(people().metadata, **given()), fitted):
        before = synthesizer.get_parameters()
        for change in (
            lambda s=synthesizer: setattr(s, name, GIVEN[name]),
            lambda s=synthesizer: delattr(s, name),
        ):
            with pytest.raises(AttributeError, match=f'{name} cannot be changed'):
                change()
        assert synthesizer.get_parameters() == before


def spoil(value):
    """Change everything in a value that can be changed."""
    if isinstance(value, list):
        for item in value:
            spoil(item)
        value.append('spoilt')
    elif isinstance(value, dict):
        for item in value.values():
            spoil(item)
        value['spoilt'] = True
    elif isinstance(value, tuple):
        for item in value:
            spoil(item)


def test_what_was_given_and_what_is_shown_are_no_handles():
    mine = given()
    synthesizer = PreFairSynthesizer(people().metadata, **mine)
    for value in mine.values():
        spoil(value)
    spoil(synthesizer.get_parameters())
    for name in NAMES:
        spoil(getattr(synthesizer, name))
    assert synthesizer.get_parameters() == GIVEN
    assert synthesizer._data_processor._locales == ['de_DE']


def test_a_fit_uses_what_is_shown():
    table = people()
    protected = ['sex']
    synthesizer = make('adaptive', table, protected=protected)
    protected[:] = ['age']
    synthesizer.fit(table.data)
    assert synthesizer.protected == ['sex'] == list(synthesizer.get_roles().protected)


def test_arrays_and_graphs_are_copied():
    protected, tree = np.array(['sex'], dtype=object), nx.Graph(GIVEN['structure'])
    synthesizer = PreFairSynthesizer(
        people().metadata, **(given() | {'protected': protected, 'structure': tree})
    )
    protected[0] = 'age'
    tree.add_edge('sex', 'income')
    assert list(synthesizer.protected) == ['sex']
    assert not synthesizer.structure.has_edge('sex', 'income')


def test_copies_pickles_and_releases_stay_as_they_were_given(fitted, tmp_path):
    fitted.save(tmp_path / 'fit.pkl')
    fitted.save_release(tmp_path / 'fit.prefair')
    for again in (
        copy.deepcopy(fitted),
        copy.copy(fitted),
        pickle.loads(pickle.dumps(fitted)),
        load_synthesizer(tmp_path / 'fit.pkl'),
        PreFairSynthesizer.load_release(tmp_path / 'fit.prefair'),
    ):
        assert again.get_parameters() == fitted.get_parameters()
        with pytest.raises(AttributeError, match='epsilon cannot be changed'):
            again.epsilon = 1e9
        assert len(only(again.sample(5))) == 5


def test_constraints_and_refits_do_not_need_to_change_them():
    from jobs import every_kind, fit, rows

    synthesizer = fit(every_kind())
    before = synthesizer.get_parameters()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer.fit({'jobs': rows()})
    assert synthesizer.get_parameters() == before
