"""Simulated tables keep to their metadata, and have the dependences they are made for.

About ``_simulated.py``.
"""

import pandas as pd
import pytest

from sdv_prefair import FairMetadata
from sdv_prefair.datasets import simulate_careers, simulate_census, simulate_gains, simulate_loans

SIMULATIONS = (simulate_careers, simulate_gains, simulate_loans)


@pytest.mark.parametrize('simulate', SIMULATIONS)
def test_every_value_is_in_the_declared_domain(simulate):
    dataset = simulate(2000)
    ((name, table),) = dataset.data.items()
    columns = dataset.metadata.tables[name].columns
    assert list(table) and set(table) == set(columns)
    for column, facts in columns.items():
        values = table[column].dropna()
        if 'range_values' in facts:
            assert set(values) <= set(facts['range_values']), column
        elif 'range_min' in facts:
            low, high = facts['range_min'], facts['range_max']
            if facts['sdtype'] == 'datetime':
                low, high = pd.Timestamp(low), pd.Timestamp(high)
            assert values.between(low, high).all(), column
        assert facts['range_is_nullable'] or not table[column].isna().any(), column


@pytest.mark.parametrize('simulate', SIMULATIONS)
def test_roles_are_those_of_columns_and_a_seed_repeats_the_table(simulate):
    dataset, again, other = simulate(500), simulate(500), simulate(500, seed=1)
    ((name, table),) = dataset.data.items()
    FairMetadata.from_metadata(dataset.metadata).set_roles(**dataset.roles.as_dict())
    pd.testing.assert_frame_equal(table, again.data[name])
    assert not table.equals(other.data[name])


def test_loans_are_approved_by_sex_among_people_who_repay():
    loans = simulate_loans(20_000).data['loans']
    repaid = loans[loans['repaid'] == 'yes']
    approved = repaid.groupby('sex')['approved'].apply(lambda column: (column == 'yes').mean())
    assert approved['male'] - approved['female'] > 0.15


def test_gains_are_mostly_zero_and_hours_have_a_spike():
    people = simulate_gains(20_000).data['people']
    assert 0.88 < (people['gain'] == 0).mean() < 0.92
    assert 0.48 < (people['hours'] == 40).mean() < 0.53


def test_careers_obey_their_rules():
    people = simulate_careers(5_000).data['census']
    assert (people['started_work'] <= people['age']).all()
    assert people.groupby('district')['region'].nunique().eq(1).all()
    assert people['district'].nunique() >= 9


def test_columns_can_be_dropped_and_the_key_with_them():
    census = simulate_census(100).drop(['person_id', 'email'])
    table = census.metadata.tables['census']
    assert list(census.data['census']) == list(table.columns)
    assert 'email' not in table.columns
    assert table.primary_key is None
    assert simulate_census(100).drop(['email']).metadata.tables['census'].primary_key == 'person_id'
