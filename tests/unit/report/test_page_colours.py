"""The colours of the page can be read on its backgrounds, by day, at night and in print.

Of ``page.css`` and ``_page.py``.
"""

import re
from importlib.resources import files
from itertools import product

import pytest

CSS = files('sdv_prefair.report').joinpath('templates', 'page.css').read_text('utf-8')
DARK = re.search(r'prefers-color-scheme: dark\) \{\s*:root \{(.*?)\}', CSS, re.DOTALL)[1]
LIGHT = re.search(r':root \{(.*?)\}', CSS, re.DOTALL)[1]
ON = {
    'ink': ('paper', 'wash', 'good-wash', 'warning-wash', 'alarm-wash'),
    'quiet': ('paper', 'wash', 'warning-wash', 'alarm-wash'),
    'good': ('paper', 'wash', 'good-wash'),
    'warning': ('paper', 'warning-wash'),
    'alarm': ('paper', 'alarm-wash'),
}
LEAST = 4.5  # WCAG 2.2, contrast (minimum)


def colours(block):
    return dict(re.findall(r'--([\w-]+): (#[0-9a-f]{6})', block))


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_that_of_the_standard():
    assert contrast('#000000', '#ffffff') == pytest.approx(21)
    assert contrast('#777777', '#ffffff') == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize('block', [LIGHT, DARK], ids=['light', 'dark'])
def test_every_text_can_be_read_on_what_is_behind_it(block):
    found = colours(block)
    assert set(found) == set(colours(LIGHT))
    poor = {
        (front, back): contrast(found[front], found[back])
        for front, backs in ON.items()
        for front, back in product([front], backs)
        if contrast(found[front], found[back]) < LEAST
    }
    assert not poor


def test_print_is_never_dark():
    assert '@media screen and (prefers-color-scheme: dark)' in CSS
    assert CSS.count('prefers-color-scheme') == 1
