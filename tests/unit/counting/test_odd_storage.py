"""Engines that hold what a schema does not say, or fail as Python's own errors do not.

Of ``_arrow.py``, ``_sql.py`` and ``_streams.py``.
"""

import ibis
import pyarrow as pa
import pytest
from neighbours import Recording
from sdv.metadata import Metadata

from sdv_prefair.counting._databases import with_honest_types
from sdv_prefair.counting._sql import SqlSource
from sdv_prefair.errors import PrivateDataError

SECRET = 'Zyzzyva4711'
CELLS = [SECRET, '', '12', b'\xff\x00', 1.5, float('inf'), 2**63 - 1, '9' * 400, None]


def in_sqlite(cells, kind):
    """Return a column of a table in SQLite, which takes the type of a column for a hint."""
    database = ibis.sqlite.connect()
    database.con.execute(f'CREATE TABLE t (c {kind})')
    database.con.executemany('INSERT INTO t VALUES (?)', [(cell,) for cell in cells])
    return with_honest_types(database.table('t'), {})


@pytest.mark.parametrize('kind', ['INTEGER', 'SMALLINT', 'BOOLEAN', 'TEXT'])
@pytest.mark.parametrize('odd', CELLS, ids=repr)
def test_a_cell_of_another_type_changes_no_other_count(kind, odd):
    usual = [0, 1, 1] * 5 if kind != 'TEXT' else ['x', 'y', 'y'] * 5
    plain, beside = (
        SqlSource(in_sqlite(cells, kind), {}).value_counts(['c'])['c']
        for cells in (usual, [odd, *usual])
    )
    assert sorted(plain.values()) == [5, 10]
    beside.subtract(plain)
    assert sorted(count for count in beside.values() if count) in ([], [1])


class Panic(BaseException):
    """Not one of Python's exceptions, as those of polars' engine are not."""


def test_a_panic_of_an_engine_is_not_quoted():
    columns = {'c': {'sdtype': 'categorical', 'range_values': ['x']}}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    synthesizer = Recording(metadata, structure='none', public_ranges=True)
    schema = pa.schema({'c': pa.string()})

    def batches():
        yield pa.record_batch({'c': ['x']}, schema)
        raise Panic(SECRET)

    with pytest.raises(PrivateDataError) as caught:
        synthesizer.fit_table(pa.RecordBatchReader.from_batches(schema, batches()))
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None
    assert synthesizer.get_privacy_account()['outcome'].tolist() == ['failed']
