"""What values come back as that have none of their own.

About ``_facts.py``.
"""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.columns._facts import OTHER, name_others
from sdv_prefair.columns._telling import tells_codes
from sdv_prefair.domain import Categories, Numbers, Undeclared
from sdv_prefair.errors import DomainError
from sdv_prefair.transformers import transformer_for

UNKNOWN = Undeclared('categories')
DOMAINS = {
    'learnt': UNKNOWN,
    'listed': Categories(('x', 'y')),
    'flag': Categories((False, True), complete=True),
    'number': Numbers(0, 9),
}


def test_a_text_is_for_all_columns_that_are_learnt():
    named = name_others(DOMAINS, OTHER)
    assert named['learnt'].other == OTHER
    assert not named['learnt'].named_other
    assert {c: d for c, d in named.items() if c != 'learnt'} == {
        c: d for c, d in DOMAINS.items() if c != 'learnt'
    }
    assert name_others(DOMAINS, None)['learnt'].other is None


def test_values_can_be_named_by_column_and_for_listed_ones_too():
    named = name_others(DOMAINS, {'listed': 'z'})
    assert named['listed'].other == 'z'
    assert named['learnt'].other == OTHER
    named = name_others(DOMAINS, {'learnt': 7, 'listed': None})
    assert (named['learnt'].other, named['learnt'].named_other) == (7, True)
    assert named['listed'].shared


@pytest.mark.parametrize(
    'other',
    [
        3,
        '',
        ['a'],
        {'nowhere': 'z'},
        {'number': 5},
        {'flag': 'z'},
        {'learnt': ''},
        {'learnt': ['a']},
        {'listed': 'x'},
        {3: 'z'},
    ],
)
def test_what_cannot_stand_for_others_is_refused(other):
    with pytest.raises(DomainError, match='other'):
        name_others(DOMAINS, other)


@pytest.mark.parametrize('alike', ['1', 1.0, True])
def test_what_looks_like_a_listed_value_is_refused(alike):
    with pytest.raises(DomainError, match='must look different'):
        Categories((1, 2), other=alike)


VALUES = {
    'texts': (st.text(max_size=4), ['object', 'string', 'category', 'string[pyarrow]']),
    'whole': (st.integers(-50, 50), ['int64', 'Int64', 'int8', 'object', 'category', 'float64']),
    'floats': (st.floats(-5, 5, width=16), ['float64', 'Float64', 'object', 'category']),
    'flags': (st.booleans(), ['bool', 'boolean', 'object', 'category']),
    'days': (
        st.dates(datetime.date(1990, 1, 1), datetime.date(2030, 1, 1)).map(pd.Timestamp),
        ['datetime64[us]', 'object', 'category'],
    ),
    'amounts': (st.decimals(-5, 5, places=1), ['object', 'category']),
}
OTHERS = [OTHER, None, 0, -1, 2.5, True, 'other_', 'a', Decimal('1.5'), pd.Timestamp('2000-01-01')]


@st.composite
def learnt_domains(draw):
    """A column's dtype, values that were learnt, and what is to stand for all others."""
    values, dtypes = VALUES[draw(st.sampled_from(sorted(VALUES)))]
    dtype = draw(st.sampled_from(dtypes))
    learnt = draw(st.lists(values, max_size=6, unique=True))
    undeclared = Undeclared('categories', draw(st.booleans()), other=draw(st.sampled_from(OTHERS)))
    return undeclared, learnt, dtype


def dtype_of(name, values):
    return pd.CategoricalDtype(values) if name == 'category' else pd.api.types.pandas_dtype(name)


@pytest.mark.parametrize('broken', ['\r0', 'a\r\nb', '\0', 'a\0b', '\r'])
def test_a_learnt_string_that_breaks_a_line_counts_as_other(broken):
    domain = Undeclared('categories', False).with_values([broken, 'a'], np.dtype(object))
    assert domain.values == ('a',)
    assert tells_codes(transformer_for(domain, 32, np.dtype(object)))


@given(learnt_domains(), st.data())
def test_every_code_is_shown_by_a_value_of_its_own_whatever_the_column(described, data):
    """Values tell their codes, and what was not learnt is neither null nor a learnt value."""
    undeclared, learnt, name = described
    dtype = dtype_of(name, learnt)
    domain = undeclared.with_values(learnt, dtype)
    codes = transformer_for(domain, 32, dtype)
    assert tells_codes(codes) or not domain.shown
    assert codes.stand_in_code is None
    unlearnt = [value for value in data.draw(st.lists(VALUES['whole'][0])) if value not in learnt]
    read = codes.encode(pd.Series(unlearnt, dtype=object))
    assert np.isin(read, [codes.other_code]).all()
    if domain.other is None:
        assert codes.hidden_code == codes.other_code
    else:
        (shown,) = pd.Series(codes.decode([codes.other_code], np.random.default_rng(0))).tolist()
        assert shown == domain.other
        assert not any(shown == value for value in domain.values)
        assert not pd.isna(shown)
        drawn = np.arange(codes.num_codes - bool(codes.nullable))
        made = codes.decode(drawn, np.random.default_rng(0)).dtype
        assert name == 'category' or made == codes.dtype


@given(learnt_domains())
def test_a_learnt_value_is_lost_only_if_it_looks_like_another_or_is_what_was_named(described):
    undeclared, learnt, name = described
    without = Undeclared('categories', undeclared.nullable)
    kept = undeclared.with_values(learnt, dtype_of(name, learnt)).values
    expected = without.with_values(learnt).values
    lost = [value for value in expected if value not in kept]
    assert len(lost) <= 1
    assert all(not isinstance(value, str) for value in lost)
