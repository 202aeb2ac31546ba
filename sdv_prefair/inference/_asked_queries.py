"""Queries on a release: shares, means, quantiles, and differences of these."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sdv_prefair.columns._dtypes import plain_number
from sdv_prefair.errors import QueryError, shown

ANY = object()
"""In place of a value: each value of the column in turn."""

Asked = str | Iterable[str] | Mapping[str, Any]


def _by_column(asked: Asked, name: str) -> dict[str, Any]:
    """Return for each column the requested value, or ``ANY``."""
    if isinstance(asked, str):
        return {asked: ANY}
    if isinstance(asked, Mapping):
        return dict(asked)
    columns = list(asked) if isinstance(asked, Iterable) else [asked]
    if not all(isinstance(column, str) for column in columns) or len(set(columns)) < len(columns):
        raise QueryError(
            f'{name} ({shown(asked)}) must be a column, a list of different columns, or a '
            'dictionary from columns to values.'
        )
    return dict.fromkeys(columns, ANY)


@dataclass(frozen=True)
class Share:
    """The share of rows with certain values, among all or among those that meet conditions.

    ``Share(['sex', 'income'])`` is a cross-tabulation, ``Share('income', given='sex')`` the
    distribution of one column for each value of another, and
    ``Share({'income': '>50K'}, given={'sex': 'Female'})`` one number.

    Args:
        of: A column, columns, or a dictionary from columns to values.
        given: The same, for conditions. A column without a value means: for each value.
    """

    of: Asked
    given: Asked = ()
    wanted: dict[str, Any] = field(init=False, repr=False, compare=False)
    conditions: dict[str, Any] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        wanted, conditions = _by_column(self.of, 'of'), _by_column(self.given, 'given')
        if not wanted or wanted.keys() & conditions.keys():
            raise QueryError(
                'A share must be of one column at least, and of none that is a condition, too. '
                'Name other columns in of or in given.'
            )
        object.__setattr__(self, 'wanted', wanted)
        object.__setattr__(self, 'conditions', conditions)


@dataclass(frozen=True)
class Mean:
    """The mean of a numerical column, over rows with a number.

    Args:
        column: The column.
        given: Conditions, as for `Share`.
    """

    column: str
    given: Asked = ()
    conditions: dict[str, Any] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, 'conditions', _conditions_beside(self.column, self.given))


@dataclass(frozen=True)
class Quantile:
    """A quantile of a numerical column, over rows with a number.

    Args:
        column: The column.
        share: The share of rows that are not above it; 0.5 is the median.
        given: Conditions, as for `Share`.
    """

    column: str
    share: float = 0.5
    given: Asked = ()
    conditions: dict[str, Any] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, 'share', plain_number(self.share))
        is_number = isinstance(self.share, int | float) and not isinstance(self.share, bool)
        if not is_number or not 0 < self.share < 1:
            raise QueryError(f'share ({shown(self.share)}) of a quantile must be between 0 and 1.')
        object.__setattr__(self, 'conditions', _conditions_beside(self.column, self.given))


@dataclass(frozen=True)
class Difference:
    """How much larger a share, a mean or a quantile is in one group than in another.

    ``Difference(Share({'income': '>50K'}), 'sex')`` is the demographic parity gap.

    Args:
        of: A `Share`, `Mean` or `Quantile` without the column of the groups.
        between: The column of the groups, for all pairs of its values; or a dictionary from it to
            two values.
    """

    of: 'Share | Mean | Quantile'
    between: str | Mapping[str, tuple[Any, Any]]

    def __post_init__(self) -> None:
        if not isinstance(self.of, Share | Mean | Quantile):
            raise QueryError('A difference must be of a Share, a Mean or a Quantile.')
        groups = self.between
        is_pair = (
            isinstance(groups, Mapping) and len(groups) == 1 and all(map(_two, groups.values()))
        )
        if not isinstance(groups, str) and not is_pair:
            raise QueryError(
                f'between ({shown(groups)}) must be a column, or a dictionary from one column to '
                'two values.'
            )

    @property
    def column(self) -> str:
        """The column of the groups."""
        return self.between if isinstance(self.between, str) else next(iter(self.between))


Query = Share | Mean | Quantile | Difference


def _two(values: Any) -> bool:
    return isinstance(values, list | tuple) and len(values) == 2


def _conditions_beside(column: str, given: Asked) -> dict[str, Any]:
    conditions = _by_column(given, 'given')
    if not isinstance(column, str) or column in conditions:
        raise QueryError('column must be the name of a column that is not also a condition.')
    return conditions
