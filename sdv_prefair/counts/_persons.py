"""A limit on the rows of each person, in a stream."""

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from sdv_prefair.counts._arrow_columns import plain_array
from sdv_prefair.values._boxed import object_of


class RowsPerPerson:
    """Keeps the first rows of each person.

    Memory grows with the number of persons, because the rows of each must be counted to the end.

    Privacy: which rows of a person are kept depends on that person's rows alone, in the order of
    the stream. Rows without a person, or with one that cannot be read, count as one person's.

    Args:
        person_column: The column that identifies persons.
        max_rows: How many rows of a person are kept.
    """

    def __init__(self, person_column: str, max_rows: int):
        self._person_column = person_column
        self._max_rows = max_rows
        self._passed: Counter[Any] = Counter()

    def keep(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the rows of the next batch that are kept."""
        persons, row_of = self._persons(batch.column(self._person_column))
        earlier = np.array([self._passed[person] for person in persons], dtype=np.int64)
        nth = pd.Series(row_of).groupby(row_of).cumcount().to_numpy()
        passes = earlier[row_of] + nth < self._max_rows
        passed = np.bincount(row_of[passes], minlength=len(persons))
        self._passed.update(dict(zip(persons, passed.tolist(), strict=True)))
        plain = [plain_array(column) for column in batch.columns]  # views cannot be filtered
        return pa.RecordBatch.from_arrays(plain, batch.schema.names).filter(pa.array(passes))

    def _persons(self, column: pa.Array) -> tuple[list[Any], np.ndarray]:
        """Return the distinct persons of a batch, and the person of each row."""
        column = plain_array(column)
        if pa.types.is_dictionary(column.type):
            column = plain_array(column.dictionary_decode())
        encoded = column.dictionary_encode(null_encoding='encode')
        number: dict[Any, int] = {}
        of_value = [
            number.setdefault(None if value != value else value, len(number))
            for value in map(object_of, encoded.dictionary)
        ]
        return list(number), np.array(of_value, dtype=np.int64)[encoded.indices.to_numpy()]
