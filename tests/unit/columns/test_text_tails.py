"""About ``_categories.py``."""

import ibis
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.columns._facts import Undeclared
from sdv_prefair.columns._telling import tells_codes
from sdv_prefair.columns._texts import TextForm
from sdv_prefair.counting._arrow import encode_array
from sdv_prefair.counting._compiled import compiled_one
from sdv_prefair.counting._expressions import code_expression
from sdv_prefair.transformers import TailedCodes, transformer_for

FORM = TextForm('[0-9]{3}')


def codes_of(**more):
    given = {'values': ['021', '100'], 'tails': ['02', '10'], 'other_value': 'other', 'form': FORM}
    return TailedCodes(**(given | more))


def test_rare_texts_have_the_code_of_their_group():
    codes = codes_of()
    read = codes.encode(pd.Series(['021', '022', '10', '999', None, '0', '02*', 'other', 7]))
    assert read.tolist() == [0, 2, 3, 4, 5, 4, 2, 4, 4]


def test_what_is_made_up_is_of_the_form_and_group_and_not_frequent():
    codes = codes_of()
    shown = pd.Series(codes.decode(np.repeat([2, 3, 4], 400), np.random.default_rng(0)))
    assert shown.str.fullmatch('[0-9]{3}').all()
    assert set(shown[:400]) == {f'02{d}' for d in '023456789'}
    assert set(shown[400:800]) == {f'10{d}' for d in '123456789'}
    assert not shown[800:].str.startswith(('02', '10')).any()


def test_without_a_form_a_group_is_its_beginning():
    shown = codes_of(form=None).decode(np.arange(6), np.random.default_rng(0))
    assert list(shown[:5]) == ['021', '100', '02*', '10*', 'other']
    assert pd.isna(shown[5])


def test_a_group_that_the_form_does_not_have_is_its_beginning():
    shown = codes_of(tails=['02', 'N/']).decode(np.full(9, 3), np.random.default_rng(0))
    assert set(shown) == {'N/*'}


def test_a_category_lists_its_values_so_none_are_made_up():
    codes = codes_of(dtype=pd.CategoricalDtype())
    assert list(codes.decode(np.arange(5), np.random.default_rng(0))) == list(codes.shown)


@given(
    values=st.lists(st.text('0123ab," ', min_size=1, max_size=3), unique=True, max_size=6),
    tails=st.lists(st.text('0123ab', min_size=1, max_size=1), unique=True, max_size=3),
    regex=st.sampled_from(['[0-3]{2}', '[0-3ab]{1,2}', '[0-9]', '(0|ab)[0-3]?']),
    dtype=st.sampled_from([None, object, 'string', 'category']),
    nullable=st.booleans(),
)
def test_every_value_that_is_shown_tells_its_code(values, tails, regex, dtype, nullable):
    undeclared = Undeclared('categories', nullable, other='other', prefix=1, form=TextForm(regex))
    codes = transformer_for(undeclared.with_values(values, dtype, tails), 32, dtype)
    assert tells_codes(codes)
    plain = np.array([c for c in range(codes.num_codes) if c != codes.hidden_code], dtype=int)
    asked = np.repeat(plain, 20)
    shown = pd.Series(codes.decode(asked, np.random.default_rng(1)))
    np.testing.assert_array_equal(codes.encode(shown), asked)
    cells = shown.astype(object).fillna('').astype(str)
    assert (pd.Series(asked).groupby(cells.to_numpy()).nunique() == 1).all()


@pytest.mark.parametrize('dtype', [object, 'string', pd.ArrowDtype(pa.string())])
def test_databases_and_arrow_read_the_same_codes(dtype, tmp_path):
    texts = ['021', '022', '02', '0', '10é', '100', '10', '109', '999', None, 'ü2', 'ü', '1*']
    codes = codes_of(tails=['02', 'ü2', '10'], values=['021', '100', '10'])
    expected = codes.encode(pd.Series(texts, dtype=object)).tolist()
    assert compiled_one(codes, pa.string()) is None  # a table of texts would not know the rare ones
    assert encode_array(codes, pa.array(texts)).tolist() == expected
    assert codes.encode(pd.Series(texts, dtype=dtype)).tolist() == expected
    numbered = pd.DataFrame({'n': range(len(texts)), 'x': texts})
    numbered.to_parquet(tmp_path / 'texts.parquet')
    table = ibis.duckdb.connect().read_parquet(tmp_path / 'texts.parquet')
    found = table.mutate(code=code_expression(table.x, codes)).order_by('n').execute()
    assert found['code'].tolist() == expected
