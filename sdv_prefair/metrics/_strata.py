"""Strata: which rows agree on the admissible columns, by the model's own codes if there is a model.

A fair model makes outcomes independent of protected columns given the codes of the admissible
columns, and given their exact values. Given coarser or other bins it guarantees nothing: two codes
in one bin differ in outcomes and in groups, which looks like a dependence. So a model is measured
by its own codes. Without one, numbers and dates are put in bins of the metric's own, and a value
above its null may be an effect of the binning alone.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import pandas as pd

from sdv_prefair.errors import SynthesizerInputError, shown
from sdv_prefair.fairness._joint_test import joint_codes
from sdv_prefair.metrics._codes import NUM_BINS, SINGLE_VALUES, encode

MODEL_CODES = 'codes of the model'
EXACT_VALUES = 'exact values'
OWN_BINS = 'own bins'
ALL_ROWS = 'all rows'

OWN_BINS_CAUTION = (
    'Strata are bins of the metric, not codes of the model: a dependence above its null may be an '
    'effect of the binning alone.'
)


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

    codes: list[np.ndarray]
    told: str


def stratify(
    frames: Sequence[pd.DataFrame],
    columns: Mapping[str, dict],
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
    return Strata(joint, _with_model([name for name in names if name not in known[0]]))


def _agreeing(
    column: dict,
    name: str,
    of_model: Mapping[str, np.ndarray],
    of_frame: Mapping[str, np.ndarray],
) -> np.ndarray:
    """Return one code per row: equal where rows agree on a column.

    The model has one code for all unknown categories. Its own rows have none, unless they were
    changed since, for example by escaping formulas; that must not mix rows of two codes.
    """
    if name not in of_model:
        return of_frame[name]
    if column['sdtype'] in {'numerical', 'datetime'}:
        return of_model[name]
    return joint_codes([of_model[name], of_frame[name]])


def encode_groups(
    frames: Sequence[pd.DataFrame],
    columns: Mapping[str, dict],
    names: Sequence[str],
    synthesizer: RowEncoder | None = None,
    num_bins: int | None = NUM_BINS,
    single_values: int = SINGLE_VALUES,
) -> list[np.ndarray]:
    """Return one code per row of protected or of outcome columns; arguments as in ``stratify``.

    Given the strata of a fair model, any function of the outcomes is independent of any function
    of the protected columns, so columns without codes are binned here.
    """
    known = model_codes(frames, synthesizer)
    found = encode(frames, columns, names, num_bins, single_values)
    return [
        joint_codes([(of_model if name in of_model else of_frame)[name] for name in names])
        for of_model, of_frame in zip(known, found, strict=True)
    ]


def model_codes(
    frames: Sequence[pd.DataFrame], synthesizer: RowEncoder | None
) -> list[dict[str, np.ndarray]]:
    """Return the model's codes of each frame, for the columns that have codes."""
    if synthesizer is None:
        return [{} for _ in frames]
    check_synthesizer(synthesizer)
    encoded = [synthesizer.encode_rows(frame) for frame in frames]
    return [{name: codes[name].to_numpy(dtype=np.int64) for name in codes} for codes in encoded]


def check_synthesizer(synthesizer: object) -> None:
    """Raise unless the argument can encode rows."""
    if synthesizer is not None and not isinstance(synthesizer, RowEncoder):
        raise SynthesizerInputError(
            f'synthesizer ({shown(synthesizer)}) must be a fitted PreFairSynthesizer or an opened '
            'release. Open a file with PreFairSynthesizer.load_release.'
        )


def _with_model(touched: Sequence[str]) -> str:
    return f'{MODEL_CODES}, {EXACT_VALUES} of {_listed(touched)}' if touched else MODEL_CODES


def _without_model(
    frames: Sequence[pd.DataFrame], codes: Sequence[Mapping[str, np.ndarray]], names: Sequence[str]
) -> str:
    binned = [
        name
        for name in names
        if any(
            frame[name].nunique(dropna=False) > len(np.unique(of_frame[name]))
            for frame, of_frame in zip(frames, codes, strict=True)
        )
    ]
    return f'{OWN_BINS} of {_listed(binned)}' if binned else EXACT_VALUES


def _listed(names: Sequence[str]) -> str:
    return ', '.join(names)
