"""Values of many columns packed into a few integers, for the transfer from Spark to Python.

Spark's JVM writes every value of every row for Python, which costs more than reading or counting
it. So the JVM numbers the values of columns that have few (``spark_places``), and packs the numbers
of several columns into one integer. Workers unpack them with numpy alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sdv_prefair.counts._lookups import Lookup

WORD_BITS = 63
"""How many bits of an integer are used: all but the sign."""


@dataclass(frozen=True)
class Slot:
    """The bits of a word that contain one column's places, and the codes of these.

    Attributes:
        shift: How many bits are below.
        codes: The code of each place.
    """

    shift: int
    codes: np.ndarray

    def encode(self, array: pa.Array) -> np.ndarray:
        """Return a code for each word."""
        mask = (1 << num_bits(len(self.codes))) - 1
        words = array.to_numpy(zero_copy_only=False)
        codes: np.ndarray = self.codes[(words >> self.shift) & mask]
        return codes


@dataclass(frozen=True)
class Reading:
    """How a worker computes the codes of a column.

    Attributes:
        column: The column that it reads: one of the table, or a word.
        lookup: The lookup that turns it into codes.
    """

    column: str
    lookup: Lookup


def num_bits(num_places: int) -> int:
    """Return the number of bits for this many places."""
    return max((num_places - 1).bit_length(), 1)


def codes_of(batch: pa.RecordBatch, readings: Mapping[str, Reading]) -> dict[str, np.ndarray]:
    """Return the codes of one batch."""
    return {
        name: reading.lookup.encode(batch.column(reading.column))
        for name, reading in readings.items()
    }
