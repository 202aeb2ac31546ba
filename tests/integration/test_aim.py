"""Fair AIM in a whole fit: more than a tree, as fair, and sampled given what is known."""

import copy

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.stats import chi2
from sdv.metadata import Metadata
from sdv.sampling import Condition

from sdv_prefair import PreFairSynthesizer, Roles
from sdv_prefair.datasets import simulate_census
from sdv_prefair.errors import UnfairModelError
from sdv_prefair.fitting._pipeline import declared_cliques
from sdv_prefair.metrics import independence_test
from sdv_prefair.structure import AdaptiveStrategy, AimStrategy, is_justifiably_fair

CENSUS = simulate_census(4000, seed=1)
NO_NOISE = 1e5


def make(**changes):
    arguments = {'public_ranges': True, 'structure': 'aim'} | CENSUS.roles.as_dict() | changes
    return PreFairSynthesizer(CENSUS.metadata, **arguments)


@pytest.fixture(scope='module')
def fitted():
    synthesizer = make(epsilon=NO_NOISE)
    synthesizer.fit(CENSUS.data)
    return synthesizer


def test_the_graph_is_chordal_and_fair_and_more_than_a_tree(fitted):
    graph = fitted.get_fair_graph()
    assert nx.is_connected(graph) and nx.is_chordal(graph)
    assert graph.number_of_edges() > len(graph) - 1
    cliques = {frozenset(clique) for clique in fitted._model.cliques}
    assert cliques == {frozenset(clique) for clique in nx.find_cliques(graph)}
    assert max(map(len, cliques)) > 2
    assert is_justifiably_fair(cliques, CENSUS.roles)
    assert fitted.verify_fairness() is True
    assert fitted._model.estimator == 'direct'


def test_verification_sees_a_clique_that_joins_the_two_sides(fitted):
    largest = max(fitted._model.cliques, key=len)
    tampered = copy.deepcopy(fitted)
    other = Roles([largest[0]], ['region'], [largest[1]])
    object.__setattr__(tampered.fitted.settings.promise, 'roles', other)
    with pytest.raises(UnfairModelError, match='connects a protected column and an outcome'):
        tampered.verify_fairness()


def test_the_ledger_names_every_choice_and_adds_up(fitted):
    ledger = fitted.get_privacy_ledger()
    assert ledger['rho'].sum() == float(fitted.fitted.ledger.budget)
    steps, edges = ledger['step'].value_counts(), fitted.get_fair_graph().number_of_edges()
    tree = len(fitted.fitted.plan.domains) - 1
    assert steps['select the tree'] == tree
    assert edges - tree <= steps['select more pairs'] <= tree
    assert steps['measure two-ways'] == 2 * edges
    assert len(fitted._model.measurements) == len(fitted.fitted.plan.domains) + edges


def test_conditions_on_the_columns_of_a_clique_are_met_exactly(fitted):
    (table,) = CENSUS.data.values()
    for clique in sorted(fitted._model.cliques, key=len)[-2:]:
        known = [column for column in clique if column not in CENSUS.roles.outcome][:2]
        asked = table[known].dropna().iloc[0].to_dict()
        (rows,) = fitted.sample_from_conditions([Condition(asked, num_rows=30)]).values()
        assert len(rows) == 30
        assert all((rows[column] == value).all() for column, value in asked.items())
    known = table[['age', 'education', 'hours']].head(50)
    (rows,) = fitted.sample_remaining_columns(known).values()
    pd.testing.assert_frame_equal(rows[list(known)].reset_index(drop=True), known)


# -- one table whose columns are tied in a ring ---------------------------------------------------


def letters(size):
    return {'sdtype': 'categorical', 'range_values': [*'uvwx'[:size]], 'range_is_nullable': False}


SMALL = {'sex': 2, 'job': 3, 'edu': 3, 'age': 4, 'pay': 2}
SMALL_METADATA = Metadata.load_from_dict({
    'tables': {'t': {'columns': {column: letters(size) for column, size in SMALL.items()}}}
})
SMALL_ROLES = {'protected': ['sex'], 'admissible': ['job', 'edu'], 'outcome': ['pay']}


def small_rows(num_rows=20_000):
    """Pay tells job or education, job tells education, and sex tells pay by itself."""
    rng = np.random.default_rng(3)
    sex, job = rng.integers(0, 2, num_rows), rng.integers(0, 3, num_rows)
    edu = np.where(rng.random(num_rows) < 0.4, job, rng.integers(0, 3, num_rows))
    age = (sex + 2 * (rng.random(num_rows) < 0.2 + 0.3 * edu)).astype(int)
    chance = 0.1 + 0.2 * (job == 2) + 0.3 * (edu == 2) + 0.35 * sex
    pay = (rng.random(num_rows) < chance).astype(int)
    codes = {'sex': sex, 'job': job, 'edu': edu, 'age': age, 'pay': pay}
    return pd.DataFrame({column: np.array([*'uvwx'])[code] for column, code in codes.items()})


