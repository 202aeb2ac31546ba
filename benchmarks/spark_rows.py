r"""Rows up to 10^8 on a Spark cluster of two workers: memory, processor time, exactness.

    python benchmarks/spark_rows.py [--rows 1000000 10000000 100000000] [--folder FOLDER] [--fit] \
        | tee lines
    python benchmarks/spark_rows.py --page lines

Each table is counted by the Parquet door, in a process of its own, and by a standalone cluster of
two workers with one core each on the same machine; all histograms must be equal. Last the largest
table is counted once more, and a worker is killed when some tasks are done. Processor time is that
of all processes together (driver, its JVM, executors, Python workers); one count of a small table
goes before, so that starting and compiling are left out of it. ``--fit`` fits the largest table
through both doors with one seed and compares what was measured.
"""

import argparse
import itertools
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from engines_files import cliques, metadata, open_source, write

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'tests' / 'support'))
from spark_cluster import Cluster, cluster, free_port

RESULTS = Path(__file__).parent / 'results' / 'spark_rows.md'
_MB = 2**20
_WARM_UP = 250_000


def main() -> None:
    """Count every table through both doors; print what came out as lines of JSON."""
    options = _options()
    if options.page is not None:
        RESULTS.write_text(page([json.loads(line) for line in options.page.open()]))
        return
    if options.parquet is not None:
        print(json.dumps(by_parquet(options.parquet, options.fit)))
        return
    with tempfile.TemporaryDirectory() as spare:
        folder = options.folder or Path(spare)
        paths = {number: table(folder, number) for number in (_WARM_UP, *sorted(options.rows))}
        expected = {number: _in_own_process(path) for number, path in paths.items()}
        with cluster(Path(spare)) as workers:
            session, port = _session(workers.address)
            measured = Measured(workers, session, port)
            for number, path in paths.items():
                measured.count(path, number, expected[number])
            if options.fit:
                measured.fit(path, _in_own_process(path, '--fit'))
            measured.count_with_a_loss(path, number)
            session.stop()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--rows', type=int, nargs='+', default=[10**6, 10**7, 10**8])
    parser.add_argument('--folder', type=Path, help='where tables are kept, and found again')
    parser.add_argument('--fit', action='store_true')
    parser.add_argument('--page', type=Path, help='only make the page of these lines')
    parser.add_argument('--parquet', type=Path, help='only count this file by the Parquet door')
    return parser.parse_args()


def table(folder: Path, num_rows: int) -> Path:
    """Return a table of so many rows, written if it is not there."""
    path = folder / f'{num_rows}.parquet'
    if not path.exists():
        draft = path.with_suffix('.draft')
        write(draft, num_rows)
        draft.rename(path)
    return path


def by_parquet(path: Path, fits: bool) -> dict[str, Any]:
    """Count or fit a table here; write the result beside it and return what it cost."""
    before = time.process_time()
    if fits:
        np.savez(path.with_suffix('.fit.npz'), *fitted(path))
    else:
        source, encoders = open_source(path)
        before = time.process_time()
        counts = source.count(encoders, cliques())
        np.savez(path.with_suffix('.npz'), *(counts.project(clique) for clique in cliques()))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {'CPU s': time.process_time() - before, 'most MB': round(peak)}


def _in_own_process(path: Path, *more: str) -> dict[str, Any]:
    command = [sys.executable, __file__, '--parquet', str(path), *more]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(answer.splitlines()[-1])


def fitted(opened: Any) -> list[np.ndarray]:
    """Return what a fit with a known seed measures."""
    from sdv.metadata import Metadata

    from sdv_prefair import PreFairSynthesizer

    whole = Metadata.load_from_dict({'tables': {'rows': {'columns': metadata()}}})
    roles = {'protected': ['number1'], 'admissible': ['number2'], 'outcome': ['text0']}
    synthesizer = PreFairSynthesizer(whole, epsilon=1.0, public_ranges=True, seed=0, **roles)
    synthesizer.fit_table(opened)
    return [measurement.values for measurement in synthesizer._model.measurements]


