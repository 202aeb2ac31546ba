"""Roles of made columns: what strategies select with them is fair in the original columns.

About ``_rules.py``.
"""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sdv_prefair.constraints._rules import as_roles, cliques_in_original_columns, modelled_roles
from sdv_prefair.roles import Roles
from sdv_prefair.structure import STRATEGIES, KnownScores, is_justifiably_fair

ROLES = Roles(['p'], ['a', 'b'], ['o'])


def roles_of(sources, tied, roles=ROLES):
    sources = {column: frozenset(made_from) for column, made_from in sources.items()}
    return modelled_roles(sources, tied, roles)


def test_columns_without_constraints_keep_their_roles():
    sources = {column: [column] for column in 'paboxy'}
    assert roles_of(sources, []) == {
        'p': 'protected',
        'a': 'admissible',
        'b': 'admissible',
        'o': 'outcome',
        'x': 'unlabelled',
        'y': 'unlabelled',
    }


def test_made_of_admissible_columns_alone_is_admissible():
    assert roles_of({'a.fillna': 'a', 'a#b': 'ab'}, ['ab']) == {
        'a.fillna': 'admissible',
        'a#b': 'admissible',
    }


@pytest.mark.parametrize(
    ('other', 'role'), [('p', 'protected'), ('o', 'outcome'), ('x', 'unlabelled')]
)
def test_an_admissible_and_another_column_give_the_others_role(other, role):
    assert roles_of({f'a#{other}': ['a', other]}, [['a', other]]) == {f'a#{other}': role}


@pytest.mark.parametrize(('other', 'role'), [('p', 'protected'), ('o', 'outcome')])
def test_unlabelled_columns_go_to_the_side_they_are_tied_to(other, role):
    sources = {'x.fillna': 'x', f'x#{other}': ['x', other], 'y': 'y', 'z': 'z'}
    found = roles_of(sources, [['x', other], ['x', 'y']])
    assert found == {'x.fillna': role, f'x#{other}': role, 'y': role, 'z': 'unlabelled'}


def test_unlabelled_columns_with_several_made_columns_take_the_protected_side():
    assert set(roles_of({'x.fillna': 'x', 'x#y': 'xy'}, ['xy']).values()) == {'protected'}
    assert roles_of({'x#y': 'xy'}, ['xy']) == {'x#y': 'unlabelled'}


def test_no_admissible_column_left_means_no_roles():
    assert as_roles(roles_of({'p': 'p', 'a#p': 'ap', 'o': 'o'}, ['ap'])) is None
    assert as_roles(roles_of({'p': 'p', 'a': 'a', 'o': 'o'}, [])) == Roles(['p'], ['a'], ['o'])


def test_a_clique_of_made_columns_stands_for_all_their_sources():
    sources = {'x.fillna': frozenset('x'), 'x#y': frozenset('xy'), 'o': frozenset('o')}
    found = cliques_in_original_columns([('x#y', 'o'), ('x.fillna', 'x#y')], sources, [('x', 'y')])
    assert [set(clique) for clique in found] == [{'x', 'y', 'o'}, {'x', 'y'}, {'x', 'y'}]


@st.composite
def constrained_tables(draw):
    """Originals with roles; constraints over random columns; made columns with random sources."""
    roles = Roles(['p1', 'p2'], ['a1', 'a2', 'a3'], ['o1', 'o2'])
    columns = [*roles.columns(), 'n1', 'n2', 'n3', 'n4']
    groups = draw(st.lists(st.sets(st.sampled_from(columns), min_size=2, max_size=4), max_size=3))
    tied, sources, consumed = [], {}, set()
    for number, group in enumerate(groups):
        tied.append(tuple(sorted(group)))
        if group & consumed or draw(st.booleans()):
            continue  # rows are rejected; the columns stay as they are
        consumed |= group
        for part in range(draw(st.integers(1, 3))):
            made_from = draw(st.sets(st.sampled_from(sorted(group)), min_size=1))
            sources[f'c{number}_{part}'] = frozenset(made_from)
    sources |= {column: frozenset([column]) for column in columns if column not in consumed}
    return sources, tied, roles, draw(st.integers(0, 2**32 - 1))


@pytest.mark.parametrize('structure', ['greedy', 'adaptive', 'exact'])
@given(table=constrained_tables())
def test_whatever_is_selected_is_fair_in_the_original_columns(structure, table):
    sources, tied, roles, seed = table
    assume(is_justifiably_fair(tied, roles))
    made_roles = as_roles(modelled_roles(sources, tied, roles))
    assume(made_roles is not None)
    rng = np.random.default_rng(seed)
    weights = {pair: float(rng.normal()) for pair in combinations(sources, 2)}
    tree = STRATEGIES[structure]().select(list(sources), made_roles, KnownScores(weights))
    assert nx.is_tree(nx.Graph(tree.edges))
    assert is_justifiably_fair(cliques_in_original_columns(tree.edges, sources, tied), roles)


def test_without_sides_of_their_own_unlabelled_columns_could_join_the_two():
    """The rule of four is needed: the tree is fair by naive roles, not in original columns."""
    sources = {c: frozenset(c) for c in 'pao'}
    sources |= {'x.fillna': frozenset('x'), 'x#y': frozenset('xy')}
    naive = Roles(['p'], ['a'], ['o'])
    edges = [('p', 'x.fillna'), ('x#y', 'o'), ('p', 'a'), ('a', 'o')]
    assert is_justifiably_fair(edges, naive)
    assert not is_justifiably_fair(cliques_in_original_columns(edges, sources, ['xy']), naive)
    ours = as_roles(modelled_roles(sources, ['xy'], naive))
    assert not is_justifiably_fair(edges, ours)
