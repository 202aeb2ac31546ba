"""The predicate, against the paper's definition by paths and against real distributions."""

from itertools import combinations, product

import networkx as nx
import numpy as np
import pytest

from sdv_prefair.roles import Roles
from sdv_prefair.structure import is_justifiably_fair, unblocked_path

ROLES = Roles(['sex'], ['edu'], ['income'])


def fair_by_paths(tree, roles):
    """The paper's words: every path from P to O goes through at least one A."""
    return all(
        set(nx.shortest_path(tree, protected, outcome)) & set(roles.admissible)
        for protected, outcome in product(roles.protected, roles.outcome)
    )


@pytest.mark.parametrize(
    ('cliques', 'path'),
    [
        ([], None),
        ([('sex',), ('income',)], None),
        ([('sex', 'edu'), ('edu', 'income')], None),
        ([('sex', 'age'), ('age', 'edu'), ('edu', 'income')], None),
        ([('sex', 'income')], ['sex', 'income']),
        ([('income', 'age'), ('age', 'sex')], ['sex', 'age', 'income']),
        ([('sex', 'edu', 'age'), ('age', 'income')], ['sex', 'age', 'income']),
        ([('sex', 'edu', 'income')], ['sex', 'income']),
        ([{'sex', 'a', 'b', 'edu'}, frozenset({'edu', 'income', 'c'})], None),
    ],
)
def test_known_cases(cliques, path):
    assert unblocked_path(cliques, ROLES) == path
    assert is_justifiably_fair(cliques, ROLES) is (path is None)
    assert is_justifiably_fair(iter(cliques), ROLES) is (path is None)


def test_everything_is_fair_without_roles():
    assert is_justifiably_fair([('sex', 'income')], Roles())
    assert unblocked_path([('sex', 'income')], Roles()) is None


def test_agrees_with_the_paths_of_the_paper_on_all_trees_of_five_columns():
    columns = 'abcde'
    verdicts = []
    for sequence in product(range(5), repeat=3):
        tree = nx.relabel_nodes(nx.from_prufer_sequence(sequence), dict(enumerate(columns)))
        for roles in (
            Roles([*'a'], [*'b'], [*'c']),
            Roles([*'a'], [*'bd'], [*'c']),
            Roles([*'ab'], [*'c'], [*'de']),
            Roles([*'ad'], [*'b'], [*'c']),
        ):
            verdicts.append(fair_by_paths(tree, roles))
            assert is_justifiably_fair(tree.edges, roles) is verdicts[-1]
    assert 0 < sum(verdicts) < len(verdicts)


def dependence(table, first, second, given):
    """How far the two groups of axes are from independence given the third."""

    def margin(axes):
        return table.sum(axis=tuple(set(range(table.ndim)) - set(axes)), keepdims=True)

    joint = margin((*first, *second, *given)) * margin(given)
    return np.abs(joint - margin((*first, *given)) * margin((*second, *given))).max()


@pytest.mark.parametrize('seed', range(40))
def test_says_what_holds_in_a_random_distribution_over_the_cliques(seed):
    rng = np.random.default_rng(seed)
    columns = 'abcdef'
    cliques = [
        tuple(rng.choice(6, size=rng.integers(2, 4), replace=False))
        for _ in range(rng.integers(3, 6))
    ]
    roles = Roles([*'ab'], [*'c'], [*'d']) if seed % 2 else Roles([*'a'], [*'bc'], [*'de'])
    table = np.ones((2,) * 6)
    for clique in cliques:
        factor = rng.gamma(0.5, size=(2,) * 6)
        others = tuple(set(range(6)) - set(clique))
        table = table * factor.mean(axis=others, keepdims=True)
    table /= table.sum()
    axes = [[columns.index(c) for c in group] for group in roles.as_dict().values()]
    protected, admissible, outcome = axes
    independent = dependence(table, protected, outcome, admissible) < 1e-12
    named = [[columns[axis] for axis in clique] for clique in cliques]
    assert is_justifiably_fair(named, roles) == independent


@pytest.mark.parametrize('seed', range(20))
def test_the_witness_is_a_path_of_the_graph_around_the_admissible_columns(seed):
    rng = np.random.default_rng(seed)
    pairs = list(combinations('abcdefgh', 2))
    edges = [pairs[place] for place in rng.choice(len(pairs), size=6, replace=False)]
    roles = Roles([*'ab'], [*'cd'], [*'gh'])
    path = unblocked_path(edges, roles)
    if path is None:
        assert is_justifiably_fair(edges, roles)
        return
    assert path[0] in roles.protected
    assert path[-1] in roles.outcome
    assert not set(path) & set(roles.admissible)
    assert nx.is_path(nx.Graph(edges), path)
