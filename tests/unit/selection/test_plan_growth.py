"""A plan joins what gains and leaves what noise would drown.

Of ``_planned.py`` and ``_expected_error.py``.
"""

import networkx as nx
import numpy as np
import pytest

from sdv_prefair.roles import Roles
from sdv_prefair.selection._expected_error import ExpectedErrors, SharedErrors, Workload
from sdv_prefair.selection._graphs import GrowingGraph
from sdv_prefair.selection._planned import Plan, planned_forest

COLUMNS = ['a', 'b', 'c', 'd']
PAIRS = [('a', 'b'), ('a', 'c'), ('a', 'd'), ('b', 'c'), ('b', 'd'), ('c', 'd')]
TOTAL, PRECISION = 10_000.0, np.full(4, 1.0)


def make(pool=1.0, outcomes=(), size=4, max_cells=10**6, rows=1):
    domain = dict.fromkeys(COLUMNS, size)
    workload = Workload(domain, domain, outcomes, 4.0)
    expected = {column: np.full(size, TOTAL / size) for column in COLUMNS}
    places = workload.places(PAIRS)
    noise = ExpectedErrors(expected, expected, places)
    errors = SharedErrors(workload, places, noise, pool, rows)
    return Plan(PAIRS, errors, GrowingGraph(domain, Roles(), max_cells))


def scores(**strong):
    return np.array([TOTAL * strong.get(i + j, 0.0) for i, j in PAIRS])


def test_a_forest_holds_the_strongest_pairs_and_no_cycle():
    plan = make()
    plan.grow_forest(scores(ab=0.5, bc=0.4, ac=0.3, cd=0.2), PRECISION)
    assert plan.graph.edges == [('a', 'b'), ('b', 'c'), ('c', 'd')]


def test_chords_close_triangles_and_leave_longer_cycles():
    plan = make()
    plan.grow_forest(scores(ab=0.5, bc=0.4, cd=0.2), PRECISION)
    plan.grow_chords(scores(ad=0.9, ac=0.3), PRECISION)
    assert plan.graph.edges[3:] == [('a', 'c'), ('a', 'd')], 'once ac is there, ad closes no square'
    assert nx.is_chordal(nx.Graph(plan.graph.edges))


def test_a_turn_plans_so_many_pairs_and_says_which():
    plan = make()
    plan.grow_forest(scores(ab=0.5, bc=0.4, cd=0.2), PRECISION)
    assert plan.grow_chords(scores(ac=0.3, bd=0.2), PRECISION, most=1) == [('a', 'c')]
    assert plan.grow_chords(scores(bd=0.2), PRECISION) == [('b', 'd')]


def test_of_a_ranking_those_pairs_are_open_that_close_a_triangle():
    plan = make()
    plan.grow_forest(scores(ab=0.5, bc=0.4, cd=0.2), PRECISION)
    ranking = np.arange(len(PAIRS))[::-1]
    assert [PAIRS[place] for place in plan.open_to(ranking)] == [('b', 'd'), ('a', 'c')]


def test_a_pair_whose_score_is_unknown_is_not_planned():
    plan = make()
    plan.grow_chords(np.where(scores(ab=1) > 0, np.nan, scores(cd=0.5)), PRECISION)
    assert plan.graph.edges == [('c', 'd')]


def test_with_too_little_rho_nothing_is_planned_but_a_reason_for_an_outcome():
    plan = make(pool=1e-9)
    plan.grow_forest(scores(ab=0.5, bc=0.4, cd=0.2), PRECISION)
    assert plan.graph.edges == []
    plan = make(pool=1e-4, outcomes=['d'])
    plan.grow_forest(scores(ad=0.01, cd=0.02), PRECISION)
    assert plan.graph.edges == [('c', 'd')]


def test_more_rows_a_person_bring_more_noise():
    weak = scores(ab=0.2, bc=0.2, cd=0.2, ac=0.2)
    plans = [make(pool=1e-3, rows=rows) for rows in (1, 30)]
    for plan in plans:
        plan.grow_forest(weak, PRECISION)
    assert len(plans[0].graph.edges) == 3
    assert plans[1].graph.edges == []


def test_a_clique_of_too_many_cells_is_not_planned():
    plan = make(max_cells=20)
    plan.grow_forest(scores(ab=0.5, bc=0.4), PRECISION)
    plan.grow_chords(scores(ac=0.9), PRECISION)
    assert plan.graph.edges == [('a', 'b'), ('b', 'c')]


