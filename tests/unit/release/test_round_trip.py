"""A release gives back the same synthesizer.

Of ``__init__.py``, ``_contents.py``, ``_model_record.py`` and ``_strategy.py``.
"""

import datetime
import pickle

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from releases import (
    ROLES,
    TREE,
    assert_same,
    fit,
    released,
    staff_metadata,
    staff_rows,
    tied_rows,
)
from sdv.metadata import Metadata
from sdv.sampling import Condition

import sdv_prefair
from sdv_prefair import PreFairSynthesizer
from sdv_prefair.datasets import simulate_census
from sdv_prefair.errors import PrivacyWarning, SynthesizerInputError
from sdv_prefair.fitting._pipeline import declared_cliques
from sdv_prefair.selection._exact import ExactStrategy
from sdv_prefair.structure import (
    AimStrategy,
    FairTree,
    GreedyStrategy,
    MwemStrategy,
    PlannedStrategy,
    PrivBayesStrategy,
    UnconstrainedStrategy,
)
from sdv_prefair.transformers import CategoryCodes, DatetimeBins, NumberBins

SEX = {'sdtype': 'categorical', 'range_values': ['F', 'M']}


@pytest.fixture(scope='module')
def census():
    return simulate_census(1500, seed=3)


def fit_census(census, **changes):
    arguments = census.roles.as_dict() | {'public_ranges': True} | changes
    synthesizer = PreFairSynthesizer(census.metadata, **arguments)
    synthesizer.fit(census.data)
    return synthesizer


@pytest.mark.parametrize('ranges', [True, False])
def test_a_census_comes_back_as_it_was(census, ranges, path):
    synthesizer = fit_census(census, public_ranges=ranges, epsilon=8.0)
    loaded = released(synthesizer, path)
    assert type(loaded) is PreFairSynthesizer
    assert_same(synthesizer, loaded)
    assert loaded.verify_fairness() is True
    assert loaded.get_parameters() == synthesizer.get_parameters()


def test_conditions_give_the_same_rows(census, path):
    synthesizer = fit_census(census)
    loaded = released(synthesizer, path)
    (table,) = census.data.values()
    asked = {column: table[column].iloc[0] for column in census.roles.admissible[:2]}
    ours, theirs = (s.sample_from_conditions([Condition(asked, 50)]) for s in (synthesizer, loaded))
    for name, sampled in ours.items():
        pd.testing.assert_frame_equal(sampled, theirs[name])
        assert (sampled[list(asked)] == pd.Series(asked)).all().all()


@pytest.mark.parametrize(
    'structure',
    [
        'none',
        'greedy',
        'exact',
        'aim',
        'privbayes',
        'mwem',
        'planned',
        TREE,
        tuple(map(list, TREE)),
        FairTree(TREE),
        nx.Graph(TREE),
        GreedyStrategy(),
        ExactStrategy(time_limit=5.0),
        AimStrategy(),
        AimStrategy(UnconstrainedStrategy()),
        PrivBayesStrategy(UnconstrainedStrategy(), theta=0.01),
        MwemStrategy(rounds=3),
        PlannedStrategy(),
        PlannedStrategy(UnconstrainedStrategy()),
        PlannedStrategy(outcome_weight=1.0),
    ],
    ids=lambda structure: type(structure).__name__,
)
def test_every_structure_comes_back(structure, path):
    synthesizer = fit(structure=structure)
    loaded = released(synthesizer, path)
    assert_same(synthesizer, loaded)
    if isinstance(structure, str | list | tuple):
        assert loaded.get_parameters() == synthesizer.get_parameters()
    opened, kept = loaded.fitted.settings.mechanism, synthesizer.fitted.settings.mechanism
    assert opened.name == kept.name
    assert (
        loaded.fitted.settings.mechanism.requires_roles
        == synthesizer.fitted.settings.mechanism.requires_roles
    )


class Star:
    """A strategy of somebody's own."""

    name = 'star'

    def __init__(self, centre, requires_roles):
        self.centre, self.requires_roles = centre, requires_roles

    def declare(self, columns, roles):
        pairs = [(a, b) for i, a in enumerate(columns) for b in columns[i + 1 :]]
        return [pair for pair in pairs if self.centre in pair]

    def select(self, columns, roles, scores):
        return FairTree(self.declare(columns, roles))


