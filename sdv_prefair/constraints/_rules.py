"""Whether rows satisfy a constraint: sampled rows are accepted or rejected by this test.

The test is SDV's own unless that needs rows. A fit applies it to synthetic rows only; ``check``
applies it to real ones, for their owner.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from sdv.cag import ProgrammableConstraint
from sdv.cag.base import BaseConstraint
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_prefair._sdv_versions import accepted
from sdv_prefair.constraints._dict_form import call
from sdv_prefair.constraints._joint import JointColumn


class Rule:
    """One of SDV's constraints on columns.

    Args:
        constraint: The constraint. It is fitted to an empty frame.
        columns: The columns that it reads.
    """

    def __init__(self, constraint: Any, columns: Iterable[str]):
        self.constraint: BaseConstraint = constraint
        self.columns = tuple(columns)

    def fit(self, public: pd.DataFrame, metadata: Metadata) -> None:
        """Prepare for a table like this one.

        Args:
            public: A few rows made from public facts.
            metadata: Their metadata.
        """
        self.constraint.fit(_plain(public[list(self.columns)].iloc[:0]), accepted(metadata))

    @property
    def is_known(self) -> bool:
        """Whether it can be tested: nothing about it remains to be learnt."""
        return True

    def holds(self, frame: pd.DataFrame) -> np.ndarray:
        """Return which rows satisfy the constraint."""
        if frame.empty:  # SDV changes the dtypes of an empty frame
            return np.ones(0, dtype=bool)
        return np.asarray(self.constraint.is_valid(_plain(frame[list(self.columns)])), dtype=bool)


class JointRule(Rule):
    """The combinations that are allowed.

    Args:
        joint: The transformation that holds them once they are known.
    """

    def __init__(self, joint: JointColumn):
        super().__init__(joint.constraint, joint.columns)
        self.joint = joint

    def fit(self, public: pd.DataFrame, metadata: Metadata) -> None:
        """Do nothing: SDV would treat the combinations in these rows as the allowed ones."""

    @property
    def is_known(self) -> bool:
        """Whether the allowed combinations are known."""
        return self.joint.is_settled

    def holds(self, frame: pd.DataFrame) -> np.ndarray:
        """Return which rows satisfy the constraint."""
        return self.joint.allows(frame)


class ProgrammedRule(Rule):
    """A user-defined constraint.

    It receives only the columns that it names, so it cannot make any others dependent.

    Args:
        constraint: The user's constraint.
        columns: The columns that it reads.
        table_name: The name of the table.
    """

    constraint: ProgrammableConstraint

    def __init__(self, constraint: Any, columns: Iterable[str], table_name: str):
        super().__init__(constraint, columns)
        self.table_name = table_name

    def fit(self, public: pd.DataFrame, metadata: Metadata) -> None:
        """Fit the constraint to public rows, and check that it reads no other columns."""
        shown = public[list(self.columns)]
        self._call('fit', shown.copy(), metadata)
        self.holds(shown)

    def holds(self, frame: pd.DataFrame) -> np.ndarray:
        """Return which rows satisfy the constraint."""
        verdict = self._call('is_valid', frame[list(self.columns)].copy())
        if np.shape(verdict) != (len(frame),):
            raise SynthesizerInputError(
                f'{type(self.constraint).__name__}.is_valid must return one True or False for '
                'each row. Compare columns, as in data[low] < data[high].'
            )
        return np.asarray(verdict, dtype=bool)

    def _call(self, method: str, *arguments: Any) -> Any:
        try:
            return call(self.constraint, method, self.table_name, *arguments)
        except KeyError as error:
            name = type(self.constraint).__name__
            raise SynthesizerInputError(
                f'{name}.{method} reads {error}, but {name} is only shown the columns it names: '
                f"{list(self.columns)}. List all columns it reads in an attribute 'column_names'."
            ) from None


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with numpy's dtypes: SDV's comparisons fail on pandas' own nulls."""
    return pd.DataFrame(
        {column: _plain_column(values) for column, values in frame.items()}, index=frame.index
    )


def _plain_column(values: pd.Series) -> pd.Series:
    dtype = values.dtype
    if isinstance(dtype, np.dtype):
        return values
    if isinstance(dtype, pd.CategoricalDtype):
        return values.astype(object)
    if pd.api.types.is_numeric_dtype(dtype):
        return pd.Series(values.to_numpy(np.float64, na_value=np.nan), index=values.index)
    if any(kind in str(dtype) for kind in ('date', 'timestamp')):
        zone = getattr(getattr(dtype, 'pyarrow_dtype', dtype), 'tz', None)
        if zone is None:
            return values.astype('datetime64[us]')
        local: pd.Series = values.astype(pd.DatetimeTZDtype('us', zone)).dt.tz_localize(None)
        return local
    return values.astype(object).where(values.notna(), None)
