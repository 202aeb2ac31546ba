"""Pages: names are text and nothing else, lines of templates are joined, words are as they should.

Of ``_page.py`` and ``_words.py``.
"""

import re

import plotly.graph_objects as go
import pytest
from html_page import Page
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

from sdv_prefair.plots._style import plain_text
from sdv_prefair.report._page import page, plain_page
from sdv_prefair.report._words import counted, listed, percent, short, some_of

TEXTS = st.text(
    st.characters(exclude_categories=('Cs',), exclude_characters='\r\x00'), min_size=1, max_size=20
) | st.sampled_from(['</script>', '<!--', ']]>', '<script>', '"><img src=x>', "'&amp;&lt;"])
TABLE = {'caption': 'Sizes', 'header': ('Name', 'Size'), 'nums': (1,)}


def made(*pieces, title='t', opening=()):
    return Page(plain_page(title, opening, {'one': ('First', pieces)}, 'end').decode())


@given(TEXTS, TEXTS)
def test_texts_come_back_as_they_were_in_a_page_and_in_its_attributes(text, other):
    table = TABLE | {'caption': other, 'rows': [(text, other)]}
    found = made(text, table, title=other, opening=[text])
    assert [e['text'] for e in found.all('h1', 'title')] == [other, other]
    assert [e['text'] for e in found.all('p')][:2] == [text, text]
    (region,) = found.with_class('scroll')
    assert region['attributes']['aria-label'] == other
    assert [e['text'] for e in found.all('th', 'td')] == ['Name', 'Size', text, other]
    assert not {e['tag'] for e in found.elements} & {'img', 'b', 'i'}
    assert len(list(found.all('script'))) == 1


@given(TEXTS)
def test_texts_of_a_figure_are_text(text):
    plain = plain_text(text)
    figure = go.Figure(go.Bar(x=[plain], y=[1], name=plain), layout={'title': plain})
    found = made({'figure': figure, 'described': text})
    (svg,) = found.all('svg')
    assert svg['attributes']['aria-label'] == text
    assert {e['tag'] for e in found.elements if svg['at'] in e['inside']} <= {
        'text', 'rect', 'title', 'path',
    }  # fmt: skip


@given(TEXTS)
def test_plain_text_has_no_tags_for_plotly(text):
    plain = plain_text(text)
    assert '<' not in plain
    assert plain.replace('&lt;', '<').replace('&gt;', '>').replace('&amp;', '&') == text


def test_a_table_has_a_caption_and_heads_of_rows_and_columns():
    found = made(TABLE | {'rows': [('a', '1'), ('b', '22')]})
    assert [e['text'] for e in found.all('caption')] == ['Sizes']
    scopes = [(e['text'], e['attributes']['scope']) for e in found.all('th')]
    assert scopes == [('Name', 'col'), ('Size', 'col'), ('a', 'row'), ('b', 'row')]
    assert [e['attributes'].get('class') for e in found.all('td')] == ['num', 'num']
    assert len(list(made(TABLE | {'rows': []}).all('th'))) == 2


def test_a_page_without_what_its_template_asks_for_is_not_made():
    with pytest.raises(UndefinedError):
        page('plain', 't', {'one': 'First'}, closing='end')


def test_nothing_may_run_or_be_fetched():
    (policy,) = [e for e in made('x').all('meta') if 'http-equiv' in e['attributes']]
    content = policy['attributes']['content']
    assert "default-src 'none'" in content
    assert re.search("script-src 'sha256-[^']+'; ", content)


def test_words():
    assert [listed('abc'[:size]) for size in range(4)] == ['', 'a', 'a and b', 'a, b and c']
    assert (short(1e-9), short(0.12345), short(1234567.0)) == ('1e-9', '0.123', '1.23e+6')
    assert (percent(0.1234), percent(0.5, 0)) == ('12.3 %', '50 %')
    assert (counted(1, 'pair'), counted(2000, 'pair')) == ('1 pair', '2,000 pairs')
    assert some_of(['a', 'b']) == 'a, b'
    assert some_of(list('abcdef')) == '6 columns'
