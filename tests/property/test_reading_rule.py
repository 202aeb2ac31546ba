"""Cells are read as written or not at all, by a rule that no door and no other row changes."""

import csv
from datetime import datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sdv_prefair.columns._cells import read_cells
from sdv_prefair.columns._grids import MonthCells
from sdv_prefair.counting import FrameSource
from sdv_prefair.counting._tables import open_table
from sdv_prefair.transformers import NumberBins

# What people write, with and without a century, a day, a clock or an offset.
FORMATS = [
    *('%Y-%m-%d', '%Y/%m/%d', '%Y.%m.%d', '%Y%m%d', '%Y-%m', '%Y', '%y%m%d', '%d%m%y', '%d%m%Y'),
    *('%d/%m/%Y', '%m/%d/%Y', '%d.%m.%Y', '%d-%m-%Y', '%m-%d-%Y', '%d/%m/%y', '%m/%d/%y'),
    *('%d %b %Y', '%d %B %Y', '%b %d, %Y', '%B %d %Y', '%a %d %b %Y', '%d-%b-%y', '%Y-%j'),
    *('%Y-%m-%d %H:%M', '%Y-%m-%d %H:%M:%S', '%Y-%m-%dT%H:%M:%S', '%Y-%m-%d %H:%M:%S.%f'),
    *('%d/%m/%Y %H:%M', '%m/%d/%Y %I:%M %p', '%d.%m.%Y %H:%M:%S', '%H:%M', '%H%M', '%I:%M %p'),
    *('%m/%Y', '%b %Y', '%y-%m-%d', '%Y %m %d', '%Y_%m_%d', '%d%b%Y', '%H:%M %d/%m/%Y'),
]
NULL_WORDS = ['', 'NA', 'N/A', 'NULL', 'null', 'None', '?', '-', 'nan', 'NaT', 'today', 'now', ' ']
MOMENTS = st.datetimes(datetime(1970, 1, 1), datetime(2068, 12, 31))


def written(moment, datetime_format):
    text = moment.strftime(datetime_format)
    return text, np.datetime64(datetime.strptime(text, datetime_format), 'us')


@given(st.lists(MOMENTS, max_size=4), st.sampled_from(FORMATS), st.sampled_from(NULL_WORDS))
@example([datetime(2024, 4, 3)], '%d/%m/%Y', '')
@example([datetime(2010, 3, 12)], '%d%m%y', '')
def test_a_date_is_read_as_it_was_written_or_not_at_all(moments, form, word):
    texts, meant = zip(*[written(moment, form) for moment in moments], ('', None), strict=False)
    cells = np.array([*texts, word], dtype=object)
    declared = read_cells(cells, form)
    assert (declared[: len(moments)] == np.array(meant[: len(moments)], 'M8[us]')).all()
    undeclared = read_cells(cells, None)
    for read, moment in zip(undeclared, meant, strict=False):
        assert np.isnat(read) or read == moment
    assert np.isnat(declared[-1])
    assert np.isnat(undeclared[-1])


NUMBERS = st.one_of(
    st.integers(-(10**6), 10**6).map(lambda n: (str(n), float(n))),
    st.integers(-(10**6), 10**6).map(lambda n: (f'{n:,}', float(n))),
    st.integers(0, 10**8).map(lambda n: (f'{n / 100:.2f}'.replace('.', ','), n / 100)),
    st.integers(0, 10**8).map(lambda n: (f'{n / 100:.2f}', n / 100)),
    st.integers(0, 1000).map(lambda n: (f'{n} %', n / 100)),
    st.integers(0, 1000).map(lambda n: (f'${n}', float(n))),
    st.floats(-1e6, 1e6).map(lambda x: (repr(x), x)),
)


def doors(texts, described, folder):
    """Give a column of strings through every door that reads strings."""
    path = folder / 'cells.csv'
    with path.open('w', newline='', encoding='utf-8') as stream:
        rows = csv.writer(stream, lineterminator='\n', quoting=csv.QUOTE_ALL)
        rows.writerows([['x', 'y'], *([text, 'a'] for text in texts)])
    table = pa.table({'x': pa.array(texts, pa.string()), 'y': ['a'] * len(texts)})
    pq.write_table(table, folder / 'cells.parquet')
    columns = {'x': described, 'y': {'sdtype': 'id'}}

    def dtypes(found):
        return pd.Series({'x': np.dtype(object)})

    return {
        'frame': FrameSource(pd.DataFrame({'x': texts}, dtype=object)),
        'csv': open_table(path, dtypes, None, 1, columns),
        'parquet': open_table(folder / 'cells.parquet', dtypes, None, 1, columns),
        'arrow': open_table(table, dtypes, None, 1, columns),
    }


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp('doors')


def counted(source, encoder):
    return source.count({'x': encoder}, [('x',)]).project(('x',)).tolist()


@given(st.lists(MOMENTS, min_size=1, max_size=4), st.sampled_from(FORMATS), st.booleans())
def test_every_door_reads_a_date_alike(folder, moments, form, is_declared):
    encoder = MonthCells(0, 12 * 99, form if is_declared else None, False)
    texts = [written(moment, form)[0] for moment in moments]
    about = {'sdtype': 'datetime'} | ({'datetime_format': form} if is_declared else {})
    opened = doors([*texts, 'NA'], about, folder)
    found = {tuple(counted(source, encoder)) for source in opened.values()}
    assert len(found) == 1


@given(st.lists(NUMBERS, min_size=1, max_size=4), st.sampled_from(NULL_WORDS))
def test_every_door_reads_a_number_as_it_was_written_or_not_at_all(folder, numbers, word):
    encoder = NumberBins(-1e6, 1e6, 40)
    texts, meant = zip(*numbers, strict=True)
    unread = encoder.encode(pd.Series([None], dtype=object))[0]
    codes = encoder.encode(pd.Series(texts, dtype=object))
    expected = encoder.encode(pd.Series(meant))
    assert all(c in (e, unread) for c, e in zip(codes, expected, strict=True))
    opened = doors([*texts, word], {'sdtype': 'numerical'}, folder)
    found = counted(opened['csv'], encoder)
    assert found == np.bincount([*codes, unread], minlength=encoder.num_counted).tolist()
