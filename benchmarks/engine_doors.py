"""The doors of ``engines.py``: the same rows behind each, and a plain scan beside it."""

import contextlib
import sys
import tempfile
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'tests' / 'support'))
from database_servers import USER, NoServerError, mariadb, postgres

from sdv_prefair.counting._databases import DatabaseStream
from sdv_prefair.counting._snapshots import held_still
from sdv_prefair.counting._worker_counts import CHUNK_ROWS

__all__ = ['DOORS', 'NoServerError', 'Opened']


@dataclass(frozen=True)
class Opened:
    """A table behind a door.

    Attributes:
        table: What ``fit_table`` takes.
        scan: Reads it once by the engine's own means.
        rows_stay: As in ``fit_table``.
        server: The process of its server, if it has one.
    """

    table: Any
    scan: Callable[[], object]
    rows_stay: bool | None = None
    server: int | None = None


@contextlib.contextmanager
def arrow(data: pa.Table) -> Generator[Opened]:
    """Yield the table in memory: the stream that costs nothing to read."""
    yield Opened(data, lambda: data.combine_chunks())


@contextlib.contextmanager
def parquet(data: pa.Table) -> Generator[Opened]:
    """Yield a Parquet file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 't.parquet'
        pq.write_table(data, path, row_group_size=CHUNK_ROWS)
        yield Opened(path, lambda: pq.read_table(path))


@contextlib.contextmanager
def csv(data: pa.Table, ending: str = 'csv') -> Generator[Opened]:
    """Yield a CSV file, compressed if its ending says so."""
    from pyarrow import csv as arrow_csv

    with tempfile.TemporaryDirectory() as folder:
        path = f'{folder}/t.{ending}'
        with pa.output_stream(path) as file:
            arrow_csv.write_csv(data, file)
        yield Opened(path, lambda: arrow_csv.read_csv(path))


@contextlib.contextmanager
def polars(data: pa.Table) -> Generator[Opened]:
    """Yield a lazy frame of polars."""
    import polars as pl

    frame = pl.from_arrow(data).lazy()
    yield Opened(frame, frame.collect)


@contextlib.contextmanager
def dask(data: pa.Table) -> Generator[Opened]:
    """Yield a Dask DataFrame of pandas frames in memory."""
    import dask
    import dask.dataframe as dd

    with dask.config.set(scheduler='synchronous'):
        frame = dd.from_pandas(data.to_pandas(date_as_object=False), npartitions=4)
        yield Opened(frame, frame.compute)


@contextlib.contextmanager
def ray(data: pa.Table) -> Generator[Opened]:
    """Yield a Ray dataset; the time of its other processes is not counted."""
    import ray as ray_itself
    import ray.data

    ray_itself.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    dataset = ray.data.from_arrow(data)
    yield Opened(dataset, lambda: list(dataset.iter_batches(batch_format='pyarrow')))
    ray_itself.shutdown()


@contextlib.contextmanager
def duckdb(data: pa.Table, rows_stay: bool | None = None) -> Generator[Opened]:
    """Yield a table of DuckDB."""
    connection = ibis.duckdb.connect()
    connection.con.execute('SET threads = 1')
    connection.con.register('given', data)
    connection.con.execute('CREATE TABLE t AS SELECT * FROM given')
    table = connection.table('t')
    yield Opened(table, _scan(table, rows_stay), rows_stay)
    connection.disconnect()


@contextlib.contextmanager
def sqlite(data: pa.Table, rows_stay: bool | None = None) -> Generator[Opened]:
    """Yield a table of SQLite."""
    connection = ibis.sqlite.connect()
    table = connection.create_table('t', schema=ibis.Schema.from_pyarrow(data.schema))
    marks = ', '.join('?' * data.num_columns)
    for batch in data.to_batches(10_000):
        cells = zip(*(map(_plain, column.to_pylist()) for column in batch.columns), strict=True)
        connection.con.executemany(f'INSERT INTO t VALUES ({marks})', cells)
    connection.con.commit()
    yield Opened(table, _scan(table, rows_stay), rows_stay)
    connection.disconnect()


@contextlib.contextmanager
def in_postgres(data: pa.Table, rows_stay: bool | None = None) -> Generator[Opened]:
    """Yield a table of PostgreSQL."""
    with postgres() as server:
        connection = ibis.postgres.connect(
            host='127.0.0.1', port=server.port, user=USER, database='postgres'
        )
        _fill_postgres(connection, data)
        table = connection.table('t')
        yield Opened(table, _scan(table, rows_stay), rows_stay, server.pid)
        connection.disconnect()


@contextlib.contextmanager
def by_adbc(data: pa.Table) -> Generator[Opened]:
    """Yield PostgreSQL's rows as the stream of another driver, which knows Arrow."""
    import adbc_driver_postgresql.dbapi as adbc

    with in_postgres(data) as opened:
        port = opened.table.get_backend().con.info.port
        with adbc.connect(f'postgresql://{USER}@127.0.0.1:{port}/postgres') as connection:
            stream = _Adbc(connection)
            yield Opened(stream, lambda: list(stream.open()), None, opened.server)


