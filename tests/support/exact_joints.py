"""Small constrained tables, and the exact distribution of their rows under a random model."""

from itertools import product

import numpy as np
import pandas as pd
from sdv.metadata import Metadata

from sdv_prefair.constraints._adding import Promise, add_to_plan
from sdv_prefair.constraints._plan import ConstraintPlan
from sdv_prefair.domain import public_domain
from sdv_prefair.roles import Roles
from sdv_prefair.selection._resolve import resolve_mechanism
from sdv_prefair.transformers import transformers_for

WORDS = {'sdtype': 'categorical', 'range_values': ['u', 'v'], 'range_is_nullable': False}


def number(high, nullable):
    return {
        'sdtype': 'numerical',
        'range_min': 0,
        'range_max': high,
        'decimal_places': 0,
        'range_is_nullable': nullable,
    }


# Three o'clock follows upon one: that night the clocks skip an hour.
HOURS = {
    'sdtype': 'datetime',
    'datetime_format': '%Y-%m-%d %H',
    'range_min': '2024-03-31 00',
    'range_max': '2024-03-31 04',
    'range_is_nullable': False,
}
PARIS = 'datetime64[ns, Europe/Paris]'
COLUMNS = {
    'p': {'sdtype': 'boolean', 'range_is_nullable': False},
    'a': {'sdtype': 'boolean', 'range_is_nullable': False},
    'o': {'sdtype': 'boolean', 'range_is_nullable': False},
    'low': number(2, True),
    'mid': number(2, False),
    'high': number(3, True),
    'w1': WORDS,
    'w2': WORDS,
    'h1': number(1, False),
    'h2': number(1, False),
    'start': HOURS,
    'end': HOURS,
}
DTYPES = {'p': bool, 'a': bool, 'o': bool, 'w1': object, 'w2': object, 'h1': int, 'h2': int}
DTYPES |= {'start': PARIS, 'end': PARIS}


def plan_of(constraints, columns, roles=None):
    described = {c: COLUMNS[c] for c in columns}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': described}}})
    plan = ConstraintPlan.without_constraints(metadata, public_domain(metadata, True))
    promise = Promise(roles or Roles(), resolve_mechanism('adaptive' if roles else 'none'), True)
    for constraint in constraints:
        plan = add_to_plan(plan, constraint, promise)
    return plan.fit({c: pd.api.types.pandas_dtype(DTYPES.get(c, float)) for c in columns})


def exact_joint(plan, columns, edges, seed=0):
    """Return every row of original values with its probability."""
    empty = pd.DataFrame({c: pd.Series(dtype=DTYPES.get(c, float)) for c in columns})
    dtypes = plan.transform(empty).dtypes
    codes = transformers_for(plan.domains, 32, dtypes)
    # The constraint's columns have no "other" code; of the rest none is drawn.
    sizes = {c: t.num_codes - (t.other_code is not None) for c, t in codes.items()}
    every = np.array(list(product(*(range(size) for size in sizes.values()))))
    rng = np.random.default_rng(seed)
    weights = np.ones(len(every))
    order = list(sizes)
    for first, second in edges:
        table = rng.random((sizes[first], sizes[second])) ** 3
        weights *= table[every[:, order.index(first)], every[:, order.index(second)]]
    decoded = pd.DataFrame({
        c: codes[c].decode(every[:, place], rng) for place, c in enumerate(order)
    })

    def encode(frame):
        return pd.DataFrame({c: codes[c].encode(frame[c]) for c in frame})

    kept = plan.reverse_transform(decoded, encode)
    weight = weights[kept.index]
    return kept.assign(weight=weight / weight.sum())
