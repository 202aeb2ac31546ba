"""The model is a function of what was released: it is rebuilt without the table."""

import numpy as np
import pytest

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.datasets import simulate_census
from sdv_prefair.fitting._pipeline import NEAR_ENOUGH
from sdv_prefair.model import estimate


@pytest.mark.parametrize('structure', ['adaptive', 'exact', 'aim', 'planned', 'privbayes', 'mwem'])
def test_the_model_is_rebuilt_from_its_measurements_alone(structure):
    census = simulate_census(1500, seed=3)
    synthesizer = PreFairSynthesizer(
        census.metadata, public_ranges=True, structure=structure, **census.roles.as_dict()
    )
    synthesizer.fit(census.data)
    released = synthesizer._model
    rebuilt = estimate(
        released.measurements,
        {column: c.num_groups for column, c in released.compressions.items()},
        [tuple(edge) for edge in synthesizer.get_fair_graph().edges],
        compressions=released.compressions,
        shrink=True,
        stationarity=NEAR_ENOUGH,
    )
    for clique in released.cliques:
        assert np.allclose(rebuilt.marginal(clique), released.marginal(clique), atol=1e-12)
    lines = synthesizer.get_privacy_ledger()
    answers = lines[lines['step'].str.startswith('measure')]
    # A pair that was measured twice is one measurement, in the place of the first.
    asked = dict.fromkeys(map(frozenset, answers['columns']))
    assert [frozenset(m.columns) for m in released.measurements] == list(asked)
