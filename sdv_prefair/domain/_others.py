"""The replacement of values without a code of their own: too rare to be learnt, or not declared."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sdv_prefair.domain._columns import Categories, ColumnDomain, Undeclared
from sdv_prefair.errors import DomainError, shown
from sdv_prefair.values._canonical import canonical_value

OTHER = 'other'
"""The default replacement of values of a text column that are too rare to be learnt."""


def name_others(
    domains: Mapping[str, ColumnDomain], other: str | Mapping[str, Any] | None
) -> dict[str, ColumnDomain]:
    """Return the domains with the replacement of values outside them.

    Args:
        domains: The public domains of the modelled columns.
        other: A string for all columns whose values have to be learnt, or a value by column, also
            for declared values; None for a column whose rows are to be redistributed.

    Raises:
        DomainError: If it is neither, or its column cannot hold it.
    """
    for_all: str | None = OTHER
    by_column: Mapping[str, Any] = {}
    if isinstance(other, Mapping):
        _check_columns(domains, other)
        by_column = other
    elif other is None or (isinstance(other, str) and other):
        for_all = other
    else:
        raise DomainError(
            f'other ({shown(other)}) must be a string, or a dictionary from columns to values, as '
            "in {'country': 'elsewhere'}."
        )
    return {
        column: _named(column, domain, by_column[column])
        if column in by_column
        else _with_text(domain, for_all)
        for column, domain in domains.items()
    }


def _check_columns(domains: Mapping[str, ColumnDomain], other: Mapping[str, Any]) -> None:
    for column, value in other.items():
        domain = domains.get(column)
        is_list = isinstance(domain, Categories) and not domain.complete
        if not is_list and getattr(domain, 'kind', None) != 'categories':
            raise DomainError(
                f'other names {shown(column)}, which is not a modelled categorical or ordinal '
                'column. Correct the name, or take it out.'
            )
        if value is not None and (canonical_value(value) is None or value == ''):
            raise DomainError(
                f"other of '{column}' must be a single value such as a string or a number. Name "
                'one, or leave the column out.'
            )


def _named(column: str, domain: ColumnDomain, value: Any) -> ColumnDomain:
    if isinstance(domain, Undeclared):
        return replace(domain, other=value, named_other=value is not None)
    if not isinstance(domain, Categories):
        return domain
    try:
        return replace(domain, other=value, shared=value is None)
    except DomainError as error:
        raise DomainError(f"Column '{column}': {error}") from None


def _with_text(domain: ColumnDomain, text: str | None) -> ColumnDomain:
    if isinstance(domain, Undeclared) and domain.kind == 'categories':
        return replace(domain, other=text)
    return domain
