"""Pairs beyond the tree: what they cost, how exact they are, and which ones are worth it.

Of ``_aim.py``.
"""

import math
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from sdv_prefair.counting import count_codes
from sdv_prefair.privacy import Ledger, PrivateTable, SystemEntropy
from sdv_prefair.roles import Roles
from sdv_prefair.selection._aim import CHORDS_SHARE
from sdv_prefair.selection._measuring import BUDGETS
from sdv_prefair.selection._resolve import resolve_mechanism
from sdv_prefair.structure import (
    AdaptiveStrategy,
    AimStrategy,
    FixedStrategy,
    UnconstrainedStrategy,
    is_justifiably_fair,
)

PLAIN = AimStrategy(UnconstrainedStrategy())
NO_ROLES, NO_NOISE = Roles(), 1e6


def run(codes, domain, epsilon=1.0, budget='tuned', rows=1, roles=NO_ROLES, strategy=PLAIN):
    """Return the release of one run of the mechanism, and its ledger."""
    mechanism = resolve_mechanism(strategy)
    counts = count_codes(codes, domain, mechanism.declare(domain, roles))
    ledger = Ledger(epsilon, 1e-9, rows)
    table = PrivateTable(counts, ledger, SystemEntropy())
    return mechanism.run(table, roles, BUDGETS[budget]), ledger


def tied(num_rows, size, seed=0):
    """Three columns, each tied to both others by more than the third explains."""
    rng = np.random.default_rng(seed)
    a, other = rng.integers(0, size, (2, num_rows))
    b = np.where(rng.random(num_rows) < 0.4, a, other)
    return {'a': a, 'b': b, 'c': np.where(rng.random(num_rows) < 0.5, a, b)}


def chain(size, tie, times=1):
    """Three columns, a and c each tied to b and, given b, exactly independent."""
    link = 1 + tie * np.eye(size, dtype=int)
    counts = times * np.einsum('ab,bc->abc', link, link)
    cells = np.repeat(np.indices(counts.shape).reshape(3, -1), counts.ravel(), axis=1)
    return dict(zip('abc', cells, strict=True))


def two_ways(release):
    return [m for m in release.measurements if len(m.columns) == 2]


def debits(ledger, step):
    return [debit for debit in ledger.debits if debit.step == step]


@st.composite
def tables(draw):
    """Draw a small table of some columns, partly tied, and how it is to be measured."""
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=6))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    common = rng.integers(0, 60, draw(st.integers(1, 200)))
    domain = {f'c{place}': size for place, size in enumerate(sizes)}
    codes = {
        column: np.where(rng.random(common.size) < 0.8, common, rng.integers(0, 60, common.size))
        % size
        for column, size in domain.items()
    }
    epsilon = draw(st.sampled_from([1e-12, 1e-3, 0.3, 5.0, 1e3, 1e9]))
    return codes, domain, epsilon, draw(st.sampled_from(list(BUDGETS))), draw(st.integers(1, 4))


@given(tables())
def test_the_ledger_is_spent_and_says_how_exact_each_pair_is(drawn):
    release, ledger = run(*drawn)
    assert ledger.remaining == 0
    measured, num_tree = two_ways(release), len(drawn[1]) - 1
    assert release.cliques == [m.columns for m in measured]
    assert len({frozenset(edge) for edge in release.cliques}) == len(release.cliques)
    tree = nx.Graph(release.cliques[:num_tree])
    assert tree.number_of_nodes() == 0 or nx.is_tree(tree)
    assert len(tree) == (len(drawn[1]) if num_tree else 0)
    assert all(min(m.values.shape) > 1 for m in measured[num_tree:]), 'a chord that tells nothing'
    lines = debits(ledger, 'measure two-ways')
    for measurement in measured:
        paid = sum(line.rho for line in lines if line.columns == measurement.columns)
        precision = 2 * float(paid) / ledger.max_rows_per_person**2
        assert 1 / measurement.stddev**2 == pytest.approx(precision, rel=1e-6)


@given(tables())
def test_every_pair_has_its_part_by_weight_whenever_it_was_chosen(drawn):
    release, ledger = run(*drawn)
    exponent = BUDGETS[drawn[3]].cells_exponent
    weights = {m.columns: m.values.size**exponent for m in two_ways(release)}
    lines = debits(ledger, 'measure two-ways')
    assert {line.columns for line in lines} == set(weights)
    total = sum(line.rho for line in lines)
    for columns, weight in weights.items():
        paid = sum(line.rho for line in lines if line.columns == columns)
        # Two amounts, each rounded to a quantum, and those of all others.
        quanta = (4 + len(weights)) * ledger.budget / 2**45
        part = float(total) * weight / math.fsum(weights.values())
        assert float(paid) == pytest.approx(part, rel=1e-12, abs=float(quanta))


@given(tables())
def test_choosing_costs_no_more_than_its_share(drawn):
    release, ledger = run(*drawn)
    choices, num_tree = debits(ledger, 'select more pairs'), len(drawn[1]) - 1
    chords = len(release.cliques) - max(0, num_tree)
    assert chords <= len(choices) <= min(chords + 1, num_tree)
    share = ledger.budget * BUDGETS[drawn[3]].selection * CHORDS_SHARE
    for choice in choices:
        assert choice.mechanism == 'exponential'
        assert float(choice.rho) == pytest.approx(float(share / num_tree), rel=1e-9)
    assert sum(choice.rho for choice in choices) <= share * (1 + Fraction(1, 10**9))


