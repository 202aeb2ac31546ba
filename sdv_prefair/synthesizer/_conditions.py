"""Conditions of a sample: which values may be requested, and the effect on fairness."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from sdv_prefair._users_line import users_line
from sdv_prefair.columns import ColumnCodes
from sdv_prefair.columns._column_codes import cells, same_value
from sdv_prefair.columns._dtypes import with_columns
from sdv_prefair.columns._facts import ColumnDomain, Undeclared
from sdv_prefair.errors import DomainWarning, FairnessWarning
from sdv_prefair.fairness._predicate import Broken, broken_statements
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.roles import Roles
from sdv_prefair.synthesizer._unlearnt import unlearnt_values, with_given

# Integers whose sums fit in 64 bits, and decimals that floats can distinguish.
_FARTHEST = (2**61, 10**12)
_CALENDAR = ('1700-01-01', '2200-01-01')


def check_values(
    conditions: pd.DataFrame, transformers: Mapping[str, ColumnCodes], learnt: Sequence[str] = ()
) -> None:
    """Raise ``ValueError`` for a value that its column cannot show unchanged.

    Args:
        conditions: The requested values.
        transformers: The transformers, which define the values of each column.
        learnt: Columns in which values that were not learnt may be requested.
    """
    for column in conditions.columns:
        if column not in transformers:
            continue
        outside = ~transformers[column].is_declared(conditions[column])
        if column in learnt:
            outside &= ~unlearnt_values(conditions[column], transformers[column])
        if outside.any():
            raise ValueError(
                f"Column '{column}' was requested with a value outside its domain. Request one "
                'within the declared range, or one of the learnt values, written as the column '
                'writes it: with its type, decimals and format.'
            )


def as_columns_hold_them(
    conditions: pd.DataFrame, transformers: Mapping[str, ColumnCodes], learnt: Sequence[str] = ()
) -> pd.DataFrame:
    """Return the requested values of modelled columns in the columns' dtypes, others unchanged.

    Rows are conditioned on the codes of these values, and show these values.
    Arguments as for ``check_values``.
    """
    held = {
        column: _held(conditions[column], transformers[column], column in learnt)
        for column in conditions.columns
        if column in transformers
    }
    # Values of an equal dtype stay the same, but a category keeps the order of its list.
    return with_columns(
        conditions,
        {
            column: values
            for column, values in held.items()
            if values.dtype != conditions[column].dtype
        },
    )


def _held(values: pd.Series, codes: ColumnCodes, is_learnt: bool) -> Any:
    if is_learnt and unlearnt_values(values, codes).any():
        return with_given(values, codes).array
    return codes.hold(values)


def warn_of_unlearnt(columns: Sequence[str]) -> None:
    """Warn that given values were not learnt, if there are any."""
    if columns:
        warnings.warn(
            f'Some of the values given for {list(columns)} were not learnt: they are too rare, or '
            'outside the learnt range. Their rows are sampled as for all rare values together, as '
            'for the nearest or another learnt value, or as if nothing were given. If they are '
            'public, declare them in the metadata and fit again, which spends budget again.',
            DomainWarning,
            stacklevel=users_line(),
        )


def warn_if_unfair(columns: list[str], cliques: list[tuple[str, ...]], roles: Statements) -> None:
    """Warn if conditions on these columns re-create a forbidden dependence.

    A condition on a protected and an outcome column makes the two dependent, as if they were in
    one more clique; so do conditions on one in some rows and on the other in others. A statement
    that the model does not satisfy cannot be broken.
    """
    unkept = [broken.statement for broken in broken_statements(cliques, roles)]
    lost = [b for b in broken_statements([*cliques, columns], roles) if b.statement not in unkept]
    if lost:
        reason = _against_roles if isinstance(roles, Roles) else _against_statements
        warnings.warn(
            f'Conditions on {sorted(columns)} {reason(lost)}',
            FairnessWarning,
            stacklevel=users_line(),
        )


def _against_roles(lost: list[Broken]) -> str:
    return (
        'tie protected columns to outcomes past the admissible ones '
        f'({" - ".join(lost[0].path)}), so the fairness guarantee does not cover these rows. To '
        'stay covered, condition on columns of one side only, or on admissible ones.'
    )


def _against_statements(lost: list[Broken]) -> str:
    promises = '; nor that '.join(f'{broken.statement} ({broken})' for broken in lost)
    return (
        f'are not covered by the guarantee that {promises}. To stay covered, condition on columns '
        'of one side only, or on those that the statement is given.'
    )


def without_unknown_ends(domain: ColumnDomain) -> ColumnDomain | None:
    """Return a domain with very wide bounds where they are unknown; None if nothing is known."""
    if not isinstance(domain, Undeclared):
        return domain
    if domain.kind == 'categories':
        return None
    low: Any
    high: Any
    if domain.kind == 'numbers':
        low, high = (_FARTHEST[bool(domain.decimal_places)] * sign for sign in (-1, 1))
    else:
        zone = next((end.tzinfo for end in (domain.low, domain.high) if end is not None), None)
        low, high = (pd.Timestamp(end, tz=zone) for end in _CALENDAR)
    known: ColumnDomain = domain.with_bounds(low, high)
    return known


def in_dtype(values: pd.Series, dtype: Any) -> Any:
    """Return requested values as an array of a dtype; unchanged if it cannot hold their nulls.

    Raises:
        ValueError: If the dtype would change a value.
    """
    if values.dtype == dtype:
        return values.array
    if isinstance(dtype, pd.CategoricalDtype) and not values.dropna().isin(dtype.categories).all():
        return values.array  # a category can only hold learnt values
    try:
        cast = values.astype(dtype)
        same = all(map(_is_same, cells(values), cells(cast)))
    except (TypeError, ValueError, OverflowError):
        cast, same = values, bool(values.isna().any())
    if not same:
        raise ValueError(
            f"Column '{values.name}' was requested with a value that its dtype cannot hold. "
            f'Request one that a column of dtype {str(dtype)!r} can have.'
        )
    return cast.array


def _is_same(asked: Any, held: Any) -> bool:
    return same_value(asked, held) or bool(pd.isna(asked) and pd.isna(held))
