"""Queries as strings, for the command line and for brevity.

=========================================  =============================================
``income``, ``sex, income``                shares, cross-tabulation
``income by sex``, ``P(income | sex)``     shares for each value of another column
``income=>50K by sex=Female``              one share
``mean of age by sex``, ``median of age``  mean and median
``quantile 0.9 of age by sex``             quantile
``difference in income by sex``            differences between values of the last column
=========================================  =============================================

A name that contains a comma, an equal sign or one of these words, or begins or ends with a space,
must be in double quotes.
"""

import csv
import re
from collections.abc import Sequence
from typing import Any

from sdv_prefair.errors import QueryError
from sdv_prefair.inference._asked_queries import ANY, Difference, Mean, Quantile, Query, Share

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
