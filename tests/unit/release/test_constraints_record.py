"""Constraints come back, but those that are code.

About ``_columns_record.py``.
"""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from releases import assert_same, released
from sdv.cag import (
    FixedCombinations,
    FixedIncrements,
    Inequality,
    OneHotEncoding,
    Range,
    SingleTableProgrammableConstraint,
)
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.constraints import PublicCombinations
from sdv_prefair.errors import PrivacyWarning, ReleaseError, StructureError
from sdv_prefair.release._verifying import verify_table
from sdv_prefair.structure import (
    AdaptiveStrategy,
    AimStrategy,
    ExactStrategy,
    FairTree,
    PlannedStrategy,
    UnconstrainedStrategy,
)

TRIP = {
    'key': {'sdtype': 'id'},
    'sex': {'sdtype': 'categorical', 'range_values': ['F', 'M']},
    'low': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 50, 'decimal_places': 0},
    'middle': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 70, 'decimal_places': 0},
    'high': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 90, 'decimal_places': 0},
    'out': {'sdtype': 'datetime', 'range_min': '2020-01-01', 'range_max': '2021-01-01'},
    'back': {'sdtype': 'datetime', 'range_min': '2020-01-01', 'range_max': '2021-01-01'},
    'city': {'sdtype': 'categorical', 'range_values': ['Bonn', 'Lyon', 'Nice']},
    'land': {'sdtype': 'categorical', 'range_values': ['D', 'F']},
    'fee': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 1000, 'decimal_places': 0},
    'red': {'sdtype': 'categorical', 'range_values': [0, 1]},
    'blue': {'sdtype': 'categorical', 'range_values': [0, 1]},
    'paid': {'sdtype': 'boolean'},
}
CONSTRAINTS = [
    Range('low', 'middle', 'high', strict_boundaries=False),
    Inequality('out', 'back'),
    FixedCombinations(['city', 'land']),
    FixedIncrements('fee', 50),
    OneHotEncoding(['red', 'blue']),
]
PLACES = PublicCombinations(['city', 'land'], [['Bonn', 'D'], ['Lyon', 'F'], ['Nice', 'F']])


def trips(num_rows=600):
    rng = np.random.default_rng(0)
    city = rng.choice(['Bonn', 'Lyon', 'Nice'], num_rows)
    low, red = rng.integers(0, 50, num_rows), rng.integers(0, 2, num_rows)
    out = pd.Timestamp('2020-01-01') + pd.to_timedelta(rng.integers(0, 100, num_rows), 'D')
    return pd.DataFrame({
        'key': np.arange(num_rows),
        'sex': rng.choice(['F', 'M'], num_rows),
        'low': low.astype('int16'),
        'middle': pd.array(low + rng.integers(0, 20, num_rows), 'Int64'),
        'high': (low + 20 + rng.integers(0, 20, num_rows)).astype(float),
        'out': out,
        'back': out + pd.to_timedelta(rng.integers(0, 100, num_rows), 'D'),
        'city': pd.Categorical(city),
        'land': np.where(city == 'Bonn', 'D', 'F'),
        'fee': rng.integers(0, 21, num_rows) * 50,
        'red': red,
        'blue': 1 - red,
        'paid': rng.random(num_rows) < 0.5,
    })


def fit_trips(constraints, **changes):
    metadata = Metadata.load_from_dict({'tables': {'staff': {'columns': TRIP}}})
    roles = {'protected': ['sex'], 'admissible': ['low', 'city'], 'outcome': ['paid']}
    arguments = roles | {'public_ranges': True, 'epsilon': 30.0} | changes
    synthesizer = PreFairSynthesizer(metadata, **arguments)
    synthesizer.add_constraints(constraints)
    synthesizer.fit({'staff': trips()})
    return synthesizer


@pytest.mark.parametrize(
    'constraints',
    [CONSTRAINTS, [PLACES], [CONSTRAINTS[0], FixedCombinations(['sex', 'city'])]],
    ids=['every kind', 'public', 'some'],
)
@pytest.mark.parametrize('ranges', [True, False])
def test_constraints_come_back(constraints, ranges, path):
    synthesizer = fit_trips(constraints, public_ranges=ranges, structure='greedy')
    loaded = released(synthesizer, path)
    assert_same(synthesizer, loaded, rows=60)
    assert repr(loaded.get_constraints()) == repr(synthesizer.get_constraints())
    assert loaded.verify_fairness() is True
    loaded.validate_constraints(loaded.sample(50)['staff'])


