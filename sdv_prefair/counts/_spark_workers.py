"""What Spark's workers need in order to count, and how it reaches them.

The counting functions and their lookup tables are sent by value: workers need pyarrow and numpy,
but not this package. Only encoders without a lookup table (decimals, dates written as strings,
clocks of a time zone) and constraints are sent as objects of this package; then workers must be
able to import it.
"""

import importlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sdv_prefair.errors import PrivateDataError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_BY_VALUE = ('_readable', '_histograms', '_lookups', '_packed_places', '_partition_counts')
_ROUNDS = 4  # parts per core, so that a slow or lost worker causes little delay
_FEWEST_PARTS = 200
_BYTES_OF_CELL = 10
_FEWEST_PARTS_SEND = 2**31
_WORKERS_ASKED = 8


def send_by_value() -> None:
    """Have the modules that workers run sent by value, not by name."""
    from pyspark import cloudpickle

    for name in _BY_VALUE:
        module = importlib.import_module(f'sdv_prefair.counts.{name}')
        cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]


def most_parts(frame: 'DataFrame', num_cells: int = 0) -> int:
    """Return the maximum number of parts into which rows are gathered, each with histograms.

    There are a few for each core. Executors may start after this is called, so there are never very
    few, unless histograms are so large that sending them often would be slow.

    Args:
        frame: The DataFrame.
        num_cells: Number of cells of all histograms.
    """
    try:
        cores: Any = frame.sparkSession.sparkContext.defaultParallelism
    except Exception:  # Spark Connect has no context to ask
        cores = 2
    sent = _FEWEST_PARTS_SEND // (_BYTES_OF_CELL * max(num_cells, 1))
    return max(min(_FEWEST_PARTS, sent), _ROUNDS * int(cores))


def check_package(session: 'SparkSession') -> None:
    """Raise unless workers can import this package, in the same version as here."""
    import sdv_prefair

    asked = session.range(0, _WORKERS_ASKED, 1, _WORKERS_ASKED)
    answers = asked.mapInArrow(_ask_version(), 'version string, missing string').toArrow()
    missing = [name for name in answers.column(1).to_pylist() if name is not None]
    if missing or set(answers.column(0).to_pylist()) != {sdv_prefair.__version__}:
        lack = f'cannot import {min(missing)}' if missing else 'have another version of it'
        raise PrivateDataError(
            "Spark's workers read decimals, dates in text, local times and constraints with this "
            f'package, but they {lack}. Install sdv-prefair {sdv_prefair.__version__} on them, or '
            'rename its wheel to .zip and ship it with sparkContext.addPyFile(zip) or '
            'spark.addArtifact(zip, pyfile=True); or cast such columns to double, or to UTC.'
        )


def _ask_version() -> Any:
    """Return a function that a worker runs; it imports what counting would import."""

    def versions(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import importlib

        for _ in batches:
            version, missing = None, None
            try:
                version = importlib.import_module('sdv_prefair').__version__
            except ImportError as error:
                missing = error.name or 'sdv_prefair'
            answer = {'version': [version], 'missing': [missing]}
            schema = pa.schema([('version', pa.string()), ('missing', pa.string())])
            yield pa.RecordBatch.from_pydict(answer, schema)

    return versions
