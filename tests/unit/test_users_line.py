"""Warnings point at the user's line, wherever in the package they are given."""

import re
import warnings
from pathlib import Path

import pytest
from people import people

import sdv_prefair
from sdv_prefair import PreFairSynthesizer, PrivacyWarning
from sdv_prefair._users_line import users_line

PACKAGE = Path(sdv_prefair.__file__).parent


def warned_by(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        call()
    return [one for one in caught if one.category.__module__.startswith('sdv_prefair')]


def test_outside_of_the_package_it_is_the_line_that_asks():
    with pytest.warns(UserWarning, match='here') as caught:
        warnings.warn('here', stacklevel=users_line() - 1)
    assert caught[0].filename == __file__


def test_a_second_fit_warns_again_at_its_own_line():
    table = people(columns=('sex', 'education', 'home', 'income'))
    made = warned_by(lambda: PreFairSynthesizer(table.metadata, seed=1, **table.roles))
    synthesizer = PreFairSynthesizer(table.metadata, public_ranges=True, **table.roles)
    first = warned_by(lambda: synthesizer.fit(table.data))
    second = warned_by(lambda: synthesizer.fit(table.data))
    assert PrivacyWarning in {one.category for one in made}
    assert any('budgets add up' in str(one.message) for one in second)
    assert {one.filename for one in made + first + second} == {__file__}


def test_no_warning_counts_frames_by_hand():
    counted = [
        path.name
        for path in PACKAGE.rglob('*.py')
        if re.search(r'stacklevel=\d', path.read_text(encoding='utf-8'))
    ]
    assert counted == []
