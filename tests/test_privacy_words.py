"""What is said about privacy comes from the curve: no figure and no definition is typed by hand."""

import importlib.util
import re
from pathlib import Path

import pytest

from sdv_prefair.privacy import Ledger, PrivacyCurve
from sdv_prefair.privacy._curve import guess_in_words

ROOT = Path(__file__).parents[1]
CURVE = {'_curve.py', '_curve_words.py'}
SHOWN = [
    guess_in_words(PrivacyCurve.of(Ledger(epsilon, 1e-9, all_gaussian=True)))
    for epsilon in (1.0, 2.0, 3.0)
]
TEMPLATES = sorted((ROOT / 'sdv_prefair' / 'report' / 'templates').glob('*.j2'))
PLACES = [
    ROOT / 'README.md',
    *sorted((ROOT / 'docs').glob('*.md')),
    *sorted((ROOT / 'tutorials').glob('*.py')),
    *sorted(path for path in (ROOT / 'sdv_prefair').rglob('*.py') if path.name not in CURVE),
    *TEMPLATES,
]
BY_HAND = {
    'a share of guesses': r'\d[\d.]* ?(%|per cent) of the time(?<!50 % of the time)',
    'delta as a probability of failure': r'(?i)(?<!not the )probability (that|with which) '
    r'(the|a|this) (bound|guarantee|promise)s? (may )?fails?',
    'delta as an exception': r'except with probability .?delta',
    'a generic bound': r'1 */ *\(1 *\+ *(np|math)\.exp\(-e|1 */ *\(1 *\+ *e\^-',
    'a factor': r'(factor|odds)[^.]{0,40}\be\^',
}


@pytest.mark.parametrize('path', PLACES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_sentence_about_privacy_is_typed_by_hand(path):
    text = ' '.join(path.read_text('utf-8').split())
    for sentence in SHOWN:  # in the output of commands
        text = text.replace(sentence, '')
    for what, pattern in BY_HAND.items():
        for found in re.finditer(pattern, text):
            around = text[max(0, found.start() - 80) : found.end() + 20]
            assert re.search('is not the prob', around), f'{what}: ...{around}...'


# Where the words of the page and of its record are.
WORDS = [
    *TEMPLATES,
    *(ROOT / 'sdv_prefair' / 'report' / f'{name}.py'
      for name in ('_answers', '_effects', '_facts', '_record', '_particulars')),
]  # fmt: skip
# Of a coin, of confidence intervals, and of the rows that a privacy test takes for members.
NO_FIGURES_OF_A_FIT = {'50 %', '95 %'}


@pytest.mark.parametrize('path', WORDS, ids=lambda path: path.name)
def test_no_figure_on_privacy_is_typed_into_the_page(path):
    text = re.sub(r'\{\{.*?\}\}|\{%.*?%\}', '', path.read_text('utf-8'), flags=re.DOTALL)
    assert set(re.findall(r'(?<![\d.#&])\d+(?:\.\d+)? %', text)) <= NO_FIGURES_OF_A_FIT
    parameters = r'\b(?:epsilon|delta|mu|rho|sigma)\b (?:=|of|is|at most) ?-?\d'
    assert not re.findall(parameters, text)


def test_every_sentence_of_the_page_on_privacy_comes_from_one_place():
    """They are named in the template, and written where the curve is."""
    text = (TEMPLATES[-1]).read_text('utf-8')
    for sentence in ('guess_in_words', 'members_in_words', 'delta_in_words', 'attacks', 'strength'):
        assert f'facts.{sentence}' in text


def test_the_patterns_find_what_was_wrong_once():
    wrong = [
        'right 73.1 % of the time', 'delta, the probability that the bound fails',
        'Probability that the guarantee fails', 'certain (except with probability `delta`)',
        '1 / (1 + np.exp(-epsilon))', 'the odds of what is released by a factor of e^25',
    ]  # fmt: skip
    assert all(any(re.search(p, line) for p in BY_HAND.values()) for line in wrong)


def test_the_table_of_risks_is_as_its_script_writes_it():
    script = ROOT / 'docs' / 'make_risk_table.py'
    found = importlib.util.spec_from_file_location('risks', script)
    risks = importlib.util.module_from_spec(found)
    found.loader.exec_module(risks)
    page = risks.PAGE.read_text('utf-8')
    assert risks.table() in page
    assert risks.written(page) == page
