"""Each message of the catalogue is what it says there, word for word."""

import pytest
from message_catalogue import MESSAGES
from message_catalogue.message import provoked


@pytest.mark.parametrize('name', MESSAGES)
def test_text(name):
    message = MESSAGES[name]
    found = provoked(message)
    assert found.text == message.text
    assert found.kind is message.kind