def _session(address: str) -> tuple[Any, int]:
    from pyspark.sql import SparkSession

    os.environ['PYSPARK_PYTHON'] = sys.executable
    port = free_port()
    builder = SparkSession.builder.master(address).config('spark.ui.port', str(port))
    builder = builder.config('spark.driver.host', '127.0.0.1').config('spark.log.level', 'OFF')
    builder = builder.config('spark.ui.showConsoleProgress', 'false')
    return builder.config('spark.executor.memory', '768m').getOrCreate(), port


class Measured:
    """Counts tables on a cluster, and prints what that costs.

    Args:
        workers: The cluster.
        session: Its session.
        port: Where Spark tells about its stages.
    """

    def __init__(self, workers: Cluster, session: Any, port: int):
        self._workers, self._session, self._port = workers, session, port

    def count(self, path: Path, num_rows: int, expected: dict[str, Any]) -> None:
        """Count a table, and compare it with what the Parquet door counted."""
        before, start = self._cpu(), time.monotonic()
        with _Watch(self) as watch:
            counts = self._counted(path)
        spent = {kind: now - before.get(kind, 0.0) for kind, now in self._cpu().items()}
        self._check(counts, path)
        _print({
            'rows': num_rows,
            'wall s': time.monotonic() - start,
            'parquet, CPU s': expected['CPU s'],
            'parquet, MB': expected['most MB'],
            'CPU s': sum(spent.values()),
            'times parquet': sum(spent.values()) / expected['CPU s'],
            'of which': spent,
            'most MB': watch.most,
            'shuffled MB': self._shuffled() / _MB,
            'all histograms equal': True,
        })

    def fit(self, path: Path, expected: dict[str, Any]) -> None:
        """Fit a table, and compare what was measured with the fit by the Parquet door."""
        before = self._cpu()
        with _Watch(self) as watch:
            values = fitted(self._session.read.parquet(str(path)))
        spent = sum(self._cpu().values()) - sum(before.values())
        with np.load(path.with_suffix('.fit.npz')) as other:
            same = len(other.files) == len(values) and all(
                np.array_equal(one, other[name])
                for one, name in zip(values, other.files, strict=False)
            )
        if not same:
            raise AssertionError('the fits differ')
        parquet = expected['CPU s']
        _print({'fit': path.name, 'CPU s': spent, 'parquet, CPU s': parquet, 'most MB': watch.most})

    def count_with_a_loss(self, path: Path, num_rows: int) -> None:
        """Count a table while a worker is killed, and compare as before."""
        found: list[Any] = []
        counting = threading.Thread(target=lambda: found.append(self._counted(path)))
        start = time.monotonic()
        counting.start()
        while counting.is_alive() and not (done := self._tasks_done()):
            time.sleep(0.1)
        self._workers.kill_worker(0)
        counting.join()
        self._check(found[0], path)
        wall = time.monotonic() - start
        _print({'worker killed, rows': num_rows, 'tasks done, of all': done, 'wall s': wall})

    def _counted(self, path: Path) -> Any:
        source, encoders = open_source(self._session.read.parquet(str(path)))
        return source.count(encoders, cliques())

    def _check(self, counts: Any, path: Path) -> None:
        with np.load(path.with_suffix('.npz')) as expected:
            for clique, name in zip(cliques(), expected.files, strict=True):
                if not np.array_equal(counts.project(clique), expected[name]):
                    raise AssertionError(f'the histogram of {clique} differs')

    def _shuffled(self) -> int:
        """Return the bytes that the last count shuffled."""
        return max((stage['shuffleWriteBytes'] for stage in self._stages()[:4]), default=0)

    def _tasks_done(self) -> tuple[int, int] | None:
        for stage in self._stages():
            done, tasks = stage['numCompleteTasks'], stage['numTasks']
            if stage['status'] == 'ACTIVE' and 0 < done < tasks:
                return done, tasks
        return None

    def _stages(self) -> list[dict[str, Any]]:
        application = self._session.sparkContext.applicationId
        url = f'http://127.0.0.1:{self._port}/api/v1/applications/{application}/stages'
        with urllib.request.urlopen(url, timeout=30) as answer:
            return json.load(answer)

    def processes(self) -> dict[str, list[psutil.Process]]:
        """Return the processes that take part, by what they are."""
        here = psutil.Process()
        kinds = {'driver': [here], 'JVM of the driver': [], 'executors': [], 'Python workers': []}
        for child in here.children(recursive=True):
            kind = _kind(child)
            if kind is not None:
                kinds[kind].append(child)
        return kinds

    def _cpu(self) -> dict[str, float]:
        spent: dict[str, float] = defaultdict(float)
        for kind, processes in self.processes().items():
            for process in processes:
                spent[kind] += _ask(process, lambda one: sum(one.cpu_times()[:4]))
        return dict(spent)


