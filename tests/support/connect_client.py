"""A client of Spark Connect, in a process of its own: pyspark has one kind of session in each.

    python connect_client.py ADDRESS

Fits a table of the server and the same rows in pandas, and fails unless the same was measured.
"""

import sys

import numpy as np
import pandas as pd
import pyarrow as pa
from pyspark.sql import SparkSession

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.counting import FrameSource
from sdv_prefair.counting._spark import SparkSource
from sdv_prefair.datasets import simulate_census
from sdv_prefair.transformers import NumberBins


def main(address: str) -> None:
    """Compare fits and counts on a server with those here."""
    spark = SparkSession.builder.remote(address).getOrCreate()
    _check_fits(spark)
    _check_decimals(spark)
    spark.stop()


def _check_fits(spark: SparkSession) -> None:
    census = simulate_census(2000, seed=0)
    frame = census.data['census'].astype({'home_owner': 'boolean'})
    roles = census.roles.as_dict()

    def new() -> PreFairSynthesizer:
        return PreFairSynthesizer(
            census.metadata, epsilon=9, public_ranges=True, seed=1, **roles
        )  # fmt: skip

    expected, synthesizer = new(), new()
    expected.fit({'census': census.data['census']})
    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    rows = spark.createDataFrame(table).repartition(3)
    clock = rows['interview_date'].cast('timestamp_ntz')
    synthesizer.fit_table(rows.withColumn('interview_date', clock))
    found, wanted = synthesizer._model.measurements, expected._model.measurements
    assert [one.columns for one in found] == [one.columns for one in wanted]
    assert all(np.array_equal(a.values, b.values) for a, b in zip(found, wanted, strict=True))


def _check_decimals(spark: SparkSession) -> None:
    """Decimals are read by the package, which the server's workers are asked for."""
    frame = spark.range(0, 60, 1, 3).selectExpr('cast(id % 6 as decimal(9, 2)) as price')
    bins = {'price': NumberBins(0, 5, bins=6)}
    counts = SparkSource(frame, pd.Series(dtype=object)).count(bins, [('price',)])
    here = FrameSource(frame.toPandas().astype({'price': float})).count(bins, [('price',)])
    assert np.array_equal(counts.project(('price',)), here.project(('price',)))


if __name__ == '__main__':
    main(sys.argv[1])
