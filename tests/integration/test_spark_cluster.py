"""A Spark cluster of two workers, of which one is killed half way: counts stay exact."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sdv_prefair.counts.spark import SparkSource
from sdv_prefair.transformers import CategoryCodes, NumberBins

pyspark = pytest.importorskip('pyspark', reason='pyspark is not installed')

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which('java') is None, reason='Spark needs Java'),
]
ROWS, PARTS = 4_000_000, 48
ENCODERS = {
    'seventh': CategoryCodes(range(7)),
    'word': CategoryCodes([f'w{n}' for n in range(11)]),
    'size': NumberBins(0.0, 1.3, bins=13),
}
CLIQUES = [('seventh',), ('word',), ('size',), ('seventh', 'word'), ('word', 'size')]


def started(role, *arguments):
    environment = os.environ | {'PYSPARK_PYTHON': sys.executable, 'SPARK_NO_DAEMONIZE': '1'}
    launcher = Path(pyspark.__file__).parent / 'bin' / 'spark-class'
    return subprocess.Popen(
        [launcher, f'org.apache.spark.deploy.{role}', '--host', '127.0.0.1', *arguments],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def free_port():
    with socket.socket() as found:
        found.bind(('127.0.0.1', 0))
        return found.getsockname()[1]


@pytest.fixture(scope='module')
def workers(tmp_path_factory):
    """Return the address of a master and the processes of its two workers."""
    port = str(free_port())
    processes = [started('master.Master', '--port', port, '--webui-port', '0')]
    address = f'spark://127.0.0.1:{port}'
    try:
        _await_port(int(port))
        for number in range(2):
            folder = str(tmp_path_factory.mktemp(f'worker{number}'))
            options = ['--cores', '1', '--memory', '1g', '--webui-port', '0', '-d', folder]
            processes.append(started('worker.Worker', *options, address))
        yield address, processes[1:]
    finally:
        for process in processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _await_port(port):
    for _ in range(120):
        try:
            socket.create_connection(('127.0.0.1', port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.5)
    pytest.skip('no Spark master came up on this machine')


@pytest.fixture(scope='module')
def spark(workers):
    os.environ['PYSPARK_PYTHON'] = sys.executable
    session = (
        pyspark.sql.SparkSession.builder
        .master(workers[0])
        .config('spark.ui.enabled', 'false')
        .config('spark.driver.host', '127.0.0.1')
        .config('spark.executor.memory', '512m')
        .config('spark.network.timeout', '60s')
        .config('spark.log.level', 'OFF')
        .getOrCreate()
    )
    yield session
    session.stop()


def table(spark, num_rows):
    return spark.range(0, num_rows, 1, PARTS).selectExpr(
        'id % 7 AS seventh', "concat('w', id % 11) AS word", 'id % 13 / 10.0D AS size'
    )


def loaded(spark):
    """Return which modules of ours, and of what they bring, workers have loaded."""

    def ask(batches):
        names = [name for name in ('sdv_prefair', 'sdv', 'rdt', 'sklearn') if name in sys.modules]
        for _ in batches:
            yield pa.RecordBatch.from_pydict({'names': [','.join(names)]})

    asked = spark.range(0, 8, 1, 8).mapInArrow(ask, 'names string')
    return set(asked.toArrow().column(0).to_pylist())


def test_counts_are_exact_and_workers_need_none_of_this_package(spark, workers):
    counts = SparkSource(table(spark, 77_000), pd.Series(dtype=object)).count(ENCODERS, CLIQUES)
    assert (counts.project(('seventh', 'word'))[:7, :11] == 1000).all()
    assert loaded(spark) == {''}


def test_a_worker_that_dies_half_way_changes_no_count(spark, workers):
    found = {}

    def count():
        source = SparkSource(table(spark, ROWS), pd.Series(dtype=object))
        found['counts'] = source.count(ENCODERS, CLIQUES)

    counting = threading.Thread(target=count)
    counting.start()
    tracker = spark.sparkContext.statusTracker()
    while counting.is_alive() and not _some_are_done(tracker):
        time.sleep(0.02)
    assert counting.is_alive(), 'all was counted before a worker could be killed'
    os.killpg(workers[1][0].pid, signal.SIGKILL)
    counting.join(timeout=300)
    rows = np.arange(ROWS)
    expected = np.bincount(rows % 7 * 11 + rows % 11, minlength=77).reshape(7, 11)
    assert np.array_equal(found['counts'].project(('seventh', 'word'))[:7, :11], expected)
    assert found['counts'].project(('size',)).sum() == ROWS


def _some_are_done(tracker):
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    return any(s and 0 < s.numCompletedTasks < PARTS // 2 and s.numTasks == PARTS for s in stages)
