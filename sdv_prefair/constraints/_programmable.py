"""User-defined constraints (SDV's ProgrammableConstraint, also in its single-table form).

Their code can do anything, so by default it never sees a private row: sampled rows that
``is_valid`` refuses are rejected. With an attribute ``row_wise = True`` a constraint declares
that ``transform`` treats each row on its own; then it is applied to the private rows. The
declaration is tested on public rows, but remains an assumption, like ``max_rows_per_person``.

A constraint must name the columns it reads: in an attribute ``column_names``, or in any
attributes that contain names of columns. It receives these columns only.
"""

import copy
import pickle
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from sdv.cag import ProgrammableConstraint, SingleTableProgrammableConstraint
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_prefair.columns import public_domain, single_table
from sdv_prefair.columns._cells import boxed
from sdv_prefair.columns._dtypes import is_integer, read_numbers, with_columns
from sdv_prefair.columns._facts import ColumnDomain
from sdv_prefair.columns._moments import is_temporal, read_micros, zone_of
from sdv_prefair.constraints._transformation import Transformation

# -- User-defined constraints, in either of SDV's forms --------------------------------------------
#
# A ``ProgrammableConstraint`` takes and returns tables by name; a
# ``SingleTableProgrammableConstraint`` takes and returns one table.

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


# -- Private rows transformed by user code: each on its own, with public types ---------------------
#
# User code may fail on odd rows, and pandas infers the dtype of its results from the values. Either
# would let one row affect the others. So the results for rows on which the code fails are null, all
# other rows are what they would be without them, and columns have the dtypes that the same code
# returns for public rows.


Transform = Callable[[pd.DataFrame], pd.DataFrame]

# Integers up to here are exact as floats.
_LARGEST = 2.0**53


def make_rows(transform: Transform, frame: pd.DataFrame, dtypes: Mapping[str, Any]) -> pd.DataFrame:
    """Return the result of a row-wise transform, with nulls for rows on which it fails.

    Args:
        transform: Returns a row for each row, or raises.
        frame: Private rows.
        dtypes: The dtypes of the columns that it returns for public rows.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')  # its warnings depend on rows and may quote them
            made = transform(frame)
    except Exception:  # its message could quote the rows
        return _make_halves(transform, frame, dtypes)
    return pd.DataFrame(
        {column: typed(made[column], dtype).array for column, dtype in dtypes.items()},
        index=frame.index,
    )


def _make_halves(
    transform: Transform, frame: pd.DataFrame, dtypes: Mapping[str, Any]
) -> pd.DataFrame:
    """Find the rows on which the transform fails, by bisection."""
    if len(frame) <= 1:
        nulls = pd.Series([None] * len(frame), dtype=object)
        return pd.DataFrame({c: typed(nulls, d).array for c, d in dtypes.items()}, frame.index)
    middle = len(frame) // 2
    halves = [make_rows(transform, half, dtypes) for half in (frame[:middle], frame[middle:])]
    return pd.DataFrame(
        {c: _joined(halves[0][c], halves[1][c], d) for c, d in dtypes.items()}, index=frame.index
    )


def _joined(one: pd.Series, two: pd.Series, dtype: Any) -> Any:
    if one.dtype != two.dtype:  # one half of them may be nulls
        convert = _as_moments if is_temporal(dtype) else _as_numbers
        one, two = convert(one, dtype), convert(two, dtype)
    return pd.concat([one, two]).array


def typed(values: pd.Series, dtype: Any) -> pd.Series:
    """Return values as ``dtype``, or if there are nulls, as the nearest dtype that holds them.

    Row by row; a value that cannot be converted is null.
    """
    if values.dtype == dtype or isinstance(dtype, pd.CategoricalDtype):
        return values
    if pd.api.types.is_numeric_dtype(dtype):
        return _as_numbers(values, dtype)
    if is_temporal(dtype):
        return _as_moments(values, dtype)
    return pd.Series(boxed(values), values.index, dtype=object)


def _as_numbers(values: pd.Series, dtype: Any) -> pd.Series:
    numbers, nulls = read_numbers(values)
    is_boolean = pd.api.types.is_bool_dtype(dtype)
    if not is_integer(dtype) and not is_boolean:
        return pd.Series(np.where(nulls, np.nan, numbers.astype(np.float64)), values.index)
    if is_boolean:
        nulls = nulls | ~np.isin(numbers, (0, 1))
        return pd.Series(pd.arrays.BooleanArray(numbers == 1, nulls), values.index)
    if numbers.dtype.kind == 'f':
        nulls = nulls | ~(np.abs(numbers) <= _LARGEST)
        numbers = np.rint(np.where(nulls, 0, numbers))
    return pd.Series(pd.arrays.IntegerArray(numbers.astype(np.int64), nulls), values.index)


def _as_moments(values: pd.Series, dtype: Any) -> pd.Series:
    is_instant = zone_of(dtype) is not None
    micros, nulls = read_micros(values, None, is_instant)
    moments = pd.Series(micros.astype('datetime64[us]'), values.index).mask(nulls)
    return moments.dt.tz_localize('UTC') if is_instant else moments


# -- User-defined constraints (SDV's ProgrammableConstraint, also in its single-table form) --------


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
