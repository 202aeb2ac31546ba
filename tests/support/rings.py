"""The three rings: for every change, for every pull request, for every night.

A test without a mark belongs to the first, which runs ``tests/unit``, ``tests/property`` and the
rules of the house. Files and folders that cost more are listed here; single tests say so by
``@pytest.mark.pull_request`` or ``@pytest.mark.slow``. A later ring contains the earlier ones.
"""

from pathlib import Path

import pytest

CHANGE, PULL_REQUEST, NIGHT = 'change', 'pull_request', 'slow'
RINGS = (CHANGE, PULL_REQUEST, NIGHT)

_TESTS = Path(__file__).parents[1]
_FIRST = ('unit/', 'property/', 'test_house.py')
# Of what SDV asks of every structure, a pull request asks these.
_ASKED_DAILY = ('adaptive', 'planned')
_ALL_STRUCTURES = ('none', 'greedy', 'exact', 'aim', 'privbayes', 'mwem', 'tree', *_ASKED_DAILY)
# The last that a path begins with decides.
_PLACES = {
    '': PULL_REQUEST,
    **dict.fromkeys(_FIRST, CHANGE),
    **dict.fromkeys(('unit/release/', 'unit/report/', 'unit/plots/'), PULL_REQUEST),
    **dict.fromkeys(
        (
            *('statistical/', 'integration/test_adult.py', 'privacy/test_own_accountant.py'),
            *('unit/report/test_report_of_', 'unit/report/test_reports_of_fits.py'),
            *('messages/test_complete.py', 'unit/model/test_private_pgm.py'),
        ),
        NIGHT,
    ),
}


def mark(item) -> None:
    """Mark a test by its place, unless it has a mark of its own."""
    if ring_of(item) == CHANGE:
        path = item.path.relative_to(_TESTS).as_posix()
        ring = [ring for place, ring in _PLACES.items() if path.startswith(place)][-1]
        if path.startswith('integration/contract/') and _is_asked_at_night(item):
            ring = NIGHT
        if ring != CHANGE:
            item.add_marker(getattr(pytest.mark, ring))


def _is_asked_at_night(item) -> bool:
    params = item.callspec.params.values() if hasattr(item, 'callspec') else ()
    asked = [value for value in params if isinstance(value, str) and value in _ALL_STRUCTURES]
    return bool(asked) and asked[0] not in _ASKED_DAILY


def ring_of(item) -> str:
    """Return the ring that a test is marked for."""
    marked = [ring for ring in RINGS[1:] if item.get_closest_marker(ring)]
    return marked[-1] if marked else CHANGE
