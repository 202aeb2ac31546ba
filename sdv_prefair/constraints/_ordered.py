"""Columns in increasing order (SDV's Inequality and Range): the first, then the steps up.

``low``, ``middle`` and ``high`` become ``low.fillna``, ``low#middle`` and ``middle#high``: the
first column unchanged, and for every other column its distance above the one before. These steps
are never negative, so every sampled row is in order.

Departs: SDV fills nulls with the column's mean and keeps a column ``nan_component`` that says which
values were null. Here nulls remain nulls, for two reasons. The mean would be learnt from rows. And
if a model sampled a null flag and a value separately, the flag would hide the value, which could
carry a dependence that no column of the synthetic table shows: given an admissible column that is
null, a protected and an outcome column would still depend on each other through the hidden value.
If the column before is null, the step is measured from the one before that, or from a public
constant. SDV takes the logarithm of steps; here bins become wider with the step.
"""

import abc
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from sdv.cag import Inequality, Range

from sdv_prefair.columns import ColumnCodes
from sdv_prefair.columns._bins import SINGLE_VALUE_LIMIT
from sdv_prefair.columns._cells import boxed, micros_of_timestamp
from sdv_prefair.columns._dtypes import cast, decimal_scale, holds_nulls, public_dtype, read_numbers
from sdv_prefair.columns._facts import ColumnDomain, Datetimes, Numbers, Undeclared
from sdv_prefair.columns._moments import grid_unit, read_micros, write_micros
from sdv_prefair.constraints._transformation import Transformation, describe, unused_name
from sdv_prefair.errors import DomainError

# -- Numbers and timestamps as grid positions, so that their differences are exact -----------------
#
# A ruler has marks: integers, cents, days, months, at the resolution of its column. Columns
# of real numbers have a ruler without marks, where a position is the number itself.

_EXACT_FLOAT = 2**52
# Positions this far apart can be added and subtracted without overflow.
_FARTHEST = 2**61
_LARGEST_REAL = 1e300
_DAY_WITHOUT_BOUNDS = pd.Timestamp('2000-01-01')
_CALENDAR = np.array(['1000-01-01', '9999-12-31'], dtype='datetime64[us]')

Bounds = tuple[float | None, float | None]


class Ruler(abc.ABC):
    """Where values lie.

    Attributes:
        marked: Whether positions are integers.
    """

    marked: bool

    @abc.abstractmethod
    def _read(self, column: pd.Series, domain: ColumnDomain) -> tuple[np.ndarray, np.ndarray]:
        """Return positions and nulls; a value between marks has the position of the lower one."""

    @abc.abstractmethod
    def position(self, bound: Any) -> float:
        """Return the position of a public bound."""

    @abc.abstractmethod
    def write(self, positions: np.ndarray, nulls: np.ndarray) -> Any:
        """Return values at these positions, in the dtype of the ruler's own column."""

    def read(self, column: pd.Series, domain: ColumnDomain) -> tuple[np.ndarray, np.ndarray]:
        """Return the positions of a column's values, and which are null.

        Args:
            column: The ruler's own column or another one.
            domain: The public domain of that column; values are clipped to it.
        """
        if isinstance(column.dtype, pd.CategoricalDtype):
            column = pd.Series(boxed(column), column.index, dtype=object)
        positions, nulls = self._read(column, domain)
        return self.clip(positions, domain), nulls

    def clip(self, positions: np.ndarray, domain: ColumnDomain) -> np.ndarray:
        """Return the positions, clipped to the domain."""
        low, high = self.bounds(domain)
        return np.clip(positions, low, high) if (low, high) != (None, None) else positions

    def bounds(self, domain: ColumnDomain) -> Bounds:
        """Return the positions of a domain's bounds; None for a bound that is not public."""
        return tuple(
            None if bound is None else self.position(bound) for bound in (domain.low, domain.high)
        )


