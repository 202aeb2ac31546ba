"""One row changes each score by at most one, and each marginal by one in one cell."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.counting import count_codes
from sdv_prefair.errors import BudgetError
from sdv_prefair.privacy import Ledger, PrivateTable, SystemEntropy
from sdv_prefair.privacy._answers import ExactScores, Score
from sdv_prefair.selection._measuring import independence_gap, model_gap

DOMAIN = {'a': 4, 'b': 3, 'c': 300, 'd': 301}
PAIRS = [('a', 'b'), ('a', 'c'), ('c', 'd')]
CLIQUES = [(column,) for column in DOMAIN] + PAIRS


def rows(num_rows):
    codes = [st.integers(0, size - 1) for size in DOMAIN.values()]
    return st.lists(st.tuples(*codes), min_size=num_rows, max_size=num_rows + 30)


def counts_of(table):
    codes = np.array(table, dtype=np.int64).reshape(len(table), len(DOMAIN))
    return count_codes(dict(zip(DOMAIN, codes.T, strict=True)), DOMAIN, CLIQUES)


def exact(score, counts, pair):
    return ExactScores(counts, score)(pair)


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
    score = independence_gap(any_expectation(seed, total), {('a', 'b'): 17.25})
    before, after = counts_of(table), counts_of([*table, row])
    for pair in PAIRS:
        assert abs(exact(score, after, pair) - exact(score, before, pair)) <= score.unit


@given(rows(1), st.integers(0, 10**6), st.sampled_from([30.0, 5e4]))
def test_a_score_is_the_l1_distance(table, seed, total):
    """Dense and sparse histograms alike, against the plain formula."""
    expected = any_expectation(seed, total)
    score = independence_gap(expected)
    counts = counts_of(table)
    for pair in PAIRS:
        product = np.outer(expected[pair[0]], expected[pair[1]] / expected[pair[1]].sum())
        plain = np.abs(counts.project(pair) - product).sum()
        assert exact(score, counts, pair) / score.unit == pytest.approx(plain, rel=1e-3, abs=0.5)


def test_the_bound_is_reached():
    """A score that moved less than one row would waste budget: the sensitivity is tight."""
    expected = {column: np.full(size, 1 / size) for column, size in DOMAIN.items()}
    score = independence_gap(expected)
    row = (0, 0, 0, 0)
    many, more = counts_of([row] * 50), counts_of([row] * 51)
    assert exact(score, more, ('a', 'b')) - exact(score, many, ('a', 'b')) == score.unit


def test_a_count_beyond_64_bits_is_capped_not_wrapped():
    expected = {column: np.full(size, 1.0) for column, size in DOMAIN.items()}
    score = independence_gap(expected)
    counts = counts_of([(0, 0, 0, 0)])
    counts._observed[('a', 'b')][1][0] = 2**62
    assert exact(score, counts, ('a', 'b')) > 2**60, 'the cap is 2^61'


# -- against a model -----------------------------------------------------------------------------

DISCOUNT = {('a', 'b'): 17.25, ('a', 'c'): 0.0, ('c', 'd'): 1234.5}


def any_model(seed, total):
    """A model's tables are post-processing as well, so they may be anything that is positive."""
    rng = np.random.default_rng(seed)
    tables = {(f, s): rng.gamma(0.3, size=(DOMAIN[f], DOMAIN[s])) for f, s in PAIRS}
    return {pair: total * table / table.sum() for pair, table in tables.items()}


@given(
    rows(0),
    st.tuples(*(st.integers(0, s - 1) for s in DOMAIN.values())),
    st.integers(0, 10**6),
    st.sampled_from([1.0, 37.0, 5e4, 3e9, 1e14]),
)
def test_one_row_changes_a_models_score_by_at_most_one_unit(table, row, seed, total):
    score = model_gap(any_model(seed, total), DISCOUNT)
    before, after = counts_of(table), counts_of([*table, row])
    for pair in PAIRS:
        assert abs(exact(score, after, pair) - exact(score, before, pair)) <= score.unit
    assert exact(score, before, ()) == exact(score, after, ()) == 0


@given(rows(1), st.integers(0, 10**6), st.sampled_from([1.0, 30.0, 5e4, 1e7]))
def test_a_models_score_is_the_l1_distance_less_the_discount(table, seed, total):
    expected = any_model(seed, total)
    score, counts = model_gap(expected, DISCOUNT), counts_of(table)
    for pair in PAIRS:
        plain = np.abs(counts.project(pair) - expected[pair]).sum() - DISCOUNT[pair]
        # Each cell is rounded to half a unit.
        rounding = expected[pair].size / score.unit
        assert exact(score, counts, pair) / score.unit == pytest.approx(
            plain, rel=1e-9, abs=rounding
        )


def test_the_models_bound_is_reached():
    tables = {pair: np.zeros((DOMAIN[pair[0]], DOMAIN[pair[1]])) for pair in PAIRS}
    score = model_gap(tables, DISCOUNT)
    many, more = counts_of([(0, 0, 0, 0)] * 50), counts_of([(0, 0, 0, 0)] * 51)
    for pair in PAIRS:
        assert exact(score, more, pair) - exact(score, many, pair) == score.unit
        assert exact(score, many, pair) == (50 - DISCOUNT[pair]) * score.unit


