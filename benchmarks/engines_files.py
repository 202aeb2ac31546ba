"""What a row costs through each door to files and to Spark, and how that grows.

    python benchmarks/engines_files.py [--rows 2000000 ...] [--doors parquet csv csv.gz spark ...]

Each door counts the same rows in a process of its own, some of them twice and then all: seconds of
CPU of the process and of all that it starts (Spark's JVM and workers). A row costs what all take
more than some; what it costs to start drops out. Beside it stand a plain scan by the same engine,
and by how much the most memory that the process has held grew: while it counted some, and all. The
files are written by another process, so nothing of that is in it.
"""

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import combinations, product
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


def write(path: Path, num_rows: int, num_columns: int = len(SIZES)) -> None:
    """Write the rows as Parquet or as CSV, compressed or not, as the path says."""
    from pyarrow import csv

    file: Any = None
    for part in batches(num_rows, num_columns):
        if file is None and '.csv' in path.suffixes:
            unquoted = csv.WriteOptions(quoting_style='none')
            stream = pa.output_stream(path)
            file = csv.CSVWriter(stream, part.schema, write_options=unquoted)
        file = file or pq.ParquetWriter(path, part.schema)
        file.write_table(part)
    file.close()
    if '.csv' in path.suffixes:
        stream.close()


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

    from sdv_prefair.counting._arrow import dtypes_of_schema
    from sdv_prefair.counting._tables import open_table
    from sdv_prefair.domain import public_domain
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


def _spark(path: Path) -> Any:
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
    return session.read.parquet(str(path))


def _polars(path: Path) -> Any:
    import polars

    return polars.scan_parquet(path)


DOORS: dict[str, Callable[[Path], Any]] = {
    'parquet': lambda path: path,
    'csv': lambda path: path,
    'csv.gz': lambda path: path,
    'polars': _polars,
    'spark': _spark,
}


def count(door: str, path: Path, num_columns: int) -> float:
    """Count all histograms through a door; return seconds of CPU."""
    source, encoders = open_source(DOORS[door](path), num_columns)
    before = _cpu()
    source.count(encoders, cliques(num_columns))
    return _cpu() - before


def scan(door: str, path: Path) -> float:
    """Read all rows through the same engine and do nothing with them; return seconds of CPU."""
    table = DOORS[door](path)
    before = _cpu()
    if door == 'spark':
        table.write.format('noop').mode('overwrite').save()
    elif door == 'polars':
        for _ in table.collect_batches():
            pass
    elif door.startswith('csv'):
        from pyarrow import csv

        for _ in csv.open_csv(table):
            pass
    else:
        for _ in pq.ParquetFile(table).iter_batches():
            pass
    return _cpu() - before


def measured(door: str, num_rows: int, num_columns: int = len(SIZES)) -> dict[str, Any]:
    """Return what a door costs, measured in this process: some rows first, then all."""
    ending, numbers = door if door.startswith('csv') else 'parquet', (num_rows // 8, num_rows)
    processes = multiprocessing.get_context('spawn')
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f'{number}.{ending}' for number in numbers]
        for path, number in zip(paths, numbers, strict=True):
            writer = processes.Process(target=write, args=(path, number, num_columns))
            writer.start()
            writer.join()
        open_source(DOORS[door](paths[0]), num_columns)  # whatever is imported for it
        megabytes, memory_at_start = paths[1].stat().st_size / 2**20, _memory()
        start = count(door, paths[0], num_columns)
        some, memory_before = count(door, paths[0], num_columns), _memory()
        counted, memory = count(door, paths[1], num_columns) - some, _memory()
        scan(door, paths[0])
        some_scanned = scan(door, paths[0])
        scanned = scan(door, paths[1]) - some_scanned
    more, histograms = numbers[1] - numbers[0], len(cliques(num_columns))
    return {
        'door': door,
        'rows': num_rows,
        'columns': num_columns,
        'ns a row': round(counted / more * 1e9, 1),
        'ns a row and histogram': round(counted / more / histograms * 1e9, 2),
        'scan, ns a row': round(scanned / more * 1e9, 1),
        'first count, CPU s': round(start, 1),
        'later count of some rows, CPU s': round(some, 1),
        'file MB': round(megabytes, 1),
        'driver MB, at first': round(memory_at_start['driver']),
        'driver MB, some rows': round(memory_before['driver']),
        'driver MB, all rows': round(memory['driver']),
        'Python worker MB': round(memory['worker']),
    }


def _memory() -> dict[str, float]:
    """Return megabytes: the most that this process has held, and what the largest worker holds."""
    import resource

    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {'driver': own, 'worker': _pythons()}


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


def main() -> None:
    """Measure each door in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--rows', type=int, nargs='+', default=[4_000_000])
    parser.add_argument('--columns', type=int, default=len(SIZES))
    parser.add_argument('--doors', nargs='+', choices=DOORS, default=list(DOORS))
    options = parser.parse_args()
    if len(options.doors) == len(options.rows) == 1:
        print(json.dumps(measured(options.doors[0], options.rows[0], options.columns)))
        return
    for door, rows in product(options.doors, options.rows):
        given = ['--rows', str(rows), '--columns', str(options.columns), '--doors', door]
        subprocess.run([sys.executable, __file__, *given], check=True)


if __name__ == '__main__':
    main()
