"""Releases of statements: they come back, and one that lies about them is refused.

Of ``_strategy.py``, ``_contents.py`` and ``_strategy.py``.
"""

import json
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from releases import TREE, assert_same, fit, released

from sdv_prefair import load_release
from sdv_prefair.errors import ReleaseError
from sdv_prefair.fairness import (
    Independent,
    demographic_parity,
    equalized_odds,
    justifiable,
    sufficiency,
)
from sdv_prefair.structure import AdaptiveStrategy

# Two of the lists below force more than they say, and are told so.
pytestmark = pytest.mark.filterwarnings('ignore::sdv_prefair.errors.FairnessWarning')

NO_ROLES = {'protected': (), 'admissible': (), 'outcome': ()}
STATEMENTS = {
    'parity': demographic_parity(['sex'], ['paid']),
    'each its own': justifiable(['sex'], {'paid': ['grade'], 'hours': ['grade', 'paid']}),
    'separation and sufficiency': (
        equalized_odds(['sex'], ['paid'], ['grade']) + sufficiency(['sex'], ['paid'], ['grade'])
    ),
}


def promising(statements, **changes):
    return fit(fairness=statements, **NO_ROLES | changes)


def document(path):
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read('release.json'))


def changed(path, change):
    """Rewrite the document of a release."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    written = json.loads(members['release.json'])
    change(written)
    members['release.json'] = json.dumps(written).encode()
    with zipfile.ZipFile(path, 'w') as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize('structure', ['planned', 'adaptive', 'exact', 'mwem', 'none'])
@pytest.mark.parametrize('notion', STATEMENTS)
def test_statements_come_back(notion, structure, path):
    synthesizer = promising(STATEMENTS[notion], structure=structure)
    loaded = released(synthesizer, path)
    assert_same(synthesizer, loaded, 50)
    assert document(path)['parameters']['fairness']
    assert loaded.get_parameters() == synthesizer.get_parameters()
    if structure != 'none':
        assert loaded.verify_fairness() is True


def test_forests_that_were_given_or_chosen_by_others_come_back(path):
    forest = [('sex', 'grade'), ('hours', 'paid')]
    for structure in (forest, AdaptiveStrategy(unlabelled='apart')):
        statements = [*STATEMENTS['parity'], Independent(['grade'], ['paid', 'hours'])]
        synthesizer = promising(statements, structure=structure)
        assert_same(synthesizer, released(synthesizer, path), 50)


def test_one_statement_that_roles_express_is_written_as_roles(path):
    synthesizer = promising(justifiable(['sex'], ['grade'], ['paid']))
    loaded = released(synthesizer, path)
    assert_same(synthesizer, loaded, 50)
    assert document(path)['parameters']['fairness'] is None
    assert (loaded.protected, loaded.outcome, loaded.fairness) == (['sex'], ['paid'], None)


@pytest.mark.parametrize('unlabelled', ['apart', 'free'])
def test_the_choice_about_unlabelled_columns_comes_back(unlabelled, path):
    synthesizer = fit(unlabelled=unlabelled)
    loaded = released(synthesizer, path)
    assert_same(synthesizer, loaded, 50)
    assert loaded.unlabelled == unlabelled


@pytest.fixture
def kept(path):
    """A release in which sex, grade, hours and pay form a tree that keeps sex from pay."""
    statements = [*justifiable(['sex'], ['grade'], ['paid']), Independent(['hours'], ['paid'], ['grade'])]  # fmt: skip # noqa: E501
    promising(statements, structure=TREE).save_release(path)
    return path


def put(*statements):
    records = [{'left': s.left, 'right': s.right, 'given': s.given} for s in statements]
    return lambda document: document['parameters'].update(fairness=records)


KEPT = Independent(['sex'], ['paid'], ['grade'])
LIES = {
    'one more that is broken': put(KEPT, Independent(['sex'], ['hours'])),
    'one that is broken': put(Independent(['sex'], ['paid'])),
    'broken by its second column': put(KEPT, Independent(['sex', 'grade'], ['paid'])),
    'a column that is not there': put(KEPT, Independent(['age'], ['paid'])),
    'a column that is not modelled': put(KEPT, Independent(['key'], ['paid'])),
    'none': put(),
    'what roles express': put(KEPT),
    'too many': put(*[KEPT] * 101),
    'a side twice': lambda d: d['parameters']['fairness'][0].update(left=['sex', 'sex']),
    'no side': lambda d: d['parameters']['fairness'][0].update(left=[]),
    'numbers': lambda d: d['parameters']['fairness'][0].update(left=[1]),
    'a text': lambda d: d['parameters']['fairness'][0].update(left='sex'),
    'more keys': lambda d: d['parameters']['fairness'][0].update(because=[]),
    'no list': lambda d: d['parameters'].update(fairness={'left': ['sex']}),
    'null': lambda d: d['parameters'].update(fairness=None),
    'left out': lambda d: d['parameters'].pop('fairness'),
    'roles beside': lambda d: d['parameters'].update(
        protected=['sex'], admissible=['grade'], outcome=['paid']
    ),
}


@pytest.mark.parametrize('lie', LIES)
def test_a_release_that_lies_about_its_statements_is_refused(lie, kept):
    assert load_release(kept).verify_fairness() is True
    with pytest.raises(ReleaseError):
        load_release(changed(kept, LIES[lie]))


COLUMNS = ['sex', 'grade', 'hours', 'paid']


@given(order=st.permutations(COLUMNS), sides=st.tuples(st.integers(1, 2), st.integers(1, 2)))
def test_whatever_statement_is_put_in_is_kept_or_refused(order, sides, kept):
    left, right = sides
    more = Independent(order[:left], order[left : left + right], order[left + right :])
    try:
        loaded = load_release(changed(kept, put(KEPT, more)))
    except ReleaseError:
        return
    assert loaded.verify_fairness() is True
    assert more in loaded.get_fairness().statements
