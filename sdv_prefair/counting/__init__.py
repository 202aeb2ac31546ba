"""Exact counts of declared cliques: the last access to rows.

==============================  ==============================================================
`_frame.FrameSource`            a pandas frame
`_batches.FramePartsSource`     a table in pandas frames: CSV files, Dask
`_batches.BatchSource`          an Arrow stream: Parquet, DuckDB, polars, a streamed database
`_spark.SparkSource`            a Spark DataFrame: the same kernel in every partition
`_sql.SqlSource`                an ibis table whose rows stay: GROUP BY in the database
==============================  ==============================================================
"""

from sdv_prefair.counting._frame import FrameSource, count_codes
from sdv_prefair.counting._kernel import Accumulator, Clique, Counts, check_cells, is_measurable
from sdv_prefair.counting._source import Encoder, Source

__all__ = [
    'Accumulator',
    'Clique',
    'Counts',
    'Encoder',
    'FrameSource',
    'Source',
    'check_cells',
    'count_codes',
    'is_measurable',
]
