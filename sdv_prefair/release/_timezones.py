"""Time zones by name, from those that the system knows: a name in a file opens no other file."""

import datetime
import re
import zoneinfo
from typing import Any

import pandas as pd

from sdv_prefair.errors import ReleaseError, shown

_OFFSET = re.compile(r'UTC[+-]\d\d:\d\d')
_NAME = re.compile(r'[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+){0,2}')
_ZONEINFO = 'zoneinfo:'
_MOST_LETTERS = 64


def write_zone(zone: datetime.tzinfo | None) -> str | None:
    """Return the name of a time zone; Python's zoneinfo and pandas' own zones are distinguished.

    Raises:
        ReleaseError: If the name does not lead back to the zone.
    """
    if zone is None:
        return None
    written = f'{_ZONEINFO}{zone.key}' if isinstance(zone, zoneinfo.ZoneInfo) else str(zone)
    try:
        same = _dtype(read_zone(written)) == _dtype(zone)
    except ReleaseError:
        same = False
    if not same:
        raise ReleaseError(
            f'The time zone {shown(zone)} has no name that a release can store. Convert the '
            "column to one that has, as 'UTC' or 'Europe/Berlin', or use save."
        )
    return written


def read_zone(written: Any) -> datetime.tzinfo | None:
    """Return the time zone of this name.

    Raises:
        ReleaseError: If there is none.
    """
    if written is None:
        return None
    name = written if isinstance(written, str) and len(written) <= _MOST_LETTERS else ''
    key = name.removeprefix(_ZONEINFO)
    usable = _OFFSET.fullmatch(key) or (_NAME.fullmatch(key) and not key.startswith('dateutil'))
    try:
        if usable and name != key:
            return zoneinfo.ZoneInfo(key)
        if usable:
            return _dtype(key).tz
    except (TypeError, ValueError, KeyError):  # KeyError: a name that neither library knows
        pass
    raise ReleaseError('The release names a time zone that is not known.')


def _dtype(zone: Any) -> pd.DatetimeTZDtype:
    return pd.DatetimeTZDtype('ns', zone)