def test_pairs_worth_a_score_come_best_first_and_not_those_planned():
    plan = make()
    strong = scores(ab=0.5, bc=0.4, ac=0.3)
    plan.grow_forest(strong, PRECISION)
    assert [PAIRS[place] for place in plan.worth_scoring(strong, 9)] == [('a', 'c')]
    again = scores(ad=0.2, bd=0.4, cd=0.3)
    assert [PAIRS[p] for p in plan.worth_scoring(again, 2)] == [('b', 'd'), ('c', 'd')]


def test_the_expected_error_falls_with_a_pair_that_is_strong_and_rises_with_one_that_is_none():
    strong, none = scores(ab=0.5), scores()
    before = make().errors.total(strong, PRECISION)
    plan = make()
    plan.grow_forest(strong, PRECISION)
    assert plan.graph.edges == [('a', 'b')]
    taken_off = before - plan.errors.total(strong, PRECISION)
    assert taken_off == pytest.approx(0.5 * TOTAL, rel=0.01)
    assert plan.errors.total(none, PRECISION) > make().errors.total(none, PRECISION)


def test_pairs_with_an_outcome_count_for_more_in_the_whole():
    light, heavy = make().errors.total, make(outcomes=['a']).errors.total
    tie = scores(ab=0.5)
    assert heavy(tie, PRECISION) == pytest.approx(4 * light(tie, PRECISION), rel=0.05)


def test_what_is_inside_merged_codes_no_table_takes_off():
    """Of two plans with the same pair the one that holds merged codes leaves their error too."""
    domain = dict.fromkeys(COLUMNS, 4)
    workload = Workload(domain, domain, (), 4.0)
    expected = {column: np.full(4, TOTAL / 4) for column in COLUMNS}
    plans = []
    for merged in ({}, {'a': np.full(50, TOTAL / 200)}):
        noise = ExpectedErrors(expected, expected, workload.places(PAIRS), merged)
        errors = SharedErrors(workload, workload.places(PAIRS), noise, 0.01, 1)
        plans.append(Plan(PAIRS, errors, GrowingGraph(domain, Roles(), 100)))
        plans[-1].grow_forest(scores(ab=0.5), PRECISION)
        assert plans[-1].graph.edges == [('a', 'b')]
    without, beside = (plan.errors.total(scores(ab=0.5), PRECISION) for plan in plans)
    assert beside > without


def test_a_plan_is_better_than_none_if_its_pairs_take_off_more_than_they_bring():
    plan, none = make(), make()
    plan.grow_forest(scores(ab=0.5), PRECISION)
    assert plan.graph.edges == [('a', 'b')]
    assert plan.is_better_than(none, scores(ab=0.5), PRECISION)
    assert not none.is_better_than(plan, scores(ab=0.5), PRECISION)
    assert none.is_better_than(plan, scores(), PRECISION)


def test_no_plan_is_better_than_itself():
    assert not make().is_better_than(make(), scores(ab=0.5), PRECISION)


def forest(pool, chords_rho, found):
    return planned_forest(make, pool, chords_rho, found, PRECISION)


def test_a_forest_that_pays_may_get_chords():
    plan, may_grow = forest(1.0, 0.05, scores(ab=0.5, bc=0.4))
    assert plan.graph.edges == [('a', 'b'), ('b', 'c')]
    assert may_grow


def test_a_forest_that_pays_only_without_chords_gets_none():
    """What chords would cost is worth more to the one-way marginals than all of the forest is."""
    found = scores(ab=0.05)
    little, much = 0.001, 0.002
    assert not _grown(little, found).is_better_than(make(little + much), found, PRECISION)
    plan, may_grow = forest(little, much, found)
    assert plan.graph.edges == [('a', 'b')]
    assert not may_grow
    assert plan.errors.total(found, PRECISION) == pytest.approx(
        _grown(little + much, found).errors.total(found, PRECISION)
    )


def test_a_forest_that_never_pays_is_dropped():
    plan, may_grow = forest(1e-6, 1e-7, scores())
    assert plan.graph.edges == []
    assert not may_grow


def _grown(pool, found):
    plan = make(pool)
    plan.grow_forest(found, PRECISION)
    return plan
