"""The examples of style are true: each new sentence is in its file, and the old one is gone."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / 'docs' / 'style_examples.md').read_text('utf-8')
PAIR = re.compile(r'^(\d+)\. Before: (.+)\n\n    After: (.+)$', re.MULTILINE)


def plain(text):
    """Return prose without line breaks, comment marks and joints of string literals."""
    text = re.sub(r"""(['"])\s*\n\s*f?['"]""", '', text)
    text = re.sub(r'\n\s*#', ' ', text)
    return re.sub(r'\s+', ' ', text)


def sections():
    parts = re.split(r'^## `(.+)`$', PAGE, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def test_there_are_a_hundred_in_order():
    assert [int(number) for number, *_ in PAIR.findall(PAGE)] == list(range(1, 101))


@pytest.mark.parametrize('path', sections())
def test_the_sentences_stand_where_the_page_says(path):
    text = plain((ROOT / path).read_text('utf-8'))
    pairs = PAIR.findall(sections()[path])
    assert pairs
    missing = [number for number, _, after in pairs if plain(after) not in text]
    returned = [number for number, before, _ in pairs if plain(before) in text]
    assert (missing, returned) == ([], []), 'change the page together with the sentence'
