"""Nothing of the real table gets into the page unasked, and what does is marked."""

import copy
import re

import pandas as pd
from census_report import make, report

from sdv_prefair.datasets.dataset import Dataset

SENTINEL = 'Zyzzyva4711'


def test_real_data_that_is_not_asked_for_changes_nothing(fitted, census, tmp_path):
    fitted.create_release_report(path=tmp_path / 'without.html')
    fitted.create_release_report(census.data, tmp_path / 'with.html')
    assert (tmp_path / 'with.html').read_bytes() == (tmp_path / 'without.html').read_bytes()


def test_no_value_of_a_row_gets_into_the_page(census, tmp_path):
    table = census.data['census'].copy()
    table.loc[:40, ['sex', 'race', 'education', 'occupation', 'income', 'email']] = SENTINEL
    marked = Dataset({'census': table}, census.metadata, census.roles)
    synthesizer = make(marked)
    report(synthesizer, tmp_path, marked.data)
    assert SENTINEL not in (tmp_path / 'report.html').read_text(encoding='utf-8')


def test_without_being_asked_there_is_nothing_that_is_not_private(page):
    assert not page.with_class('marked')
    assert 'Left out.' in page.section('comparison')['text']
    assert 'May be published' in page.with_class('tiles')[0]['text']
    assert 'Keep it inside' not in page.visible_text()


def test_numbers_of_the_real_table_are_marked(inside):
    comparison = inside.section('comparison')
    marked = {e['at'] for e in inside.with_class('marked')}
    shown = [
        e for e in inside.all('table', 'figure') if comparison['at'] in e['inside']
    ]  # fmt: skip
    assert len(shown) == 4
    assert all(marked & set(e['inside']) for e in shown)
    assert all('not private' in inside.elements[place]['text'] for place in marked)
    assert comparison['text'].count('plain MST') >= 3
    assert 'Keep it inside' in inside.with_class('tiles')[0]['text']
    assert 'May be published' not in inside.visible_text()


def test_the_numbers_are_those_of_the_metrics(inside):
    (table,) = [e for e in inside.all('table') if 'Quality: distances' in e['text']]
    rows = [e['text'] for e in inside.all('tr') if table['at'] in e['inside']]
    accuracy = next(row for row in rows if 'trained on it' in row)
    found = [float(number) for number in re.findall(r'0\.\d{3}', accuracy)]
    assert len(found) == 3
    assert found[2] == max(found), 'trained on the real table itself'
    assert next(row for row in rows if 'One-way' in row).endswith('0')


def test_the_synthesizer_is_left_as_it_was(fitted, census, tmp_path):
    untouched = copy.deepcopy(fitted)
    report(fitted, tmp_path, census.data, show_real_numbers=True)
    pd.testing.assert_frame_equal(fitted.sample(50)['census'], untouched.sample(50)['census'])
