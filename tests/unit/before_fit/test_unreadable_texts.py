"""How a text that is no number or date of its column would be read by somebody else.

About ``_column_check.py``.
"""

import numpy as np
import pytest

from sdv_prefair.before_fit._column_check import why_no_date, why_no_number


@pytest.mark.parametrize(
    ('text', 'what'),
    [
        ('1,5', 'a decimal comma'), ('-1.234,50', 'a decimal comma'), (',5', 'a decimal comma'),
        ('1 234,5', 'a decimal comma'), ('12 EUR', 'a unit'), ('$12.50', 'a unit'),
        ("1'000", 'a unit'), ('5%', 'a unit'), ('1,234.50', 'a unit'), ('many', 'not numbers'),
        ('', 'not numbers'), ('-', 'a missing value'),
        ('60,670', 'a comma before three digits'), ('NA', 'a missing value'),
        (str(2**64), '64 bits'), (['x'], 'not numbers'),
    ],
)  # fmt: skip
def test_numbers(text, what):
    ((found, _, inside),) = why_no_number([text])
    assert what in found
    assert inside.tolist() == [True]


@pytest.mark.parametrize(
    ('text', 'written'),
    [('31.12.2020', '%d.%m.%Y'), ('12/31/2020', '%m/%d/%Y'), ('2020-12-31T08:15:00', None)],
)
def test_dates(text, written):
    ((found, remedy, _),) = why_no_date([text])
    assert found == 'have a date in another format'
    assert written is None or f"'{written}'" in remedy


def test_every_cell_has_one_reason():
    cells = ['31.12.2020', 'soon', '12/31/2020', None, 7.5, '2020-01-01', '']
    reasons = why_no_date(cells)
    assert (np.sum([inside for *_, inside in reasons], axis=0) == 1).all()
    numbers = why_no_number(['1,5', '2 m', 'x', '', '3,5'])
    assert [int(inside.sum()) for *_, inside in numbers] == [2, 1, 2]
