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
# What SDV asks of every structure, a pull request asks of 'adaptive' and 'planned'; and of doors
# that lead to the same batches of Arrow, it opens one.
_NIGHTLY = {
    'integration/contract/': ('none', 'greedy', 'exact', 'aim', 'privbayes', 'mwem', 'tree'),
    'integration/doors/': ('parquet folder', 'arrow dataset', 'polars frame', 'polars lazy frame'),
}
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
            *('unit/report/test_record.py', 'integration/test_any_names.py'),
        ),
        NIGHT,
    ),
}


def mark(item) -> None:
    """Mark a test by its place, unless it has a mark of its own."""
    if ring_of(item) == CHANGE:
        path = item.path.relative_to(_TESTS).as_posix()
        ring = [ring for place, ring in _PLACES.items() if path.startswith(place)][-1]
        params = item.callspec.params.values() if hasattr(item, 'callspec') else ()
        for place, nightly in _NIGHTLY.items():
            if path.startswith(place) and any(value in nightly for value in map(str, params)):
                ring = NIGHT
        if ring != CHANGE:
            item.add_marker(getattr(pytest.mark, ring))


def ring_of(item) -> str:
    """Return the ring that a test is marked for."""
    marked = [ring for ring in RINGS[1:] if item.get_closest_marker(ring)]
    return marked[-1] if marked else CHANGE
