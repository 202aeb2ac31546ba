"""The whole report, from a fitted synthesizer to the page."""

import copy
import math
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from html_page import Page
from sdv.cag import Inequality
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer, PrivacyWarning, Roles, load_release, strip_ranges
from sdv_prefair.datasets import simulate_census
from sdv_prefair.datasets.dataset import Dataset, categorical, numerical, public_metadata
from sdv_prefair.errors import (
    NotFittedError,
    PrivateDataError,
    SynthesizerInputError,
    UnfairModelError,
)
from sdv_prefair.report import gather
from sdv_prefair.report.promises import _best_guess
from sdv_prefair.structure import AimStrategy, UnconstrainedStrategy

HEADINGS = [
    'What is promised',
    'The model',
    'Where the privacy budget went',
    'How much of it is noise',
    'Compared with the real table',
    'What is not promised',
    'Before you sign',
]
SENTINEL = 'Zyzzyva4711'


def make(dataset, **changes):
    arguments = {'public_ranges': True} | dataset.roles.as_dict() | changes
    synthesizer = PreFairSynthesizer(dataset.metadata, **arguments)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', PrivacyWarning)
        synthesizer.fit(dataset.data)
    return synthesizer


def report(synthesizer, folder, *arguments, **options):
    synthesizer.create_release_report(*arguments, path=folder / 'report.html', **options)
    return Page((folder / 'report.html').read_text(encoding='utf-8'))


@pytest.fixture(scope='module')
def census():
    full = simulate_census(2000, seed=1)
    columns = ['sex', 'race', 'education', 'occupation', 'hours', 'income', 'age', 'email']
    metadata = full.metadata.to_dict()['tables']['census']
    table = full.data['census'][columns]
    described = {name: metadata['columns'][name] for name in columns}
    return Dataset({'census': table}, public_metadata('census', described), full.roles)


@pytest.fixture(scope='module')
def fitted(census):
    return make(census)


@pytest.fixture(scope='module')
def page(fitted, tmp_path_factory):
    return report(fitted, tmp_path_factory.mktemp('report'))


@pytest.fixture(scope='module')
def inside(fitted, census, tmp_path_factory):
    """The copy with numbers computed on the real table, beside plain MST."""
    folder = tmp_path_factory.mktemp('inside')
    return report(fitted, folder, census.data, show_real_numbers=True, compare_with_mst=True)


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
    assert '73.1 %' in promises
    assert 'income is independent of sex and race once education, occupation and hours' in promises
    assert f'{footer["epsilon_if_replace_one"]:.3g}' in page.section('ledger')['text']
    assert f'{footer["epsilon_if_twice_the_rows"]:.3g}' in page.section('ledger')['text']


def test_ways_from_protected_to_outcome_are_those_of_the_model(page, fitted, census):
    facts = gather(fitted)
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
    facts = gather(fitted)
    cards = [e['text'] for e in page.all('article')]
    assert len(cards) == len(facts.modelled) == 7
    (pairs,) = [e for e in page.all('table') if 'Pairs that were measured' in e['text']]
    assert len([e for e in page.all('tr') if pairs['at'] in e['inside']]) == 1 + 6
    assert 'email' in page.section('model')['text']
    assert 'made up; nothing is learnt' in page.section('model')['text']


def test_figures_are_described_and_tables_have_captions(page, inside):
    for made in (page, inside):
        plots = made.with_class('plot')
        assert len(plots) >= 9
        assert all(len(plot['attributes']['aria-label']) > 20 for plot in plots)
        assert len(list(made.all('caption'))) == len(list(made.all('table')))
        (html,) = made.all('html')
        assert html['attributes']['lang'] == 'en'


