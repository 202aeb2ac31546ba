"""What a row costs through each door to files and to Spark, and how that grows.

    python benchmarks/engines_files.py [--rows 2000000] [--doors parquet csv spark ...]

Each door counts the same rows in a process of its own: seconds of CPU of it and of all that it
starts (Spark's JVM and workers), at two numbers of rows, so that what it costs to start drops out;
and the most memory that the process, or one that it started, has held.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

SIZES = [2, 2, 5, 7, 6, 9, 14, 16, 16, 20, 42, 52, 74, 100, 300]
"""Number of values of each column: 105 pairs, 120 histograms."""
_ROW_GROUP = 1_000_000


def columns(num_columns: int = len(SIZES)) -> list[str]:
    """Return names: every third column is text, the others are numbers."""
    return [f'{"text" if n % 3 == 0 else "number"}{n}' for n in range(num_columns)]


def batches(num_rows: int, num_columns: int = len(SIZES)) -> Iterator[pa.Table]:
    """Yield rows, skewed and correlated, part by part."""
    for start in range(0, num_rows, _ROW_GROUP):
        rng = np.random.default_rng(start)
        count = min(_ROW_GROUP, num_rows - start)
        shared = rng.random(count)
        arrays = {}
        for number, name in enumerate(columns(num_columns)):
            size = SIZES[number % len(SIZES)]
            codes = (np.where(rng.random(count) < 0.5, shared, rng.random(count)) ** 2) * size
            codes = codes.astype(np.int64)
            texts = pa.array([f'v{n:03}' for n in range(size)])
            arrays[name] = texts.take(codes) if name.startswith('text') else pa.array(codes)
        yield pa.table(arrays)


def write(folder: Path, num_rows: int, num_columns: int = len(SIZES)) -> None:
    """Write the rows as Parquet and as CSV."""
    from pyarrow import csv

    parquet = csv_file = None
    for part in batches(num_rows, num_columns):
        parquet = parquet or pq.ParquetWriter(folder / 'rows.parquet', part.schema)
        csv_file = csv_file or csv.CSVWriter(
            folder / 'rows.csv', part.schema, write_options=csv.WriteOptions(quoting_style='none')
        )
        parquet.write_table(part)
        csv_file.write_table(part)
    for file in (parquet, csv_file):
        file.close()


def metadata(num_columns: int = len(SIZES)) -> dict[str, dict[str, Any]]:
    """Return the metadata of the columns, all of it public."""
    described: dict[str, dict[str, Any]] = {}
    for number, name in enumerate(columns(num_columns)):
        size = SIZES[number % len(SIZES)]
        if name.startswith('text'):
            values = [f'v{n:03}' for n in range(size)]
            described[name] = {'sdtype': 'categorical', 'range_values': values}
        else:
            described[name] = {
                'sdtype': 'numerical',
                'range_min': 0,
                'range_max': size - 1,
                'decimal_places': 0,
            }
        described[name]['range_is_nullable'] = False
    return described


def open_source(table: Any, num_columns: int = len(SIZES)) -> tuple[Any, dict[str, Any]]:
    """Return what counts a table, and the encoders of its columns."""
    from sdv.metadata import Metadata

    from sdv_prefair.counts.tables import open_table
    from sdv_prefair.domain import public_domain
    from sdv_prefair.encoding.arrow_schema import dtypes_of_schema
    from sdv_prefair.transformers import transformers_for

    described = metadata(num_columns)
    whole = Metadata.load_from_dict({'tables': {'rows': {'columns': described}}})
    domains = public_domain(whole, True)

    def describe(found: Any) -> Any:
        if isinstance(found, pa.Schema):
            return dtypes_of_schema(found, described, domains)
        return found[list(described)].dtypes

    source = open_table(table, describe, None, 1, described)
    return source, transformers_for(domains, 32, source.dtypes)


def cliques(num_columns: int = len(SIZES)) -> list[tuple[str, ...]]:
    """Return all columns, and all pairs of them."""
    names = columns(num_columns)
    return [*((name,) for name in names), *combinations(names, 2)]


def _spark(folder: Path) -> Any:
    from pyspark.sql import SparkSession

    os.environ['PYSPARK_PYTHON'] = sys.executable
    session = (
        SparkSession.builder
        .master('local[2]')
        .config('spark.ui.enabled', 'false')
        .config('spark.log.level', 'OFF')
        .config('spark.sql.execution.arrow.maxRecordsPerBatch', '65536')
        .getOrCreate()
    )
    return session.read.parquet(str(folder / 'rows.parquet'))


def _polars(folder: Path) -> Any:
    import polars

    return polars.scan_parquet(folder / 'rows.parquet')


DOORS: dict[str, Callable[[Path], Any]] = {
    'parquet': lambda folder: folder / 'rows.parquet',
    'csv': lambda folder: folder / 'rows.csv',
    'polars': _polars,
    'spark': _spark,
}


def count(door: str, folder: Path, num_columns: int) -> dict[str, float]:
    """Count all histograms through a door; return seconds of CPU and memory."""
    source, encoders = open_source(DOORS[door](folder), num_columns)
    before, started = _cpu(), time.perf_counter()
    counts = source.count(encoders, cliques(num_columns))
    found = {'cpu': _cpu() - before, 'wall': time.perf_counter() - started} | _memory()
    return found | {'rows': int(counts.project((columns(num_columns)[0],)).sum())}


def scan(door: str, folder: Path) -> dict[str, float]:
    """Read all rows through the same engine and do nothing with them."""
    table = DOORS[door](folder)
    before, started = _cpu(), time.perf_counter()
    if door == 'spark':
        table.write.format('noop').mode('overwrite').save()
    elif door == 'polars':
        for _ in table.collect_batches():
            pass
    elif door == 'csv':
        from pyarrow import csv

        for _ in csv.open_csv(table):
            pass
    else:
        for _ in pq.ParquetFile(table).iter_batches():
            pass
    return {'cpu': _cpu() - before, 'wall': time.perf_counter() - started}


def _tree() -> list[Any]:
    import psutil

    here = psutil.Process()
    return [here, *here.children(recursive=True)]


def _cpu() -> float:
    """Return the CPU seconds of this process and of all that it started."""
    return sum(
        sum(times[:4]) if times is not None else 0.0
        for times in (_ask(process, 'cpu_times') for process in _tree())
    )


def _memory() -> dict[str, float]:
    import resource

    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    others = [_ask(process, 'memory_info') for process in _tree()[1:]]
    sizes = sorted((info.rss / 2**20 for info in others if info is not None), reverse=True)
    return {'driver_mb': own, 'largest_mb': sizes[0] if sizes else 0.0, 'python_mb': _pythons()}


def _pythons() -> float:
    """Return the size of the largest Python process that was started: a worker of Spark's."""
    sizes = [
        _ask(process, 'memory_info').rss / 2**20
        for process in _tree()[1:]
        if 'python' in (_ask(process, 'name') or '')
    ]
    return max(sizes, default=0.0)


