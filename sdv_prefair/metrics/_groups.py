"""Which rows are compared: groups of some columns within strata of others, as codes and by name.

A fair model makes outcomes independent of protected columns given the codes of the admissible
columns, and given their exact values. Given coarser or other bins it guarantees nothing: two codes
in one bin differ in outcomes and in groups, which looks like a dependence. So a model is measured
by its own codes. Without one, numbers and dates are put in bins of the metric's own, and a value
above its null may be an effect of the binning alone.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import pandas as pd
from sdv.errors import SynthesizerInputError

from sdv_prefair._arrays import Integers, Objects
from sdv_prefair.errors import shown
from sdv_prefair.fairness._joint_test import joint_codes
from sdv_prefair.metrics._codes import NUM_BINS, SINGLE_VALUES, Codes, as_numbers, encode
from sdv_prefair.metrics._tables import Column, Tables, is_number

STRATA_BINS = 8
"""Default bins of an admissible number: few, so that strata contain both groups."""

MODEL_CODES = 'codes of the model'
EXACT_VALUES = 'exact values'
OWN_BINS = 'own bins'
ALL_ROWS = 'all rows'

OWN_BINS_CAUTION = (
    'Strata are bins of the metric, not codes of the model: a dependence above its null may be an '
    'effect of the binning alone.'
)

_BETWEEN = ', '
_NULL = '(null)'


@runtime_checkable
class RowEncoder(Protocol):
    """A fitted synthesizer, or an opened release: whatever can encode rows."""

    def encode_rows(self, data: pd.DataFrame) -> pd.DataFrame:
        """Return the codes of the columns that the model contains unchanged."""


class Strata(NamedTuple):
    """The strata of the rows of each frame.

    Attributes:
        codes: For each frame one code per row: equal where the admissible columns agree.
        told: What "agree" means, in words that begin with ``MODEL_CODES``, ``EXACT_VALUES`` or
            ``OWN_BINS``; ``ALL_ROWS`` if the conditioning set is empty.
    """

    codes: list[Integers]
    told: str


class Compared(NamedTuple):
    """The rows of a table as they are compared.

    Attributes:
        left: Codes of the columns that make the groups.
        right: Codes of the columns that make the outcomes.
        strata: The stratum of each row.
    """

    left: Codes
    right: Codes
    strata: Integers


def compare(
    tables: Tables,
    left: Sequence[str],
    right: Sequence[str],
    given: Sequence[str],
    synthesizer: RowEncoder | None = None,
    num_bins: int | None = NUM_BINS,
    single_values: int = SINGLE_VALUES,
) -> tuple[list[Compared], str]:
    """Return the rows of each table as they are compared, and what rows of a stratum agree on.

    Given the strata of a fair model, any function of the outcomes is independent of any function
    of the protected columns, so groups and outcomes without codes of the model are binned here.

    Args:
        tables: The tables.
        left: The columns that make the groups.
        right: The columns that make the outcomes.
        given: The columns that make the strata.
        synthesizer: Whose codes are used.
        num_bins: As for ``stratify``.
        single_values: Likewise.
    """
    frames, bins = tables.frames, (num_bins, single_values)
    strata = stratify(frames, tables.columns, given, synthesizer, *bins)
    known = model_codes(frames, synthesizer)
    found = encode(frames, tables.columns, [*left, *right], *bins)
    codes = [of_frame | of_model for of_model, of_frame in zip(known, found, strict=True)]
    rows = [
        Compared({n: part[n] for n in left}, {n: part[n] for n in right}, stratum)
        for part, stratum in zip(codes, strata.codes, strict=True)
    ]
    return rows, strata.told


def stratify(
    frames: Sequence[pd.DataFrame],
    columns: Mapping[str, Column],
    names: Sequence[str],
    synthesizer: RowEncoder | None = None,
    num_bins: int | None = NUM_BINS,
    single_values: int = SINGLE_VALUES,
) -> Strata:
    """Return the strata of some columns.

    Args:
        frames: The tables; the first gives the ranges of bins where the metadata has none.
        columns: The metadata of each column.
        names: The admissible columns; without any, all rows agree.
        synthesizer: Whose codes are used. A column that a constraint touches has none: its rows
            agree if their values do.
        num_bins: Bins of a number or a date, without a synthesizer; ``None`` keeps values apart.
        single_values: Numbers that can take at most so many values are not binned.
    """
    if not names:
        return Strata([np.zeros(len(frame), dtype=np.int64) for frame in frames], ALL_ROWS)
    known = model_codes(frames, synthesizer)
    bins = num_bins if synthesizer is None else None
    found = encode(frames, columns, names, bins, single_values)
    joint = [
        joint_codes([_agreeing(columns[name], name, of_model, of_frame) for name in names])
        for of_model, of_frame in zip(known, found, strict=True)
    ]
    if synthesizer is None:
        return Strata(joint, _without_model(frames, found, names))
    touched = [name for name in names if name not in known[0]]
    told = f'{MODEL_CODES}, {EXACT_VALUES} of {_BETWEEN.join(touched)}' if touched else MODEL_CODES
    return Strata(joint, told)


def _agreeing(column: Column, name: str, of_model: Codes, of_frame: Codes) -> Integers:
    """Return one code per row: equal where rows agree on a column.

    The model has one code for all unknown categories. Its own rows have none, unless they were
    changed since, for example by escaping formulas; that must not mix rows of two codes.
    """
    if name not in of_model:
        return of_frame[name]
    if is_number(column):
        return of_model[name]
    return joint_codes([of_model[name], of_frame[name]])


def _without_model(
    frames: Sequence[pd.DataFrame], codes: Sequence[Codes], names: Iterable[str]
) -> str:
    binned = [
        name
        for name in names
        if any(
            frame[name].nunique(dropna=False) > len(np.unique(of_frame[name]))
            for frame, of_frame in zip(frames, codes, strict=True)
        )
    ]
    return f'{OWN_BINS} of {_BETWEEN.join(binned)}' if binned else EXACT_VALUES


def model_codes(frames: Sequence[pd.DataFrame], synthesizer: RowEncoder | None) -> list[Codes]:
    """Return the model's codes of each frame, for the columns that have codes."""
    if synthesizer is None:
        return [{} for _ in frames]
    check_synthesizer(synthesizer)
    encoded = [synthesizer.encode_rows(frame) for frame in frames]
    return [
        {str(name): of_column.to_numpy(dtype=np.int64) for name, of_column in codes.items()}
        for codes in encoded
    ]


