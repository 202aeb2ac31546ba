"""User-defined constraints, in either of SDV's forms.

A ``ProgrammableConstraint`` takes and returns tables by name; a
``SingleTableProgrammableConstraint`` takes and returns one table.
"""

import copy
import pickle
from typing import Any

import pandas as pd
from sdv.cag import ProgrammableConstraint, SingleTableProgrammableConstraint
from sdv.errors import SynthesizerInputError

_LONGER = pd.Timedelta(days=1)


def call(constraint: ProgrammableConstraint, method: str, table_name: str, *given: Any) -> Any:
    """Return the result of a constraint's method for one table.

    Args:
        constraint: The user's constraint.
        method: The name of its method.
        table_name: The name of the table.
        given: The table, and the method's further arguments.
    """
    table, *others = given
    if isinstance(constraint, SingleTableProgrammableConstraint):
        return getattr(constraint, method)(table, *others)
    returned = getattr(constraint, method)({table_name: table}, *others)
    return returned[table_name] if isinstance(returned, dict) else returned


def check_learns_nothing(
    constraint: ProgrammableConstraint, table_name: str, public: pd.DataFrame, metadata: Any
) -> None:
    """Raise if ``fit`` stores anything in a constraint that depends on the rows.

    Privacy: the rows are simulated. Anything learnt from private ones would not be paid for, and
    anything learnt from simulated ones is wrong.

    Args:
        constraint: The user's constraint; it is not modified.
        table_name: The name of the table.
        public: A few rows made from public facts, with the columns that it reads.
        metadata: Their metadata.
    """
    kept = [
        _kept(constraint, table_name, rows, metadata)
        for rows in (public, _other(public), _other(public.head(1)), public.mask(public.notna()))
    ]
    learnt = sorted({
        name
        for one in kept[1:]
        for name in kept[0].keys() | one.keys()
        if not _same(kept[0].get(name), one.get(name))
    })
    if learnt:
        raise SynthesizerInputError(
            f'{type(constraint).__name__}.fit learns {learnt} from the rows, which are private: '
            'that would be outside the privacy budget. Pass what is public as parameters of the '
            'constraint and leave fit out; to transform rows, transform each one on its own and '
            'set row_wise = True.'
        )


def _kept(constraint: Any, table_name: str, rows: pd.DataFrame, metadata: Any) -> dict[str, Any]:
    fitted = copy.deepcopy(constraint)
    try:
        call(fitted, 'fit', table_name, rows.copy(), copy.deepcopy(metadata))
    except Exception:  # raised when it is fitted, to rows of the table's dtypes
        return {}
    return dict(vars(fitted))


def _other(frame: pd.DataFrame) -> pd.DataFrame:
    """Return rows in which every value differs."""
    return pd.DataFrame({c: _other_values(v) for c, v in frame.items()}, index=frame.index)


def _other_values(values: pd.Series) -> pd.Series:
    if pd.api.types.is_bool_dtype(values):
        return ~values
    if pd.api.types.is_numeric_dtype(values):
        return values.where(values > values.max(), values // 2 + 1)
    if pd.api.types.is_datetime64_any_dtype(values):
        return values + _LONGER
    return values.astype(object).map(lambda value: f'{value} too')


def _same(one: Any, other: Any) -> bool:
    try:
        equal = one.equals(other) if hasattr(one, 'equals') else bool(one == other)
        return equal or pickle.dumps(one) == pickle.dumps(other)
    except Exception:  # anything that cannot be compared may have been learnt
        return one is other
