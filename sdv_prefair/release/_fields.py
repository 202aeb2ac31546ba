"""Reading an object of a document field by field: each must exist, with its type and range."""

import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from sdv_prefair.errors import ReleaseError

MOST_COLUMNS = 2_000
MOST_CODES = 1 << 22
MOST_LETTERS = 1_000
_LARGEST = sys.float_info.max


class Fields:
    """An object with exactly the keys it should have.

    Args:
        value: The value in the document at this place.
        where: The name of the place in errors.
        keys: The keys it must have.

    Raises:
        ReleaseError: If it is not an object, or has other keys. All methods raise it for a value
            that is not of the requested form.
    """

    def __init__(self, value: Any, where: str, keys: Iterable[str]):
        self._where = where
        if not isinstance(value, dict) or set(value) != set(keys):
            raise ReleaseError(f'{where} of the release must have the keys {sorted(keys)}.')
        self._value = value

    def __contains__(self, key: str) -> bool:
        return key in self._value

    def raw(self, key: str) -> Any:
        """Return a value unchanged."""
        return self._value[key]

    def text(self, key: str, pattern: str | None = None, most: int = MOST_LETTERS) -> str:
        """Return a string that matches a pattern."""
        value = self._value[key]
        if not isinstance(value, str) or len(value) > most:
            self._refuse(key, f'a text of at most {most} letters')
        if pattern is not None and not re.fullmatch(pattern, value):
            self._refuse(key, f'a text like {pattern}')
        return value

    def choice(self, key: str, choices: Sequence[Any]) -> Any:
        """Return one of some values, of the same type."""
        value = self._value[key]
        if not any(value == choice and type(value) is type(choice) for choice in choices):
            self._refuse(key, f'one of {", ".join(map(repr, choices))}')
        return value

    def flag(self, key: str) -> bool:
        """Return true or false."""
        return bool(self.choice(key, (True, False)))

    def whole(self, key: str, low: int, high: int) -> int:
        """Return an integer within bounds."""
        value = self._value[key]
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            self._refuse(key, f'an integer from {low} to {high}')
        return value

    def number(self, key: str, low: float = -_LARGEST) -> float:
        """Return a finite number of at least ``low``."""
        value = self._value[key]
        if isinstance(value, bool) or not isinstance(value, int | float):
            self._refuse(key, f'a number of at least {low}')
        if not low <= value <= _LARGEST:
            self._refuse(key, f'a number of at least {low}')
        return value

    def items(self, key: str, most: int) -> list[Any]:
        """Return a list of at most this many items."""
        value = self._value[key]
        if not isinstance(value, list) or len(value) > most:
            self._refuse(key, f'a list of at most {most}')
        return value

    def names(self, key: str, known: Iterable[str]) -> tuple[str, ...]:
        """Return a list of distinct known names."""
        known = set(known)
        value = self.items(key, len(known))
        if not all(isinstance(name, str) and name in known for name in value):
            self._refuse(key, 'a list of known columns')
        if len(set(value)) < len(value):
            self._refuse(key, 'a list that names no column twice')
        return tuple(value)

    def optional(self, key: str) -> bool:
        """Whether there is a value other than null."""
        return self._value[key] is not None

    def _refuse(self, key: str, expected: str) -> NoReturn:
        raise ReleaseError(f"'{key}' in {self._where} of the release must be {expected}.")


def read_list(value: Any, where: str, most: int) -> list[Any]:
    """Return a list of at most this many items."""
    if not isinstance(value, list) or len(value) > most:
        raise ReleaseError(f'{where} of the release must be a list of at most {most}.')
    return value
