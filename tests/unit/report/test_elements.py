import json
from xml.etree.ElementTree import tostring

import plotly.graph_objects as go
from html_page import Page
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.plots._style import plain_text
from sdv_prefair.report._elements import bullets, num, plot, section, table, tag
from sdv_prefair.report._words import counted, listed, percent, short, some_of

TEXTS = st.text(
    st.characters(exclude_categories=('Cs',), exclude_characters='\r\x00'), min_size=1, max_size=20
) | st.sampled_from(['</script>', '<!--', ']]>', '<script>', '"><img src=x>', "'&amp;&lt;"])


def written(element):
    return tostring(element, encoding='unicode', method='html')


@given(TEXTS, TEXTS)
def test_text_and_attributes_come_back_as_they_were(text, attribute):
    page = Page(written(tag('div', tag('p', text, aria_label=attribute), text)))
    assert [e['tag'] for e in page.elements] == ['div', 'p']
    paragraph = page.elements[1]
    assert paragraph['text'] == text
    assert paragraph['attributes'] == {'aria-label': attribute}
    assert page.elements[0]['text'] == text + text


@given(TEXTS)
def test_nothing_in_a_figure_ends_its_script(text):
    figure = go.Figure(go.Bar(x=[text], y=[1]), layout={'title': text})
    page = Page(written(plot(figure, text, text)))
    assert [e['tag'] for e in page.elements] == ['figure', 'div', 'script', 'figcaption']
    content = page.elements[2]['text']
    assert not set('<>&') & set(content)
    assert json.loads(content)['data'][0]['x'] == [text]


@given(TEXTS)
def test_plain_text_has_no_tags_for_plotly(text):
    plain = plain_text(text)
    assert '<' not in plain
    assert plain.replace('&lt;', '<').replace('&gt;', '>').replace('&amp;', '&') == text


def test_a_table_has_a_caption_and_heads_of_rows_and_columns():
    page = Page(written(table('Sizes', ('Name', 'Size'), [('a', num('1')), ('b', num('22'))])))
    assert [e['text'] for e in page.all('caption')] == ['Sizes']
    scopes = [(e['text'], e['attributes']['scope']) for e in page.all('th')]
    assert scopes == [('Name', 'col'), ('Size', 'col'), ('a', 'row'), ('b', 'row')]
    assert [e['attributes'].get('class') for e in page.all('td')] == ['num', 'num']
    assert page.elements[0]['attributes']['aria-label'] == 'Sizes'
    empty = Page(written(table('Nothing', ('Name', 'Size'), [])))
    assert len(list(empty.all('th'))) == 2


def test_content_may_be_nested_and_have_gaps():
    page = Page(written(section('one', 'First', None, ['a', [tag('b', 'c')], 'd'], bullets('ef'))))
    assert page.section('one')['text'] == 'FirstacdEf'.replace('E', 'e')
    assert page.section('one')['attributes']['aria-labelledby'] == 'one-title'


def test_words():
    assert [listed('abc'[:size]) for size in range(4)] == ['', 'a', 'a and b', 'a, b and c']
    assert (short(1e-9), short(0.12345), short(1234567.0)) == ('1e-9', '0.123', '1.23e+6')
    assert (percent(0.1234), percent(0.5, 0)) == ('12.3 %', '50 %')
    assert (counted(1, 'pair'), counted(2000, 'pair')) == ('1 pair', '2,000 pairs')
    assert some_of(['a', 'b']) == 'a, b'
    assert some_of(list('abcdef')) == '6 columns'
