"""A census as frame and Arrow table, and when two fits of it are the same."""

import numpy as np
import pandas as pd
import pyarrow as pa

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.datasets import simulate_census

CENSUS = simulate_census(4000, seed=0)
FRAME = CENSUS.data['census']
# As databases have it: whole numbers and booleans that might be null.
NULLABLE = FRAME.astype({'age': 'Int64', 'hours': 'Int64', 'home_owner': 'boolean'})
ARROW = pa.Table.from_pandas(NULLABLE, preserve_index=False).replace_schema_metadata(None)


def new(**changes):
    arguments = {'public_ranges': True, 'seed': 7, **CENSUS.roles.as_dict()}
    return PreFairSynthesizer(CENSUS.metadata, **(arguments | changes))


def assert_same_fit(one, two):
    assert one.get_privacy_ledger().equals(two.get_privacy_ledger())
    assert one.fitted.encoding.domain == two.fitted.encoding.domain
    for first, second in zip(one._model.measurements, two._model.measurements, strict=True):
        assert first.columns == second.columns
        assert np.array_equal(first.values, second.values)
    sampled = one.sample(50)['census'] if 'census' in one.metadata.tables else None
    if sampled is not None:
        pd.testing.assert_frame_equal(sampled, two.sample(50)['census'], check_dtype=False)
