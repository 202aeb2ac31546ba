"""About ``_texts.py``."""

import pickle
import re

import numpy as np
import pytest

from sdv_prefair.columns._texts import TextForm
from sdv_prefair.errors import DomainError


@pytest.mark.parametrize(
    'regex',
    [
        '[0-9]{5}',
        r'[A-Z]\d{2}(\.[0-9]{1,2})?',
        '(GB|FR|DE)-[a-f]{2,4}',
        r'^\w+$',
        'x(y(z|[ab])){2}',
    ],
)
def test_what_is_drawn_is_what_the_expression_allows(regex):
    form = TextForm(regex)
    texts = form.draw(500, np.random.default_rng(0))
    assert all(re.fullmatch(regex, text) and form.allows(text) for text in texts)
    assert len(set(texts)) > 8
    assert pickle.loads(pickle.dumps(form)) == form


def test_letters_lengths_and_alternatives_are_equally_likely():
    texts = TextForm('(a|bc)[xy]{1,2}').draw(40_000, np.random.default_rng(1))
    firsts = np.mean([text[0] == 'a' for text in texts])
    lengths = np.mean([len(text.lstrip('abc')) == 1 for text in texts])
    # Six standard deviations.
    assert abs(firsts - 0.5) < 0.015
    assert abs(lengths - 0.5) < 0.015


@pytest.mark.parametrize('regex', ['', 'a.b', '[^a]', '(?=a)a', '(', r'(a)\1', 7, 'a{9999}', '$'])
def test_what_cannot_be_drawn_is_refused(regex):
    with pytest.raises(DomainError, match='must be a regular expression'):
        TextForm(regex)


def test_nested_repetitions_are_refused_at_once():
    with pytest.raises(DomainError):
        TextForm('((a{900}){900}){900}')