def test_nothing_is_fetched_and_plotly_is_there_once(page):
    scripts = [e for e in page.all('script') if e['attributes'].get('type') is None]
    assert len(scripts) == 2
    assert sum('Plotly, Inc.' in e['text'][:300] for e in scripts) == 1
    for element in page.elements:
        assert not {'src', 'srcset', 'data', 'action'} & set(element['attributes'])
        assert element['attributes'].get('href', '#').startswith('#')
    assert not list(page.all('link', 'img', 'iframe', 'object'))
    (policy,) = [e for e in page.all('meta') if 'http-equiv' in e['attributes']]
    assert "default-src 'none'" in policy['attributes']['content']
    assert "script-src 'sha256-" in policy['attributes']['content']


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


def test_a_seeded_fit_is_marked_everywhere(census, tmp_path):
    page = report(make(census, seed=3), tmp_path)
    text = page.visible_text()
    assert 'Not private. Do not release.' in text
    assert 'This fit is not private.' in page.section('promises')['text']
    assert 'Keep it inside' in text
    assert 'May be published' not in text
    assert 'right at most' not in text
    assert 'without a seed' in page.section('signing')['text']


def test_without_fairness_none_is_promised(census, tmp_path):
    page = report(make(census, structure='none'), tmp_path)
    fairness = page.section('promises')['text'].split('Fairness')[1]
    assert fairness.startswith('Nothing.')
    assert 'Not promised' in page.with_class('tiles')[0]['text']
    assert 'Parity' not in page.section('limits')['text']


@pytest.fixture(scope='module')
def with_chords(census):
    """A fit of which the graph has cycles."""
    synthesizer = make(census, structure='aim', epsilon=50.0)
    assert synthesizer.get_fair_graph().number_of_edges() > 6
    return synthesizer


def test_a_graph_with_cycles_is_told_and_shown_as_such(with_chords, tmp_path):
    page = report(with_chords, tmp_path)
    told = page.section('model')['text']
    assert 'begun as a tree' in told
    assert 'but none that would have joined a protected and an outcome column' in told
    graph = with_chords.get_fair_graph()
    beyond = [edge for *edge, is_beyond in graph.edges(data='beyond_tree') if is_beyond]
    (edges,) = [e for e in page.all('table') if 'Edges of the model' in e['text']]
    assert edges['text'].count('beyond the tree') == len(beyond) > 0
    (pairs,) = [e for e in page.all('table') if 'Pairs that were measured' in e['text']]
    lines = [e for e in page.all('tr') if pairs['at'] in e['inside']]
    assert len(lines) == 1 + graph.number_of_edges()


def test_pieces_show_that_a_graph_with_cycles_is_fair(with_chords, page, census, tmp_path):
    assert 'What hangs together' not in page.section('promises')['text']
    made = report(with_chords, tmp_path)
    assert 'the shortest; the check covers all' in made.section('promises')['text']
    (pieces,) = [e for e in made.all('table') if 'What hangs together' in e['text']]
    rows = [e['text'] for e in made.all('tr') if pieces['at'] in e['inside']][1:]
    assert not any('protected' in row and 'outcome' in row for row in rows)
    everything = ' '.join(rows)
    assert all(name in everything for name in ('sex', 'race', 'income', 'age'))
    assert not any(name in everything for name in census.roles.admissible)


def test_pairs_that_were_measured_twice_are_explained(with_chords, page, tmp_path):
    said = 'Pairs were measured twice'
    assert said in report(with_chords, tmp_path).section('ledger')['text']
    assert said not in page.section('ledger')['text']


def test_more_pairs_without_fairness_promise_none(census, tmp_path):
    strategy = AimStrategy(UnconstrainedStrategy())
    page = report(make(census, structure=strategy), tmp_path)
    assert 'Not promised' in page.with_class('tiles')[0]['text']
    assert 'begun as a tree' in page.section('model')['text']
    assert 'but none that would' not in page.section('model')['text']


def test_without_roles_quality_alone_is_compared(census, tmp_path):
    bare = Dataset(census.data, census.metadata, Roles())
    page = report(
        make(bare, structure='none'), tmp_path, bare.data, show_real_numbers=True
    )  # fmt: skip
    assert 'No protected, admissible and outcome columns were named' in page.visible_text()
    assert 'Two-way marginals' in page.section('comparison')['text']
    assert 'Differences between groups' not in page.section('comparison')['text']


