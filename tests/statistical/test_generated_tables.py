"""The tables of ``benchmarks/generated_tables.py`` are what their shapes say.

Each bound is four standard errors or more, so that a right generator fails once in ten thousand
seeds; the seeds are fixed, so a failure is a change of the generator.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from generated_tables import HIDDEN, SHAPES, Shape, make_network
from scipy.stats import chi2_contingency

ROWS = 20_000


def rows_of(shape, seed=0, num_rows=ROWS):
    (table,) = make_network(shape, seed).draw(num_rows, seed=1).data.values()
    return table


def p_value(*columns):
    return chi2_contingency(pd.crosstab(*columns)).pvalue


@pytest.mark.parametrize('shape', SHAPES, ids=lambda shape: shape.name)
def test_a_table_has_the_columns_of_its_shape(shape):
    dataset = make_network(shape, seed=3).draw(300, seed=0)
    (table,), roles = dataset.data.values(), dataset.roles
    assert table.shape == (300, shape.columns)
    assert len(roles.admissible) == shape.admissible
    assert len(roles.outcome) == shape.outcomes
    assert HIDDEN not in table
    described = dataset.metadata.tables['generated'].columns
    assert list(described) == list(table)
    assert all(table[name].isin(described[name]['range_values']).all() for name in table)
    assert max(len(c['range_values']) for c in described.values()) <= max(4, shape.most_codes)


def test_a_seed_gives_one_network_and_one_table():
    shape = Shape('any', ROWS, 8)
    pd.testing.assert_frame_equal(rows_of(shape), rows_of(shape))
    assert not rows_of(shape).equals(rows_of(shape, seed=5))
    network = make_network(shape, seed=0)
    first, fresh = (network.draw(ROWS, seed).data['generated'] for seed in (1, 2))
    assert not first.equals(fresh)
    shares = [table['outcome 0'].groupby(table['admissible 0']).mean() for table in (first, fresh)]
    assert abs(shares[0] - shares[1]).max() < 0.1, 'fresh rows follow the same network'


@pytest.mark.parametrize('share', [0.01, 0.3])
def test_outcomes_have_the_share_that_was_asked_for(share):
    table = rows_of(Shape('share', ROWS, 9, outcomes=2, share=share))
    # The base is found on as many rows again, so its own error is of the same size.
    error = np.sqrt(2 * share * (1 - share) / ROWS)
    for name in ('outcome 0', 'outcome 1'):
        assert abs(table[name].mean() - share) < 5 * error


def test_columns_that_matter_together_do_not_matter_alone():
    shape = Shape('joint', ROWS, 6, admissible=2, strength=0.0, skew=0.0, joint=True, bias=0.0)
    table = rows_of(replace(shape, most_codes=2))
    alone = [p_value(table[name], table['outcome 0']) for name in ('admissible 0', 'admissible 1')]
    assert min(alone) > 1e-4
    assert p_value(table['admissible 0'] ^ table['admissible 1'], table['outcome 0']) < 1e-50


def test_without_a_reason_or_bias_nothing_tells_the_outcome():
    table = rows_of(Shape('none', ROWS, 9, strength=0.0, reason=0.0, bias=0.0))
    assert min(p_value(table[name], table['outcome 0']) for name in list(table)[:6]) > 1e-4


def test_protected_columns_matter_by_the_bias_alone():
    fair = Shape('bias', ROWS, 8, strength=0.0, bias=0.0)
    for bias, differs in ((0.0, False), (1.0, True)):
        table = rows_of(replace(fair, bias=bias))
        assert (p_value(table['protected 0'], table['outcome 0']) < 1e-4) == differs


def test_stand_ins_tell_the_protected_columns():
    table = rows_of(Shape('stand-ins', ROWS, 12, stand_ins=2, most_codes=12, strength=0.0))
    ordinary = ['admissible 0', 'unlabelled 0']
    assert min(p_value(table[name], table['protected 0']) for name in ordinary) > 1e-4
    guessed = table['protected 0'].groupby(table['stand-in 0']).transform(lambda c: c.mode()[0])
    commonest = table['protected 0'].value_counts(normalize=True).max()
    assert (guessed == table['protected 0']).mean() > commonest + 0.1


def test_hidden_classes_tie_columns_that_are_no_cause_of_each_other():
    shape = Shape('classes', ROWS, 8, classes=5)
    tied, apart = rows_of(shape), rows_of(replace(shape, strength=0.0))
    assert p_value(tied['admissible 0'], tied['unlabelled 0']) < 1e-20
    assert p_value(apart['admissible 0'], apart['unlabelled 0']) > 1e-4
