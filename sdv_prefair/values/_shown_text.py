"""How a value looks in a written table: two that look the same are one value to its readers.

A CSV file has no types. In it 1 and '1' are one value, and so are '' and null; and True equals 1
for pandas, SQL and Parquet. Declared values that look the same could not determine their codes.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, time
from typing import Any

NULL_TEXT = ''
_END = re.compile('[\0\r]')
_LINE_END = re.compile('\r\n?')


def seen(cell: str) -> tuple[str, str]:
    """Return what readers see of a cell.

    For many readers a cell ends at a NUL or a carriage return. Those that open a file in text mode,
    Python's default, see all kinds of line ends as one.
    """
    return _END.split(cell, maxsplit=1)[0], _LINE_END.sub('\n', cell)


def ends_within(value: Any) -> bool:
    """Whether readers of a file may end the cell, or the line, in the middle of a value."""
    return isinstance(value, str) and bool(_END.search(value))


def looks_of(value: Any) -> set[str]:
    """Return the strings that a value may be taken for: the cell that ``to_csv`` writes, above all.

    Parquet makes one of strings and bytes, and of dates and timestamps that mean the same in UTC.
    """
    looks = {*seen(str(value))}
    if isinstance(value, bytes):
        looks.add(value.decode('utf-8', 'replace'))
    if isinstance(value, datetime):
        looks.add(_in_utc(value))
    return looks


def _in_utc(moment: datetime) -> str:
    """Return the text of a timestamp without its zone, and without the time at midnight."""
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC).replace(tzinfo=None)
    is_midnight = moment.time() == time.min and not getattr(moment, 'nanosecond', 0)
    return str(moment.date() if is_midnight else moment)


def lookalikes(values: Sequence[Any], nullable: bool) -> dict[int, Any]:
    """Return the positions of values that look like one before them, and that value.

    Args:
        values: Values that can be hashed; None stands for null.
        nullable: Whether null is among them anyway: '' looks like it.
    """
    texts: dict[str, Any] = {NULL_TEXT: None} if nullable or None in values else {}
    equals: dict[Any, Any] = {}
    alike = {}
    for position, value in enumerate(values):
        if value is None:
            continue
        looks = looks_of(value)
        taken = [equals[value]] if value in equals else [texts[t] for t in looks if t in texts]
        if taken:
            alike[position] = taken[0]
        else:
            equals[value] = value
            texts |= dict.fromkeys(looks, value)
    return alike


def told_apart(values: Sequence[Any], nullable: bool) -> tuple[Any, ...]:
    """Return the values without those that look like null or like one before them."""
    alike = lookalikes(values, nullable)
    return tuple(value for position, value in enumerate(values) if position not in alike)
