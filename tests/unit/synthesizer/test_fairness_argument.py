"""``fairness=`` and ``unlabelled=`` of the synthesizer: what they say, refuse and warn of.

Of ``_face.py`` and ``_arguments.py``.
"""

import warnings

import networkx as nx
import pytest
from people import people
from sdv.cag import FixedCombinations

from sdv_prefair import FairnessWarning, PreFairSynthesizer, Roles
from sdv_prefair.errors import RolesError, StructureError, UnfairModelError
from sdv_prefair.fairness import (
    Independent,
    Statements,
    demographic_parity,
    equalized_odds,
    justifiable,
    sufficiency,
)
from sdv_prefair.privacy._accounting import MEASURE_ONE_WAYS
from sdv_prefair.selection._catalogue import ANY_RULE
from sdv_prefair.selection._measuring import measure
from sdv_prefair.selection._mechanism import Release
from sdv_prefair.structure import AdaptiveStrategy, FairTree, PlannedStrategy, UnconstrainedStrategy

TABLE = people(400, ('sex', 'education', 'home', 'age', 'income'))
ONE = Independent(['sex'], ['income'], given=['education'])
PARITY = demographic_parity(['sex'], ['income'])
SEVERAL = justifiable(['sex'], {'income': ['education'], 'home': ['income', 'education']})
STRUCTURES = ['planned', 'adaptive', 'greedy', 'exact', 'aim', 'privbayes', 'mwem']
NOTIONS = {'parity': PARITY, 'several': SEVERAL}


def make(**arguments):
    defaults = {'public_ranges': True, 'discretization': 'uniform', 'epsilon': 100.0}
    return PreFairSynthesizer(TABLE.metadata, **defaults | arguments)


def fitted(**arguments):
    synthesizer = make(**arguments)
    synthesizer.fit(TABLE.data)
    return synthesizer


@pytest.mark.parametrize('given', [ONE, [ONE], (ONE,), Statements([ONE])])
def test_one_statement_is_what_roles_say(given):
    by_statement, by_roles = make(fairness=given), make(**TABLE.roles)
    assert by_statement.get_roles() == by_roles.get_roles() == Roles(**TABLE.roles)
    assert isinstance(by_statement.get_roles(), Roles)
    assert by_statement.get_fairness().statements == (ONE,)


def test_arguments_are_kept_as_they_were_given():
    given = list(SEVERAL)
    synthesizer = make(fairness=given, unlabelled='apart')
    given.clear()
    assert synthesizer.fairness == SEVERAL
    assert synthesizer.get_parameters()['fairness'] == SEVERAL
    assert synthesizer.get_parameters()['unlabelled'] == 'apart'
    assert synthesizer.get_fairness() == Statements(SEVERAL)
    assert synthesizer.get_roles().of('income') == 'several roles'
    assert make(**TABLE.roles).get_parameters()['fairness'] is None


@pytest.mark.parametrize('notion', NOTIONS)
@pytest.mark.parametrize('structure', STRUCTURES)
def test_every_structure_keeps_what_is_stated(structure, notion):
    synthesizer = fitted(fairness=NOTIONS[notion], structure=structure)
    assert synthesizer.verify_fairness()
    graph = synthesizer.get_fair_graph()
    for statement in NOTIONS[notion]:
        around = graph.subgraph(set(graph) - set(statement.given))
        assert not nx.has_path(around, statement.left[0], statement.right[0])
    rows = synthesizer.sample(50)['people']
    assert len(rows) == 50


def test_a_structure_that_promises_nothing_takes_statements_too():
    with pytest.raises(UnfairModelError):
        others = ('sex', 'income', 'education', 'age')
        make(fairness=PARITY, structure=[('home', column) for column in others])
    synthesizer = fitted(fairness=PARITY, structure='none')
    assert nx.is_connected(synthesizer.get_fair_graph())


def test_a_given_forest_is_taken_where_no_tree_is_fair():
    forest = [('sex', 'education'), ('education', 'age'), ('income', 'home')]
    synthesizer = make(fairness=PARITY, structure=forest)
    with pytest.warns(FairnessWarning, match="'income' is adjacent to 'home'"):
        synthesizer.fit(TABLE.data)
    assert synthesizer.verify_fairness()
    with pytest.raises(StructureError, match='does not connect'):
        make(**TABLE.roles, structure=forest)


def test_statements_that_force_more_warn_when_they_are_given():
    both = equalized_odds(['sex'], ['home'], ['income']) + sufficiency(
        ['sex'], ['home'], ['income']
    )
    with pytest.warns(FairnessWarning, match='force more than each') as warned:
        synthesizer = make(fairness=both)
    (about,) = [warning for warning in warned if warning.category is FairnessWarning]
    assert about.filename == __file__
    synthesizer.fit(TABLE.data)
    assert not nx.has_path(synthesizer.get_fair_graph(), 'sex', 'home')