def _kind(process: psutil.Process) -> str | None:
    """Return what a process below this one is; None for masters and workers, who only start."""
    try:
        command = ' '.join(process.cmdline())
    except psutil.Error:
        return None
    if 'pyspark.daemon' in command or 'pyspark/daemon' in command:
        return 'Python workers'
    if 'CoarseGrainedExecutorBackend' in command:
        return 'executors'
    return 'JVM of the driver' if 'SparkSubmit' in command else None


def _ask(process: psutil.Process, question: Any) -> float:
    try:
        return question(process)
    except psutil.Error:
        return 0.0


class _Watch(threading.Thread):
    """Watches how much memory each kind of process holds; of many the largest."""

    def __init__(self, measured: Measured) -> None:
        super().__init__(daemon=True)
        self._measured, self._over = measured, threading.Event()
        self.most: dict[str, int] = defaultdict(int)

    def run(self) -> None:
        while not self._over.wait(0.5):
            for kind, processes in self._measured.processes().items():
                held = [_ask(one, lambda p: p.memory_info().rss / _MB) for one in processes]
                self.most[kind] = max(self.most[kind], round(max(held, default=0)))

    def __enter__(self) -> '_Watch':
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self.join()


def page(lines: list[dict[str, Any]]) -> str:
    """Return what the page of results says."""
    counted = [line for line in lines if 'rows' in line and line['rows'] > _WARM_UP]
    text = f"""# Up to {counted[-1]['rows']:,} rows on a Spark cluster of two workers

`python benchmarks/spark_rows.py`: 15 columns of 2 to 300 values, a third of them text, 120
histograms; a standalone master and two workers of one core on one machine of two, which was busy
with other work. Every histogram equals that of the Parquet door, which counted in a process of its
own. Processor time of all processes together, after one count of a small table.

| rows | Parquet, CPU s | Spark, CPU s | times | driver | its JVM | executors | Python workers |
|---|---|---|---|---|---|---|---|
"""
    for line in counted:
        figures = [line['parquet, CPU s'], line['CPU s'], line['times parquet']]
        text += _row([f'{line["rows"]:,}', *figures, *line['of which'].values()])
    text += """
Of which a row takes, by the difference to the line above, in nanoseconds:

| rows | Parquet | Spark | times |
|---|---|---|---|
"""
    for before, line in itertools.pairwise(counted):
        more = (line['rows'] - before['rows']) / 1e9
        ours, theirs = ((line[kind] - before[kind]) / more for kind in ('CPU s', 'parquet, CPU s'))
        text += _row([f'{line["rows"]:,}', round(theirs), round(ours), ours / theirs])
    text += """
The most memory that one process of a kind held, in MB, and what was shuffled:

| rows | driver | its JVM | an executor | a Python worker | shuffled, MB |
|---|---|---|---|---|---|
"""
    for line in counted:
        text += _row([f'{line["rows"]:,}', *line['most MB'].values(), line['shuffled MB']])
    return text + '\n' + '\n'.join(_told(line) for line in lines if 'rows' not in line) + '\n'


def _row(cells: list[Any]) -> str:
    shown = [f'{cell:.3g}' if isinstance(cell, float) else str(cell) for cell in cells]
    return f'| {" | ".join(shown)} |\n'


def _told(line: dict[str, Any]) -> str:
    if 'fit' in line:
        return (
            f'A whole fit of {line["fit"]} through both doors with one seed measured the same '
            f'values: {line["CPU s"]:.0f} CPU s, Parquet {line["parquet, CPU s"]:.0f}; the driver '
            f'held {line["most MB"]["driver"]} MB.\n'
        )
    done, tasks = line['tasks done, of all']
    return (
        f'A worker was killed when {done} of {tasks} tasks on {line["worker killed, rows"]:,} rows '
        f'were done: every histogram was still exact, after {line["wall s"]:.0f} s in all.'
    )


def _print(found: dict[str, Any]) -> None:
    print(json.dumps(found, default=float), flush=True)


if __name__ == '__main__':
    main()
