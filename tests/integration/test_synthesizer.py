"""The whole of a fit on a simulated table, through SDV's own functions."""

import pickle
import subprocess
import sys

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from sdv.evaluation import run_diagnostic
from sdv.metadata import Metadata
from sdv.sampling import Condition
from sdv.utils import load_synthesizer

from sdv_prefair import FairnessWarning, PreFairSynthesizer, PrivacyWarning, Roles
from sdv_prefair.datasets import simulate_census
from sdv_prefair.errors import UnfairModelError
from sdv_prefair.privacy import gaussian_rho_of, rho_of
from sdv_prefair.structure import is_justifiably_fair

STRUCTURES = ['none', 'greedy', 'exact', 'adaptive', 'aim', 'planned', 'privbayes', 'mwem']
# These stop at pairs that noise would drown, or after a number of rounds.
MAY_BE_APART = ['planned', 'privbayes', 'mwem']


@pytest.fixture(scope='module')
def census():
    return simulate_census(4000, seed=1)


def make(census, **changes):
    return PreFairSynthesizer(
        census.metadata, **({'public_ranges': True} | census.roles.as_dict() | changes)
    )


@pytest.fixture(scope='module')
def fitted(census):
    synthesizer = make(census, structure='adaptive')
    synthesizer.fit(census.data)
    return synthesizer


def only(tables):
    (table,) = tables.values()
    return table


@pytest.mark.parametrize('structure', STRUCTURES)
@pytest.mark.parametrize('budget', ['tuned', 'paper'])
def test_every_structure_fits_samples_and_spends_exactly_the_budget(census, structure, budget):
    synthesizer = make(census, structure=structure, budget=budget, epsilon=2.0, delta=1e-8)
    before = only(census.data).copy()
    synthesizer.fit(census.data)
    pd.testing.assert_frame_equal(only(census.data), before)
    ledger = synthesizer.get_privacy_ledger()
    convert = gaussian_rho_of if ledger.attrs['accounting'] == 'GDP' else rho_of
    assert ledger['rho'].sum() == float(convert(2.0, 1e-8))
    assert (convert is gaussian_rho_of) == (structure in ('exact', 'planned'))
    assert (ledger['rho'] > 0).all()
    graph = synthesizer.get_fair_graph()
    assert nx.is_chordal(graph)
    assert nx.is_connected(graph) or structure in MAY_BE_APART
    assert nx.is_tree(graph) or structure in ['aim', *MAY_BE_APART]
    if structure != 'none':
        assert is_justifiably_fair(graph.edges, census.roles)
        assert synthesizer.verify_fairness() is True
    sampled = only(synthesizer.sample(500))
    assert list(sampled.columns) == list(only(census.data).columns)
    assert (sampled.dtypes == only(census.data).dtypes).all()


def test_a_given_tree_is_used_and_selection_costs_nothing(census, fitted):
    edges = [tuple(edge) for edge in fitted.get_fair_graph().edges]
    synthesizer = make(census, structure=edges)
    synthesizer.fit(census.data)
    assert {frozenset(e) for e in synthesizer.get_fair_graph().edges} == set(map(frozenset, edges))
    ledger = synthesizer.get_privacy_ledger()
    assert 'exponential' not in set(ledger['mechanism'])
    assert ledger['rho'].sum() == float(gaussian_rho_of(1.0, 1e-9))


def test_an_unfair_tree_is_refused_on_construction(census):
    columns = [c for c in census.metadata.tables[next(iter(census.data))].columns]
    fair = make(census)
    modelled = list(fair._settings.plan.domains)
    assert set(modelled) <= set(columns)
    outcome, protected = census.roles.outcome[0], census.roles.protected[0]
    others = [c for c in modelled if c not in (outcome, protected)]
    star = [(protected, outcome)] + [(protected, other) for other in others]
    with pytest.raises(Exception, match=f'{protected}.*{outcome}|{outcome}.*{protected}'):
        make(census, structure=star)


