"""Histograms of a column before and after its codes are merged."""

import numpy as np

from sdv_prefair.counting import count_codes
from sdv_prefair.privacy import Ledger, PrivateTable, SeededEntropy


def test_codes_are_measured_as_they_were_before_any_were_merged():
    codes = {'a': np.repeat(np.arange(4), [4000, 3000, 2000, 1000])}
    ledger = Ledger(200.0, 1e-9)
    table = PrivateTable(count_codes(codes, {'a': 4}, [('a',)]), ledger, SeededEntropy(2))
    table.regroup({'a': np.array([0, 0, 1, 1])})
    table.regroup({'a': np.array([0, 0])})
    first, second = ledger.shares(ledger.budget, [1, 1])
    noisy, sigma = table.measure_codes('a', first, 'measure one-ways')
    assert np.allclose(noisy, [4000, 3000, 2000, 1000], atol=20 * sigma)
    merged, _ = table.measure(('a',), second, 'measure one-ways')
    assert merged.shape == (1,) and abs(merged[0] - 10_000) < 20 * sigma
    assert [line.columns for line in ledger.debits] == [('a',), ('a',)]
    assert sum(line.rho for line in ledger.debits) == ledger.budget
