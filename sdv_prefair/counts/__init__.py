"""Exact counts of declared cliques: the last access to rows.

=============================  ==============================================================
`memory.FrameSource`           a pandas frame
`batches.BatchSource`          an Arrow stream: Parquet, DuckDB, polars, anything with one
`spark.SparkSource`            a Spark DataFrame: the same kernel in every partition
`sql.SqlSource`                an ibis table: GROUP BY in the engine, rows stay where they are
=============================  ==============================================================
"""

from sdv_prefair.counts.frame import FrameSource, count_codes
from sdv_prefair.counts.kernel import Accumulator, Clique, Counts, check_cells, is_measurable
from sdv_prefair.counts.source import Encoder, Source

__all__ = [
    'Accumulator',
    'Clique',
    'Counts',
    'Encoder',
    'FrameSource',
    'Source',
    'check_cells',
    'is_measurable',
    'count_codes',
]
