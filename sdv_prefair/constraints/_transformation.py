"""The interface for enforcing a constraint by modelling other columns in place of its own."""

import abc
import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from sdv.cag import FixedIncrements
from sdv.cag.base import BaseConstraint
from sdv.metadata import Metadata

from sdv_prefair.columns import ColumnCodes
from sdv_prefair.columns._dtypes import cast, holds_nulls, public_dtype, read_numbers, with_columns
from sdv_prefair.columns._facts import Categories, ColumnDomain, Numbers, Undeclared
from sdv_prefair.errors import DomainError


class Transformation(abc.ABC):
    """One constraint, enforced by modelling columns that determine the constrained ones.

    SDV's own transformations learn from the rows: a mean that replaces nulls, whether there are
    nulls, the order of combinations. These depend on public facts alone, so the result for a row
    depends on that row alone; a row that breaks the constraint is changed to one that satisfies it.

    Privacy: adding or removing a row adds or removes one transformed row.

    Args:
        constraint: SDV's constraint. It is kept, never fitted to rows.
        columns: The columns that it replaces ("consumes").
        sources: The columns that it makes, each with the columns that its values are computed from.
    """

    def __init__(
        self,
        constraint: BaseConstraint,
        columns: Iterable[str],
        sources: Mapping[str, tuple[str, ...]],
    ):
        self.constraint = constraint
        self.columns = tuple(columns)
        self.sources = dict(sources)

    @abc.abstractmethod
    def derive(
        self, domains: Mapping[str, ColumnDomain], dtypes: Mapping[str, Any]
    ) -> dict[str, ColumnDomain]:
        """Prepare for columns with these domains and dtypes; return the made columns' domains.

        Args:
            domains: The public domains of the consumed columns.
            dtypes: Their dtypes, if known; before a fit, none is.

        Raises:
            DomainError: If no public value satisfies the constraint.
        """

    @abc.abstractmethod
    def make(self, frame: pd.DataFrame, column: str) -> Any:
        """Return the values of one made column; the frame holds its sources."""

    @abc.abstractmethod
    def restore(
        self, frame: pd.DataFrame, asked: pd.DataFrame | None = None
    ) -> tuple[dict[str, Any], np.ndarray]:
        """Return the consumed columns, and which rows can be accepted.

        Rows with restored values outside the public domain cannot.

        Args:
            frame: The made columns, and possibly others.
            asked: Requested values of consumed columns, if any; the other columns are computed from
                them.
        """

    def clues(self, asked: pd.DataFrame) -> list[Hashable]:
        """Return, for each line of requested values, what its ``likelihoods`` depend on."""
        return [None] * len(asked)

    def likelihoods(
        self, asked: pd.DataFrame, codes: Mapping[str, ColumnCodes]
    ) -> dict[str, np.ndarray]:
        """Return likelihoods for the codes of made columns that requested values do not determine.

        Args:
            asked: One line of requested values, of some of the consumed columns.
            codes: The encoders of those made columns that are modelled.

        Returns:
            For each made column that can be treated on its own, the likelihood of the requested
            values given each of its codes, up to a constant factor. Rows that do not match are
            rejected in any case.
        """
        return {}

    def transform(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the frame with made columns in place of consumed ones.

        Made columns with missing source columns are left out, so a condition on some of the
        consumed columns becomes one on some of the made columns.
        """
        kept = frame.drop(columns=[column for column in self.columns if column in frame])
        made = {
            name: self.make(frame, name)
            for name, sources in self.sources.items()
            if set(sources) <= set(frame.columns)
        }
        return with_columns(kept, made)

    def reverse_transform(
        self, frame: pd.DataFrame, asked: pd.DataFrame | None = None
    ) -> pd.DataFrame:
        """Return the accepted rows of the frame, with consumed columns in place of made ones.

        Args:
            frame: Rows with the made columns.
            asked: Requested values of these rows, in any columns. The caller must check that they
                determine the sampled codes.
        """
        restored, keep = self.restore(frame, asked)
        left = frame.drop(columns=list(self.sources))
        if asked is not None:
            restored |= {c: asked[c].array for c in self.columns if c in asked}
        return with_columns(left, restored)[keep]

    def describe(
        self, domains: Mapping[str, ColumnDomain], columns: Mapping[str, dict[str, Any]]
    ) -> dict[str, dict[str, Any]]:
        """Return the metadata of the made columns.

        Args:
            domains: Their domains.
            columns: The metadata of the columns before the transformation.
        """
        return {name: describe(domains[name]) for name in self.sources}

    def edges(self, bins: int) -> dict[str, list[int] | list[float]]:
        """Return edges of bins of unequal width, for made columns that need them."""
        return {}


def describe(domain: ColumnDomain) -> dict[str, Any]:
    """Return metadata for the public domain of a numerical or categorical column."""
    if isinstance(domain, Categories):
        return {
            'sdtype': 'categorical',
            'range_values': list(domain.values),
            'range_is_nullable': domain.nullable,
        }
    if isinstance(domain, Numbers):
        known = {'range_min': domain.low, 'range_max': domain.high}
        if domain.decimal_places is not None:
            known['decimal_places'] = domain.decimal_places
        return {'sdtype': 'numerical', 'range_is_nullable': domain.nullable} | known
    kind = domain.kind if isinstance(domain, Undeclared) else None
    return {'sdtype': 'categorical' if kind == 'categories' else 'numerical'}


def exchange_columns(
    metadata: Metadata, consumed: tuple[str, ...], described: dict[str, dict[str, Any]]
) -> Metadata:
    """Return the metadata with some columns replaced by others."""
    description = metadata.to_dict()
    (table,) = description['tables'].values()
    kept = {c: d for c, d in table['columns'].items() if c not in consumed}
    table['columns'] = kept | described
    table['column_relationships'] = [
        relationship
        for relationship in table.get('column_relationships', [])
        if not set(relationship['column_names']) & set(consumed)
    ]
    return Metadata.load_from_dict(description)


def unused_name(name: str, taken: Iterable[str]) -> str:
    """Return the name, with underscores appended until it is unused."""
    taken = set(taken)
    while name in taken:
        name += '_'
    return name


def written_dtype(domain: ColumnDomain, dtype: Any) -> Any:
    """Return the dtype in which a consumed column is written back."""
    return public_dtype(dtype, domain.values if isinstance(domain, Categories) else None)


# -- Multiples of an increment (SDV's FixedIncrements): the multiplier is modelled -----------------


_LARGEST = 2**61


class Multiples(Transformation):
    """A FixedIncrements: ``column`` becomes ``column#increment``, an integer.

    A value between two multiples counts as the nearer one.

    Args:
        constraint: SDV's constraint.
        taken: Column names already in use.
    """

    def __init__(self, constraint: FixedIncrements, taken: Iterable[str]):
        column = constraint.column_name
        self._name = unused_name(f'{column}#increment', taken)
        super().__init__(constraint, [column], {self._name: (column,)})
        self._increment = int(constraint.increment_value)

    def derive(
        self, domains: Mapping[str, ColumnDomain], dtypes: Mapping[str, Any]
    ) -> dict[str, ColumnDomain]:
        """Return the multipliers whose multiples lie in the public range."""
        (column,) = self.columns
        domain, dtype = domains[column], dtypes.get(column)
        low = None if domain.low is None else math.ceil(domain.low / self._increment)
        high = None if domain.high is None else math.floor(domain.high / self._increment)
        if low is not None and high is not None and low > high:
            raise DomainError(
                f'FixedIncrements cannot hold: no multiple of {self._increment} lies in the '
                f"declared range of '{column}'. Correct the range or the increment."
            )
        nullable = domain.nullable and holds_nulls(dtype)
        self._dtype = written_dtype(domain, dtype)
        self._bounds = (-_LARGEST if low is None else low, _LARGEST if high is None else high)
        if isinstance(domain, Numbers):
            return {self._name: Numbers(low, high, 0, nullable)}
        made = replace(domain, low=low, high=high, decimal_places=0, nullable=nullable)
        return {self._name: made}

    def make(self, frame: pd.DataFrame, column: str) -> Any:
        """Return the multipliers of the nearest multiples."""
        values = frame[self.columns[0]]
        numbers, nulls = read_numbers(values)
        nearest = np.rint(np.where(nulls, 0, numbers) / self._increment)
        # As floats, because the largest integers of some dtypes would overflow.
        multipliers = np.clip(nearest, *map(float, self._bounds)).astype(np.int64)
        return cast(np.clip(multipliers, *self._bounds), nulls, pd.Int64Dtype())

    def restore(
        self, frame: pd.DataFrame, asked: pd.DataFrame | None = None
    ) -> tuple[dict[str, Any], np.ndarray]:
        """Return the multiples."""
        multipliers, nulls = read_numbers(frame[self._name])
        multiples = np.where(nulls, 0, multipliers).astype(np.int64) * self._increment
        return {self.columns[0]: cast(multiples, nulls, self._dtype)}, np.ones(len(frame), bool)
