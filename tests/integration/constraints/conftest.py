"""A synthesizer with constraints of every kind."""

import pytest
from jobs import every_kind, fit


@pytest.fixture(scope='module')
def all_together():
    return fit(every_kind())