def check_synthesizer(synthesizer: object) -> None:
    """Raise unless the argument can encode rows."""
    if synthesizer is not None and not isinstance(synthesizer, RowEncoder):
        raise SynthesizerInputError(
            f'synthesizer ({shown(synthesizer)}) must be a fitted PreFairSynthesizer or an opened '
            'release. Open a file with PreFairSynthesizer.load_release.'
        )


def strata_of(
    tables: Tables,
    admissible: str | Iterable[str],
    num_bins: int | None = STRATA_BINS,
    synthesizer: RowEncoder | None = None,
) -> Strata:
    """Return the strata of the real rows, by the codes of a model if there is one."""
    names = tables.select('admissible', admissible)
    return stratify([tables.real], tables.columns, names, synthesizer, num_bins, single_values=0)


def strata_codes(
    tables: Tables, admissible: str | Iterable[str], num_bins: int | None = STRATA_BINS
) -> Integers:
    """Return the stratum of each real row: equal where the admissible columns agree."""
    return strata_of(tables, admissible, num_bins).codes[0]


def group_names(
    tables: Tables, protected: str | Iterable[str], num_bins: int | None = STRATA_BINS
) -> Objects:
    """Return the group of each real row, as text.

    A group of numbers or dates is named by its smallest and largest value.
    """
    names = tables.select('protected', protected)
    (codes,) = encode([tables.real], tables.columns, names, num_bins, single_values=0)
    return labels(tables.real, tables.columns, codes)


def labels(frame: pd.DataFrame, columns: Mapping[str, Column], codes: Codes) -> Objects:
    """Return the codes of each row as one text: different texts for different codes."""
    joint = joint_codes(list(codes.values()))
    _, first, number = np.unique(joint, return_index=True, return_inverse=True)
    parts = []
    for name, of_column in codes.items():
        texts = _texts(frame[name], columns[name], of_column)
        parts.append([texts[code] for code in of_column[first].tolist()])
    if len(parts) > 1:
        # Quoted where it would be ambiguous: two groups must not have the same name.
        parts = [[repr(text) if _BETWEEN in text else text for text in part] for part in parts]
    return np.array([_BETWEEN.join(texts) for texts in zip(*parts, strict=True)], object)[number]


def _texts(values: pd.Series, column: Column, codes: Integers) -> dict[int, str]:
    """Return a text for each code of a column: its value, or its smallest and its largest one."""
    if is_number(column):
        plain = values if values.dtype.kind == 'M' else pd.Series(as_numbers(values), values.index)
        ends = plain.groupby(codes).agg(['min', 'max'])
        pairs = {code: (low, high) for code, low, high in ends.itertuples()}
        brief = {code: _between(*pair) for code, pair in pairs.items()}
        exact = {code: _between(*pair, told=str) for code, pair in pairs.items()}
    else:
        is_first = ~pd.Series(codes).duplicated().to_numpy()
        told = dict(zip(codes[is_first].tolist(), values[is_first].tolist(), strict=True))
        brief = {code: value_in_words(value) for code, value in told.items()}
        exact = {code: repr(value) for code, value in told.items()}
    often = Counter(brief.values())
    return {code: text if often[text] == 1 else exact[code] for code, text in brief.items()}


def value_in_words(value: Any) -> str:
    """Return a value of a category as text; no text reads like null."""
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return _NULL
    return repr(value) if value == _NULL else str(value)


def _between(low: Any, high: Any, told: Callable[[Any], str] | None = None) -> str:
    told = told or _shown
    return told(low) if low == high or pd.isna(low) else f'{told(low)} to {told(high)}'


def _shown(value: Any) -> str:
    if pd.isna(value):
        return _NULL
    if isinstance(value, pd.Timestamp):
        return str(value.date()) if value == value.normalize() else str(value)
    return f'{value:g}'
