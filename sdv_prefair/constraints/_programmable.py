"""User-defined constraints (SDV's ProgrammableConstraint, also in its single-table form).

Their code can do anything, so by default it never sees a private row: sampled rows that
``is_valid`` refuses are rejected. With an attribute ``row_wise = True`` a constraint declares
that ``transform`` treats each row on its own; then it is applied to the private rows. The
declaration is tested on public rows, but remains an assumption, like ``max_rows_per_person``.

A constraint must name the columns it reads: in an attribute ``column_names``, or in any
attributes that contain names of columns. It receives these columns only.
"""

import copy
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from sdv.cag import ProgrammableConstraint
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_prefair.columns import public_domain, single_table
from sdv_prefair.columns._dtypes import with_columns
from sdv_prefair.columns._facts import ColumnDomain
from sdv_prefair.constraints._dict_form import call
from sdv_prefair.constraints._made_rows import make_rows
from sdv_prefair.constraints._transformation import Transformation


def named_columns(constraint: ProgrammableConstraint, columns: Iterable[str]) -> tuple[str, ...]:
    """Return the columns that a constraint declares that it reads.

    Args:
        constraint: The user's constraint.
        columns: The columns of the table.
    """
    columns = list(columns)
    listed = getattr(constraint, 'column_names', None)
    attributes = vars(constraint).values() if listed is None else [listed]
    named = {name for value in attributes for name in _strings(value)}
    unknown = [] if listed is None else sorted(named - set(columns))
    if unknown or not named & set(columns):
        raise SynthesizerInputError(
            f'{type(constraint).__name__} must list the columns it reads in an attribute '
            "'column_names': it makes all of them dependent, and the fairness check must know. "
            f'The columns are {columns}' + (f'; {unknown} are not among them.' if unknown else '.')
        )
    return tuple(column for column in columns if column in named)


def _strings(value: Any) -> list[str]:
    values = value if isinstance(value, list | tuple | set | frozenset) else [value]
    return [item for item in values if isinstance(item, str)]


class ProgrammedColumns(Transformation):
    """A user-defined constraint, enforced by its own ``transform``.

    Args:
        constraint: The user's constraint, with ``row_wise = True``.
        metadata: The metadata of the table that it receives.
        columns: The columns it reads.
        public_ranges: Whether ranges of the columns it makes are public.
    """

    def __init__(
        self,
        constraint: ProgrammableConstraint,
        metadata: Metadata,
        columns: Iterable[str],
        public_ranges: bool,
    ):
        updated = constraint.get_updated_metadata(copy.deepcopy(metadata))
        before, after = single_table(metadata).columns, single_table(updated).columns
        columns = tuple(columns)
        made = [column for column in after if column not in before or column in columns]
        dropped = sorted(set(before) - set(after) - set(columns))
        if dropped:
            raise SynthesizerInputError(
                f'{type(constraint).__name__} drops {dropped}, which it does not name. List all '
                "columns it reads or drops in its attribute 'column_names'."
            )
        super().__init__(constraint, columns, {column: columns for column in made})
        domains = public_domain(updated, public_ranges)
        if missing := [column for column in made if column not in domains]:
            raise SynthesizerInputError(
                f'{type(constraint).__name__} makes {missing}, which cannot be modelled: give them '
                "a statistical sdtype such as 'numerical' in get_updated_metadata."
            )
        (self._table_name,) = metadata.tables
        self._dtypes: dict[str, Any] = {}
        self._made_domains = {column: domains[column] for column in made}
        self._descriptions = {column: dict(after[column]) for column in made}

    def derive(
        self, domains: Mapping[str, ColumnDomain], dtypes: Mapping[str, Any]
    ) -> dict[str, ColumnDomain]:
        """Return the domains of the made columns that the constraint's own metadata declares."""
        return dict(self._made_domains)

    def describe(
        self, domains: Mapping[str, ColumnDomain], columns: Mapping[str, dict[str, Any]]
    ) -> dict[str, dict[str, Any]]:
        """Return the constraint's own metadata for the columns it makes."""
        return self._descriptions

    def check_promise(self, public: pd.DataFrame) -> None:
        """Raise unless public rows are transformed the same way one by one and all together.

        The resulting dtypes then apply to all rows.
        """
        together = self._transform(public)
        apart = [self._transform(public.iloc[[place]]) for place in range(len(public))]
        if not together.reset_index(drop=True).equals(pd.concat(apart, ignore_index=True)):
            raise SynthesizerInputError(
                f'{type(self.constraint).__name__} has row_wise = True, but its transform gives a '
                'row different values depending on the other rows. Transform each row on its own, '
                'or remove the attribute to use rejection sampling instead.'
            )
        self._dtypes = {str(column): dtype for column, dtype in together.dtypes.items()}

    def transform(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the frame with made columns in place of consumed ones.

        Privacy: the result for a row depends on that row alone, as the constraint declares. Rows
        on which its code fails become null.
        """
        kept = frame.drop(columns=[column for column in self.columns if column in frame])
        if not set(self.columns) <= set(frame.columns):
            return kept
        made = make_rows(self._transform, frame, self._dtypes)
        return with_columns(kept, {column: made[column].array for column in made.columns})

    def _transform(self, frame: pd.DataFrame) -> pd.DataFrame:
        # On a copy, so that the constraint keeps nothing from the rows.
        constraint = copy.deepcopy(self.constraint)
        try:
            shown = frame[list(self.columns)].copy()
            made: pd.DataFrame = call(constraint, 'transform', self._table_name, shown)
            made = made[list(self.sources)]
            complete = len(made) == len(frame)
        except Exception:  # its message could quote the rows
            complete = False
        if not complete:
            raise SynthesizerInputError(
                f'{type(constraint).__name__}.transform failed, or did not return the columns '
                f'{list(self.sources)} with one row per input row. Its own message is left out '
                'because it may quote rows: try it on made-up rows.'
            ) from None
        return made

    def make(self, frame: pd.DataFrame, column: str) -> Any:
        """Return the values of one made column."""
        return self.transform(frame)[column]

    def restore(
        self, frame: pd.DataFrame, asked: pd.DataFrame | None = None
    ) -> tuple[dict[str, Any], np.ndarray]:
        """Return the consumed columns as the constraint restores them."""
        shown = frame[list(self.sources)].copy()
        restored = call(self.constraint, 'reverse_transform', self._table_name, shown)
        columns = {column: restored[column].array for column in self.columns}
        return columns, np.ones(len(frame), dtype=bool)