def test_diagnostic_is_perfect(census, fitted):
    report = run_diagnostic(census.data, fitted.sample(1000), census.metadata, verbose=False)
    assert report.get_score() == 1.0


def test_save_and_load_give_the_same_samples(census, tmp_path):
    synthesizer = make(census)
    synthesizer.fit(census.data)
    synthesizer.save(tmp_path / 'fit.pkl')
    loaded = load_synthesizer(tmp_path / 'fit.pkl')
    pd.testing.assert_frame_equal(only(loaded.sample(200)), only(synthesizer.sample(200)))
    assert loaded.verify_fairness() is True
    assert loaded.get_parameters() == synthesizer.get_parameters()


def test_reset_sampling_starts_again_and_samples_go_on_otherwise(fitted):
    fitted.reset_sampling()
    first, second = only(fitted.sample(300)), only(fitted.sample(300))
    fitted.reset_sampling()
    pd.testing.assert_frame_equal(only(fitted.sample(300)), first)
    assert not first.drop(columns=_keys(fitted)).equals(second.drop(columns=_keys(fitted)))


def _keys(synthesizer):
    return [synthesizer.metadata.tables[synthesizer._table_name].primary_key]


def test_two_fits_differ_unless_seeded(census):
    def fit(seed):
        synthesizer = make(census, seed=seed)
        if seed is None:
            synthesizer.fit(census.data)
        else:
            with pytest.warns(PrivacyWarning, match='not private'):
                synthesizer.fit(census.data)
        return synthesizer

    values = [fit(seed)._model.measurements[0].values for seed in (None, None, 5, 5, 6)]
    assert (values[0] != values[1]).any()
    assert (values[2] == values[3]).all()
    assert (values[2] != values[4]).any()
    seeded = fit(5)
    assert seeded.get_privacy_ledger().attrs['private'] is False
    assert seeded.get_info()['is_private'] is False
    assert 'not private' in seeded.visualize().layout.title.text


def test_ranges_of_unknown_origin_warn_once(census):
    with pytest.warns(PrivacyWarning) as caught:
        PreFairSynthesizer(census.metadata, **census.roles.as_dict())
    assert len(caught) == 1
    assert 'public_ranges' in str(caught[0].message)


def test_parameters_come_back_under_their_names(census):
    given = {
        'epsilon': 0.5,
        'delta': 1e-7,
        'structure': 'greedy',
        'budget': 'paper',
        'numeric_bins': 16,
        'public_ranges': True,
        'max_rows_per_person': 2,
        'estimator': 'mbi',
        'enforce_rounding': False,
        'seed': 3,
    }
    parameters = make(census, **given).get_parameters()
    assert given.items() <= parameters.items()
    assert Roles(*(parameters[r] for r in ('protected', 'admissible', 'outcome'))) == census.roles


def test_the_ledger_names_every_step_and_its_noise(fitted):
    ledger = fitted.get_privacy_ledger()
    assert list(ledger.columns[:4]) == ['step', 'mechanism', 'columns', 'rho']
    columns = len(fitted.fitted.plan.domains)
    steps = ledger['step'].value_counts()
    assert steps['measure one-ways'] == columns
    assert steps['select the tree'] == columns - 1
    assert steps['measure two-ways'] == columns - 1
    gaussian = ledger[ledger['mechanism'] == 'discrete Gaussian']
    assert np.allclose(1 / (2 * gaussian['scale'] ** 2), gaussian['rho'], rtol=1e-9)
    exponential = ledger[ledger['mechanism'] == 'exponential']
    assert np.allclose(exponential['scale'] ** 2 / 8, exponential['rho'], rtol=1e-6)


def test_more_rows_per_person_means_more_noise(census):
    ledgers = []
    for rows in (3, 1):
        # The default measures as often as earlier answers suggest, a tree always the same.
        synthesizer = make(census, max_rows_per_person=rows, structure='adaptive')
        synthesizer.fit(census.data)
        ledgers.append(synthesizer.get_privacy_ledger())
    ledger, alone = ledgers
    ones = ledger[ledger['step'] == 'measure one-ways']['scale'].to_numpy()
    assert np.allclose(ones, 3 * alone[alone['step'] == 'measure one-ways']['scale'], rtol=1e-6)
    assert ledger['rho'].sum() == alone['rho'].sum()


