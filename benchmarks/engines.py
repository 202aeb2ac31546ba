"""What counting costs behind each door: processor time a row and histogram, in one run.

    python benchmarks/engines.py [--rows N ...] [--columns N ...] [--doors NAME ...] [--out FOLDER]

The time of a server is that of its processes, added to this one's. Beside each door stands a plain
scan by the same engine: of what is streamed one reading, of what stays one query over all columns.
A further door is one function more in ``engine_doors.DOORS``, which yields an ``Opened``.
"""

import argparse
import itertools
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import psutil
import pyarrow as pa
from sdv.metadata import Metadata

sys.path.insert(0, str(Path(__file__).parent))
from engine_doors import DOORS

from sdv_prefair.counting import Source
from sdv_prefair.counting._arrow import dtypes_of_schema
from sdv_prefair.counting._snapshots import held_still
from sdv_prefair.counting._tables import open_table
from sdv_prefair.domain import public_domain
from sdv_prefair.transformers import transformers_for

RESULTS = Path(__file__).parent / 'results'
KINDS = ('text', 'whole', 'real', 'flag', 'day')
# SQLite has no type of dates, so what it counts itself must be without.
KINDS_OF = {'sqlite, rows stay': KINDS[:-1]}


def main() -> None:
    """Measure every door at every size; print and write what came out."""
    options = _options()
    sizes = [(rows, options.columns[0]) for rows in options.rows]
    sizes += [(options.rows[0], columns) for columns in options.columns[1:]]
    measured = []
    for (num_rows, num_columns), name in itertools.product(sizes, options.doors):
        print(f'... {name}: {num_rows} rows, {num_columns} columns', file=sys.stderr)
        try:
            measured.append(_measure(name, num_rows, num_columns))
        except Exception as error:  # of which a server that is not there is the usual one
            print(f'{name} is left out: {error}', file=sys.stderr)
    _write(pd.DataFrame(measured), options.out)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--rows', type=int, nargs='+', default=[200_000, 800_000])
    parser.add_argument('--columns', type=int, nargs='+', default=[15, 30])
    parser.add_argument('--doors', nargs='+', choices=DOORS, default=list(DOORS))
    parser.add_argument('--out', type=Path, default=RESULTS)
    return parser.parse_args()


def _measure(name: str, num_rows: int, num_columns: int) -> dict:
    data, metadata = random_table(num_rows, num_columns, KINDS_OF.get(name, KINDS))
    columns = metadata.tables['t'].columns
    domains = public_domain(metadata, True)
    cliques = [(c,) for c in columns] + list(itertools.combinations(columns, 2))

    def describe(schema: pa.Schema | pd.DataFrame) -> pd.Series:
        if isinstance(schema, pd.DataFrame):
            return schema[list(columns)].dtypes
        return dtypes_of_schema(schema, columns, domains)

    with DOORS[name](data) as opened:
        del data
        scanned = _cost(opened.scan, opened.server)
        with held_still(opened.table):
            source: Source = open_table(opened.table, describe, None, 1, columns, opened.rows_stay)
            encoders = transformers_for(domains, 32, source.dtypes)
            counted = _cost(lambda: source.count(encoders, cliques), opened.server)
    nanoseconds = 1e9 / num_rows
    return {
        'door': name,
        'rows': num_rows,
        'columns': num_columns,
        'histograms': len(cliques),
        'client s': counted['client'],
        'server s': counted['server'],
        'ns a row and histogram': counted['all'] * nanoseconds / len(cliques),
        'scan, ns a row': scanned['all'] * nanoseconds,
        'counted, ns a row': counted['all'] * nanoseconds,
        'memory, MB': counted['memory'],
    }


def _cost(work: Callable[[], object], server: int | None) -> dict[str, float]:
    """Return the processor time of a piece of work, and by how much memory grew meanwhile."""
    memory = _Memory()
    before = time.process_time(), _server_seconds(server)
    with memory:
        work()
    client = time.process_time() - before[0]
    of_server = _server_seconds(server) - before[1]
    return {
        'client': client,
        'server': of_server,
        'all': client + of_server,
        'memory': memory.grown / 2**20,
    }