@pytest.mark.parametrize('given', [[], Statements()])
def test_no_statement_is_no_promise(given):
    with pytest.raises(RolesError, match='must each name at least one column'):
        make(fairness=given)
    assert make(fairness=given, structure='none').get_fairness() == Statements()


def test_a_constraint_that_ties_the_sides_is_refused():
    synthesizer = make(fairness=PARITY)
    with pytest.raises(UnfairModelError):
        synthesizer.add_constraints([FixedCombinations(['sex', 'income'])])


# -- columns that no statement names -----------------------------------------------------------


class Declares(AdaptiveStrategy):
    """A strategy of one's own that joins the outcome to a column without a role."""

    def declare(self, columns, roles):
        return [('education', 'sex'), ('education', 'income'), ('income', 'home'), ('home', 'age')]

    def select(self, columns, roles, scores):
        return FairTree(self.declare(columns, roles))


def touched(synthesizer):
    return set(synthesizer.get_fair_graph()['income'])


@pytest.mark.parametrize('structure', STRUCTURES)
def test_apart_means_apart(structure):
    with warnings.catch_warnings():
        warnings.simplefilter('error', FairnessWarning)
        synthesizer = fitted(**TABLE.roles, structure=structure, unlabelled='apart')
    assert touched(synthesizer) <= {'education'}


@pytest.mark.parametrize('structure', ['adaptive', 'exact', 'planned', 'aim'])
def test_an_outcome_beside_a_column_without_a_role_is_told_once(structure):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter('always', FairnessWarning)
        synthesizer = fitted(**TABLE.roles, structure=structure, unlabelled='free')
    told = [w for w in warned if issubclass(w.category, FairnessWarning)]
    beside = touched(synthesizer) & {'home', 'age'}
    assert len(told) == bool(beside)
    assert all(f"'income' is adjacent to '{column}'" in str(told[0].message) for column in beside)
    assert synthesizer.verify_fairness()


def test_the_default_is_apart_for_the_default_structure_alone_among_these():
    def declared(**changes):
        mechanism = make(**TABLE.roles, **changes)._settings.mechanism
        columns = dict.fromkeys(['sex', 'education', 'home', 'age', 'income'], 2)
        return ('home', 'income') in mechanism.declare(columns, Roles(**TABLE.roles))

    assert not declared()
    assert declared(unlabelled='free')
    assert declared(structure='adaptive')
    assert not declared(structure='adaptive', unlabelled='apart')


def test_apart_refuses_a_structure_of_ones_own_that_joins_them():
    with pytest.raises(StructureError, match="may connect the outcome 'income' to 'home'"):
        make(**TABLE.roles, structure=Declares(), unlabelled='apart')
    with pytest.warns(FairnessWarning, match="'income' is adjacent to 'home'"):
        fitted(**TABLE.roles, structure=Declares())


class Careless:
    """A mechanism of one's own that joins columns it has not declared."""

    name, requires_roles, shape = 'careless', True, 'any'

    def declare(self, domain, roles):
        return [(column,) for column in domain]

    def run(self, table, roles, budget, progress=None):
        single = [(column,) for column in table.domain]
        measured = measure(table, single, table.ledger.remaining, budget, MEASURE_ONE_WAYS)
        return Release(measured, [('income', 'home')])


def test_apart_refuses_a_mechanism_that_joins_what_it_has_not_declared():
    with pytest.raises(UnfairModelError, match="The model connects the outcome 'income' to 'home'"):
        fitted(**TABLE.roles, structure=Careless(), unlabelled='apart')


@pytest.mark.parametrize('structure', ANY_RULE)
def test_without_roles_a_structure_that_is_asked_for_by_name_promises_no_fairness(structure):
    synthesizer = fitted(structure=structure, epsilon=1e4)
    assert not synthesizer.get_fairness()
    assert synthesizer.get_parameters()['structure'] == structure
    assert synthesizer.get_fair_graph().number_of_edges() >= len(synthesizer.get_fair_graph()) - 1


@pytest.mark.filterwarnings('ignore:seed is given', 'ignore:The fit that was opened used a seed')
def test_planned_without_roles_joins_all_pairs(tmp_path):
    own = PlannedStrategy(UnconstrainedStrategy())
    asked, told = (fitted(structure=s, seed=3, epsilon=1e4) for s in ('planned', own))
    assert asked.get_privacy_ledger().equals(told.get_privacy_ledger())
    graph = asked.get_fair_graph()
    assert graph.edges == told.get_fair_graph().edges
    assert any('sex' in edge or 'age' in edge for edge in graph.edges('income'))
    asked.save_release(tmp_path / 'plain.prefair')
    opened = PreFairSynthesizer.load_release(tmp_path / 'plain.prefair')
    assert opened.get_fair_graph().edges == graph.edges
    assert not opened.get_fairness()


@pytest.mark.parametrize('structure', [None, 'adaptive', 'greedy', 'exact'])
def test_forgotten_roles_are_asked_for(structure):
    with pytest.raises(RolesError, match="ask for structure='planned'"):
        make() if structure is None else make(structure=structure)
