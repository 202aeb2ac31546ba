"""The pairs of a release: a tree or a chordal graph that joins all columns, and nothing else."""

from itertools import combinations

import networkx as nx
import pytest
from releases import assert_same, fit, released, tied_rows

from sdv_prefair.errors import PrivacyWarning, StructureError, UnfairModelError
from sdv_prefair.release._strategy import ReleasedMechanism, read_structure, write_structure
from sdv_prefair.roles import Roles
from sdv_prefair.selection._resolve import resolve_mechanism
from sdv_prefair.structure import AimStrategy

COLUMNS = list('abcd')
ALL = tuple(combinations(COLUMNS, 2))


def released_graph(edges, requires_roles=True):
    return ReleasedMechanism('own', requires_roles, tuple(edges))


def test_pairs_come_back_in_the_order_of_the_columns():
    turned = [pair[::-1] for pair in ALL]
    assert released_graph(turned).pairs(COLUMNS, Roles()) == list(ALL)
    path = [('b', 'a'), ('b', 'c'), ('d', 'c')]
    assert released_graph(path).pairs(COLUMNS, Roles()) == [('a', 'b'), ('b', 'c'), ('c', 'd')]
    assert released_graph([]).pairs(['a'], Roles()) == []


@pytest.mark.parametrize(
    'edges',
    [
        [*ALL, ('a', 'a')],
        [*ALL, ('b', 'a')],
        [*ALL, ('a', 'z')],
        [*ALL, (['b'], 'a')],
        [('a', 'b'), ('b', 'c'), ('c', 'd'), ('a', 'd')],
        [('a', 'b'), ('b', 'c'), ('a', 'c')],
        [('a', 'b'), ('c', 'd')],
        [],
    ],
    ids=['loop', 'twice', 'unknown', 'no name', 'ring', 'a column short', 'two parts', 'none'],
)
def test_other_pairs_are_refused(edges):
    with pytest.raises(StructureError):
        released_graph(edges).pairs(COLUMNS, Roles())


def test_many_pairs_do_not_make_up_for_a_column_that_is_missing():
    with pytest.raises(StructureError):
        released_graph(ALL).pairs([*COLUMNS, 'e'], Roles())
    apart = [*ALL, *combinations('efgh', 2)]
    with pytest.raises(StructureError):
        released_graph(apart).pairs([*COLUMNS, *'efgh'], Roles())


def test_an_unfair_graph_is_refused_unless_it_claims_nothing():
    roles = Roles(['a'], ['b'], ['c'])
    with pytest.raises(UnfairModelError, match='a - c'):
        released_graph(ALL).pairs(COLUMNS, roles)
    assert released_graph(ALL, requires_roles=False).pairs(COLUMNS, roles) == list(ALL)


def test_pairs_of_columns_to_be_made_wait_for_the_constraints():
    """Columns a and b become one; d is never made, and c is not to be taken."""
    waiting = ReleasedMechanism('own', True, (('a+b', 'c'), ('c', 'd')), ('a', 'b', 'c', 'd'))
    roles = Roles(['a+b'], ['c'], ['d'])
    assert waiting.pairs(COLUMNS, roles) == []
    assert waiting.pairs(['c', 'd', 'a+b'], roles) == [('c', 'a+b'), ('c', 'd')]
    for columns in (['d', 'a+b', 'other'], ['c', 'd', 'a+b', 'other']):
        with pytest.raises(StructureError):
            waiting.pairs(columns, roles)
    with pytest.raises(StructureError):
        released_graph(waiting.given).pairs(COLUMNS, roles)


def test_a_strategy_is_written_by_name_if_its_name_says_all():
    cliques = [('a', 'b', 'c'), ('c', 'd')]
    assert write_structure(AimStrategy(), resolve_mechanism(AimStrategy()), cliques) == 'aim'
    small = AimStrategy(max_cells=99)
    read = read_structure(write_structure(small, resolve_mechanism(small), cliques), COLUMNS)
    assert (read.name, read.requires_roles) == ('aim', True)
    pairs = [('a', 'b'), ('a', 'c'), ('b', 'c'), ('c', 'd')]
    assert sorted(read.pairs(COLUMNS, Roles())) == pairs


def test_a_graph_beyond_a_tree_comes_back_and_is_fitted_again(path):
    synthesizer = fit(tied_rows(), structure=AimStrategy(max_cells=9000), epsilon=1e6)
    edges = synthesizer.get_fair_graph().edges
    assert len(edges) == 4, 'the test needs a chord'
    loaded = released(synthesizer, path)
    assert_same(synthesizer, loaded)
    assert loaded.fitted.settings.mechanism.name == 'aim'
    assert isinstance(loaded.fitted.settings.mechanism, ReleasedMechanism)
    assert loaded.verify_fairness() is True
    with pytest.warns(PrivacyWarning, match='budgets add up'):
        loaded.fit({'staff': tied_rows()})
    assert nx.utils.edges_equal(loaded.get_fair_graph().edges, edges)
    assert loaded.verify_fairness() is True
    ledger = loaded.get_privacy_ledger()
    assert ledger['rho'].sum() == float(loaded.fitted.ledger.budget)
    assert 'exponential' not in set(ledger['mechanism'])
    assert_same(loaded, released(loaded, path))
