"""How a value looks once a table is written: two that look the same are one to whoever reads it.

A CSV file knows no types. In it 1 and '1' are one value, and so are '' and null; and True equals 1
for pandas, SQL and Parquet. Declared values that look the same could not tell their codes.
"""

from collections.abc import Sequence
from typing import Any

NULL_TEXT = ''


def text_of(value: Any) -> str:
    """Return the cell that ``DataFrame.to_csv`` writes for a value among others."""
    return NULL_TEXT if value is None else str(value)


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
        text = text_of(value)
        if text in texts or value in equals:
            alike[position] = equals[value] if value in equals else texts[text]
        else:
            texts[text] = equals[value] = value
    return alike


def told_apart(values: Sequence[Any], nullable: bool) -> tuple[Any, ...]:
    """Return the values without those that look like null or like one before them."""
    alike = lookalikes(values, nullable)
    return tuple(value for position, value in enumerate(values) if position not in alike)