class _Adbc:
    """The rows as a driver of Arrow streams them, from the beginning each time."""

    def __init__(self, connection: Any):
        self._cursor = connection.cursor()

    def open(self) -> pa.RecordBatchReader:
        self._cursor.execute('SELECT * FROM t')
        return self._cursor.fetch_record_batch()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.open().__arrow_c_stream__(requested_schema)


@contextlib.contextmanager
def in_mariadb(data: pa.Table, rows_stay: bool | None = None) -> Generator[Opened]:
    """Yield a table of MariaDB."""
    import pymysql

    pymysql.install_as_MySQLdb()
    with mariadb() as server:
        connection = ibis.mysql.connect(
            host='127.0.0.1', port=server.port, user='root', database='test', local_infile=True
        )
        table = connection.create_table('t', schema=ibis.Schema.from_pyarrow(data.schema))
        marks = ', '.join(['%s'] * data.num_columns)
        with connection.con.cursor() as cursor:
            for batch in data.to_batches(10_000):
                cells = zip(*(column.to_pylist() for column in batch.columns), strict=True)
                cursor.executemany(f'INSERT INTO t VALUES ({marks})', list(cells))
        connection.con.commit()
        yield Opened(table, _scan(table, rows_stay), rows_stay, server.pid)
        connection.disconnect()


def _plain(cell: Any) -> Any:
    return cell.isoformat() if hasattr(cell, 'isoformat') else cell


def _fill_postgres(connection: Any, data: pa.Table) -> None:
    connection.create_table('t', schema=ibis.Schema.from_pyarrow(data.schema))
    with connection.con.cursor() as cursor, cursor.copy('COPY t FROM STDIN') as copy:
        for batch in data.to_batches(CHUNK_ROWS):
            for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                copy.write_row(row)
    connection.con.execute('ANALYZE t')


def _scan(table: Any, rows_stay: bool | None) -> Callable[[], object]:
    if rows_stay:
        counts = table.aggregate(**{name: table[name].count() for name in table.columns})
        return counts.to_pyarrow
    schema = table.schema().to_pyarrow()

    def read() -> None:
        with held_still(table):
            for _ in DatabaseStream(table, schema).read(schema.names):
                pass

    return read


DOORS = {
    'arrow': arrow,
    'parquet': parquet,
    'csv': csv,
    'csv.gz': lambda data: csv(data, 'csv.gz'),
    'polars': polars,
    'dask': dask,
    'ray': ray,
    'duckdb': duckdb,
    'duckdb, rows stay': lambda data: duckdb(data, rows_stay=True),
    'sqlite': sqlite,
    'sqlite, rows stay': lambda data: sqlite(data, rows_stay=True),
    'postgres': in_postgres,
    'postgres by ADBC': by_adbc,
    'postgres, rows stay': lambda data: in_postgres(data, rows_stay=True),
    'mariadb': in_mariadb,
    'mariadb, rows stay': lambda data: in_mariadb(data, rows_stay=True),
}