def test_what_was_learnt_and_what_is_assumed(census, tmp_path):
    stripped = Dataset(census.data, strip_ranges(census.metadata), census.roles)
    page = report(make(stripped, public_ranges=False, epsilon=5.0), tmp_path)
    assert 'values learnt within the budget' in page.section('model')['text']
    assert 'learn domains' in page.section('ledger')['text']
    assert 'The names and the kinds of the columns are public' in page.section('signing')['text']


def test_unconfirmed_ranges_are_said_to_be(census, tmp_path):
    with pytest.warns(PrivacyWarning):
        synthesizer = PreFairSynthesizer(census.metadata, **census.roles.as_dict())
    synthesizer.fit(census.data)
    page = report(synthesizer, tmp_path)
    assert 'Nobody has said so yet' in page.section('signing')['text']
    tiles = page.with_class('tiles')[0]['text']
    assert 'Confirm ranges first' in tiles
    assert 'May be published' not in tiles


def test_persons_and_their_rows(census, tmp_path):
    page = report(make(census, person_column='email', max_rows_per_person=3), tmp_path)
    text = page.section('promises')['text']
    assert 'the up to 3 rows of one given person are' in text
    assert 'email tells persons apart; of each, at most 3 count' in text
    assert 'No person has more' not in page.section('signing')['text']
    page = report(make(census, max_rows_per_person=2), tmp_path)
    assert 'No person has more than 2 rows' in page.section('signing')['text']


def test_constraints_are_named(tmp_path):
    columns = {
        'p': categorical('ab'), 'a': categorical('cd'), 'o': categorical('ef'),
        'low': numerical(0, 50), 'high': numerical(0, 50),
    }  # fmt: skip
    rng = np.random.default_rng(0)
    table = pd.DataFrame({
        'p': rng.choice(list('ab'), 600), 'a': rng.choice(list('cd'), 600),
        'o': rng.choice(list('ef'), 600), 'low': rng.integers(0, 25, 600),
        'high': rng.integers(25, 50, 600),
    })  # fmt: skip
    synthesizer = PreFairSynthesizer(
        public_metadata('t', columns), public_ranges=True,
        protected=['p'], admissible=['a'], outcome=['o'],
    )  # fmt: skip
    synthesizer.add_constraints([Inequality(low_column_name='low', high_column_name='high')])
    synthesizer.fit({'t': table})
    page = report(
        synthesizer, tmp_path, {'t': table}, show_real_numbers=True, compare_with_mst=True
    )  # fmt: skip
    assert 'Inequality over low, high' in page.section('model')['text']
    assert 'plain MST' in page.section('comparison')['text']


def test_one_column_alone(tmp_path):
    metadata = public_metadata('t', {'only': categorical('ab')})
    synthesizer = PreFairSynthesizer(metadata, structure='none', public_ranges=True)
    synthesizer.fit({'t': pd.DataFrame({'only': ['a', 'b'] * 50})})
    assert len(list(report(synthesizer, tmp_path).all('article'))) == 1


def test_a_release_that_was_opened_gives_the_same_report(fitted, tmp_path):
    fitted.save_release(tmp_path / 'fit.release')
    fitted.create_release_report(path=tmp_path / 'here.html')
    load_release(tmp_path / 'fit.release').create_release_report(path=tmp_path / 'there.html')
    assert (tmp_path / 'here.html').read_bytes() == (tmp_path / 'there.html').read_bytes()


EVIL = '</script><script>alert(1)</script>'
IMAGE = '<img src=x onerror=alert(2)>&amp;"\''


def hostile():
    columns = {
        EVIL: categorical([IMAGE, '-->']),
        'a<!--': categorical(['<b>a</b>', '\ud800']),
        IMAGE: categorical([EVIL, 'x']),
        '%{x}': numerical(0, 1, decimals=3),
    }
    rng = np.random.default_rng(0)
    table = pd.DataFrame({
        name: rng.choice(column['range_values'], 400).astype(object)
        if 'range_values' in column
        else rng.random(400).round(3)
        for name, column in columns.items()
    })
    metadata = Metadata.load_from_dict({'tables': {'<i>t</i>': {'columns': columns}}})
    return Dataset({'<i>t</i>': table}, metadata, Roles([EVIL], ['a<!--'], [IMAGE]))


