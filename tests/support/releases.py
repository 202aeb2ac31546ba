"""A small table to release, and what it means that a release gives back the same."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer, load_release

TREE = [('sex', 'grade'), ('grade', 'hours'), ('grade', 'paid')]
ROLES = {'protected': ['sex'], 'admissible': ['grade'], 'outcome': ['paid']}


def staff_metadata(**more):
    columns = {
        'key': {'sdtype': 'id', 'regex_format': 'K[0-9]{6}'},
        'sex': {'sdtype': 'categorical', 'range_values': ['F', 'M']},
        'grade': {'sdtype': 'ordinal', 'range_values': ['a', 'b', 'c']},
        'hours': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 90, 'decimal_places': 0},
        'paid': {'sdtype': 'boolean', 'range_is_nullable': False},
    }
    tables = {'staff': {'primary_key': 'key', 'columns': columns | more}}
    return Metadata.load_from_dict({'tables': tables})


def staff_rows(num_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({
        'key': [f'K{row:06}' for row in range(num_rows)],
        'sex': rng.choice(['F', 'M'], num_rows),
        'grade': rng.choice(['a', 'b', 'c'], num_rows),
        'hours': rng.integers(0, 91, num_rows),
        'paid': rng.random(num_rows) < 0.4,
    })


def tied_rows():
    """Sex tells of the grade, and hours tell of either, never of which."""
    table, rng = staff_rows(3000), np.random.default_rng(1)
    lady = (table['sex'] == 'F').to_numpy()
    table['grade'] = table['grade'].mask(lady & (rng.random(len(table)) < 0.6), 'a')
    rank = table['grade'].map({'a': 0, 'b': 1, 'c': 2}).to_numpy()
    hours = np.where(rng.random(len(table)) < 0.5, 20 * lady, 10 * rank)
    return table.assign(hours=hours)


def fit(table=None, metadata=None, **changes):
    arguments = ROLES | {'public_ranges': True} | changes
    synthesizer = PreFairSynthesizer(metadata or staff_metadata(), **arguments)
    synthesizer.fit({'staff': staff_rows() if table is None else table})
    return synthesizer


def released(synthesizer, path):
    synthesizer.save_release(path)
    return load_release(path)


def assert_same(one, two, rows=200):
    """Everything the two show and sample is the same."""
    one.reset_sampling()
    two.reset_sampling()
    for _ in range(2):
        ours, theirs = one.sample(rows), two.sample(rows)
        assert ours.keys() == theirs.keys()
        for name in ours:
            pd.testing.assert_frame_equal(ours[name], theirs[name])
    assert one.get_info() == two.get_info()
    assert one.get_roles() == two.get_roles()
    assert one.get_roles('modified') == two.get_roles('modified')
    assert repr(one.get_transformers()) == repr(two.get_transformers())
    for version in ('original', 'modified'):
        assert one.get_metadata(version).to_dict() == two.get_metadata(version).to_dict()
    ledgers = one.get_privacy_ledger(), two.get_privacy_ledger()
    pd.testing.assert_frame_equal(*ledgers)
    assert ledgers[0].attrs == ledgers[1].attrs
    graphs = one.get_fair_graph(), two.get_fair_graph()
    assert graphs[0].graph == graphs[1].graph
    assert nx.utils.graphs_equal(*graphs)
    assert one.visualize().to_json() == two.visualize().to_json()
    assert_same_model(one._model, two._model)


def assert_same_model(one, two):
    assert list(one.domain.items()) == list(two.domain.items())
    assert (one.cliques, one.total, one.gap) == (two.cliques, two.total, two.gap)
    assert (one.estimator, one.loss) == (two.estimator, pytest.approx(two.loss))
    for ours, theirs in zip(one.nodes, two.nodes, strict=True):
        assert (ours.columns, ours.separator) == (theirs.columns, theirs.separator)
        assert ours.parent == theirs.parent
        np.testing.assert_array_equal(ours.table, theirs.table)
    for ours, theirs in zip(one.measurements, two.measurements, strict=True):
        assert ours.columns == theirs.columns
        np.testing.assert_array_equal(ours.values, theirs.values)
        np.testing.assert_array_equal(ours.stddev, theirs.stddev)
    for column, ours in one.compressions.items():
        np.testing.assert_array_equal(ours.group_of, two.compressions[column].group_of)
        np.testing.assert_array_equal(ours.weights, two.compressions[column].weights)
