"""Parts of a file hold what they were given, whichever of them comes first.

About ``_written_rows.py``.
"""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sdv_prefair.columns._telling import tells_codes
from sdv_prefair.errors import DomainError
from sdv_prefair.synthesizer._written_rows import write_parts
from sdv_prefair.transformers import CategoryCodes, DatetimeBins, NumberBins

VALUES = [
    *(1, 2, -3, 2**53 + 1, 2.5, 2.0, -0.5, True, False, 'a', '1', 'True', b'b'),
    *(Decimal('1.5'), Decimal('20.25'), dt.date(2024, 1, 1), dt.datetime(2024, 1, 1, 10)),
]


def columns_of(values, dtype, nullable):
    try:
        codes = CategoryCodes(values, nullable, other=False, dtype=dtype)
    except DomainError:
        assume(False)
    assume(tells_codes(codes))
    return codes


def parts_of(codes, orders):
    for order in orders:
        yield pd.DataFrame({'x': codes.decode(np.array(order), np.random.default_rng(0))})


@st.composite
def parted_categories(draw):
    """Draw a column of categories, and its codes in parts of a file."""
    values = draw(st.lists(st.sampled_from(VALUES), min_size=2, max_size=4, unique=True))
    dtype = draw(st.sampled_from(['object', 'category', 'int64', 'float64', 'string', None]))
    codes = columns_of(values, dtype, draw(st.booleans()))
    place = st.integers(0, codes.num_codes - 1)
    return codes, draw(st.lists(st.lists(place, min_size=1, max_size=3), min_size=2, max_size=5))


@given(parted_categories())
def test_parquet_files_tell_codes_whichever_part_is_first(tmp_path_factory, drawn):
    codes, orders = drawn
    path = tmp_path_factory.mktemp('parts') / 'x.parquet'
    try:
        write_parts(parts_of(codes, orders), path, 10, {'x': codes})
    except ValueError as error:
        assert 'several types' in str(error)
        return
    read = pd.read_parquet(path)['x'].astype(object)
    found = np.concatenate(orders)
    code_of = {}
    for value, code in zip(read.where(read.notna(), None), found.tolist(), strict=True):
        assert code_of.setdefault(value, code) == code


@given(parted_categories())
def test_whether_a_column_can_be_written_does_not_depend_on_the_rows(tmp_path_factory, drawn):
    codes, orders = drawn
    folder = tmp_path_factory.mktemp('parts')

    def is_refused(orders):
        try:
            write_parts(parts_of(codes, orders), folder / 'x.parquet', 10, {'x': codes})
        except ValueError as error:
            assert 'several types' in str(error)
            return True
        return False

    alone = [is_refused([[code]]) for code in range(codes.num_codes)]
    assert len({*alone, is_refused(orders), is_refused(orders[::-1])}) == 1


@given(parted_categories())
def test_csv_files_write_a_value_alike_in_all_parts(tmp_path_factory, drawn):
    codes, orders = drawn
    assert_alike(tmp_path_factory.mktemp('parts') / 'x.csv', codes, orders)


@pytest.mark.parametrize('zone', [None, 'Europe/Paris'])
@pytest.mark.parametrize('unit', ['s', 'us', 'ns'])
@pytest.mark.parametrize('first', [0, 1, 2])
def test_csv_files_write_moments_alike_in_all_parts(zone, unit, first, tmp_path):
    """Midnight is a value of its own here, and so are a part without others, and with nulls."""
    low, high = (pd.Timestamp(day, tz=zone) for day in ('2024-01-01', '2024-01-02 23:59:59'))
    kind = f'datetime64[{unit}]' if zone is None else f'datetime64[{unit}, {zone}]'
    codes = DatetimeBins(low, high, bins=2, dtype=kind)
    midnight = pd.Series([low] * 2).astype(kind)
    later = pd.Series([low + pd.Timedelta(hours=10), None]).astype(kind)
    parts = [pd.DataFrame({'x': values}) for values in (midnight, later, midnight)]
    parts = parts[first:] + parts[:first]
    write_parts(iter(parts), tmp_path / 'x.csv', 6, {'x': codes})
    read = pd.read_csv(tmp_path / 'x.csv', dtype=str, keep_default_na=False)['x']
    assert len({len(text) for text in read if text}) == 1
    found = pd.to_datetime(read, utc=zone is not None)
    expected = pd.concat(parts)['x'].reset_index(drop=True)
    assert (found.eq(expected) | (found.isna() & expected.isna())).all()


@pytest.mark.parametrize('first', [0, 1])
def test_csv_files_write_integers_beside_nulls_alike(first, tmp_path):
    codes = NumberBins(0, 9, decimal_places=0, dtype='int64')
    assert_alike(tmp_path / 'x.csv', codes, [[1, 2], [1, codes.null_code]][:: 1 - 2 * first])


def assert_alike(path, codes, orders):
    write_parts(parts_of(codes, orders), path, 10, {'x': codes})
    cells = path.read_text().splitlines()[1:]
    written = {}
    for cell, code in zip(cells, np.concatenate(orders).tolist(), strict=True):
        assert written.setdefault(code, cell) == cell
    assert len(set(written.values())) == len(written)
