"""Every message names the thing, says what to do, and is short and whole."""

import re

import pytest
from message_catalogue import MESSAGES

MOST_LETTERS = 350
# Where None is something to write, not something that was missing.
OPTIONS = ('one of None, True, False', "one of None, 'apart'", ', or None.', 'None for null')


@pytest.mark.parametrize('name', MESSAGES)
def test_form(name):
    message = MESSAGES[name]
    said = f'{message.wrong} {message.remedy}'
    assert message.wrong.strip() and message.remedy.strip()
    assert said.endswith('.') or re.search(r' Did you mean .*\?$', said)
    assert not re.search(r'\s\s|\n|\.\.$', said)
    assert len(said) <= MOST_LETTERS
    for option in OPTIONS:
        said = said.replace(option, '')
    assert not re.search(r'\bNone\b|object at 0x', said)
