"""Nothing of the real table gets into the page unasked, and what does is marked.

Of ``_measured.py``.
"""

import copy
import re

import numpy as np
import pandas as pd
import pytest
from census_report import make, report

from sdv_prefair import PreFairSynthesizer, Roles
from sdv_prefair.datasets._dataset import Dataset, categorical, numerical, public_metadata
from sdv_prefair.metrics import DownstreamAccuracy
from sdv_prefair.report._measured import _plain_mst
from sdv_prefair.transformers import NumberBins

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
    tiles = page.with_class('tiles')[0]['text']
    assert 'Covered by the promise' in tiles
    assert 'Publishing is your decision' in tiles
    assert 'May be published' not in page.visible_text()
    assert 'Keep it inside' not in page.visible_text()


def test_numbers_of_the_real_table_are_marked(inside):
    comparison = inside.section('comparison')
    marked = {e['at'] for e in inside.with_class('marked')}
    shown = [
        e for e in inside.all('table', 'figure') if comparison['at'] in e['inside']
    ]  # fmt: skip
    # Four tables, the differences as points, and a picture of each modelled column.
    assert len(shown) == 5 + 7
    assert all(marked & set(e['inside']) for e in shown)
    assert all('not private' in inside.elements[place]['text'] for place in marked)
    assert comparison['text'].count('plain MST') >= 3
    assert 'Keep it inside' in inside.with_class('tiles')[0]['text']
    assert 'Covered by the promise' not in inside.visible_text()


def test_the_numbers_are_those_of_the_metrics(inside, census):
    (table,) = [e for e in inside.all('table') if 'Quality: distances' in e['text']]
    rows = [e['text'] for e in inside.all('tr') if table['at'] in e['inside']]
    accuracy = next(row for row in rows if 'trained on it' in row)
    found = [float(number) for number in re.findall(r'0\.\d{3}', accuracy)]
    assert len(found) == 3
    # This release, plain MST, and the real table itself, of which the number is known.
    of_real = DownstreamAccuracy.compute(
        census.data, census.data, census.metadata, outcome='income', seed=0
    )
    assert found[2] == pytest.approx(of_real, abs=6e-4)
    assert next(row for row in rows if 'One-way' in row).endswith('0')


def test_numbers_are_shown_value_by_value(inside, census):
    (table,) = [e for e in inside.all('table') if 'Numbers and dates, unbinned' in e['text']]
    rows = [
        [cell['text'] for cell in inside.all('th', 'td') if row['at'] in cell['inside']]
        for row in inside.all('tr')
        if table['at'] in row['inside']
    ]
    header, described = rows[0], {row[0]: row[1:] for row in rows[1:]}
    assert header[:5] == ['Column', 'KS', 'Null', 'Value', 'Its share']
    assert list(described) == [
        f'{column}, {source}' for column in ('hours', 'age') for source in ('real', 'synthetic')
    ]
    hours = census.data['census']['hours']
    shown = dict(zip(header[1:], described['hours, real'], strict=True))
    assert float(shown['Mean']) == pytest.approx(hours.mean(), rel=0.01)
    assert float(shown['50%']) == hours.median()
    value, share = float(shown['Value']), float(shown['Its share'].rstrip(' %')) / 100
    assert share == pytest.approx((hours == value).mean(), abs=1e-3)


def test_every_modelled_column_has_a_picture_of_both_tables(inside):
    captions = [e['text'] for e in inside.all('figcaption')]
    columns = ['sex', 'race', 'education', 'occupation', 'hours', 'income', 'age']
    (box,) = inside.with_class('pictures')
    drawn = [e for e in inside.all('svg') if box['at'] in e['inside']]
    assert len(drawn) == 7
    assert set(columns) <= set(captions)
    for svg in drawn:
        texts = [e['text'] for e in inside.all('text') if svg['at'] in e['inside']]
        assert {'real', 'synthetic'} <= set(texts)


def test_the_synthesizer_is_left_as_it_was(fitted, census, tmp_path):
    untouched = copy.deepcopy(fitted)
    report(fitted, tmp_path, census.data, show_real_numbers=True)
    pd.testing.assert_frame_equal(fitted.sample(50)['census'], untouched.sample(50)['census'])


def scores():
    """A score of few values in the real table, of many in the synthetic one, and an outcome."""
    rng = np.random.default_rng(0)
    p, a = rng.integers(0, 2, 2000), rng.integers(0, 3, 2000)
    o = (rng.random(2000) < 0.2 + 0.2 * a + 0.2 * p).astype(int)
    table = pd.DataFrame({
        'p': p,
        'a': a,
        'o': o,
        'score': 500 * o + 20 * rng.integers(0, 20, 2000),
    })
    columns = {name: categorical(range(3 if name == 'a' else 2)) for name in 'pao'}
    columns['score'] = numerical(0, 1000)
    return {'t': table}, public_metadata('t', columns)


def test_a_measure_that_fails_for_one_source_moves_no_other(tmp_path):
    """Which outcome comes first changes the order of the rows and nothing else."""
    data, metadata = scores()
    found = []
    for outcome in (['score', 'o'], ['o', 'score']):
        roles = Roles(['p'], ['a'], outcome)
        page = report(
            make(Dataset(data, metadata, roles)), tmp_path, data, show_real_numbers=True
        )  # fmt: skip
        (table,) = [e for e in page.all('table') if 'between groups, best at 0' in e['text']]
        rows = [e for e in page.all('tr') if table['at'] in e['inside']][1:]
        cells = {
            row['text'].split('(')[0]: [
                e['text'] for e in page.all('td') if row['at'] in e['inside']
            ][-1]
            for row in rows
        }
        assert len(cells) == 12
        found.append(cells)
    real = [{name: text for name, text in cells.items() if name[0] == 'o'} for cells in found]
    assert real[0] == real[1]
    assert all('over' in text for text in real[0].values())


def test_an_outcome_that_no_classifier_predicts_is_said_to_tell_nothing(tmp_path):
    data, metadata = scores()
    data['t']['score'] += np.arange(2000) % 19
    roles = Roles(['p'], ['a'], ['score'])
    page = report(make(Dataset(data, metadata, roles)), tmp_path, data, show_real_numbers=True)
    text = page.section('comparison')['text']
    assert text.count('the rows do not tell') >= 12
    assert 'cannot be measured' in text


def test_groups_values_and_coverage_are_told(inside):
    (table,) = [e for e in inside.all('table') if 'between groups, best at 0' in e['text']]
    assert '>50K: male over female' in table['text']
    assert '% of rows' in table['text']


def test_of_a_large_table_it_says_how_many_rows_were_compared(tmp_path):
    data, metadata = scores()
    large = {'t': pd.concat([data['t']] * 30, ignore_index=True)}
    dataset = Dataset(large, metadata, Roles())
    page = report(make(dataset, structure='none'), tmp_path, large, show_real_numbers=True)
    assert 'compare 50,000 real rows' in page.section('comparison')['text']


def test_plain_mst_is_given_the_same_transformers(census, tmp_path):
    synthesizer = PreFairSynthesizer(
        census.metadata, public_ranges=True, **census.roles.as_dict()
    )  # fmt: skip
    synthesizer.auto_assign_transformers(census.data)
    synthesizer.update_transformers({'age': NumberBins(0, 200, 3, 0)})
    synthesizer.fit(census.data)
    plain = _plain_mst(synthesizer, census.data)
    assert plain.fitted.encoding.domain == synthesizer.fitted.encoding.domain
    assert plain.fitted.encoding.domain['age'] <= 4
