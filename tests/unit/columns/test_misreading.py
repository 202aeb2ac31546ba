"""What pandas reads as one value though a file tells two, for whatever is written.

About ``_telling.py``.
"""

import io
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.columns._categories import TailedCodes
from sdv_prefair.columns._telling import misread_columns
from sdv_prefair.columns._texts import TextForm
from sdv_prefair.errors import DomainError
from sdv_prefair.transformers import CategoryCodes, NumberBins

LONG = [2**53, 2**53 + 1, 2**60, 2**60 + 1, 7]
NUMBERS = [0.1, 0.10000000000000002, 1.5, 0, 3]
TEXTS = ['1', '01', '+1', '1.0', 'NA', 'nan', 'True', 'TRUE', 'x', 'y', '1e3', '1000', ' 1']
TEXTS += [str(number) for number in LONG]
LISTS = [
    LONG,
    NUMBERS,
    TEXTS,
    [Decimal('0.12345678901234567891'), Decimal('0.1234567890123456789')],
]


def merges(codes, drawn):
    """Whether pandas sees fewer values in a file of these codes than there are."""
    column = pd.DataFrame({
        'line': 0,
        'cell': codes.decode(np.array(drawn), np.random.default_rng(0)),
    })
    read = pd.read_csv(io.StringIO(column.to_csv(index=False)), low_memory=False)['cell']
    return read.astype(object).where(read.notna(), None).nunique(dropna=False) < len(set(drawn))


@given(st.data(), st.sampled_from(LISTS), st.booleans())
def test_no_values_are_merged_without_a_word(data, values, nullable):
    chosen = data.draw(st.lists(st.sampled_from(values), min_size=1, unique_by=str))
    try:
        codes = CategoryCodes(chosen, nullable, other=False)
    except DomainError:  # values that look the same
        return
    shown = st.integers(0, codes.num_codes - 1)
    drawn = data.draw(st.lists(shown, min_size=1, unique=True))
    assert misread_columns({'x': codes}) or not merges(codes, drawn)


@pytest.mark.parametrize('nullable', [True, False])
def test_numbers_too_long_for_floats_are_merged_beside_nulls_alone(nullable):
    codes = NumberBins(2**53, 2**53 + 5, decimal_places=0, nullable=nullable, dtype='Int64')
    assert merges(codes, range(codes.num_codes)) == nullable
    assert misread_columns({'x': codes}) == ['x'] * nullable


@pytest.mark.parametrize(
    ('form', 'tails', 'nullable', 'is_misread'),
    [
        ('[0-9]{5}', ('01', '02'), True, False),
        ('[0-9]{3,5}', ('01', '00'), False, True),
        ('[A-Z]{2}', ('N', 'M'), False, False),
        ('[A-Z]{2}', ('N', 'M'), True, True),
        ('[a-z]{4,5}', ('n', 't'), False, False),
        ('[A-Za-z]{4,5}', ('T', 't'), False, True),
        ('[a-z]{6}', ('n', 't'), True, False),
    ],
)
def test_texts_that_may_be_made_up_count(form, tails, nullable, is_misread):
    codes = TailedCodes(['xx1'], nullable, tails=tails, form=TextForm(form))
    assert misread_columns({'x': codes}) == ['x'] * is_misread
