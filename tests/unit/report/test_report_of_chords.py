"""What the report says of a graph that is more than a tree.

Of ``_facts.py``.
"""

import pytest
from census_report import make, report

from sdv_prefair.structure import (
    AimStrategy,
    MwemStrategy,
    PrivBayesStrategy,
    UnconstrainedStrategy,
)

HOW = {'aim': 'begun as a tree', 'planned': 'planned from noisy scores of all pairs'}


@pytest.fixture(scope='module', params=HOW)
def with_chords(census, request):
    """A fit of which the graph has cycles."""
    synthesizer = make(census, structure=request.param, epsilon=50.0)
    assert synthesizer.get_fair_graph().number_of_edges() > 6
    return synthesizer


def test_a_graph_with_cycles_is_told_and_shown_as_such(with_chords, tmp_path):
    page = report(with_chords, tmp_path)
    told = page.section('model')['text']
    assert HOW[with_chords.structure] in told
    assert 'but none that would have connected a protected and an outcome column' in told
    graph = with_chords.get_fair_graph()
    beyond = [edge for *edge, is_beyond in graph.edges(data='beyond_tree') if is_beyond]
    (edges,) = [e for e in page.all('table') if 'Edges of the model' in e['text']]
    assert edges['text'].count('beyond the tree') == len(beyond) > 0
    (pairs,) = [e for e in page.all('table') if 'Pairs that were measured' in e['text']]
    lines = [e for e in page.all('tr') if pairs['at'] in e['inside']]
    assert len(lines) == 1 + graph.number_of_edges()


def test_pieces_show_that_a_graph_with_cycles_is_fair(with_chords, page, census, tmp_path):
    assert 'Connected components' not in page.section('promises')['text']
    made = report(with_chords, tmp_path)
    assert 'the shortest; the check covers all' in made.section('promises')['text']
    (pieces,) = [e for e in made.all('table') if 'Connected components' in e['text']]
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


@pytest.mark.parametrize(
    ('structure', 'words'),
    [('privbayes', 'grown as a Bayesian network'), ('mwem', 'grown clique by clique')],
)
def test_cliques_chosen_in_turn_are_told(census, structure, words, tmp_path):
    synthesizer = make(census, structure=structure, epsilon=50.0)
    page = report(synthesizer, tmp_path)
    assert words in page.section('model')['text']
    assert 'but none that would have connected a protected' in page.section('model')['text']
    assert 'select cliques' in page.section('ledger')['text']
    assert any(len(m.columns) == 3 for m in synthesizer._model.measurements)
    plain = {'privbayes': PrivBayesStrategy, 'mwem': MwemStrategy}[structure]
    page = report(make(census, structure=plain(UnconstrainedStrategy())), tmp_path)
    assert 'Not promised' in page.with_class('tiles')[0]['text']
    assert 'but none that would' not in page.section('model')['text']
