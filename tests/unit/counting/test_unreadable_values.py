"""A value that cannot be read is null, and changes no other: not in Arrow, not in a database.

Of ``_arrow.py``, ``_batches.py``, ``_frame.py`` and ``_sql.py``."""

import ibis
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from unreadable import ARRAYS, LARGEST, RAW, SMALLEST, as_text, stamps

from sdv_prefair.columns._grids import FineCells, MomentCells, MonthCells
from sdv_prefair.counting._arrow import encode_array, series_as
from sdv_prefair.counting._batches import BatchSource, tally_batches
from sdv_prefair.counting._frame import RowsPerPerson
from sdv_prefair.counting._sql import SqlSource
from sdv_prefair.counting._streams import parquet_stream
from sdv_prefair.transformers import CategoryCodes, DatetimeBins, NumberBins

ENCODERS = {
    'texts': CategoryCodes(['a', '']),
    'numbers': CategoryCodes([1, 2.5], nullable=False),
    'bins': NumberBins(0, 100),
    'days': DatetimeBins('2020-01-01', '2021-01-01'),
    'instants': DatetimeBins('2020-01-01 00:00:00+00:00', '2021-01-01 00:00:00+00:00'),
    'written': DatetimeBins('2020-01-01', '2021-01-01', '%Y-%m-%d'),
    'months': MonthCells(0, 700, None, False),
    'cells': FineCells(0.0, 100.0, None, 1.0, 100, (0.0, 50.0)),
    'hours': MomentCells(0, 3600, 2**20, None, False),
}
SQL = ['days', 'months', 'hours']
every_array = pytest.mark.parametrize('array', ARRAYS.values(), ids=ARRAYS)


@every_array
@pytest.mark.parametrize('encoder', ENCODERS.values(), ids=ENCODERS)
def test_every_value_has_the_code_that_it_has_alone(array, encoder):
    together = encode_array(encoder, array).tolist()
    alone = [encode_array(encoder, array.slice(row, 1)).tolist()[0] for row in range(len(array))]
    assert together == alone


@st.composite
def moments(draw):
    unit = draw(st.sampled_from(['s', 'ms', 'us', 'ns']))
    steps = draw(st.lists(st.none() | st.integers(SMALLEST, LARGEST), min_size=2, max_size=6))
    return stamps(unit, draw(st.sampled_from([None, 'UTC', 'America/St_Johns'])), steps)


@given(moments())
def test_so_has_every_moment(array):
    for encoder in (ENCODERS['days'], ENCODERS['instants'], ENCODERS['months']):
        alone = [encode_array(encoder, array.slice(n, 1)).tolist()[0] for n in range(len(array))]
        assert encode_array(encoder, array).tolist() == alone


@given(st.lists(st.none() | st.binary(max_size=4), min_size=1, max_size=6))
def test_so_has_every_text(raw):
    codes = ENCODERS['texts']
    expected = [
        codes.encode([text.decode()])[0] if _readable(text) else codes.null_code for text in raw
    ]
    assert encode_array(codes, as_text(raw)).tolist() == expected


def _readable(raw):
    try:
        return raw is not None and raw.decode() is not None
    except UnicodeDecodeError:
        return False


def test_what_cannot_be_read_is_null():
    day = ENCODERS['days']
    codes = encode_array(day, ARRAYS['timestamp[s, None]']).tolist()
    is_null = [code == day.null_code for code in codes]
    assert is_null == [s is None or not -62_135_596_800 <= s <= 253_402_300_799 for s in STEPS]
    texts = encode_array(ENCODERS['texts'], ARRAYS['string']).tolist()
    assert [code == ENCODERS['texts'].null_code for code in texts] == [
        not _readable(raw) for raw in RAW
    ]


STEPS = ARRAYS['timestamp[s, None]'].view(pa.int64()).to_pylist()


@every_array
def test_values_are_told_and_persons_bounded_beside_it(array):
    if pa.types.is_nested(array.type):
        pytest.skip('values of nested types are not told apart')
    batch = pa.RecordBatch.from_arrays([array, array], ['x', 'person'])
    (told,) = tally_batches([batch], ['x']).values()
    alone = [tally_batches([batch.slice(row, 1)], ['x'])['x'] for row in range(len(array))]
    assert told == sum(alone, type(told)())
    assert 1 <= RowsPerPerson('person', 1).keep(batch).num_rows <= len(array)
    assert len(series_as(array, np.dtype('O'))) == len(array)


@pytest.mark.parametrize('name', ['string', 'timestamp[us, UTC]', 'date32', 'date64', 'decimal256'])
def test_files_are_counted_to_their_end(name, tmp_path):
    pq.write_table(pa.table({'x': ARRAYS[name]}), tmp_path / 't.parquet')
    source = BatchSource(parquet_stream(tmp_path / 't.parquet'), {})
    encoder = ENCODERS['days' if 'date' in name or 'time' in name else 'texts']
    counts = source.count({'x': encoder}, [('x',)]).project(('x',))
    codes = encode_array(encoder, ARRAYS[name])
    assert counts.tolist() == np.bincount(codes, minlength=encoder.num_codes).tolist()


KINDS = {
    'DATE': ['2020-03-01', 'infinity', '-infinity', '9999-12-31', '10000-01-01', '5000000-01-01'],
    'TIMESTAMP': ['2020-03-01 12:00:00', 'infinity', '-infinity', '290000-01-01', '0001-01-01'],
    'TIMESTAMPTZ': ['2020-03-01 12:00:00+00', 'infinity', '-infinity', '290000-01-01 00:00:00+00'],
    'TIMESTAMP_S': ['2020-03-01 12:00:00', 'infinity', '-infinity', '290000-01-01'],
    'TIMESTAMP_MS': ['2020-03-01 12:00:00', 'infinity', '-infinity', '290000-01-01'],
    'TIMESTAMP_NS': ['2020-03-01 12:00:00', 'infinity', '-infinity', '2262-01-01'],
}


@pytest.mark.filterwarnings('ignore:fetch_arrow_table')
@pytest.mark.parametrize('kind', KINDS)
def test_a_database_gives_infinity_the_code_of_null(kind):
    database = ibis.duckdb.connect()
    texts = [f"('{text}'::{kind})" for text in [*KINDS[kind], *KINDS[kind][:1]]]
    database.con.execute(f'CREATE TABLE t AS SELECT * FROM (VALUES {", ".join(texts)}) AS v(x)')
    source, table = SqlSource(database.table('t'), {}), database.table('t').to_pyarrow()
    names = ['instants'] if kind == 'TIMESTAMPTZ' else SQL
    for encoder in (ENCODERS[name] for name in names):
        found = source.count({'x': encoder}, [('x',)]).project(('x',))
        codes = encode_array(encoder, table['x'].combine_chunks())
        assert found.tolist() == np.bincount(codes, minlength=encoder.num_codes).tolist()
        assert found[encoder.null_code] >= 2
    assert 2 in source.value_counts(['x'])['x'].values()