def test_of_a_custom_strategy_its_name_and_tree_come_back(path):
    synthesizer = fit(structure=Star('grade', True))
    loaded = released(synthesizer, path)
    assert_same(synthesizer, loaded)
    assert loaded.fitted.settings.mechanism.name == 'star'
    assert loaded.verify_fairness() is True
    with pytest.warns(PrivacyWarning, match='budgets add up'):
        loaded.fit({'staff': staff_rows(seed=1)})
    assert nx.utils.edges_equal(loaded.get_fair_graph().edges, synthesizer.get_fair_graph().edges)


def test_a_custom_strategy_that_claims_no_fairness_comes_back_without(path):
    loaded = released(fit(structure=Star('hours', False)), path)
    with pytest.raises(SynthesizerInputError, match='not justifiably fair'):
        loaded.verify_fairness()


def test_without_roles(path):
    none = {'protected': (), 'admissible': (), 'outcome': (), 'structure': 'none'}
    synthesizer = fit(**none)
    loaded = released(synthesizer, path)
    assert_same(synthesizer, loaded)
    assert loaded.get_parameters() == synthesizer.get_parameters()


@pytest.mark.parametrize(
    'changes',
    [
        {'budget': 'paper', 'numeric_bins': 5, 'verbose': False, 'epsilon': 3},
        {'max_rows_per_person': 3, 'person_column': 'key', 'delta': 1e-5},
        {'enforce_rounding': False, 'enforce_min_max_values': False, 'locales': 'de_DE'},
        {'protected': ('sex',), 'locales': ('en_US', 'fr_FR'), 'epsilon': np.float64(0.5)},
        {'protected': {'sex': 1}.keys()},
        {'epsilon': 1e-6},
    ],
)
def test_arguments_come_back(changes, path):
    synthesizer = fit(**changes)
    loaded = released(synthesizer, path)
    assert_same(synthesizer, loaded)
    given, returned = synthesizer.get_parameters(), loaded.get_parameters()
    if not isinstance(given['protected'], list | tuple):
        given['protected'] = ('sex',)
    assert returned == given


@pytest.mark.slow
@pytest.mark.filterwarnings('ignore::sdv_prefair.errors.PrivacyWarning')
@pytest.mark.parametrize(
    'structure', ['adaptive', 'greedy', 'exact', 'aim', 'planned', 'privbayes', 'mwem', 'none']
)
@pytest.mark.parametrize(
    'changes',
    [
        {'max_rows_per_person': 3, 'person_column': 'key', 'epsilon': 1e4},
        {'public_ranges': False, 'epsilon': 100.0, 'delta': 1e-6},
        {'seed': 5, 'budget': 'paper'},
        {'epsilon': 1e-4},
    ],
    ids=['persons', 'learnt', 'seed', 'noise'],
)
def test_whatever_was_paid_for_opens(structure, changes, path):
    synthesizer = fit(structure=structure, **changes)
    assert_same(synthesizer, released(synthesizer, path))


@pytest.mark.filterwarnings('ignore::sdv_prefair.errors.PrivacyWarning')
@pytest.mark.parametrize(
    'structure',
    [
        'none',
        AimStrategy(UnconstrainedStrategy()),
        PlannedStrategy(UnconstrainedStrategy()),
        PrivBayesStrategy(UnconstrainedStrategy()),
        MwemStrategy(UnconstrainedStrategy()),
    ],
)
@pytest.mark.parametrize('ranges', [True, False])
def test_a_single_column_comes_back(structure, ranges, path):
    synthesizer = PreFairSynthesizer(
        Metadata.load_from_dict({'tables': {'staff': {'columns': {'sex': SEX}}}}),
        structure=structure,
        public_ranges=ranges,
    )
    synthesizer.fit({'staff': staff_rows()[['sex']]})
    assert_same(synthesizer, released(synthesizer, path))


@pytest.mark.slow
def test_a_model_of_mbi_comes_back(path):
    synthesizer = fit(estimator='mbi')
    assert_same(synthesizer, released(synthesizer, path))
    beyond_tree = fit(tied_rows(), estimator='mbi', structure='aim', epsilon=1e6)
    assert len(beyond_tree.get_fair_graph().edges) == 4, 'the test needs a chord'
    assert_same(beyond_tree, released(beyond_tree, path))


def test_learnt_domains_with_unequal_bins_come_back(path):
    rng = np.random.default_rng(0)
    table = staff_rows(6000).assign(wage=rng.lognormal(3, 2, 6000))
    metadata = staff_metadata(wage={'sdtype': 'numerical'})
    synthesizer = fit(table, metadata, epsilon=50.0, public_ranges=False)
    assert synthesizer.get_transformers()['wage'].edges, 'the test needs unequal bins'
    assert_same(synthesizer, released(synthesizer, path))