def test_names_and_values_are_text_and_nothing_else(tmp_path):
    dataset = hostile()
    page = report(
        make(dataset), tmp_path, dataset.data, show_real_numbers=True, compare_with_mst=True
    )  # fmt: skip
    harmless = {e['tag'] for e in page.elements}
    assert not harmless & {'img', 'b', 'i'}
    assert len([e for e in page.all('script') if 'type' not in e['attributes']]) == 2
    assert page.headings()[0] == ('h1', 'Release report: <i>t</i>')
    assert EVIL in page.section('promises')['text']
    drawn = [e['text'] for e in page.all('script') if 'type' in e['attributes']]
    assert drawn
    assert not any(set('<>&') & set(text) for text in drawn)
    # plotly reads tags in texts, so there they are escaped once more.
    assert not any('\\u003cimg' in text or '\\u003cscript' in text for text in drawn)


def test_wrong_use_is_explained(census, fitted, tmp_path):
    unfitted = PreFairSynthesizer(
        census.metadata, public_ranges=True, **census.roles.as_dict()
    )  # fmt: skip
    path = tmp_path / 'report.html'
    with pytest.raises(NotFittedError, match='Call fit first'):
        unfitted.create_release_report(path=path)
    with pytest.raises(SynthesizerInputError, match='use path='):
        fitted.create_release_report(str(path))
    with pytest.raises(SynthesizerInputError, match='needs real_data'):
        fitted.create_release_report(path=path, show_real_numbers=True)
    with pytest.raises(SynthesizerInputError, match='show_real_numbers=True'):
        fitted.create_release_report(census.data, path, compare_with_mst=True)
    with pytest.raises(PrivateDataError, match='census'):
        fitted.create_release_report({'other': census.data['census']}, path, show_real_numbers=True)
    assert not list(tmp_path.iterdir())


def test_a_model_that_breaks_its_promise_has_no_report(fitted, census, tmp_path):
    broken = copy.deepcopy(fitted)
    broken._model.cliques.append(('sex', 'income'))
    with pytest.raises(UnfairModelError, match='sex - income'):
        broken.create_release_report(path=tmp_path / 'report.html')
    assert not list(tmp_path.iterdir())


def test_a_failed_write_leaves_what_was_there(fitted, tmp_path):
    (tmp_path / 'folder.html').mkdir()
    with pytest.raises(OSError, match='folder.html'):
        fitted.create_release_report(path=tmp_path / 'folder.html')
    assert [p.name for p in tmp_path.iterdir()] == ['folder.html']


@pytest.mark.parametrize(('epsilon', 'delta'), [(0.1, 1e-9), (1.0, 1e-3), (12.0, 1e-6), (900, 0.1)])
def test_best_guess_is_that_of_the_worst_mechanism(epsilon, delta):
    """Randomised response that fails openly with probability delta reaches the bound."""
    told = min(1.0, 1 / (1 + math.exp(-epsilon)))
    right = delta + (1 - delta) * told
    assert _best_guess(epsilon, delta) == pytest.approx(right)


@pytest.mark.parametrize(
    ('home', 'said'),
    [
        ('income', 'In this model age may tell income directly: ask whether among real people'),
        ('occupation', 'In this model none is tied to income but through admissible ones.'),
    ],
)
def test_columns_beside_the_outcome_are_named(census, tmp_path, home, said):
    tree = [
        ('income', 'occupation'), ('occupation', 'education'), ('occupation', 'hours'),
        ('occupation', 'sex'), ('sex', 'race'), ('age', home),
    ]  # fmt: skip
    page = report(make(census, structure=tree), tmp_path)
    assert said in page.section('limits')['text']
