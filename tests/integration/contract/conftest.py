"""Fits that the tests of one file share."""

import pytest
from contract import KINDS, STRUCTURES, fit
from people import people


@pytest.fixture(scope='session')
def table():
    return people()


@pytest.fixture(scope='session')
def fits():
    """Return a function that fits each kind of synthesizer to the people once."""
    made = {}

    def of_kind(kind):
        if kind not in made:
            made[kind] = fit(kind, people())
        made[kind].reset_sampling()
        return made[kind]

    return of_kind


@pytest.fixture(params=KINDS)
def any_fit(request, fits):
    """A fitted synthesizer of every kind, the control included. Leave it as it is."""
    return fits(request.param)


@pytest.fixture(params=STRUCTURES)
def our_fit(request, fits):
    """One of ours for every structure. Leave it as it is."""
    return fits(request.param)