def fit_small(**changes):
    arguments = {'epsilon': NO_NOISE, 'public_ranges': True, 'structure': 'aim'}
    synthesizer = PreFairSynthesizer(SMALL_METADATA, **(arguments | SMALL_ROLES | changes))
    synthesizer.fit({'t': small_rows()})
    return synthesizer


def codes(rows, *columns):
    return rows.groupby(list(columns)).ngroup().to_numpy()


def test_an_outcome_hangs_on_all_admissible_columns_and_on_no_other():
    """Chance fails the two bounds on rows of the model less than once in 1e9."""
    real, synthesizer = small_rows(), fit_small()
    edges = {frozenset(edge) for edge in synthesizer.get_fair_graph().edges}
    assert {*map(frozenset, [('job', 'pay'), ('edu', 'pay'), ('job', 'edu')])} <= edges
    rows = synthesizer.sample(200_000)['t']
    for column in ('job', 'edu'):
        ours, theirs = (pd.crosstab(t[column], t['pay'], normalize='index') for t in (rows, real))
        assert np.abs(ours - theirs).to_numpy().max() < 0.02
    given = codes(rows, 'job', 'edu')
    fair = independence_test(codes(rows, 'pay'), codes(rows, 'sex'), given, permutations=50, seed=0)
    # 2 n I is chi-squared with a degree of freedom for each of nine strata.
    assert 2 * len(rows) * fair.estimate < chi2.isf(1e-9, 9)
    tied = independence_test(
        codes(real, 'pay'), codes(real, 'sex'), codes(real, 'job', 'edu'), permutations=50, seed=0
    )
    assert 2 * len(real) * tied.estimate > 10 * chi2.isf(1e-9, 9), 'the test would see it'


def test_what_remains_is_drawn_given_all_known_columns_of_a_clique():
    """Pearson's statistic of pay given job and edu, against the model: fails once in 1e9."""
    synthesizer = fit_small(structure=AimStrategy(AdaptiveStrategy()))
    assert any({'job', 'edu', 'pay'} <= set(clique) for clique in synthesizer._model.cliques)
    known = small_rows()[['job', 'edu']]
    rows = synthesizer.sample_remaining_columns(known)['t']
    pd.testing.assert_frame_equal(rows[['job', 'edu']], known)
    joint = synthesizer._model.marginal(('job', 'edu', 'pay'))
    drawn = np.zeros(joint.shape)
    order = synthesizer.fitted.encoding.encode(rows)
    np.add.at(drawn, tuple(order[column] for column in ('job', 'edu', 'pay')), 1)
    present = drawn.sum(axis=2) > 0
    drawn, share = drawn[present], joint[present] / joint[present].sum(axis=1, keepdims=True)
    expected = drawn.sum(axis=1, keepdims=True) * share
    occurs = expected > 1e-6
    assert drawn[~occurs].sum() == 0
    statistic = ((drawn - expected)[occurs] ** 2 / expected[occurs]).sum()
    assert statistic < chi2.isf(1e-9, len(drawn))
    by_one = (drawn.sum(axis=1, keepdims=True) * joint.sum(axis=(0, 1)) / joint.sum())[occurs]
    assert ((drawn[occurs] - by_one) ** 2 / by_one).sum() > 10 * chi2.isf(1e-9, len(drawn))


# -- doors ----------------------------------------------------------------------------------------


@pytest.mark.filterwarnings('ignore:seed is given')
def test_every_door_gives_the_model_of_fit():
    """The seed is the point: with the same noise, the same pairs are chosen and measured."""
    options = {'epsilon': 3.0, 'seed': 7, 'discretization': 'uniform'}  # as counts are
    one, two, three = (make(**options) for _ in range(3))
    one.fit(CENSUS.data)
    (table,) = CENSUS.data.values()
    two.fit_table(pa.Table.from_pandas(table, preserve_index=False))
    encoded = one.fitted.encoding.encode(table)
    three.fit_counts({
        clique: encoded.groupby(list(clique)).size().rename('count').reset_index()
        for clique in declared_cliques(one.fitted.prepared)
    })
    assert one.get_fair_graph().number_of_edges() > len(one.fitted.plan.domains) - 1
    for other in (two, three):
        assert other.get_privacy_ledger().equals(one.get_privacy_ledger())
        assert other._model.cliques == one._model.cliques
        for ours, theirs in zip(one._model.measurements, other._model.measurements, strict=True):
            assert ours.columns == theirs.columns
            assert np.array_equal(ours.values, theirs.values)
        for ours, theirs in zip(one._model.nodes, other._model.nodes, strict=True):
            assert np.array_equal(ours.table, theirs.table)
