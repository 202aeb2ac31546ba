"""Whether the values of a column determine their codes, in every form in which a table is released.

The model is fair over codes, and people see values: in a frame, in a Parquet file, in a CSV file.
Fairness carries over from the codes to the values if each value determines the code that it was
sampled for. Here this is tested on a transformer by a round trip: every code that can be sampled,
with and without a null next to it, with the lowest, the highest and a middle draw of its bin. For
bins that is enough, because `own_values` tests every single draw that may have moved.

Privacy: uses transformers alone, which are built from public facts and released values.
"""

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from sdv_prefair.transformers._categories import CategoryCodes
from sdv_prefair.transformers._column_codes import ColumnCodes
from sdv_prefair.values._shown_text import seen

_SHARES = (0.0, 0.5, 1.0)


class Extremes(np.random.Generator):
    """A generator that always returns the same quantile."""

    def __init__(self, share: float):
        super().__init__(np.random.PCG64(0))
        self._share = share

    def random(self, size: Any = None, *_: Any, **__: Any) -> Any:
        """Return the same quantile for all."""
        return np.full(() if size is None else size, min(self._share, np.nextafter(1.0, 0.0)))

    def integers(self, low: Any, high: Any = None, *_: Any, **__: Any) -> Any:
        """Return the integer at that quantile of each range."""
        return {0.0: low + 0 * high, 0.5: low + (high - low) // 2, 1.0: high}[self._share]


def untold_columns(transformers: Mapping[str, ColumnCodes]) -> list[str]:
    """Return the columns in which some value may not determine its code."""
    return [column for column, codes in transformers.items() if not tells_codes(codes)]


def tells_codes(transformer: ColumnCodes) -> bool:
    """Whether each value that can be sampled determines its code: in a frame, CSV and Parquet."""
    code_of: dict[Any, int] = {}
    try:
        for codes, values in _shown(transformer):
            if not (transformer.encode(values) == codes).all():
                return False
            for form, cells in _forms(values):
                for cell, code in zip(cells, codes.tolist(), strict=True):
                    if code_of.setdefault((form, cell), code) != code:
                        return False
    except (TypeError, ValueError, OverflowError, pa.ArrowException):
        return False  # the dtype cannot hold them, so it is unknown what would be shown
    return True


def shown_values(transformer: ColumnCodes) -> pd.Series:
    """Return values for every code that can be drawn, at the ends and in the middle of its bin."""
    values = [values for _, values in _shown(transformer)]
    return pd.concat(values, ignore_index=True) if values else pd.Series([], dtype=object)


def _forms(values: pd.Series) -> Iterator[tuple[str, list[Any]]]:
    """Yield the cells of a column in each form, as objects that are equal if they look the same."""
    nulls = values.isna().tolist()
    listed = zip(values.tolist(), nulls, strict=True)
    yield 'frame', [None if null else value for value, null in listed]
    for reader, cells in enumerate(zip(*map(seen, csv_cells(values)), strict=True)):
        yield f'csv {reader}', list(cells)
    if values.dtype == object or isinstance(values.dtype, pd.CategoricalDtype):
        # All other dtypes are preserved.
        try:
            yield 'parquet', pa.Array.from_pandas(values).to_pylist()
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            return  # mixed types: such a table cannot be written as Parquet


def _shown(transformer: ColumnCodes) -> Iterator[tuple[np.ndarray, pd.Series]]:
    """Yield codes that can be sampled, and values that are shown for them."""
    hidden = (transformer.hidden_code, transformer.null_code)
    plain = np.array([code for code in range(transformer.num_codes) if code not in hidden], int)
    for share in _SHARES[:1] if isinstance(transformer, CategoryCodes) else _SHARES:
        if plain.size:
            yield plain, pd.Series(transformer.decode(plain, Extremes(share)))
        if transformer.null_code is not None:
            # With a null in the column, pandas keeps integers as floats.
            codes = np.append(plain, transformer.null_code)
            yield codes, pd.Series(transformer.decode(codes, Extremes(share)))


def csv_cells(values: pd.Series) -> list[str]:
    """Return the cells of a column in a file that ``to_csv`` writes."""
    # An empty cell alone in its line would be written as quotes.
    lines = pd.DataFrame({'line': 0, 'cell': values}).to_csv(index=False, header=False)
    return [cell for _, cell in csv.reader(io.StringIO(lines, newline=''))]
