"""The gate is closed to a change of any part, says which it was, and open to nothing else."""

from gate import PARTS, compare, digests

NAME = 'people: greedy'
BEFORE = {'libraries': {}, 'fits': {NAME: dict.fromkeys(PARTS, 'a'), 'other': {}}}


def test_a_fit_that_is_as_it_was_says_nothing():
    assert not compare(BEFORE, {NAME: dict.fromkeys(PARTS, 'a')})


def test_a_changed_part_is_named():
    first, *_ = compare(BEFORE, {NAME: {**dict.fromkeys(PARTS, 'a'), 'rows': 'b'}})
    assert first == f'{NAME}: rows changed'


def test_a_fit_that_fails_or_is_new_does_not_pass():
    first, second, *_ = compare(BEFORE, {NAME: {'failed': 'ValueError: no'}, 'new': {}})
    assert first == f'{NAME}: failed: ValueError: no'
    assert second == 'new: not in the baseline'


def test_a_fit_run_again_is_the_same_to_the_last_bit():
    name, once = digests(NAME)
    assert set(once) == set(PARTS)
    assert (name, once) == digests(NAME)
