"""The Spark door, on a local Spark: the same kernel in every partition."""

import itertools
import os
import shutil
import sys

import mixed_arrow
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import unreadable
from mixed_arrow import CLIQUES, DTYPES, ENCODERS, assert_same, in_pandas
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.columns._grids import MomentCells, MonthCells, NullCells
from sdv_prefair.counting import FrameSource
from sdv_prefair.counting._arrow import encode_array
from sdv_prefair.counting._spark import SparkSource, bound_rows
from sdv_prefair.datasets import simulate_census
from sdv_prefair.errors import PrivateDataError
from sdv_prefair.transformers import CategoryCodes, DatetimeBins, NumberBins

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


# Of every type that Spark has, and that a worker looks up, values that are odd.
LOOKED_UP = [c for c in mixed_arrow.COLUMNS if c not in ('dictionary', 'price', 'precise')]
TEXTS = pa.array(['a', 'b', "o'b", 'é', 'a ', 'A', '', '😀', 'e\u0301', '\\', "';--", None])
DAYS = pa.array([0, 18_262, 2_932_896, 2_932_897, -719_162, -719_163, 5_000_000, None], pa.int32())
LONGS = pa.array([-(2**63), 2**63 - 1, 0, -1, 6, 7, 2**53 + 1, 100, 2**40, None])
ODD = [
    (TEXTS, CategoryCodes(['a', 'b', "o'b", 'é', '😀', '', '\\'])),
    (TEXTS, CategoryCodes([f'w{n}' for n in range(300)] + ["';--"], nullable=False)),
    (unreadable.as_text(unreadable.RAW), CategoryCodes(['a'])),
    (unreadable.as_text(unreadable.RAW), CategoryCodes([])),
    (DAYS.view(pa.date32()), DatetimeBins('2020-01-01', '2029-12-31')),
    (DAYS.view(pa.date32()), DatetimeBins('0001-01-01', '9999-12-31')),
    (LONGS, NumberBins(0, 99, bins=7)),
    (LONGS, CategoryCodes([0, 6, 7, -1])),
    (LONGS, CategoryCodes([2**63 - 1, -(2**63)])),
    (LONGS, CategoryCodes([2**63 - 1, 2**63 - 5])),
    (LONGS, CategoryCodes([-(2**63)])),
    (LONGS, CategoryCodes(['x'])),
    (LONGS, NullCells()),
    (pa.array([True, False, None]), CategoryCodes([True, False])),
    (pa.array([True, False, None]), CategoryCodes([True], nullable=False)),
]


def test_odd_values_have_the_codes_of_the_encoder(spark):
    arrays = {f'odd {place}`': array for place, (array, _) in enumerate(ODD)}
    longest = max(map(len, arrays.values()))
    table = pa.table({
        name: pa.concat_arrays([array, pa.nulls(longest - len(array), array.type)])
        for name, array in arrays.items()
    })
    encoders = {name: encoder for name, (_, encoder) in zip(arrays, ODD, strict=True)}
    source = SparkSource(spark.createDataFrame(table), pd.Series(dtype=object))
    counts = source.count(encoders, [(name,) for name in encoders])
    for name, encoder in encoders.items():
        codes = encode_array(encoder, table[name].combine_chunks())
        expected = np.bincount(codes, minlength=encoder.num_counted)
        assert counts.project((name,)).tolist() == expected.tolist(), name


def test_any_names_are_names(spark):
    names = ['a.b', '*', 'age', 'AGE', 'odd`', 'x y', "o'b", '']
    rows = [[name[:1] or 'x', str(number)] for number, name in enumerate(names)]
    frame = spark.createDataFrame([tuple(text for text, _ in rows)], [n for _, n in rows])
    frame = frame.toDF(*names)
    encoders = {name: CategoryCodes([name[:1] or 'x']) for name in names}
    source = SparkSource(frame, pd.Series(dtype=object))
    counts = source.count(encoders, [(name,) for name in names])
    assert all(counts.project((name,))[0] == 1 for name in names)
    assert [tally.total() for tally in source.value_counts(names).values()] == [1] * len(names)
    assert bound_rows(frame.union(frame), 'AGE', 1).columns == names


def test_columns_that_are_looked_up_are_counted_as_those_of_a_frame(spark):
    table = mixed_arrow.random_table(400, np.random.default_rng(3), LOOKED_UP)
    encoders = {column: ENCODERS[column] for column in LOOKED_UP}
    cliques = [*((c,) for c in LOOKED_UP), *itertools.combinations(LOOKED_UP, 2)]
    source = SparkSource(spark.createDataFrame(table).repartition(3), DTYPES)
    expected = FrameSource(in_pandas(table)).count(encoders, cliques)
    counts = source.count(encoders, cliques)
    for clique in cliques:
        assert np.array_equal(counts.project(clique), expected.project(clique)), clique


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
    rows = spark.createDataFrame(table).repartition(3)
    clock = rows['interview_date'].cast('timestamp_ntz')
    synthesizer.fit_table(rows.withColumn('interview_date', clock))
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


HOURS = """SELECT timestamp'2024-01-01 00:30:00' + make_interval(0, 0, 0, 0, id) AS moment,
timestamp_ntz'2024-01-01 00:30:00' + make_interval(0, 0, 0, 0, id) AS clock FROM range(48)"""


@pytest.mark.parametrize('zone', ['UTC', 'America/New_York', 'Asia/Tokyo'])
def test_no_session_clock_moves_an_instant(spark, zone):
    spark.conf.set('spark.sql.session.timeZone', 'UTC')
    moments = spark.sql(HOURS).toPandas()
    instants = spark.createDataFrame(moments)  # now the instants are fixed, in UTC
    spark.conf.set('spark.sql.session.timeZone', zone)
    ends = pd.Timestamp('2024-01-01', tz='UTC'), pd.Timestamp('2024-01-03', tz='UTC')
    encoders = {
        'bins': DatetimeBins(*ends, bins=48),
        'hours': MomentCells(1_704_067_200, 3600, 2**20, None, True),
        'day by day': MonthCells(648, 2, None, False),
    }
    schema = instants.limit(0).toArrow().schema
    for encoder in encoders.values():
        source = SparkSource(instants, pd.Series(dtype=object), schema)
        counted = source.count({'moment': encoder}, [('moment',)]).project(('moment',))
        expected = encoder.encode(moments['moment'].dt.tz_localize('UTC'))
        assert counted.tolist() == np.bincount(expected, minlength=encoder.num_counted).tolist()
    spark.conf.set('spark.sql.session.timeZone', 'UTC')


def test_bounds_without_an_offset_mean_no_instants(spark):
    columns = {'moment': {'sdtype': 'datetime', 'range_min': '2024-01-01 00:00:00'}}
    columns['moment'] |= {'range_max': '2024-01-03 00:00:00'}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    synthesizer = PreFairSynthesizer(metadata, structure='none', public_ranges=True)
    with pytest.raises(PrivateDataError, match='name no offset'):
        synthesizer.fit_table(spark.sql(HOURS).select('moment'))
    synthesizer.fit_table(spark.sql(HOURS).selectExpr('clock AS moment'))
