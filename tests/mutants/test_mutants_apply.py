"""Every mutant still fits the package, and names tests that exist; whether they fail is for
``make test-mutants``."""

import ast
import re
from pathlib import Path

import pytest
from mutant_catalogue import MUTANTS

import sdv_prefair

PACKAGE = Path(sdv_prefair.__file__).parent
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize('mutant', MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_applies_exactly_once_and_is_python(mutant):
    for path, text in mutant.changed_files(PACKAGE).items():
        assert text != (PACKAGE / path).read_text('utf-8')
        ast.parse(text, str(path))


@pytest.mark.parametrize('mutant', MUTANTS, ids=lambda mutant: mutant.name)
def test_its_tests_exist(mutant):
    assert mutant.tests
    for test in mutant.tests:
        file, _, name = test.partition('::')
        text = (ROOT / file).read_text('utf-8')
        assert not name or re.search(rf'^def {re.escape(name.partition("[")[0])}\(', text, re.M)


def test_names_tell_mutants_apart():
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 50
