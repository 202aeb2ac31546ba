"""All pairs of a forest at once, against the model asked pair by pair.

About ``_graphical_model.py``.
"""

from itertools import permutations

import numpy as np

from sdv_prefair.model import Measurement, estimate
from sdv_prefair.model._graphical_model import forest_pairs


def test_each_table_is_that_of_the_model():
    rng = np.random.default_rng(0)
    domain = {'a': 3, 'b': 2, 'c': 4, 'd': 3, 'e': 2, 'f': 1}
    edges = [('c', 'a'), ('b', 'c'), ('d', 'b'), ('e', 'f')]
    cliques = [*((c,) for c in domain), *edges]
    measured = [
        Measurement(q, rng.uniform(0, 50, [domain[c] for c in q]).round(), 2.0) for q in cliques
    ]
    measured[0] = Measurement(('a',), [100.0, 50.0, -30.0], 0.1)
    model = estimate(measured, domain, edges)
    pairs = [list(permutations(domain, 2))[place] for place in rng.permutation(30)]
    found = dict(forest_pairs(model, pairs))
    assert list(sorted(found)) == sorted(pairs)
    for pair in pairs:
        assert np.allclose(found[pair], model.marginal(pair), atol=1e-9)
