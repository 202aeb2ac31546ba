"""What Spark's workers must have to count, and how it gets there.

The functions that count, and the tables that they look codes up in, are sent by value: workers
need pyarrow and numpy, and none of this package. Only encoders that cannot be looked up (decimals,
dates written as text, clocks of a time zone) and constraints are sent as what they are; then the
workers must be able to import it.
"""

import importlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sdv_prefair.errors import PrivateDataError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_BY_VALUE = ('readable', 'histograms', 'lookups', 'packed_places', 'partition_counts')
_ROUNDS = 4  # parts a core, so that a slow or lost worker holds up little
_FEWEST_PARTS = 200
_WORKERS_ASKED = 8


def send_by_value() -> None:
    """Let the modules that workers run be sent to them, instead of their names."""
    from pyspark import cloudpickle

    for name in _BY_VALUE:
        module = importlib.import_module(f'sdv_prefair.counts.{name}')
        cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]


def most_parts(frame: 'DataFrame') -> int:
    """Return into how many parts rows are gathered at most, each of which makes histograms.

    A few for each core. Executors may come later than this is asked, so there are never few.
    """
    try:
        cores: Any = frame.sparkSession.sparkContext.defaultParallelism
    except Exception:  # Spark Connect has no context to ask
        cores = 0
    return max(_FEWEST_PARTS, _ROUNDS * int(cores))


def check_package(session: 'SparkSession') -> None:
    """Raise unless workers can import this package, in the version that is here."""
    import sdv_prefair

    asked = session.range(0, _WORKERS_ASKED, 1, _WORKERS_ASKED)
    found = asked.mapInArrow(_ask_version(), 'version string').toArrow().column(0).to_pylist()
    others = {version for version in found if version != sdv_prefair.__version__}
    if others:
        missing = 'cannot import sdv_prefair' if None in others else 'have another version of it'
        raise PrivateDataError(
            "Spark's workers read decimals, dates in text, local times and constraints with this "
            f'package, but they {missing}. Install sdv-prefair {sdv_prefair.__version__} on them, '
            'or ship its wheel with sparkContext.addPyFile(wheel) or spark.addArtifact(wheel, '
            'pyfile=True); or cast such columns to double, or to timestamps in UTC.'
        )


def _ask_version() -> Any:
    def versions(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import importlib.util
        import re

        for _ in batches:
            spec = importlib.util.find_spec('sdv_prefair')
            version = None
            if spec is not None and spec.origin is not None:
                # Read, because the import takes seconds.
                written = spec.loader.get_data(spec.origin).decode()  # type: ignore[union-attr]
                match = re.search(r"__version__ = '([^']*)'", written)
                version = match and match.group(1)
            yield pa.RecordBatch.from_pydict({'version': pa.array([version], pa.string())})

    return versions
