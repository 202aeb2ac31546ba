"""At most so many rows of a person pass, in batches as in a frame.

About ``_frame.py``.
"""

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.columns._texts import canonical_value
from sdv_prefair.counting._batches import BatchSource
from sdv_prefair.counting._frame import RowsPerPerson, bound_rows_per_person
from sdv_prefair.counting._streams import ProtocolStream
from sdv_prefair.transformers import CategoryCodes

persons = st.lists(st.tuples(st.sampled_from([1, 2, 3, None, 2**60, 2**60 + 1]), st.booleans()))


@given(persons, st.integers(1, 3), st.integers(1, 5))
def test_the_first_rows_of_each_person_pass(rows, max_rows, batch_size):
    frame = pd.DataFrame(rows, columns=['person', 'x']).astype({'person': 'Int64'})
    table = pa.Table.from_pandas(frame, preserve_index=False)
    bound = RowsPerPerson('person', max_rows)
    kept = [row for b in table.to_batches(batch_size) for row in bound.keep(b).to_pylist()]
    expected = pa.Table.from_pandas(bound_rows_per_person(frame, 'person', max_rows))
    assert kept == expected.select(['person', 'x']).to_pylist()


@pytest.mark.parametrize('kind', [pa.float64(), pa.string(), pa.dictionary(pa.int8(), pa.string())])
def test_rows_without_a_person_count_as_one_persons(kind):
    values = [None, None, '1', '1', None]
    if pa.types.is_floating(kind):
        values = [None, float('nan'), 1.0, 1.0, float('nan')]
    array = pa.array(values, pa.string() if pa.types.is_dictionary(kind) else kind)
    table = pa.table({'person': array.cast(kind), 'row': range(5)})
    bound = RowsPerPerson('person', 1)
    kept = [row for batch in table.to_batches(2) for row in bound.keep(batch).to_pylist()]
    assert [row['row'] for row in kept] == [0, 2]


def test_persons_are_bounded_in_each_reading():
    table = pa.table({'person': ['a', 'a', 'b'], 'x': ['u', 'v', 'v']})
    stream = ProtocolStream(lambda: pa.RecordBatchReader.from_stream(table))
    source = BatchSource(stream, {}, person_column='person', max_rows=1)
    for _ in range(2):
        counts = source.count({'x': CategoryCodes(['u', 'v'], False, False)}, [('x',)])
        assert counts.project(('x',)).tolist() == [1, 1, 0]  # the last cell is of nulls
        assert source.value_counts(['x']) == {'x': {canonical_value(x): 1 for x in 'uv'}}
