"""Means of bins: where rows lie within them is not known, and intervals allow for all of it.

About ``_estimates.py``.
"""

import numpy as np
import pytest

from sdv_prefair.inference import Replicates
from sdv_prefair.inference._estimates import BOUNDED, MEASURED, MeasuredAnswers, MeasuredCounts
from sdv_prefair.inference._questions import Apart, Ratio
from sdv_prefair.inference._replication import model_intervals, tables_of_model
from sdv_prefair.model import Measurement, estimate

# Two bins, 0 to 10 and 10 to 20, in two groups: half of the first group's rows are in the second
# bin, and three quarters of the other's.
COUNTS = np.array([[5000.0, 5000.0], [2500.0, 7500.0]])
MIDDLES, LOWER, UPPER = np.array([5.0, 15.0]), np.array([0.0, 10.0]), np.array([10.0, 20.0])
SHOWN = {'group': np.ones(2, bool), 'number': np.ones(2, bool)}


def mean(given, ends=(LOWER, UPPER)):
    least, most = ({'number': end, **given} for end in ends)
    told = None if ends[0] is ends[1] else (least, most)
    above = {'number': MIDDLES, **given}
    return Ratio(above, dict(given), (0.0, 20.0), is_share=False, ends=told)


@pytest.fixture(scope='module')
def model():
    tables = {('group',): COUNTS.sum(1), ('number',): COUNTS.sum(0), ('group', 'number'): COUNTS}
    measurements = [Measurement(columns, values, 0.01) for columns, values in tables.items()]
    return estimate(measurements, {'group': 2, 'number': 2})


@pytest.fixture(scope='module')
def answers(model):
    asked = [('number',), ('number', 'group')]
    tables = tables_of_model(model, asked)
    return MeasuredAnswers(MeasuredCounts(model, SHOWN), tables, model.total, 0.95, False)


GROUPS = [{'group': group} for group in np.eye(2)]


def test_a_mean_of_bins_may_be_anywhere_between_their_ends(answers):
    found, basis = answers.find(mean({}))
    assert basis == BOUNDED
    # All rows at the lower ends, or all at the upper ones.
    assert (found.lower, found.upper) == pytest.approx((6.25, 16.25), abs=0.01)


def test_a_mean_of_single_numbers_is_measured(answers):
    found, basis = answers.find(mean({}, (MIDDLES, MIDDLES)))
    assert basis == MEASURED
    assert (found.lower, found.upper) == pytest.approx((11.25, 11.25), abs=0.01)


def test_what_is_unknown_of_two_groups_adds_up(answers):
    """One group's rows may all lie low, and the other's all high."""
    found, basis = answers.find(Apart(*(mean(group) for group in GROUPS)))
    assert basis == BOUNDED
    assert (found.lower, found.upper) == pytest.approx((-12.5, 7.5), abs=0.01)


def test_replicates_know_no_more_of_it(model):
    seeds = tuple(np.random.SeedSequence(0).spawn(3))
    replicates = Replicates(model, (model,) * 3, seeds)
    (found,) = model_intervals([mean(GROUPS[0])], replicates, 0.95, True)
    assert (found.estimate, found.lower, found.upper) == pytest.approx((10.0, 5.0, 15.0), abs=0.01)