class NumberRuler(Ruler):
    """The ruler of a numerical column.

    Args:
        domain: The public domain of the column.
        dtype: Its dtype, if known.
    """

    def __init__(self, domain: ColumnDomain, dtype: Any):
        self._dtype = public_dtype(dtype)
        places = [domain.decimal_places, decimal_scale(self._dtype)]
        self._places = min((place for place in places if place is not None), default=None)
        if self._places:
            ends = [abs(end) for end in (domain.low, domain.high) if end is not None]
            if max(ends, default=0) * 10**self._places >= _EXACT_FLOAT:
                self._places = None  # floats cannot distinguish the marks
        self.marked = self._places is not None

    def _read(self, column: pd.Series, domain: ColumnDomain) -> tuple[np.ndarray, np.ndarray]:
        numbers, nulls = read_numbers(column)
        return self._locate(np.where(nulls, 0, numbers)), nulls

    def _locate(self, numbers: np.ndarray) -> np.ndarray:
        if not self.marked:
            return np.clip(numbers.astype(np.float64), -_LARGEST_REAL, _LARGEST_REAL)
        scale = 10**self._places
        if numbers.dtype.kind == 'f':
            numbers = numbers.astype(np.float64)
            # Rounded first, because 0.29 * 100 is slightly less than 29.
            marks = np.floor(np.round(np.clip(numbers, -_LARGEST_REAL, _LARGEST_REAL) * scale, 6))
            return np.clip(marks, -_FARTHEST, _FARTHEST).astype(np.int64)
        if numbers.dtype.kind == 'u':
            numbers = np.minimum(numbers.astype(np.uint64), np.uint64(_FARTHEST))
        farthest = _FARTHEST // scale
        return np.clip(numbers.astype(np.int64), -farthest, farthest) * scale

    def position(self, bound: Any) -> float:
        """Return the position of a public bound."""
        return self._locate(np.array([bound]))[0].item()

    def write(self, positions: np.ndarray, nulls: np.ndarray) -> Any:
        """Return values at these positions, in the dtype of the ruler's own column."""
        numbers = positions / 10**self._places if self._places else positions
        return cast(numbers, nulls, self._dtype)


class MomentRuler(Ruler):
    """The ruler of a datetime column: years, months, days or finer, as its format shows.

    Args:
        domain: The public domain of the column.
        dtype: Its dtype, if known.
    """

    marked = True

    def __init__(self, domain: ColumnDomain, dtype: Any):
        self._dtype = public_dtype(dtype)
        self._format = domain.datetime_format
        ends = [_DAY_WITHOUT_BOUNDS if end is None else end for end in (domain.low, domain.high)]
        self._instants = ends[0].tzinfo is not None
        self._unit = grid_unit(self._format, *ends, self._dtype)

    def _read(self, column: pd.Series, domain: ColumnDomain) -> tuple[np.ndarray, np.ndarray]:
        micros, nulls = read_micros(column, domain.datetime_format, self._instants)
        return self._locate(np.where(nulls, 0, micros)), nulls

    def _locate(self, micros: np.ndarray) -> np.ndarray:
        return micros.astype('datetime64[us]').astype(f'datetime64[{self._unit}]').astype(np.int64)

    def position(self, bound: Any) -> float:
        """Return the position of a public bound."""
        return self._locate(np.array([micros_of_timestamp(bound)]))[0].item()

    def bounds(self, domain: ColumnDomain) -> Bounds:
        """Return the positions of a domain's bounds, or those of the calendar."""
        ends = self._locate(_CALENDAR.astype(np.int64)).tolist()
        known = super().bounds(domain)
        return tuple(
            end if bound is None else bound for bound, end in zip(known, ends, strict=True)
        )

    def write(self, positions: np.ndarray, nulls: np.ndarray) -> Any:
        """Return values at these positions, in the dtype of the ruler's own column."""
        micros = positions.astype(f'datetime64[{self._unit}]').astype('datetime64[us]')
        written = write_micros(
            micros.astype(np.int64), self._dtype, self._format, self._unit, self._instants
        )
        return cast(written, nulls, self._dtype)


def ruler_for(domain: ColumnDomain, dtype: Any) -> Ruler:
    """Return the ruler of a numerical or datetime column."""
    is_moment = hasattr(domain, 'datetime_format') and getattr(domain, 'kind', '') != 'numbers'
    return MomentRuler(domain, dtype) if is_moment else NumberRuler(domain, dtype)