def test_nothing_can_be_all_there_is_to_choose():
    assert exact(model_gap({}, {}), counts_of([(0, 0, 0, 0)]), ()) == 0


def test_the_largest_tables_are_scored_without_wrapping_and_larger_ones_refused():
    cells = np.zeros((DOMAIN['a'], DOMAIN['b']))
    cells[3, 2] = 2.0**47
    score = model_gap({('a', 'b'): cells}, {})
    counts = counts_of([(0, 0, 0, 0)])
    assert exact(score, counts, ('a', 'b')) == (2**47 + 1) * score.unit
    counts._observed[('a', 'b')][1][0] = 2**62
    assert exact(score, counts, ('a', 'b')) == 2**61 + 2**47 * score.unit, 'capped, not wrapped'
    with pytest.raises(BudgetError, match='too large to score in 64-bit fixed point'):
        model_gap({('a', 'b'): cells * 1.01}, {})


# -- whatever numbers stand in a score -----------------------------------------------------------


@given(
    rows(0),
    st.tuples(*(st.integers(0, s - 1) for s in DOMAIN.values())),
    st.integers(1, 2**40) | st.sampled_from([2**55, 2**60 + 7, 2**61]),
    st.integers(0, 10**6),
    st.integers(-(2**50), 2**50),
    st.booleans(),
)
def test_no_description_makes_a_row_count_for_more_than_a_unit(
    table, row, unit, seed, off, factored
):
    rng = np.random.default_rng(seed)

    def any_prediction(first, second):
        if factored:
            return rng.integers(0, 2**10, DOMAIN[first]), rng.integers(0, 2**20, DOMAIN[second])
        return (rng.integers(0, 2**30, (DOMAIN[first], DOMAIN[second])),)

    score = Score(unit, {pair: any_prediction(*pair) for pair in PAIRS}, {PAIRS[0]: off})
    before, after = counts_of(table), counts_of([*table, row])
    for pair in PAIRS:
        assert abs(exact(score, after, pair) - exact(score, before, pair)) <= unit
        assert abs(exact(score, after, pair)) <= 2**62, 'beside noise it fits into 64 bits'


@pytest.mark.parametrize('num_rows', [1, 255, 256, 257, 5000])
def test_no_table_decides_whether_scores_are_answered(num_rows):
    """In this unit 256 rows are 2^63, which 64 bits do not hold."""
    score = Score(2**55, {('a', 'b'): (np.zeros(DOMAIN['a'] * DOMAIN['b'], dtype=np.int64),)})
    counts = counts_of([(row % 4, row % 3, 0, 0) for row in range(num_rows)])
    table = PrivateTable(counts, Ledger(50.0, 1e-9), SystemEntropy())
    (noisy,), sigma = table.score([('a', 'b')], score, table.ledger.budget, 'step')
    assert abs(noisy / score.unit - min(num_rows, 128)) < 10 * sigma


class Callable(Score):
    def __call__(self, counts, pair):
        return int(counts.project(pair).sum())


FLAT = np.full((DOMAIN['a'], DOMAIN['b']), 3)
NEGATIVE = FLAT.copy()
NEGATIVE[0, 0] = -(2**40)


@pytest.mark.parametrize('unit', [0, -1, 1.0, True, np.int64(4), 2**62, None])
def test_a_unit_that_is_no_whole_number_above_zero_is_refused(unit):
    with pytest.raises(TypeError, match='unit an integer above 0'):
        ExactScores(counts_of([]), Score(unit, {('a', 'b'): (FLAT,)}))


def test_a_score_that_brings_code_is_refused():
    for score in (Callable(1, {('a', 'b'): (FLAT,)}), lambda counts, pair: 0):
        with pytest.raises(TypeError, match='must be a Score'):
            ExactScores(counts_of([]), score)


@pytest.mark.parametrize(
    'prediction',
    [
        (NEGATIVE,),
        (FLAT.astype(float),),
        (np.full_like(FLAT, np.nan, dtype=float),),
        (FLAT[:-1],),
        (np.full(DOMAIN['a'], 2**40), np.full(DOMAIN['b'], 2**40)),
        (FLAT.astype(np.uint64) + np.uint64(2**63),),
    ],
    ids=['negative', 'real', 'not a number', 'too few', 'too large', 'wrapped'],
)
def test_predictions_that_could_break_the_bound_are_refused(prediction):
    with pytest.raises(ValueError, match="prediction for .'a', 'b'. must be integers"):
        exact(Score(1, {('a', 'b'): prediction}), counts_of([(0, 0, 0, 0)]), ('a', 'b'))


def test_numbers_of_another_class_do_not_see_the_score():
    """An integer that watches what it is subtracted from is taken for its plain value."""
    seen = []

    class Watching(int):
        def __rsub__(self, other):
            seen.append(other)
            return 0

    score = Score(1, {('a', 'b'): (FLAT,)}, {('a', 'b'): Watching(5)})
    assert exact(score, counts_of([(0, 0, 0, 0)]), ('a', 'b')) == FLAT.sum() - 1 - 5
    assert not seen


def test_a_unit_that_changes_later_changes_nothing():
    score = Score(2**20, {('a', 'b'): (FLAT,)})
    scores = ExactScores(counts_of([(0, 0, 0, 0)]), score)
    before = scores(('a', 'b'))
    object.__setattr__(score, 'unit', 1)
    assert (scores.unit, scores(('a', 'b'))) == (2**20, before)
