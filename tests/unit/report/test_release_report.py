"""The whole report, from a fitted synthesizer to the page.

Of ``__init__.py``, ``_page.py`` and ``_facts.py``.
"""

from sdv_prefair import load_release
from sdv_prefair.privacy._curve import at_most, attacks, delta_in_words
from sdv_prefair.report import Facts

HEADINGS = [
    'Before you sign',
    'Questions and answers',
    'What is promised',
    'The model',
    'Proxies',
    'Where the privacy budget went',
    'How much of it is noise',
    'Compared with the real table',
    'What is not promised',
    'Data dictionary',
]


def test_sections_come_in_order_and_are_listed(page):
    assert [text for tag, text in page.headings() if tag == 'h2'] == HEADINGS
    assert [text for tag, text in page.headings() if tag == 'h1'] == ['Release report: census']
    (contents,) = page.all('nav')
    assert contents['text'] == ''.join(HEADINGS)
    targets = {e['attributes']['href'] for e in page.all('a')}
    assert targets == {f'#{e["attributes"]["id"]}' for e in page.all('section')}


def test_the_promise_is_in_words_and_numbers(page, fitted):
    promises = page.section('promises')['text']
    footer = fitted.get_privacy_ledger().attrs
    assert '(1, 1e-9)-differentially private' in promises
    assert footer['neighbours'] in promises
    curve = fitted.privacy_curve()
    assert at_most(curve.guess()) in promises
    assert delta_in_words(curve, 1.0, 1e-9) in promises
    for name, _, success in attacks(curve):
        assert f'{name}' in promises
        assert at_most(success) in promises
    assert 'income is independent of sex and race once education, occupation and hours' in promises
    assert f'{footer["epsilon_if_replace_one"]:.3g}' in page.section('ledger')['text']
    assert f'{footer["epsilon_if_twice_the_rows"]:.3g}' in page.section('ledger')['text']


def test_ways_from_protected_to_outcome_are_those_of_the_model(page, fitted, census):
    facts = Facts(fitted)
    rows = [e['text'] for e in page.all('tr') if '→' in e['text']]
    assert len(rows) == 2
    for row in rows:
        way = [part.strip() for part in row.split('→')]
        names = [part.removesuffix('admissible').strip() for part in way]
        names[0] = next(p for p in census.roles.protected if names[0].endswith(p))
        assert all(facts.ties.has_edge(a, b) for a, b in zip(names, names[1:], strict=False))
        assert any(name in census.roles.admissible for name in names)


def test_the_ledger_is_there_line_by_line(page, fitted):
    ledger = fitted.get_privacy_ledger()
    tables = [e for e in page.all('table') if 'The ledger; scale' in e['text']]
    assert len(tables) == 1
    lines = [e for e in page.all('tr') if tables[0]['at'] in e['inside']]
    assert len(lines) == 1 + len(ledger)
    for rho in ledger['rho']:
        assert f'{rho:.3e}' in tables[0]['text']


def test_every_modelled_column_has_a_card_and_every_edge_a_line(page, fitted):
    facts = Facts(fitted)
    cards = [e['text'] for e in page.all('article')]
    assert len(cards) == len(facts.modelled) == 7
    (pairs,) = [e for e in page.all('table') if 'Pairs that were measured' in e['text']]
    assert len([e for e in page.all('tr') if pairs['at'] in e['inside']]) == 1 + 6
    assert 'email' in page.section('dictionary')['text']
    assert 'generated; nothing is learnt' in page.section('dictionary')['text']


def test_figures_are_described_and_tables_have_captions(page, inside):
    for made in (page, inside):
        drawings = list(made.all('svg'))
        assert len(drawings) == len(made.with_class('plot')) >= 9
        assert all(drawing['attributes']['role'] == 'img' for drawing in drawings)
        assert all(len(drawing['attributes']['aria-label']) > 20 for drawing in drawings)
        assert len(list(made.all('caption'))) == len(list(made.all('table')))
        (html,) = made.all('html')
        assert html['attributes']['lang'] == 'en'


def test_the_page_is_small(fitted, inside, tmp_path):
    """Most of it was a library that drew the figures."""
    fitted.create_release_report(path=tmp_path / 'report.html')
    assert (tmp_path / 'report.html').stat().st_size < 250_000
    assert sum(len(e['text']) for e in inside.all('svg')) < 100_000


def test_what_a_pointer_shows_is_in_the_figures(page, fitted):
    titles = {e['text'] for e in page.all('title')}
    for one, other in fitted.get_fair_graph().edges:
        assert any(title.startswith(f'{one} - {other}\nsigma: ') for title in titles)
    ledger = fitted.get_privacy_ledger()
    for step, columns, rho in zip(ledger['step'], ledger['columns'], ledger['rho'], strict=True):
        assert f'{step}\n{", ".join(columns)}\nrho = {rho:.3g}' in titles
    shares = Facts(fitted).intervals['sex']
    low, high = shares['lower'].iloc[0], shares['upper'].iloc[0]
    assert any(f'({100 * low:.2f} to {100 * high:.2f})' in title for title in titles)


def test_nothing_is_fetched_and_one_short_script_opens_what_is_folded_in_print(page):
    (script,) = page.all('script')
    assert 'beforeprint' in script['text'] and len(script['text']) < 300
    for element in page.elements:
        assert not {'src', 'srcset', 'data', 'action'} & set(element['attributes'])
        assert element['attributes'].get('href', '#').startswith('#')
    assert not list(page.all('link', 'img', 'iframe', 'object'))
    (policy,) = [e for e in page.all('meta') if 'http-equiv' in e['attributes']]
    assert "default-src 'none'" in policy['attributes']['content']
    assert "script-src 'sha256-" in policy['attributes']['content']


def test_a_release_that_was_opened_gives_the_same_report(fitted, tmp_path):
    fitted.save_release(tmp_path / 'fit.release')
    fitted.create_release_report(path=tmp_path / 'here.html')
    load_release(tmp_path / 'fit.release').create_release_report(path=tmp_path / 'there.html')
    assert (tmp_path / 'here.html').read_bytes() == (tmp_path / 'there.html').read_bytes()