def _ask(process: Any, question: str) -> Any:
    import psutil

    try:
        return getattr(process, question)()
    except psutil.Error:
        return None


def measured(door: str, num_rows: int, num_columns: int = len(SIZES)) -> dict[str, Any]:
    """Return what a door costs, measured in processes of its own at two numbers of rows."""
    few, many = (_in_a_process(door, rows, num_columns) for rows in (num_rows // 4, num_rows))
    rows, histograms = many['rows'] - few['rows'], len(cliques(num_columns))
    per_row = (many['cpu'] - few['cpu']) / rows * 1e9
    return {
        'door': door,
        'rows': num_rows,
        'columns': num_columns,
        'ns a row': round(per_row, 1),
        'ns a row and histogram': round(per_row / histograms, 2),
        'start, CPU s': round(few['cpu'] - per_row * few['rows'] / 1e9, 1),
        'scan, ns a row': round((many['scan'] - few['scan']) / rows * 1e9, 1),
        'driver MB, few rows': round(few['driver_mb']),
        'driver MB': round(many['driver_mb']),
        'worker MB': round(many['python_mb']),
    }


def _in_a_process(door: str, num_rows: int, num_columns: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), num_rows, num_columns)
        answers = []
        for step in ('count', 'scan'):
            line = [sys.executable, __file__, '--step', step, door, folder, str(num_columns)]
            answer = subprocess.run(line, check=True, capture_output=True, text=True).stdout
            answers.append(json.loads(answer.splitlines()[-1]))
    counted, scanned = answers
    return counted | {'scan': scanned['cpu']}


def main() -> None:
    """Measure doors, or one step of one of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--rows', type=int, default=2_000_000)
    parser.add_argument('--columns', type=int, default=len(SIZES))
    parser.add_argument('--doors', nargs='+', choices=DOORS, default=list(DOORS))
    parser.add_argument('--step', nargs=4)
    options = parser.parse_args()
    if options.step:
        step, door, folder, num_columns = options.step
        found = (
            count(door, Path(folder), int(num_columns))
            if step == 'count'
            else scan(door, Path(folder))
        )
        print(json.dumps(found))
        return
    for door in options.doors:
        print(json.dumps(measured(door, options.rows, options.columns)), flush=True)


if __name__ == '__main__':
    main()
