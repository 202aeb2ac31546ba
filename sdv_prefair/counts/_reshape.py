"""Columns that constraints derive from others, batch by batch."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pyarrow as pa

from sdv_prefair.counts._arrow_columns import series_as


@dataclass(frozen=True)
class Reshape:
    """A row-wise change of some columns, made in pandas; all other columns stay unchanged.

    Contains public facts only: it is sent to Spark's workers.

    Attributes:
        transform: Takes a frame of the columns read; returns the changed ones.
        dtypes: The columns it reads, with the dtypes that it expects.
        made: The columns it makes that are not in the table.
    """

    transform: Callable[[pd.DataFrame], pd.DataFrame]
    dtypes: Mapping[str, Any]
    made: frozenset[str] = frozenset()

    def __call__(self, batch: pa.RecordBatch) -> pd.DataFrame:
        """Return the changed columns of a batch."""
        columns = {c: series_as(batch.column(c), dtype) for c, dtype in self.dtypes.items()}
        return self.transform(pd.DataFrame(columns))

    def columns_read(self, columns: Iterable[str]) -> list[str]:
        """Return the columns of the table that are needed for ``columns``."""
        kept = [c for c in columns if c not in self.dtypes and c not in self.made]
        return kept + list(self.dtypes)
