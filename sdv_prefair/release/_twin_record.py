"""The record for programs that a release carries, compared with what the release itself says.

It is made from the fit alone, so whoever opens the release can make it again. What only its owner
knows is not in it; that is told when a report is made.
"""

import math
import re
from collections.abc import Iterator
from typing import Any

from sdv_prefair.errors import ReleaseError
from sdv_prefair.release._archive import Archive, read_document
from sdv_prefair.release._verified import Check

RECORD = 'record.json'
"""The member of a release that holds it."""

_MOST_BYTES = 8 << 20
_EXACT = 1e-9  # other versions of numpy and scipy may round the last digits otherwise
_MAKER = re.compile(r'sdv-prefair ([0-9A-Za-z.+-]{1,40})')
_MOST_NAMED = 3

Record = dict[str, Any]


def read_record(archive: Archive, version: Any) -> Record:
    """Return the record of a release; whether it is right is for ``verify`` to say.

    Args:
        archive: The release.
        version: The version of this package that is said to have written it.
    """
    written = read_document(archive.read(RECORD, _MOST_BYTES), RECORD)
    if not isinstance(written, dict):
        raise ReleaseError(f'{RECORD} of the release is not an object.')
    maker = _maker_of(written)
    if maker is None or maker != f'sdv-prefair {version}':
        raise ReleaseError(f'{RECORD} of the release was not written with the rest of it.')
    return written


def check_record(carried: Record, own: Record) -> Check:
    """Return whether a release carries the record that follows from it.

    Words may differ if another version of this package wrote them; figures may not.

    Args:
        carried: The record in the file.
        own: The record of the fit that was opened.
    """
    maker = _maker_of(carried)
    is_ours = maker is None or maker == _maker_of(own)
    compared = (carried, own) if is_ours else (_figures(carried), _figures(own))
    if differing := list(_differing(*compared)):
        named = ', '.join(differing[:_MOST_NAMED])
        more = f' and {len(differing) - _MOST_NAMED} more' * (len(differing) > _MOST_NAMED)
        return Check('record', False, f'{RECORD} does not say what the release says: {named}{more}')
    if is_ours:
        return Check('record', True, f'{RECORD} says what the release says')
    told = f'the figures of {RECORD} are those of the release; its words, by {maker}, were not read'
    return Check('record', True, told)


def _maker_of(record: Record) -> str | None:
    page = record.get('page')
    maker = page.get('made_by') if isinstance(page, dict) else None
    return maker if isinstance(maker, str) and _MAKER.fullmatch(maker) else None


def _figures(record: Record) -> Record:
    """Return the parts of a record that hold figures and nothing else."""
    page = record.get('page')
    parts = ('private', 'fair', 'risk', 'promise')
    of_page = {part: page.get(part) for part in parts} if isinstance(page, dict) else None
    return {'dp_event': record.get('dp_event'), 'page': of_page}


def _differing(one: Any, other: Any, place: str = '') -> Iterator[str]:
    """Yield the places where two documents differ; names only that both have."""
    if isinstance(one, dict) and isinstance(other, dict):
        if one.keys() != other.keys():
            yield place or 'its parts'
        else:
            for key, value in other.items():
                yield from _differing(one[key], value, f'{place}.{key}'.lstrip('.'))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (here, there) in enumerate(zip(one, other, strict=True)):
            yield from _differing(here, there, f'{place}[{number}]')
    elif not _are_equal(one, other):
        yield place


def _are_equal(one: Any, other: Any) -> bool:
    if _is_number(one) and _is_number(other):
        return math.isclose(one, other, rel_tol=_EXACT)
    return type(one) is type(other) and bool(one == other)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
