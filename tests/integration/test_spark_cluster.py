"""A Spark cluster of two workers, of which one is killed half way: counts stay exact."""

import re
import shutil
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from spark_cluster import NoClusterError, cluster

import sdv_prefair
from sdv_prefair.counting._spark import SparkSource
from sdv_prefair.errors import PrivateDataError
from sdv_prefair.transformers import CategoryCodes, NumberBins

pyspark = pytest.importorskip('pyspark', reason='pyspark is not installed')

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which('java') is None, reason='Spark needs Java'),
]
ROWS, PARTS = 4_000_000, 48
PACKAGE = Path(sdv_prefair.__file__).parent
ENCODERS = {
    'seventh': CategoryCodes(range(7)),
    'word': CategoryCodes([f'w{n}' for n in range(11)]),
    'size': NumberBins(0.0, 1.3, bins=13),
}
CLIQUES = [('seventh',), ('word',), ('size',), ('seventh', 'word'), ('word', 'size')]


@pytest.fixture(scope='module')
def workers(tmp_path_factory):
    try:
        with cluster(tmp_path_factory.mktemp('cluster')) as found:
            yield found
    except NoClusterError as error:
        pytest.skip(f'no Spark master came up on this machine: {error}')


@pytest.fixture
def started(workers, monkeypatch):
    """Return what starts a session; there is one at a time."""
    sessions = []

    def start(python=sys.executable, **options):
        monkeypatch.setenv('PYSPARK_PYTHON', python)
        builder = pyspark.sql.SparkSession.builder.master(workers.address)
        settings = {
            'spark.ui.enabled': 'false',
            'spark.driver.host': '127.0.0.1',
            'spark.executor.memory': '512m',
            'spark.network.timeout': '60s',
            'spark.log.level': 'OFF',
        }
        sessions.append(builder.config(map={**settings, **options}).getOrCreate())
        return sessions[-1]

    yield start
    for session in sessions:
        session.stop()


@pytest.fixture
def spark(started):
    return started()


def installed(folder, wanted):
    """Return a folder with only some of the packages that are installed here."""
    for path in (Path(np.__file__).parents[1]).iterdir():
        if wanted(path.name):
            (folder / path.name).symlink_to(path)
    return {'python': sys._base_executable, 'spark.executorEnv.PYTHONPATH': str(folder)}


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


def test_counts_are_exact_and_workers_need_none_of_this_package(spark):
    counts = SparkSource(table(spark, 77_000), pd.Series(dtype=object)).count(ENCODERS, CLIQUES)
    assert (counts.project(('seventh', 'word'))[:7, :11] == 1000).all()
    assert loaded(spark) == {''}


def with_decimals(spark):
    frame = spark.range(0, 60, 1, 4).selectExpr('cast(id % 6 as decimal(9, 2)) as price')
    return SparkSource(frame, pd.Series(dtype=object))


def test_workers_with_numpy_and_arrow_alone_count_and_are_told_what_decimals_need(
    started, tmp_path
):
    spark = started(**installed(tmp_path, re.compile('(numpy|pyarrow)([.]libs)?$').match))
    counts = SparkSource(table(spark, 77_000), pd.Series(dtype=object)).count(ENCODERS, CLIQUES)
    assert (counts.project(('seventh', 'word'))[:7, :11] == 1000).all()
    bins = {'price': NumberBins(0, 5, bins=6)}
    with pytest.raises(PrivateDataError, match='cannot import sdv_prefair'):
        with_decimals(spark).count(bins, [('price',)])
    shipped = shutil.make_archive(tmp_path / 'sdv_prefair', 'zip', PACKAGE.parent, PACKAGE.name)
    spark.sparkContext.addPyFile(shipped)
    with pytest.raises(PrivateDataError, match='cannot import [a-z]*[.]'):
        with_decimals(spark).count(bins, [('price',)])


def test_workers_that_lack_only_the_package_are_shipped_it(started, tmp_path):
    site = tmp_path / 'site'
    site.mkdir()
    ours = re.compile('.*sdv_prefair|.*[.]pth$')
    spark = started(**installed(site, lambda name: not ours.match(name)))
    shipped = shutil.make_archive(tmp_path / 'sdv_prefair', 'zip', PACKAGE.parent, PACKAGE.name)
    spark.sparkContext.addPyFile(shipped)
    counts = with_decimals(spark).count({'price': NumberBins(0, 5, bins=6)}, [('price',)])
    assert counts.project(('price',)).tolist()[:6] == [10] * 6


@pytest.mark.slow
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
    workers.kill_worker(0)
    counting.join(timeout=300)
    rows = np.arange(ROWS)
    expected = np.bincount(rows % 7 * 11 + rows % 11, minlength=77).reshape(7, 11)
    assert np.array_equal(found['counts'].project(('seventh', 'word'))[:7, :11], expected)
    assert found['counts'].project(('size',)).sum() == ROWS


def _some_are_done(tracker):
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    return any(s and 0 < s.numCompletedTasks < PARTS // 2 and s.numTasks == PARTS for s in stages)
