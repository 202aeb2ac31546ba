"""Strings of a regular expression: each once, and none of them takes for ever.

About ``_generated.py``.
"""

import subprocess
import sys
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.columns._generated import distinct_texts, texts_beyond

PARTS = st.sampled_from(['a', '[ab]', r'\(', r'\)', '.', '[0-1]', r'\W', '(a[(0])', r'[()0-9]'])
TIMES = st.sampled_from(['', '', '{2}', '{1,2}', '+', '?'])
REGEXES = st.lists(st.tuples(PARTS, TIMES).map(''.join), min_size=1, max_size=3).map(''.join)
WITHOUT_END = ['(a?){40}', '(a{1,2}){40}', '((a{1,3}){1,2}){20}', '(.?){40}', 'a?' * 40]


@given(REGEXES)
def test_no_string_comes_twice_within_the_expression_or_beyond(regex):
    within = list(islice(distinct_texts(regex), 300))
    beyond = list(islice(texts_beyond(regex), 300))
    assert within
    assert len({*within, *beyond}) == len(within) + len(beyond)


@pytest.mark.slow
def test_strings_that_come_in_very_many_ways_do_not_take_for_ever():
    """Such an expression may come with a release of someone else."""
    first = (
        'from itertools import chain, islice\n'
        'from sdv_prefair.columns._generated import distinct_texts, texts_beyond\n'
        f'for regex in {WITHOUT_END!r}:\n'
        '    made = chain(distinct_texts(regex), texts_beyond(regex))\n'
        '    assert len(set(islice(made, 150))) == 150, regex'
    )
    subprocess.run([sys.executable, '-c', first], check=True, timeout=120)


def test_no_string_is_lost_that_comes_again_and_again():
    assert sum(1 for _ in distinct_texts('[0-9]{1,2}[0-9]{1,2}')) == 10**2 + 10**3 + 10**4