@pytest.mark.parametrize('other', ['other', {'town': 'elsewhere', 'floor': -1}, None])
@pytest.mark.filterwarnings('ignore:Values that are too rare')
def test_learnt_nulls_decimals_and_what_stands_for_rare_values_come_back(path, other):
    rng = np.random.default_rng(0)
    tail = np.where(rng.random(6000) < 0.3, rng.integers(10, 6000, 6000), rng.integers(0, 3, 6000))
    table = staff_rows(6000).assign(
        town=[f'town {number}' for number in tail],
        floor=tail,
        wage=pd.Series(rng.normal(30, 5, 6000).round(2)).where(rng.random(6000) < 0.8),
    )
    learnt = {'sdtype': 'categorical'}
    metadata = staff_metadata(town=learnt, floor=learnt, wage={'sdtype': 'numerical'})
    synthesizer = fit(table, metadata, epsilon=50.0, public_ranges=False, other=other)
    made = synthesizer.get_transformers()
    assert (made['wage'].decimal_places, made['wage'].nullable) == (2, True)
    expected = {'other': ('other', None), None: (None, None)}
    shown = made['town'].other_value, made['floor'].other_value
    assert shown == (('elsewhere', -1) if isinstance(other, dict) else expected[other])
    assert_same(synthesizer, released(synthesizer, path))


def test_transformers_of_the_users_choice_come_back(path):
    bounds = {'range_min': '1990-01-01', 'range_max': '2030-01-01'}
    metadata = staff_metadata(hired={'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'} | bounds)
    table = staff_rows().assign(hired='2020-02-02')
    synthesizer = PreFairSynthesizer(metadata, public_ranges=True, **ROLES)
    synthesizer.auto_assign_transformers({'staff': table})
    days = [datetime.date(2020, 1, 1), '2020-05-05', pd.Timestamp('2020-06-01')]
    with pytest.warns(UserWarning, match='might impact the quality'):
        synthesizer.update_transformers({
            'grade': CategoryCodes(['a', 'c'], weights=[0.25, 0.75]),
            'hours': NumberBins(0, 80, 4, edges=[10, 20.5, 40]),
            'hired': DatetimeBins('2019-01-01', '2021-01-01', '%Y-%m-%d', edges=days),
        })
    synthesizer.fit({'staff': table})
    loaded = released(synthesizer, path)
    assert_same(synthesizer, loaded)
    assert set(loaded.fitted.settings.chosen) == {'grade', 'hours', 'hired'}


def test_a_loaded_synthesizer_goes_on(path, tmp_path):
    """It can be released, pickled and fitted again like the one it came from."""
    loaded = released(fit(), path)
    again = tmp_path / 'again'
    loaded.save_release(again)
    assert again.read_bytes() == path.read_bytes()
    assert_same(pickle.loads(pickle.dumps(loaded)), loaded)
    with pytest.warns(PrivacyWarning, match='budgets add up'):
        loaded.fit_processed_data({'staff': loaded.fitted.encoding.encode(staff_rows(seed=5))})
    assert loaded.get_privacy_ledger()['rho'].sum() == float(loaded.fitted.ledger.budget)
    loaded.fit({'staff': staff_rows(seed=6)})
    assert loaded.get_privacy_ledger()['rho'].sum() == float(loaded.fitted.ledger.budget)


def test_all_three_doors_open_it(path):
    class Own(PreFairSynthesizer):
        pass

    synthesizer = fit()
    synthesizer.save_release(str(path))
    assert_same(synthesizer, sdv_prefair.load_release(str(path)))
    assert_same(synthesizer, PreFairSynthesizer.load_release(path))
    assert type(Own.load_release(path)) is Own


def test_fits_to_other_things_than_frames_come_back(path):
    table = staff_rows()
    streamed = PreFairSynthesizer(staff_metadata(), public_ranges=True, **ROLES)
    streamed.fit_table(pa.Table.from_pandas(table))
    assert_same(streamed, released(streamed, path))
    codes = streamed.fitted.encoding.encode(table)
    counted = PreFairSynthesizer(staff_metadata(), public_ranges=True, **ROLES)
    counted.fit_counts({
        clique: codes.groupby(list(clique)).size().rename('count').reset_index()
        for clique in declared_cliques(streamed.fitted.prepared)
    })
    assert_same(counted, released(counted, path))
