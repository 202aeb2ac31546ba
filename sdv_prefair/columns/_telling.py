"""Columns with two values that a CSV reader that infers types, such as pandas, takes for one.

The text of a file determines every code. A reader without the types sees less: 'NA' is missing,
'01' and '1' are one number, and so are neighbouring integers above 2^53 if any cell of the column
is empty or has decimals, because the column is then read as floats.

Privacy: reads transformers alone, which are built from public facts and released values.
"""

import csv
import io
from collections.abc import Iterator, Mapping
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from sdv_prefair.columns._binned import NumberBins
from sdv_prefair.columns._categories import CategoryCodes, TailedCodes
from sdv_prefair.columns._column_codes import ColumnCodes
from sdv_prefair.columns._texts import seen

# -- Whether the values of a column determine their codes, in every form in which a table is
# released.
#
# The model is fair over codes, and people see values: in a frame, in a Parquet file, in a CSV file.
# Fairness carries over from the codes to the values if each value determines the code that it was
# sampled for. Here this is tested on a transformer by a round trip: every code that can be sampled,
# with and without a null next to it, with the lowest, the highest and a middle draw of its bin. For
# bins that is enough, because ``BinCodes`` tests every single draw that may have moved.
#
# Privacy: uses transformers alone, which are built from public facts and released values.

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


# -- Columns with two values that a CSV reader that infers types, such as pandas, takes for one ----

# Strings that pandas documents as missing, and those that it reads as booleans.
_GUESSED: tuple[str, ...]
_GUESSED = ('#N/A', '#N/A N/A', '#NA', '-1.#IND', '-1.#QNAN', '-NaN', '-nan', '1.#IND', '1.#QNAN')
_GUESSED += ('<NA>', 'N/A', 'NA', 'NULL', 'NaN', 'None', 'n/a', 'nan', 'null')
_GUESSED += ('True', 'TRUE', 'true', 'False', 'FALSE', 'false')
# How many strings of a form are tried per code, and the length of numbers with leading zeros.
_DRAWN, _LONGEST = 20, 20
_EXACT_FLOAT = 2**53

Cells = list[tuple[str, int]]


def misread_columns(transformers: Mapping[str, ColumnCodes]) -> list[str]:
    """Return columns with two values that ``pandas.read_csv`` takes for one without dtypes.

    Two values with the same code do no harm. Bins are checked only if their numbers are too long
    for floats.
    """
    return [column for column, codes in transformers.items() if _is_misread(codes)]


def _is_misread(codes: ColumnCodes) -> bool:
    if not (isinstance(codes, CategoryCodes) or _is_long(codes)):
        return False
    cells = _written(codes)
    if isinstance(codes, TailedCodes):
        cells += _made_up(codes)
    if codes.null_code is not None:
        cells.append(('', codes.null_code))
    code_of: dict[Any, int] = {}
    read = _read([cell for cell, _ in cells])
    return any(code_of.setdefault(v, c) != c for v, (_, c) in zip(read, cells, strict=True))


def _is_long(codes: ColumnCodes) -> bool:
    """Whether numbers have more digits than floats can distinguish."""
    if not isinstance(codes, NumberBins):
        return False
    found: bool = max(abs(codes.low), abs(codes.high)) * 10 ** (codes.places or 0) >= _EXACT_FLOAT
    return found


def _written(codes: ColumnCodes) -> Cells:
    """Return a cell for every code that can be sampled, except null."""
    unseen = (codes.hidden_code, codes.null_code)
    drawn = np.array([code for code in range(codes.num_codes) if code not in unseen], int)
    cells = csv_cells(pd.Series(codes.decode(drawn, Extremes(0.5)))) if drawn.size else []
    pairs = zip(cells, drawn.tolist(), strict=True)
    return [(cell, code) for cell, code in pairs if _is_unicode(cell)]


def _made_up(codes: TailedCodes) -> Cells:
    """Return strings that may replace rare ones and are not read as strings."""
    form = codes.form
    if form is None or isinstance(codes.dtype, pd.CategoricalDtype):
        return []
    drawn = form.draw(_DRAWN * (1 + len(codes.tails)), np.random.default_rng(0))
    digits = {text.lstrip('0') for text in drawn if text.isascii() and text.isdigit()}
    texts = {*_GUESSED, *(text.zfill(long) for text in digits for long in range(_LONGEST))}
    allowed = [text for text in sorted(texts) if text and form.allows(text)]
    found = codes.encode(pd.Series(allowed, dtype=object)).tolist()
    return [(text, code) for text, code in zip(allowed, found, strict=True)
            if len(codes.heads) <= code != codes.hidden_code]  # fmt: skip


def _read(cells: list[str]) -> list[Any]:
    """Return what pandas reads from each cell on its own; as floats where it may use floats."""
    line = io.StringIO(newline='')
    csv.writer(line).writerow(['line', *cells])
    # Each in a column of its own: what pandas infers from one then depends on no other.
    read = pd.read_csv(io.StringIO(line.getvalue(), newline=''), header=None).iloc[0, 1:].tolist()
    known = [None if pd.isna(value) else value for value in read]
    if any(value is None or isinstance(value, float) for value in known):
        known = [float(v) if isinstance(v, Integral) else v for v in known]
    return known


def _is_unicode(text: str) -> bool:
    """Whether a string contains no lone surrogate, which a file cannot contain."""
    return text.isascii() or not any('\ud800' <= letter <= '\udfff' for letter in text)