# -- Columns in increasing order (SDV's Inequality and Range): the first, then the steps up --------


_LONGEST_STEP = 2**61
_FIRST_DAY = pd.Timestamp('1900-01-01')


class RisingColumns(Transformation):
    """An Inequality or a Range.

    Args:
        constraint: SDV's constraint.
        taken: Column names already in use.
    """

    def __init__(self, constraint: Inequality | Range, taken: Iterable[str]):
        columns = rising_columns(constraint)
        taken = set(taken)
        names = [unused_name(f'{columns[0]}.fillna', taken)]
        for before, column in zip(columns, columns[1:], strict=False):
            names.append(unused_name(f'{before}#{column}', taken | set(names)))
        sources = {name: columns[: place + 1] for place, name in enumerate(names)}
        super().__init__(constraint, columns, sources)
        self._strict = constraint.strict_boundaries
        self._names = names

    def derive(
        self, domains: Mapping[str, ColumnDomain], dtypes: Mapping[str, Any]
    ) -> dict[str, ColumnDomain]:
        """Return the first column's domain unchanged, and the public range of each step."""
        self._domains = {column: domains[column] for column in self.columns}
        self._rulers = {c: ruler_for(domains[c], dtypes.get(c)) for c in self.columns}
        self._origins, self._steps = {}, {}
        nullable = {c: domains[c].nullable and holds_nulls(dtypes.get(c)) for c in self.columns}
        for place, column in enumerate(self.columns[1:], start=1):
            known = [self._domains[c] for c in self.columns[: place + 1]]
            # Only if all columns before can be null may a step begin below their values.
            begins = known if nullable[self.columns[0]] else known[:-1]
            self._origins[column] = _origin(self._rulers[column], begins)
            self._steps[column] = self._step_domain(column, known, nullable[column])
        return dict(zip(self._names, [known[0], *self._steps.values()], strict=True))

    def _step_domain(self, column: str, known: list[ColumnDomain], nullable: bool) -> ColumnDomain:
        ruler = self._rulers[column]
        places = 0 if ruler.marked else None
        shortest = 1 if ruler.marked and self._strict else 0
        if not all(isinstance(domain, Numbers | Datetimes) for domain in known):
            return Undeclared('numbers', nullable, low=shortest, decimal_places=places)
        highest = ruler.bounds(known[-1])[1]
        longest = highest - self._origins[column]
        if highest - _origin(ruler, known[:-1]) < shortest:
            raise DomainError(
                f'{type(self.constraint).__name__} over {list(self.columns)} cannot hold: with '
                f'the ranges in the metadata, {column!r} is never large enough. Correct the '
                'ranges.'
            )
        return Numbers(shortest, longest, places, nullable)

    def make(self, frame: pd.DataFrame, column: str) -> Any:
        """Return the first column, or the steps up to another one."""
        place = self._names.index(column)
        source = self.columns[place]
        if place == 0:
            return frame[source]
        ruler, domain = self._rulers[source], self._steps[source]
        positions, nulls = ruler.read(frame[source], self._domains[source])
        longest = _LONGEST_STEP if domain.high is None else domain.high
        steps = np.clip(positions - self._positions_before(frame, source), domain.low, longest)
        return cast(steps, nulls, pd.Int64Dtype() if ruler.marked else np.dtype('float64'))

    def _positions_before(self, frame: pd.DataFrame, column: str) -> np.ndarray:
        """Return where each row's step begins: at the last value before the column."""
        ruler = self._rulers[column]
        kind = np.int64 if ruler.marked else np.float64
        before = np.full(len(frame), self._origins[column], dtype=kind)
        for earlier in self.columns[: self.columns.index(column)]:
            positions, nulls = ruler.read(frame[earlier], self._domains[earlier])
            before = np.where(nulls, before, positions)
        return before

    def restore(
        self, frame: pd.DataFrame, asked: pd.DataFrame | None = None
    ) -> tuple[dict[str, Any], np.ndarray]:
        """Return the columns, each a step above the one before; requested values are kept."""
        restored = pd.DataFrame({self.columns[0]: frame[self._names[0]]})
        keep = np.ones(len(frame), dtype=bool)
        for name, column in zip(self._names[1:], self.columns[1:], strict=True):
            if asked is not None and column in asked:
                restored[column] = asked[column]
                continue
            steps, nulls = read_numbers(frame[name])
            ruler, domain = self._rulers[column], self._domains[column]
            before = self._positions_before(restored, column)
            positions = before + np.where(nulls, 0, steps).astype(before.dtype)
            inside = ruler.clip(positions, domain)
            keep &= nulls | (inside == positions)
            restored[column] = ruler.write(inside, nulls)
        return dict(restored.items()), keep

    def clues(self, asked: pd.DataFrame) -> list[Hashable]:
        """Return which of the values are null."""
        known = [column for column in self.columns if column in asked]
        return [tuple(nulls) for nulls in asked[known].isna().to_numpy().tolist()]

    def likelihoods(
        self, asked: pd.DataFrame, codes: Mapping[str, ColumnCodes]
    ) -> dict[str, np.ndarray]:
        """Return how likely it is that a step ends at the requested value, wherever it begins.

        Steps within a bin are assumed to be equally likely, so the probability of a given step is
        one over their number.
        """
        steps = dict(zip(self._names[1:], self.columns[1:], strict=True))
        open_steps = {
            name: column
            for name, column in steps.items()
            if column in asked and name in codes and not set(self.sources[name]) <= set(asked)
        }
        return {
            name: _share_of_each(codes[name], is_null=bool(asked[column].isna().iloc[0]))
            for name, column in open_steps.items()
        }

    def describe(self, domains: Mapping[str, ColumnDomain], columns: Mapping[str, dict]) -> dict:
        """Return the metadata of the first column and of the steps."""
        steps = {name: describe(domains[name]) for name in self._names[1:]}
        return {self._names[0]: dict(columns[self.columns[0]])} | steps

    def edges(self, bins: int) -> dict[str, list[int] | list[float]]:
        """Return edges of bins that are narrow for short steps and wide for long ones."""
        return {
            name: _growing_edges(self._steps[column], bins)
            for name, column in zip(self._names[1:], self.columns[1:], strict=True)
            if not _is_small(self._steps[column])
        }


