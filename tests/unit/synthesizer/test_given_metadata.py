"""What a synthesizer says of itself and of its arguments.

Of ``_arguments.py`` and ``_inspection.py``.

Which metadata is refused is in the catalogue of messages.
"""

import pickle

import numpy as np
import pytest
from people import people
from sdv.errors import SynthesizerInputError

from sdv_prefair import NoiseWarning, PreFairSynthesizer, PrivacyWarning
from sdv_prefair.datasets import simulate_census

PEOPLE = people(60, ('sex', 'education', 'income'))


def new(**changes):
    return PreFairSynthesizer(PEOPLE.metadata, **({'public_ranges': True} | PEOPLE.roles | changes))


def test_repr_tells_roles_budget_and_state():
    synthesizer = new(epsilon=2)
    shown = repr(synthesizer)
    assert "PreFairSynthesizer for table 'people'" in shown
    assert 'income is independent of sex given education' in shown
    assert 'epsilon = 2, delta = 1e-09' in shown
    assert shown.endswith('state: not fitted')
    synthesizer.fit(PEOPLE.data)
    assert repr(synthesizer).endswith('state: fitted, spent epsilon = 2, delta = 1e-09')
    assert repr(pickle.loads(pickle.dumps(synthesizer))) == repr(synthesizer)
    with pytest.warns(PrivacyWarning, match='budgets add up'):
        synthesizer.fit(PEOPLE.data)
    assert repr(synthesizer).endswith('2 attempts, and budgets add up')
    assert len(repr(synthesizer).splitlines()) == 6


def test_repr_of_an_unfair_structure_promises_nothing():
    shown = repr(new(structure='none', seed=1))
    assert 'promises: no fairness' in shown
    assert 'not private' in shown


def test_repr_depends_on_no_row():
    """Two tables of other values and sizes: the same words, for all that is shown is public."""
    shown = []
    for rows, seed in ((60, 0), (300, 7)):
        table = people(rows, ('sex', 'education', 'income'), seed)
        synthesizer = PreFairSynthesizer(table.metadata, public_ranges=True, **table.roles)
        synthesizer.fit(table.data)
        shown.append(repr(synthesizer))
    assert shown[0] == shown[1]


@pytest.mark.parametrize('epsilon', [20.5, np.int64(50)])
def test_a_large_epsilon_is_named(epsilon):
    with pytest.warns(PrivacyWarning, match='is above 20'):
        new(epsilon=epsilon)


def test_a_small_epsilon_is_named():
    with pytest.warns(NoiseWarning, match='is below 0.01'):
        new(epsilon=0.0099)


@pytest.mark.parametrize('epsilon', [0.01, 1, 20])
@pytest.mark.filterwarnings('error')
def test_other_epsilons_are_not(epsilon):
    new(epsilon=epsilon)


def test_a_fit_says_that_noise_swamps_most_of_a_small_table():
    """A thousand rows at epsilon 0.3: of 12 columns 9 are cut into cells that noise swamps."""
    census = simulate_census(1000, seed=1)
    synthesizer = PreFairSynthesizer(
        census.metadata, epsilon=0.3, public_ranges=True, **census.roles.as_dict()
    )
    with pytest.warns(NoiseWarning, match='Noise swamps the columns'):
        synthesizer.fit(census.data)


def test_numbers_in_arrays_of_no_dimension_are_numbers():
    assert new(epsilon=np.array(2)).epsilon == 2
    assert new(numeric_bins=np.array(16)).numeric_bins == 16


@pytest.mark.parametrize('rows', [10.0, True, '5', -1])
def test_rows_that_are_no_number_of_rows_are_refused(rows):
    synthesizer = new()
    synthesizer.fit(PEOPLE.data)
    with pytest.raises(SynthesizerInputError, match='num_rows .* must be an integer'):
        synthesizer.sample(rows)
