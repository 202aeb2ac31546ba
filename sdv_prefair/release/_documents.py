"""Untrusted JSON: bounded before it is parsed, and stricter than the standard."""

import json
import math
import re
from typing import Any, NoReturn

from sdv_prefair.errors import ReleaseError

MOST_BYTES = 32 << 20
MOST_DEPTH = 24
MOST_ITEMS = 1_000_000
_MOST_DIGITS = 1_000

# A string, up to its end or that of the document; or an opening, closing or separating character.
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\Z)|[\[\]{},]', re.DOTALL)


def write_document(value: Any) -> bytes:
    """Return JSON as ASCII; numbers are restored exactly."""
    return json.dumps(value, allow_nan=False, indent=1).encode('ascii')


def read_document(content: bytes, name: str) -> Any:
    """Parse JSON.

    Args:
        content: The text.
        name: What to call it in errors.

    Raises:
        ReleaseError: If it is not JSON, is nested too deep or has too many items, repeats a key, or
            holds a number that is not finite or absurdly long.
    """
    _check_extent(content, name)
    try:
        return json.loads(
            content.decode('utf-8'),
            object_pairs_hook=_without_repeats,
            parse_int=_whole_number,
            parse_float=_finite_number,
            parse_constant=_refuse,
        )
    except (ValueError, RecursionError) as error:
        raise ReleaseError(
            f'{name} of the release is not the JSON it should be: {error}.'
        ) from None


def _check_extent(content: bytes, name: str) -> None:
    depth = items = 0
    for token in _TOKEN.finditer(content):
        match token.group()[:1]:
            case b'[' | b'{':
                depth, items = depth + 1, items + 1
            case b']' | b'}':
                depth -= 1
            case b',':
                items += 1
        if depth > MOST_DEPTH or items > MOST_ITEMS:
            raise ReleaseError(f'{name} of the release is nested too deeply or has too many items.')


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError('a key is repeated')
    return made


def _whole_number(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError('a number has too many digits')
    return int(text)


def _finite_number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError('a number is not finite')
    return number


def _refuse(text: str) -> NoReturn:
    raise ValueError(f'{text} is not a JSON number')
