"""Queries: what is asked, as Python and as text."""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sdv_prefair.columns._dtypes import plain_number
from sdv_prefair.errors import QueryError, shown

# -- Queries on a release: shares, means, quantiles, and differences of these ----------------------

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


# -- Queries as strings, for the command line and for brevity --------------------------------------
#
# =========================================  =============================================
# ``income``, ``sex, income``                shares, cross-tabulation
# ``income by sex``, ``P(income | sex)``     shares for each value of another column
# ``income=>50K by sex=Female``              one share
# ``mean of age by sex``, ``median of age``  mean and median
# ``quantile 0.9 of age by sex``             quantile
# ``difference in income by sex``            differences between values of the last column
# =========================================  =============================================
#
# A name that contains a comma, an equal sign or one of these words, or begins or ends with a space,
# must be in double quotes.


_QUOTED = r'"(?:[^"]|"")*"'
_FORM = re.compile(
    r'^\s*(?P<apart>difference in )?\s*'
    r'(?P<what>mean of |median of |quantile (?P<share>[0-9.eE-]+) of )?\s*'
    rf'(?P<of>(?:{_QUOTED}|.)+?)'
    rf'(?:\s+by\s+(?P<given>(?:{_QUOTED}|.)+))?\s*$'
)
_PROBABILITY = re.compile(rf'^\s*P\((?P<of>(?:{_QUOTED}|[^|])+)(?:\|(?P<given>.+))?\)\s*$')


def read_query(text: str, columns: Sequence[str]) -> Query:
    """Parse a query.

    Args:
        text: In one of the forms above; or the name of a column, whatever it looks like.
        columns: All names.

    Raises:
        QueryError: If the text has none of these forms.
    """
    if text in columns:
        return Share(text)
    if match := _PROBABILITY.match(text):
        return Share(_names(match['of'], columns), _names(match['given'], columns))
    match = _FORM.match(text)
    if match is None:
        raise _unreadable()
    given = _names(match['given'], columns)
    between = None
    if match['apart']:
        if not given or list(given.values())[-1] is not ANY:
            raise _unreadable()
        between, _ = given.popitem()
    query = _plain(match, _names(match['of'], columns), given)
    return query if between is None else Difference(query, between)


def _plain(
    match: re.Match[str], of: dict[str, Any], given: dict[str, Any]
) -> Share | Mean | Quantile:
    if not match['what']:
        return Share(of, given)
    if list(of.values()) != [ANY]:
        raise _unreadable()
    (column,) = of
    if match['what'].startswith('mean'):
        return Mean(column, given)
    try:
        share = 0.5 if match['share'] is None else float(match['share'])
    except ValueError:
        raise _unreadable() from None
    return Quantile(column, share, given)


def _names(text: str | None, columns: Sequence[str]) -> dict[str, Any]:
    """Return columns and requested values from a comma-separated list."""
    if text is None:
        return {}
    if text.strip() in columns:
        return {text.strip(): ANY}
    (parts,) = csv.reader([text.strip()], skipinitialspace=True)
    asked: dict[str, Any] = {}
    for part in parts:
        name, sign, value = part.partition('=')
        if part in columns:  # in quotation marks, spaces belong to a name
            asked[part] = ANY
        elif part.strip() in columns or not sign:
            asked[part.strip()] = ANY
        else:
            asked[name if name in columns else name.strip()] = value.strip()
    return asked


def _unreadable() -> QueryError:
    return QueryError(
        'The query cannot be read. Write it as "income", "sex, income", "income by sex", '
        '"income=high by sex", "mean of age by sex", "quantile 0.9 of age" or "difference in '
        'income by sex".'
    )
