"""One row changes each score by at most one, and each marginal by one in one cell."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.counts import count_codes
from sdv_prefair.structure.scores import IndependenceGap

DOMAIN = {'a': 4, 'b': 3, 'c': 300, 'd': 301}
PAIRS = [('a', 'b'), ('a', 'c'), ('c', 'd')]
CLIQUES = [(column,) for column in DOMAIN] + PAIRS


def rows(num_rows):
    codes = [st.integers(0, size - 1) for size in DOMAIN.values()]
    return st.lists(st.tuples(*codes), min_size=num_rows, max_size=num_rows + 30)


def counts_of(table):
    codes = np.array(table, dtype=np.int64).reshape(len(table), len(DOMAIN))
    return count_codes(dict(zip(DOMAIN, codes.T, strict=True)), DOMAIN, CLIQUES)


def any_expectation(seed, total):
    """One-way models are post-processing: the bound must hold for whatever they are."""
    rng = np.random.default_rng(seed)
    shares = {c: rng.dirichlet(np.full(size, 0.3)) for c, size in DOMAIN.items()}
    return {column: share * total for column, share in shares.items()}


@given(rows(0), st.tuples(*(st.integers(0, s - 1) for s in DOMAIN.values())), st.integers(0, 99))
def test_one_row_changes_one_cell_by_one(table, row, _):
    before, after = counts_of(table), counts_of([*table, row])
    for clique in CLIQUES:
        difference = after.project(clique) - before.project(clique)
        assert difference.sum() == 1
        assert (difference != 0).sum() == 1


@given(
    rows(0),
    st.tuples(*(st.integers(0, s - 1) for s in DOMAIN.values())),
    st.integers(0, 10**6),
    st.sampled_from([1.0, 37.0, 5e4, 3e9]),
)
def test_one_row_changes_a_score_by_at_most_one_unit(table, row, seed, total):
    score = IndependenceGap(any_expectation(seed, total), {('a', 'b'): 17.25})
    before, after = counts_of(table), counts_of([*table, row])
    for pair in PAIRS:
        assert abs(score(after, pair) - score(before, pair)) <= score.unit


@given(rows(1), st.integers(0, 10**6), st.sampled_from([30.0, 5e4]))
def test_a_score_is_the_l1_distance(table, seed, total):
    """Dense and sparse histograms alike, against the plain formula."""
    expected = any_expectation(seed, total)
    score = IndependenceGap(expected)
    counts = counts_of(table)
    for pair in PAIRS:
        product = np.outer(expected[pair[0]], expected[pair[1]] / expected[pair[1]].sum())
        plain = np.abs(counts.project(pair) - product).sum()
        assert score(counts, pair) / score.unit == pytest.approx(plain, rel=1e-3, abs=0.5)


def test_the_bound_is_reached():
    """A score that moved less than one row would waste budget: the sensitivity is tight."""
    expected = {column: np.full(size, 1 / size) for column, size in DOMAIN.items()}
    score = IndependenceGap(expected)
    row = (0, 0, 0, 0)
    many, more = counts_of([row] * 50), counts_of([row] * 51)
    assert score(more, ('a', 'b')) - score(many, ('a', 'b')) == score.unit


def test_a_count_beyond_64_bits_is_capped_not_wrapped():
    expected = {column: np.full(size, 1.0) for column, size in DOMAIN.items()}
    score = IndependenceGap(expected)
    counts = counts_of([(0, 0, 0, 0)])
    counts._observed[('a', 'b')][1][0] = 2**62
    assert score(counts, ('a', 'b')) > 0