def rising_columns(constraint: Inequality | Range) -> tuple[str, ...]:
    """Return the columns of an Inequality or a Range, from low to high."""
    middle = getattr(constraint, '_middle_column_name', None)
    columns = (constraint._low_column_name, middle, constraint._high_column_name)
    return tuple(column for column in columns if column is not None)


def _origin(ruler: Ruler, domains: list[ColumnDomain]) -> float:
    """Return the origin of steps where all columns before are null: a public lower limit."""
    lows = [ruler.position(domain.low) for domain in domains if domain.low is not None]
    if lows:
        return min(lows)
    return ruler.position(_FIRST_DAY) if isinstance(ruler, MomentRuler) else 0


def _share_of_each(codes: ColumnCodes, is_null: bool) -> np.ndarray:
    """Return, for each bin, the share of one of its values; for a null, everything on its code."""
    shares = np.zeros(codes.num_codes)
    if is_null:
        shares[codes.null_code] = 1.0
    else:
        sizes = codes.bin_sizes()
        wide = sizes > 0  # a single real number has no width
        shares[: len(sizes)] = ~wide.any()
        shares[: len(sizes)][wide] = sizes[wide].min() / sizes[wide]
    return shares


def _is_small(steps: ColumnDomain) -> bool:
    """Whether every step gets a code of its own, or the steps are not public."""
    if isinstance(steps, Undeclared):
        return True
    return steps.decimal_places == 0 and steps.high - steps.low < SINGLE_VALUE_LIMIT


def _growing_edges(steps: Numbers, bins: int) -> list[int] | list[float]:
    """Return edges evenly spaced in the logarithm of a step plus one, the scale that SDV uses."""
    longest = float(steps.high - steps.low)
    grown = np.expm1(np.linspace(0, np.log1p(longest), bins + 1)[1:-1])
    if steps.decimal_places == 0:
        return [int(steps.low + edge) for edge in np.unique(np.ceil(grown))]
    return (steps.low + grown).tolist()
