"""``--where COLUMN=VALUE``: from a string to a value of the release.

The values are part of the release, so messages may list them.
"""

import math
from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from numbers import Real
from typing import Any

from sdv_prefair.columns import CategoryCodes, ColumnCodes, NumberBins

_TRUTH = {'true': True, 'false': False}
# A longer list does not help to find one value.
_MOST_LISTED = 20


def read_conditions(
    texts: Iterable[str],
    columns: Mapping[str, dict[str, Any]],
    transformers: Mapping[str, ColumnCodes],
) -> dict[str, Any]:
    """Return the requested value of each column.

    Args:
        texts: The strings given, one for each ``--where``.
        columns: The metadata of each column.
        transformers: Those of the modelled columns, with the values that were learnt.
    """
    asked = {}
    for text in texts:
        column, value = _split(text, columns)
        if column in asked:
            raise ValueError(
                f"--where '{text}' asks for column '{column}' a second time. Ask for it once."
            )
        asked[column] = _value(text, value, columns[column], transformers.get(column))
    return asked


def _split(text: str, columns: Iterable[str]) -> tuple[str, str]:
    """Return column and value; the longest matching name, as names may contain a '=' too."""
    named = [column for column in columns if text.startswith(f'{column}=')]
    if not named:
        raise ValueError(
            f"--where '{text}' must be COLUMN=VALUE, with one of the columns {list(columns)}."
        )
    column = max(named, key=len)
    return column, text[len(column) + 1 :]


def _value(condition: str, text: str, column: dict[str, Any], codes: ColumnCodes | None) -> Any:
    if isinstance(codes, CategoryCodes):
        return _category(condition, text, codes)
    if not text:
        return _missing(condition, codes)
    if isinstance(codes, NumberBins) or column['sdtype'] == 'numerical':
        return _number(condition, text, codes)
    return text


def _category(condition: str, text: str, codes: CategoryCodes) -> Any:
    """Return the value with this string, or the boolean or number that it denotes."""
    for value, label in zip(codes.shown, codes.labels(), strict=False):
        if label == text:
            return value
    for value in codes.shown:
        if isinstance(value, bool):
            if _TRUTH.get(text.lower()) is value:
                return value
        elif isinstance(value, Real) and _is_written(text, value):
            return value
    if text or not codes.nullable:
        raise ValueError(f"--where '{condition}' must ask for {_offer(codes)}.")
    return None


def _offer(codes: CategoryCodes) -> str:
    missing = ', or nothing for a missing one' if codes.nullable else ''
    if len(codes.shown) > _MOST_LISTED:
        return f'one of the {len(codes.shown)} values in the release{missing}'
    return f'one of {codes.labels()[: len(codes.shown)]}{missing}'


def _missing(condition: str, codes: ColumnCodes | None) -> None:
    if codes is None or not codes.nullable:
        raise ValueError(
            f"--where '{condition}' must have a value after the '=': the column is never missing."
        )


def _number(condition: str, text: str, codes: ColumnCodes | None) -> int | float:
    number = _float(text)
    if not math.isfinite(number):
        raise ValueError(
            f"--where '{condition}' must have a number after the '=': the column is numerical."
        )
    exact = Decimal(text)
    value = int(exact) if exact == exact.to_integral_value() else number
    if isinstance(codes, NumberBins):
        _check_number(condition, text, value, codes)
        value = _in_column(condition, text, value, codes)
    return value


def _in_column(condition: str, text: str, value: int | float, codes: NumberBins) -> int | float:
    """Return the number in the column's type; a short float is written with fewer digits."""
    if isinstance(value, int):
        return value
    written: list[int | float] = [value, *codes.hold([value])]
    for number in written:
        if _is_written(text, number) and codes.is_declared([number]).all():
            return number
    raise ValueError(f"--where '{condition}' must have a number of as many digits as a float has.")


def _check_number(condition: str, text: str, value: int | float, codes: NumberBins) -> None:
    if not codes.low <= value <= codes.high:
        raise ValueError(
            f"--where '{condition}' must have a number from {codes.low} to {codes.high}."
        )
    if codes.places is not None and _decimals(text) > codes.places:
        raise ValueError(
            f"--where '{condition}' must have a number of at most {codes.places} decimals."
        )


def _decimals(text: str) -> int:
    return max(0, -int(Decimal(text).normalize().as_tuple().exponent))


def _is_written(text: str, value: Any) -> bool:
    """Whether a string is a number with exactly these digits."""
    try:
        return Decimal(text) == Decimal(str(value))
    except InvalidOperation:
        return False


def _float(text: str) -> float:
    try:
        return float(Decimal(text))
    except (InvalidOperation, OverflowError):
        return math.nan
