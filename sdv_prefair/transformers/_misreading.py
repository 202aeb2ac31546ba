"""Columns with two values that a CSV reader that infers types, such as pandas, takes for one.

The text of a file determines every code. A reader without the types sees less: 'NA' is missing,
'01' and '1' are one number, and so are neighbouring integers above 2^53 if any cell of the column
is empty or has decimals, because the column is then read as floats.

Privacy: reads transformers alone, which are built from public facts and released values.
"""

import csv
import io
from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair.transformers._categories import CategoryCodes
from sdv_prefair.transformers._column_codes import ColumnCodes
from sdv_prefair.transformers._numbers import NumberBins
from sdv_prefair.transformers._telling import Extremes, csv_cells
from sdv_prefair.transformers._text_tails import TailedCodes

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
    return max(abs(codes.low), abs(codes.high)) * 10 ** (codes.places or 0) >= _EXACT_FLOAT


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
