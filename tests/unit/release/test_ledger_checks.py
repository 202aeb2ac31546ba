"""Each line of a ledger has the noise that its amount asks for; measurements are no more exact.

About ``_ledger_record.py``.
"""

import math
from fractions import Fraction

import numpy as np
import pytest

from sdv_prefair.counting import count_codes
from sdv_prefair.errors import ReleaseError
from sdv_prefair.model import Measurement
from sdv_prefair.privacy import Debit, Ledger, PrivateTable, SeededEntropy
from sdv_prefair.privacy._private_table import frequent_values
from sdv_prefair.release._ledger_record import (
    check_learning,
    check_lines,
    check_measurements,
    check_scores,
    check_shapes,
)
from sdv_prefair.selection._scores import independence_gap

PAIRS = [('a', 'b'), ('a', 'c'), ('b', 'c'), ('a', 'd'), ('b', 'd'), ('c', 'd')]
EVERY_MECHANISM = 4


def lines_of_all_kinds(rows, epsilon):
    """Return a line of each mechanism, as the mechanisms write them."""
    codes = {column: np.arange(40) % 2 for column in 'abcd'}
    cliques = [*((column,) for column in codes), *PAIRS]
    ledger, noise = Ledger(epsilon, 1e-6, rows, 5e-7), SeededEntropy(1)
    table = PrivateTable(count_codes(codes, dict.fromkeys(codes, 2), cliques), ledger, noise)
    shares = iter(ledger.shares(ledger.budget, [1, 2, 3, 4, 5]))
    gap = independence_gap({column: np.full(2, 20.0) for column in codes})
    frequent_values('a', {'x': 9}, next(shares), 5e-7, 'learn domains', ledger, noise)
    table.measure_groups('b', np.array([0, 1]), next(shares), 'discretize')
    table.measure(('a', 'b'), next(shares), 'measure two-ways')
    table.choose(PAIRS, gap, next(shares), 'select the tree')
    table.score(PAIRS, gap, next(shares), 'select the tree')
    assert len({line.mechanism for line in ledger.debits}) == EVERY_MECHANISM
    return ledger.debits


def changed(line, factor):
    """Return the line with a scale so many times as private."""
    sharper = line.mechanism == 'exponential'
    scale = line.scale / factor if sharper else line.scale * factor
    return Debit(line.step, line.mechanism, line.columns, line.rho, line.delta, scale)


@pytest.mark.parametrize('epsilon', [1e-3, 1.0, 1e3])
@pytest.mark.parametrize('rows', [1, 7])
def test_lines_are_as_noisy_as_they_must_be_and_no_less(rows, epsilon):
    lines = lines_of_all_kinds(rows, epsilon)
    check_lines(lines, rows)
    check_scores(lines, len(PAIRS), rows)
    for line in lines:
        check_lines([changed(line, 1.01)], rows)
        with pytest.raises(ReleaseError, match='less noise'):
            if line.mechanism == 'discrete Gaussian on scores':
                check_scores([changed(line, 0.999)], len(PAIRS), rows)
            check_lines([changed(line, 0.999)], rows)
        with pytest.raises(ReleaseError, match='less noise'):
            check_lines([changed(line, math.nan)], rows)


def test_a_promise_for_more_rows_needs_more_noise():
    for line in lines_of_all_kinds(1, 1.0):
        if line.mechanism not in ('exponential', 'discrete Gaussian on scores'):
            with pytest.raises(ReleaseError, match='less noise'):
                check_lines([line], 2)


def test_scores_without_any_knowledge_of_pairs_need_some_noise():
    line = Debit('select the tree', 'discrete Gaussian on scores', tuple('abcd'), Fraction(1, 2))
    for scale, enough in ((math.sqrt(2), True), (1.4, False)):
        scored = Debit(line.step, line.mechanism, line.columns, line.rho, 0.0, scale)
        if enough:
            check_lines([scored], 1)
        else:
            with pytest.raises(ReleaseError, match='less noise'):
                check_lines([scored], 1)


def measured_twice(*scales):
    ledger = Ledger(1e6, 1e-9)
    for scale in scales:
        rho = Fraction(1 / (2 * scale * scale))
        ledger.debit(Debit('measure two-ways', 'discrete Gaussian', ('a', 'b'), rho, scale=scale))
    other = Debit('learn domains', 'discrete Gaussian', ('a',), Fraction(1, 8), scale=2.0)
    ledger.debit(other)
    return ledger


def measurement(stddev, columns=('b', 'a')):
    return Measurement(columns, np.zeros((2,) * len(columns)), stddev)


def test_two_looks_make_up_one_measurement_and_pay_for_one():
    ledger = measured_twice(3.0, 4.0)
    check_measurements([measurement(2.4)], ledger)
    check_measurements([measurement(np.array([[2.4, 9.0], [9.0, 9.0]]))], ledger)
    check_measurements([measurement(3.0), measurement(4.0)], ledger)
    for wrong in (
        [measurement(2.399)],
        [measurement(2.4), measurement(2.4)],
        [measurement(np.array([[9.0, 9.0], [9.0, 2.0]]))],
        [measurement(2.4), measurement(100.0, ('a', 'c'))],
        [measurement(2.0, ('a',))],
    ):
        with pytest.raises(ReleaseError, match='more precise'):
            check_measurements(wrong, ledger)


def test_what_was_learnt_was_paid_for():
    ledger = Ledger(1.0, 1e-9)
    ledger.debit(Debit('learn domains', 'discrete Gaussian', ('a',), ledger.budget / 2))
    check_learning([], ledger.debits)
    check_learning(['a'], ledger.debits)
    with pytest.raises(ReleaseError, match='does not pay'):
        check_learning(['a', 'b'], ledger.debits)
    ledger.debit(Debit('measure one-ways', 'discrete Gaussian', ('b',), ledger.budget / 4))
    with pytest.raises(ReleaseError, match='does not pay'):
        check_learning(['a', 'b'], ledger.debits)


def test_bins_that_follow_the_data_are_paid_for():
    def line(step, column):
        return Debit(step, 'discrete Gaussian', (column,), Fraction(1, 50), scale=5.0)

    binned = ['wage', 'age']
    look, learnt = line('discretize', 'wage'), line('learn domains', 'wage')
    check_shapes(['wage'], binned, [look])
    for unpaid in ([], [learnt], [line('discretize', 'age')], [look, line('discretize', 'sex')]):
        with pytest.raises(ReleaseError, match='does not pay'):
            check_shapes(['wage'], binned, unpaid)


def test_fits_of_the_same_codes_carry_over_all_that_encoders_rest_on():
    look = Debit('discretize', 'discrete Gaussian', ('wage',), Fraction(1, 50), scale=5.0)
    check_learning([], [look], [])
    with pytest.raises(ReleaseError, match='does not pay'):
        check_learning([], [], [look])