def test_conditions_are_met_exactly(census, fitted):
    sex, income = census.roles.protected[0], census.roles.outcome[0]
    values = only(census.data)
    for wanted in ({sex: values[sex].iloc[0], 'hours': 45}, {'age': 41}, {'marital_status': None}):
        rows = only(fitted.sample_from_conditions([Condition(wanted, num_rows=40)]))
        assert len(rows) == 40
        for column, value in wanted.items():
            assert (rows[column].isna() if value is None else rows[column] == value).all()
    both = {sex: values[sex].iloc[0], income: values[income].dropna().iloc[0]}
    with pytest.warns(FairnessWarning, match=sex):
        fitted.sample_from_conditions([Condition(both, num_rows=2)])


def test_a_condition_outside_the_domain_is_named(census, fitted):
    sex = census.roles.protected[0]
    with pytest.raises(ValueError, match=f"'{sex}' was requested with a value"):
        fitted.sample_from_conditions([Condition({sex: 'martian'}, num_rows=2)])
    with pytest.raises(ValueError, match="'age' was requested with a value"):
        fitted.sample_from_conditions([Condition({'age': 900}, num_rows=2)])


def test_verification_fails_on_a_model_that_was_tampered_with(census):
    synthesizer = make(census)
    synthesizer.fit(census.data)
    copied = pickle.loads(pickle.dumps(synthesizer))
    other = Roles(['sex'], ['region'], ['income'])
    object.__setattr__(copied.fitted.settings.promise, 'roles', other)
    plain = make(census, structure='none')
    plain.fit(census.data)
    with pytest.raises(UnfairModelError, match='connects a protected column and an outcome'):
        for suspect in (copied, plain):
            suspect.verify_fairness()


def test_there_is_nothing_to_verify_without_roles(census):
    synthesizer = PreFairSynthesizer(census.metadata, structure='none', public_ranges=True)
    synthesizer.fit(census.data)
    with pytest.raises(UnfairModelError, match='nothing to verify'):
        synthesizer.verify_fairness()


@pytest.mark.slow
def test_sdv_offers_the_class_without_importing_jax():
    program = (
        'import sys, warnings; warnings.simplefilter("error");'
        'from sdv.single_table import PreFairSynthesizer;'
        'import sdv_prefair; assert sdv_prefair.PreFairSynthesizer is PreFairSynthesizer;'
        'assert "jax" not in sys.modules and "mbi" not in sys.modules'
    )
    subprocess.run([sys.executable, '-c', program], check=True)
    subprocess.run(
        [sys.executable, '-W', 'error::UserWarning', '-c', 'import sdv_prefair.roles'], check=True
    )


def test_progress_is_shown_when_asked_for(census, capsys):
    synthesizer = make(census, verbose=True)
    synthesizer.fit(census.data)
    shown = capsys.readouterr().err
    for word in ('Counting', 'Planning', 'Fitted'):
        assert word in shown


def test_names_are_text_in_the_picture():
    columns = {
        name: {'sdtype': 'categorical', 'range_values': ['u', 'v']} for name in ('<b>x</b>', 'y')
    }
    metadata = Metadata.load_from_dict({'tables': {'<i>t</i>': {'columns': columns}}})
    synthesizer = PreFairSynthesizer(metadata, structure='none', public_ranges=True)
    synthesizer.fit({'<i>t</i>': pd.DataFrame({'<b>x</b>': ['u', 'v'], 'y': ['u', 'v']})})
    shown = str(synthesizer.visualize().to_dict())
    assert '&lt;b&gt;x' in shown
    assert '<b>x</b>' not in shown.replace('<b>&lt;', '')
    assert '<i>t</i>' not in shown
