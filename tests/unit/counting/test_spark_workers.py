"""How many sets of histograms are sent: a few for each core, fewer where they are large.

About ``_spark.py``.
"""

from types import SimpleNamespace

import pytest

from sdv_prefair.counting._spark import most_parts


def frame(cores):
    context = {} if cores is None else {'sparkContext': SimpleNamespace(defaultParallelism=cores)}
    return SimpleNamespace(sparkSession=SimpleNamespace(**context))


@pytest.mark.parametrize(
    ('cores', 'num_cells', 'parts'),
    [
        (2, 0, 200),
        (2, 176_000, 200),
        (256, 176_000, 1024),
        (2, 51_000_000, 8),
        (32, 51_000_000, 128),
        (None, 176_000, 200),
        (None, 51_000_000, 8),
    ],
)
def test_parts_follow_cores_and_cells(cores, num_cells, parts):
    assert most_parts(frame(cores), num_cells) == parts
