"""Public groups of values: a known hierarchy of a column with very many values.

Values too rare to distinguish from noise are modelled together with those of their group: postal
codes by their first digits, diagnoses by chapters, towns by countries. ``range_groups`` defines the
groups: lists of values by the names of groups, or the length of the prefix that strings of a group
share.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from sdv_prefair.errors import DomainError, shown

RANGE_GROUPS = 'range_groups'
RARE_SDTYPE = 'rare_sdtype'


def check_groups(groups: Any) -> None:
    """Raise unless groups are a number of characters, or lists of values by name."""
    if isinstance(groups, Mapping) and groups:
        if all(isinstance(values, list | tuple) for values in groups.values()):
            return
    elif isinstance(groups, int) and not isinstance(groups, bool) and groups > 0:
        return
    raise DomainError(
        f'range_groups ({shown(groups)}) must be lists of values by groups, as in '
        "{'north': ['Oslo', 'Malmo'], 'south': ['Rome']}, or a number of characters, 1 or more, "
        'that values of a group have in common at their beginning.'
    )


def grouped_values(groups: Any) -> list[Any] | None:
    """Return all values that groups list; None if they list none."""
    if not isinstance(groups, Mapping):
        return None
    return [value for values in groups.values() for value in values]


def prefix_of(value: Any, length: int) -> str | None:
    """Return the prefix of a string that determines its group; None if there is none."""
    return value[:length] if isinstance(value, str) and len(value) >= length else None


def tail_label(prefix: str) -> str:
    """Return the replacement of all rare strings with a prefix, if none are generated."""
    return f'{prefix}*'


def group_numbers(values: Sequence[Any], groups: Any) -> tuple[int, ...]:
    """Return the number of the group that each value belongs to, -1 for none.

    Args:
        values: The declared values.
        groups: Groups that `check_groups` has accepted.

    Raises:
        DomainError: If groups list a value twice, or one that is not declared.
    """
    if isinstance(groups, Mapping):
        return _listed_numbers(values, groups)
    names = [prefix_of(value, groups) for value in values]
    number = {name: i for i, name in enumerate(dict.fromkeys(names)) if name is not None}
    return tuple(-1 if name is None else number[name] for name in names)


def _listed_numbers(values: Sequence[Any], groups: Mapping[Any, Sequence[Any]]) -> tuple[int, ...]:
    number: dict[tuple[bool, Any], int] = {}
    declared = {_key(value) for value in values}
    for place, members in enumerate(groups.values()):
        for value in members:
            if _key(value) in number or _key(value) not in declared:
                raise DomainError(
                    f'range_groups lists {shown(value)} twice, or though range_values does not '
                    'have it. List every declared value once at most.'
                )
            number[_key(value)] = place
    return tuple(number.get(_key(value), -1) for value in values)


def _key(value: Any) -> tuple[bool, Any]:
    # True equals 1 and has its hash, but is another value. A list is no value at all.
    return isinstance(value, bool), value if isinstance(value, Hashable) else repr(value)