def test_combinations_that_reject_rows_come_back(path):
    """The second constraint finds its columns gone, so it is kept by rejecting rows."""
    constraints = [PLACES, FixedCombinations(['city', 'red'])]
    synthesizer = fit_trips(constraints)
    assert synthesizer.fitted.plan.rejections
    assert_same(synthesizer, released(synthesizer, path), rows=60)


@pytest.mark.slow
@pytest.mark.parametrize(
    'constraints',
    [
        [Inequality('out', 'back')],
        [FixedCombinations(['city', 'land'])],
        CONSTRAINTS,
        [PLACES, FixedCombinations(['city', 'red'])],
    ],
    ids=['steps', 'combinations', 'every kind', 'one rejects rows'],
)
@pytest.mark.parametrize(
    'structure',
    [
        AimStrategy(AdaptiveStrategy()),
        AimStrategy(max_cells=1000),
        PlannedStrategy(max_cells=1000),
        ExactStrategy(time_limit=3.0),
    ],
    ids=['tree', 'cells', 'planned', 'time'],
)
def test_constraints_come_back_with_a_strategy_that_was_configured(structure, constraints, path):
    """Its pairs are of columns that constraints have made."""
    synthesizer = fit_trips(constraints, structure=structure)
    loaded = released(synthesizer, path)
    assert_same(synthesizer, loaded, rows=60)
    assert len(loaded.fitted.plan.chain) == len(synthesizer.fitted.plan.chain) > 0
    assert loaded.verify_fairness() is True
    loaded.validate_constraints(loaded.sample(50)['staff'])


class Chain:
    """A strategy of somebody's own, that knows some columns by name."""

    name, requires_roles = 'chain', False

    def declare(self, columns, roles):
        if 'out' not in columns:
            raise StructureError('The column out must be modelled. Leave it as it is.')
        return list(pairwise(columns))

    def select(self, columns, roles, scores):
        return FairTree(self.declare(columns, roles))


def test_a_constraint_that_a_strategy_of_ones_own_does_not_let_make_columns_comes_back(path):
    synthesizer = fit_trips([CONSTRAINTS[2], Inequality('out', 'back')], structure=Chain())
    assert (len(synthesizer.fitted.plan.chain), len(synthesizer.fitted.plan.rejections)) == (1, 1)
    loaded = released(synthesizer, path)
    assert_same(synthesizer, loaded, rows=60)
    with pytest.warns(PrivacyWarning, match='budgets add up'):
        loaded.fit({'staff': trips()})
    assert loaded._model.cliques == synthesizer._model.cliques


def test_a_model_of_one_column_that_was_made_comes_back(path):
    metadata = {'columns': {c: TRIP[c] for c in ('city', 'land')}}
    synthesizer = PreFairSynthesizer(
        Metadata.load_from_dict({'tables': {'staff': metadata}}),
        structure=AimStrategy(UnconstrainedStrategy()),
        public_ranges=True,
    )
    synthesizer.add_constraints([PLACES])
    synthesizer.fit({'staff': trips()[['city', 'land']]})
    assert_same(synthesizer, released(synthesizer, path), rows=60)


def test_rows_that_break_a_constraint_are_not_verified():
    synthesizer = fit_trips([PLACES, Inequality('out', 'back')])
    rows = synthesizer.sample(200)['staff']
    assert verify_table(synthesizer, rows).checks[2].about == 'constraints'
    assert bool(verify_table(synthesizer, rows))
    # Every value is in the domain, and so is every column's share of them.
    rows['land'] = np.where(rows['city'] == 'Bonn', 'F', 'D')
    (failed,) = verify_table(synthesizer, rows).failed
    assert failed.about == 'constraints'
    assert "PublicCombinations over ['city', 'land'] is not met in 200 rows" in failed.told


@pytest.mark.slow
@pytest.mark.parametrize('odd', [None, 'abc', [1], float('inf'), -(10**20)], ids=repr)
def test_rows_of_other_types_are_not_verified_and_raise_nothing(odd):
    synthesizer = fit_trips(CONSTRAINTS)
    rows = synthesizer.sample(50)['staff']
    verdicts = {}
    # The column that a gap is measured from is not compared with its domain, and named as such.
    for column in rows.columns.difference(['key', 'out']):
        changed = rows.astype({column: object})
        changed.at[0, column] = odd
        verdicts[column] = bool(verify_table(synthesizer, changed))
    assert not any(verdicts.values())


def test_a_programmable_constraint_is_code(path):
    class Even(SingleTableProgrammableConstraint):
        column_names = ['low']

        def validate(self, metadata): ...

        def is_valid(self, data):
            return data['low'] % 2 == 0

    synthesizer = fit_trips([Even()])
    with pytest.raises(ReleaseError, match='Even.*it is code'):
        synthesizer.save_release(path)