def _server_seconds(server: int | None) -> float:
    if server is None:
        return 0.0
    process = psutil.Process(server)
    times = [one.cpu_times() for one in (process, *process.children(recursive=True))]
    return sum(spent.user + spent.system for spent in times)


class _Memory(threading.Thread):
    """Watches how much memory this process holds."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._process = psutil.Process()
        self._first = self._most = self._process.memory_info().rss
        self._over = threading.Event()

    @property
    def grown(self) -> int:
        return self._most - self._first

    def run(self) -> None:
        while not self._over.wait(0.05):
            self._most = max(self._most, self._process.memory_info().rss)

    def __enter__(self) -> None:
        self.start()

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self.join()


def random_table(
    num_rows: int, num_columns: int, kinds: Sequence[str] = KINDS
) -> tuple[pa.Table, Metadata]:
    """Return a table of these kinds of columns in turn, and what is public of it."""
    rng = np.random.default_rng(0)
    arrays, columns = {}, {}
    for place in range(num_columns):
        kind = kinds[place % len(kinds)]
        size = (2, 5, 9, 16, 42)[place // len(kinds) % 5]
        codes = rng.integers(0, size, num_rows)
        arrays[f'{kind}{place}'], columns[f'{kind}{place}'] = _column(kind, size, codes, rng)
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    return pa.table(arrays), metadata


def _column(kind: str, size: int, codes: np.ndarray, rng: Any) -> tuple[pa.Array, dict]:
    number = {'sdtype': 'numerical', 'range_min': 0}
    if kind == 'text':
        words = [f'word {n}' for n in range(size)]
        array = pa.array(np.array(words, dtype=object)[codes], pa.string())
        return array, {'sdtype': 'categorical', 'range_values': words}
    if kind == 'whole':
        return pa.array(codes), number | {'range_max': size, 'decimal_places': 0}
    if kind == 'real':
        return pa.array(codes + rng.random(len(codes))), number | {'range_max': size}
    if kind == 'flag':
        return pa.array(codes % 2 == 0), {'sdtype': 'boolean'}
    days = pa.array((codes * 30 + 18_262).astype(np.int32)).view(pa.date32())
    return days, {'sdtype': 'datetime', 'range_min': '2020-01-01', 'range_max': '2023-12-31'}


def _markdown(table: pd.DataFrame) -> str:
    def cell(value: Any) -> str:
        return f'{value:.3g}' if isinstance(value, float) else f'{value:,}'.strip()

    rows = [list(table.columns), ['---'] * table.shape[1]]
    rows += [[v if isinstance(v, str) else cell(v) for v in row] for row in table.values.tolist()]
    return '\n'.join(f'| {" | ".join(row)} |' for row in rows)


def _write(measured: pd.DataFrame, folder: Path) -> None:
    first = measured.groupby(['rows', 'columns'], sort=False)['counted, ns a row']
    measured['times arrow'] = measured['counted, ns a row'] / first.transform('first')
    shown = _markdown(measured)
    print(shown)
    folder.mkdir(parents=True, exist_ok=True)
    text = f"""# Processor time of counting, behind every door

`python benchmarks/engines.py`: random rows of five kinds of columns, all histograms of one and of
two columns. Times of a server and of this process together, on one machine that was busy with
other work; memory is what this process grew by while it counted. "times arrow" compares with the
same rows as an Arrow table in memory, which costs nothing to read; the stream of the ADBC driver is
"postgres by ADBC". SQLite counts columns without dates if rows stay: it has no such type.

{shown}

Spark up to 10^8 rows on two workers, beside the Parquet door: [spark_rows.md](spark_rows.md).
"""
    (folder / 'engines.md').write_text(text)


if __name__ == '__main__':
    main()