@pytest.mark.parametrize('budget', BUDGETS)
def test_many_columns_of_unequal_size(budget):
    rng = np.random.default_rng(1)
    domain = {f'c{place}': 2 + place % 5 for place in range(24)} | {'wide': 400}
    codes = {column: rng.integers(0, size, 900) for column, size in domain.items()}
    release, ledger = run(codes, domain, budget=budget, rows=3)
    assert ledger.remaining == 0
    assert nx.is_chordal(nx.Graph(release.cliques))
    assert nx.is_connected(nx.Graph(release.cliques))


@pytest.mark.parametrize('rows', [1, 3])
def test_the_noise_is_as_large_as_is_said(rows):
    """The sum of squared residuals is chi-squared; chance takes it out of bounds once in 1e9.

    Noise of 0.8 or 1.25 times the right size is out of bounds more surely than that.
    """
    codes, size = tied(20_000, 12), 12
    squares, cells = 0.0, 0
    for _ in range(4):
        release, _ = run(codes, dict.fromkeys('abc', size), epsilon=1.5 * rows, rows=rows)
        assert len(release.cliques) == 3
        for measurement in two_ways(release):
            groups = (release.compressions[c].group_of[codes[c]] for c in measurement.columns)
            exact = np.zeros(measurement.values.shape)
            np.add.at(exact, tuple(groups), 1)
            squares += 2 * measurement.squared_error(exact)
            cells += exact.size
    low, high = chi2.ppf([5e-10, 1 - 5e-10], cells)
    assert low < squares < high
    assert chi2.ppf(1 - 5e-10, cells) * 0.8**2 < low
    assert chi2.ppf(5e-10, cells) * 1.25**2 > high


@pytest.mark.parametrize('budget', BUDGETS)
def test_a_tie_that_no_tree_explains_is_chosen(budget):
    release, ledger = run(tied(5000, 4), dict.fromkeys('abc', 4), NO_NOISE, budget)
    assert {frozenset(edge) for edge in release.cliques} == {*map(frozenset, ('ab', 'bc', 'ac'))}
    assert len(debits(ledger, 'select more pairs')) == 1, 'then no pair is left to choose'


@pytest.mark.parametrize('budget', BUDGETS)
@pytest.mark.parametrize(('tie', 'times'), [(0, 5), (5, 10)], ids=['independent', 'chain'])
def test_pairs_that_the_tree_explains_are_left_alone(budget, tie, times):
    """A chord scores thousands of rows below nothing: its odds are exp(-30) or less."""
    release, ledger = run(chain(16, tie, times), dict.fromkeys('abc', 16), 1.0, budget)
    assert len(release.cliques) == 2
    assert not tie or set(release.cliques) == {('a', 'b'), ('b', 'c')}
    (choice,) = debits(ledger, 'select more pairs')
    share = ledger.budget * BUDGETS[budget].selection * CHORDS_SHARE
    assert float(choice.rho) == pytest.approx(float(share / 2), rel=1e-9)
    measured = sum(line.rho for line in debits(ledger, 'measure two-ways'))
    rest = 1 - BUDGETS[budget].one_way - BUDGETS[budget].selection
    assert float(measured) == pytest.approx(float(ledger.budget * rest + share / 2), rel=1e-9)


@pytest.mark.parametrize('num_columns', [1, 2])
def test_where_no_chord_can_be_nothing_is_paid_for_choosing_one(num_columns):
    codes = {column: np.arange(300) % 3 for column in 'ab'[:num_columns]}
    release, ledger = run(codes, dict.fromkeys(codes, 3))
    assert not debits(ledger, 'select more pairs')
    assert len(release.cliques) == num_columns - 1
    assert ledger.remaining == 0


def test_a_given_tree_gets_no_chord_and_all_of_the_budget():
    tree = FixedStrategy([('a', 'b'), ('b', 'c')])
    release, ledger = run(
        tied(2000, 3), dict.fromkeys('abc', 3), NO_NOISE, strategy=AimStrategy(tree)
    )
    assert release.cliques == [('a', 'b'), ('b', 'c')]
    assert {debit.mechanism for debit in ledger.debits} == {'discrete Gaussian'}
    assert ledger.remaining == 0


@pytest.mark.parametrize('epsilon', [0.5, 20.0, NO_NOISE])
@pytest.mark.parametrize('tree', [AdaptiveStrategy(), None], ids=['adaptive', 'default'])
def test_however_strong_a_tie_no_unfair_pair_is_chosen(epsilon, tree):
    """Sex, age and pay are all but one column; all pairs of fair columns are tied as well."""
    rng = np.random.default_rng(2)
    sex = rng.integers(0, 3, 3000)
    roles = Roles(['sex'], ['job', 'edu'], ['pay', 'loan'])
    codes = {
        column: np.where(rng.random(3000) < 0.2, rng.integers(0, 3, 3000), sex)
        for column in ('sex', 'age', 'job', 'zip', 'edu', 'pay', 'loan')
    }
    strategy = AimStrategy(tree) if tree else AimStrategy()
    release, _ = run(codes, dict.fromkeys(codes, 3), epsilon, roles=roles, strategy=strategy)
    graph = nx.Graph(release.cliques)
    assert nx.is_chordal(graph)
    assert is_justifiably_fair(nx.find_cliques(graph), roles)
    if epsilon == NO_NOISE:
        assert graph.number_of_edges() > len(codes) - 1


def test_a_pair_too_large_to_count_is_never_a_chord():
    """Once rare codes are merged the pair is small, but nobody has counted it."""
    domain = {'a': 4000, 'b': 4000, 'c': 4}
    release, ledger = run(tied(20_000, 4), domain, NO_NOISE)
    assert max(compression.num_groups for compression in release.compressions.values()) < 10
    assert set(map(frozenset, release.cliques)) == {frozenset('ac'), frozenset('bc')}
    assert ledger.remaining == 0
