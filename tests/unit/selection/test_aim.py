"""Fair AIM's chords: whatever is added, and in whatever order, the graph stays fair."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.errors import StructureError
from sdv_prefair.roles import Roles
from sdv_prefair.structure import (
    AdaptiveStrategy,
    AimStrategy,
    ExactStrategy,
    ExtendingStrategy,
    FixedStrategy,
    GreedyStrategy,
    Strategy,
    UnconstrainedStrategy,
    is_justifiably_fair,
    resolve_strategy,
)

TREES = {
    'greedy': GreedyStrategy(),
    'exact': ExactStrategy(),
    'adaptive': AdaptiveStrategy(),
    'none': UnconstrainedStrategy(),
}
MAX_CELLS = 60


@st.composite
def problems(draw):
    """Draw columns in some order, roles over them and their numbers of codes."""
    role = [*'PAO', *draw(st.lists(st.sampled_from('PAONNN'), max_size=5))]
    columns = draw(st.permutations([f'{kind}{place}' for place, kind in enumerate(role)]))
    roles = Roles(*([name for name in columns if name[0] == kind] for kind in 'PAO'))
    return roles, {column: draw(st.integers(1, 6)) for column in columns}


class Noise:
    """Scores that are nothing but noise."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def choose(self, candidates, rounds):
        return candidates[self.rng.integers(len(candidates))]

    def release(self, pairs):
        return {pair: float(self.rng.normal()) for pair in pairs}


def grown(strategy, roles, domain, seed):
    """Yield the edges and the chords offered to them, one more edge each time."""
    noise = Noise(seed)
    edges = list(strategy.select(list(domain), roles, noise).edges)
    while True:
        chords = strategy.chords(edges, roles, domain)
        yield list(edges), chords
        if not chords:
            return
        edges.append(noise.choose(chords, rounds=1))


def addable(edges, pair, roles, domain):
    """Whether a pair may be added, by the predicate itself and by networkx."""
    if pair in edges:
        return False
    graph = nx.Graph([*edges, pair])
    cliques = list(nx.find_cliques(graph)) if nx.is_chordal(graph) else []
    sizes = [np.prod([domain[column] for column in c]) for c in cliques if {*pair} <= {*c}]
    return bool(sizes) and max(sizes) <= MAX_CELLS and is_justifiably_fair(cliques, roles)


@pytest.mark.parametrize('name', TREES)
@given(problem=problems(), seed=st.integers(0, 2**32))
def test_all_pairs_that_leave_the_graph_fair_chordal_and_small_are_offered(name, problem, seed):
    (roles, domain), strategy = problem, AimStrategy(TREES[name], MAX_CELLS)
    kept = roles if strategy.requires_roles else Roles()
    declared = strategy.declare(list(domain), roles)
    assert declared == TREES[name].declare(list(domain), roles)
    for edges, chords in grown(strategy, roles, domain, seed):
        graph = nx.Graph(edges)
        assert nx.is_chordal(graph)
        assert is_justifiably_fair(nx.find_cliques(graph), kept)
        assert chords == [pair for pair in declared if addable(edges, pair, kept, domain)]


@given(problem=problems(), seed=st.integers(0, 2**32))
def test_a_given_tree_stays_as_it_is(problem, seed):
    roles, domain = problem
    tree = AdaptiveStrategy().select(list(domain), roles, Noise(seed))
    strategy = AimStrategy(FixedStrategy(tree.edges), 10**9)
    assert list(grown(strategy, roles, domain, seed)) == [(tree.edges, [])]


def test_an_unlabelled_column_takes_the_side_that_it_is_tied_to():
    """Greedy's pairs are fair in any number; adaptive's are fair or not as others were chosen."""
    roles = Roles(['sex'], ['job'], ['pay'])
    domain = dict.fromkeys(['sex', 'job', 'age', 'pay'], 2)
    strategy = AimStrategy(AdaptiveStrategy())
    star = [('sex', 'job'), ('job', 'age'), ('job', 'pay')]
    assert strategy.chords(star, roles, domain) == [('sex', 'age'), ('age', 'pay')]
    assert strategy.chords([*star, ('sex', 'age')], roles, domain) == []
    assert strategy.chords([*star, ('age', 'pay')], roles, domain) == []


def test_without_fairness_every_pair_may_come():
    roles = Roles(['sex'], ['job'], ['pay'])
    domain = dict.fromkeys(['sex', 'job', 'pay'], 2)
    plain = AimStrategy(tree=UnconstrainedStrategy())
    assert plain.requires_roles is False
    assert plain.declare(list(domain), roles) == list(combinations(domain, 2))
    assert plain.chords([('sex', 'job'), ('job', 'pay')], roles, domain) == [('sex', 'pay')]
    assert AimStrategy().requires_roles is True
    assert AimStrategy().chords([('sex', 'job'), ('job', 'pay')], roles, domain) == []


def test_it_alone_extends_its_tree():
    assert isinstance(AimStrategy(), ExtendingStrategy)
    assert isinstance(AimStrategy(), Strategy)
    assert not any(isinstance(tree, ExtendingStrategy) for tree in TREES.values())
    assert not isinstance(FixedStrategy([('a', 'b')]), ExtendingStrategy)


def test_it_is_a_value():
    assert resolve_strategy('aim') == AimStrategy() == AimStrategy(GreedyStrategy())
    assert hash(resolve_strategy('aim')) == hash(AimStrategy())
    others = {AimStrategy(max_cells=7), AimStrategy(AdaptiveStrategy()), GreedyStrategy()}
    assert AimStrategy() not in others
    assert resolve_strategy(AimStrategy(max_cells=7)) in others
    assert AimStrategy().name == 'aim'


@pytest.mark.parametrize('cells', ['1000', None, 1000.0, True, 0, -1])
def test_a_number_of_cells_that_is_none_is_refused_before_a_fit(cells):
    with pytest.raises(StructureError, match='max_cells'):
        AimStrategy(max_cells=cells)
    assert AimStrategy(max_cells=np.int64(9)).max_cells == 9


@pytest.mark.parametrize('tree', ['adaptive', AdaptiveStrategy, None, [('a', 'b')]])
def test_a_tree_that_is_no_strategy_is_refused_before_a_fit(tree):
    with pytest.raises(StructureError, match='must be a strategy object'):
        AimStrategy(tree)
