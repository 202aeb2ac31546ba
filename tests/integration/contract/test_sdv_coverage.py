"""All that SDV's tests ask has an answer: a test of ours, or a difference that is listed."""

import re
from pathlib import Path

import pytest
from differences import DIFFERENCES

HERE = Path(__file__).parent
TEXT = (HERE / 'sdv_coverage.md').read_text('utf-8')
LINES = [line for line in re.findall(r'^\| (.+?) \| (.+?) \| (.+?) \|$', TEXT, re.M)
         if line[0] != "SDV's test"]  # fmt: skip
# Under SDV 1 only these run, as the Makefile has it.
UNDER_BOTH = [
    'test_as_sdv_is_tested.py',
    'test_constraints_as_sdv_is_tested.py',
    'test_differences.py',
    'test_sdv_versions.py',
    'test_synthesizers_as_sdv_is_tested.py',
    'test_tied_columns_as_sdv_is_tested.py',
]
WRITTEN = '\n'.join((HERE / name).read_text('utf-8') for name in UNDER_BOTH)
# How many tests SDV has there; a line that is lost is noticed.
NUMBER = 171
TESTS = set(re.findall(r'^def (test_\w+)\(', WRITTEN, re.M))


def parts(answer):
    return [part.strip() for part in answer.split(';')]


def test_there_are_as_many_lines_as_sdv_has_tests():
    assert len(LINES) == NUMBER


@pytest.mark.parametrize('line', LINES, ids=lambda line: line[0])
def test_every_line_has_an_answer_that_exists(line):
    for part in parts(line[2]):
        kind, _, reason = part.partition(': ')
        if kind == 'by design':
            assert reason in DIFFERENCES
        elif kind != 'elsewhere':
            assert re.fullmatch(r'`test_\w+`(, `test_\w+`)*', part)
        assert set(re.findall(r'`(test_\w+)`', part)) <= TESTS
        assert kind != 'elsewhere' or reason


def test_no_difference_is_listed_that_no_line_needs_or_a_test_of_ours_shows():
    shown = set(re.findall(r"^@shows\('(.+)'\)$", WRITTEN, re.M))
    named = set(re.findall(r'by design: ([^;|]+?)(?=;| \|)', TEXT))
    assert named <= shown == set(DIFFERENCES)


def test_the_same_files_run_under_the_first_version():
    makefile = (HERE.parents[2] / 'Makefile').read_text('utf-8')
    assert all(f'contract/{name}' in makefile for name in UNDER_BOTH)
