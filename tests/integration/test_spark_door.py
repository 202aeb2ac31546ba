"""The Spark door, on a local Spark: the same kernel in every partition."""

import os
import shutil
import sys

import mixed_arrow
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from mixed_arrow import CLIQUES, DTYPES, ENCODERS, assert_same, in_pandas

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.counts import FrameSource
from sdv_prefair.counts.spark import SparkSource, bound_rows
from sdv_prefair.datasets import simulate_census
from sdv_prefair.errors import PrivateDataError
from sdv_prefair.transformers import NumberBins

sql = pytest.importorskip('pyspark.sql', reason='pyspark is not installed')

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings('ignore:seed is given'),
    pytest.mark.skipif(shutil.which('java') is None, reason='Spark needs Java'),
]


@pytest.fixture(scope='module')
def spark():
    os.environ['PYSPARK_PYTHON'] = sys.executable
    session = (
        sql.SparkSession.builder
        .master('local[2]')
        .config('spark.ui.enabled', 'false')
        .config('spark.sql.shuffle.partitions', '2')
        .config('spark.sql.execution.arrow.maxRecordsPerBatch', '64')
        .config('spark.log.level', 'OFF')
        .getOrCreate()
    )
    yield session
    session.stop()


def in_spark(spark, table):
    # Spark takes no dictionaries from Arrow.
    texts = table['dictionary'].cast(pa.string())
    place = table.column_names.index('dictionary')
    return spark.createDataFrame(table.set_column(place, 'dictionary', texts)).repartition(3)


def test_counts_are_those_of_a_frame(spark):
    table = mixed_arrow.random_table(300, np.random.default_rng(0))
    source = SparkSource(in_spark(spark, table), DTYPES)
    expected = FrameSource(in_pandas(table))
    assert_same(source.count(ENCODERS, CLIQUES), expected.count(ENCODERS, CLIQUES))
    found = source.value_counts(['text', 'digit', 'day'])
    assert found == expected.value_counts(['text', 'digit', 'day'])


@pytest.mark.parametrize('public_ranges', [True, False])
def test_the_model_is_that_of_fit(spark, public_ranges):
    census = simulate_census(3000, seed=0)
    frame = census.data['census'].astype({'age': 'Int64', 'hours': 'Int64'})
    frame = frame.astype({'home_owner': 'boolean'})

    def new():
        return PreFairSynthesizer(
            census.metadata,
            epsilon=9,
            public_ranges=public_ranges,
            seed=1,
            **census.roles.as_dict(),
        )

    expected, synthesizer = new(), new()
    expected.fit({'census': frame if not public_ranges else census.data['census']})
    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    synthesizer.fit_table(spark.createDataFrame(table).repartition(3))
    assert synthesizer.get_privacy_ledger().equals(expected.get_privacy_ledger())
    for one, two in zip(synthesizer._model.measurements, expected._model.measurements, strict=True):
        assert one.columns == two.columns
        assert np.array_equal(one.values, two.values)
    assert len(synthesizer.sample(20)['census']) == 20


def test_a_frame_of_pandas_on_spark_is_counted_as_sparks(spark):
    pytest.importorskip('pyspark.pandas', reason='pyspark.pandas does not load here')
    table = mixed_arrow.random_table(200, np.random.default_rng(1), ['text', 'digit', 'real'])

    def fit(opened):
        synthesizer = PreFairSynthesizer(
            mixed_arrow.metadata(['text', 'digit', 'real']),
            structure='none', public_ranges=True, seed=1, epsilon=9.0,
        )  # fmt: skip
        synthesizer.fit_table(opened)
        return synthesizer._model.measurements

    frame = spark.createDataFrame(table)
    for one, two in zip(fit(frame), fit(frame.pandas_api()), strict=True):
        assert np.array_equal(one.values, two.values)


def test_rows_of_a_person_depend_on_that_person_alone(spark):
    rows = [('p', 3), ('q', 1), ('p', 1), (None, 5), ('p', 2), (None, 4), ('q', 1), (None, 4)]
    for order in (rows, rows[::-1]):
        frame = spark.createDataFrame(order, 'person string, `odd``name` int').repartition(3)
        kept = {tuple(row) for row in bound_rows(frame, 'person', 2).collect()}
        assert kept == {('p', 1), ('p', 2), ('q', 1), (None, 4)}


def test_errors_of_workers_quote_nothing(spark):
    frame = spark.sql("SELECT 'Zyzzyva' AS x")
    broken = frame.selectExpr('CAST(x AS INT) AS x')
    with pytest.raises(PrivateDataError, match='could not be read to its end') as caught:
        SparkSource(broken, pd.Series(dtype=object)).count({'x': NumberBins(0, 1)}, [('x',)])
    assert 'Zyzzyva' not in str(caught.value)
