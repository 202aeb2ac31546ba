"""The page to sign.

Of ``_facts.py``, ``_particulars.py`` and ``_columns.py``.
"""

import hashlib

import pandas as pd
import pytest
from census_report import make, report

from sdv_prefair.report._particulars import described_files

TOLD = {
    'purpose': 'Teaching <statistics>',
    'recipient': 'The department',
    'contact': 'ext. 12',
    'source': 'Simulated',
    'declared_by': 'The registrar',
}


def kinds(page):
    """Return how each tile looks, by its label."""
    labels = ('Privacy', 'Fairness', 'Noise', 'This copy')
    tiles = [e for e in page.with_class('tile')]
    return {
        label: (e['attributes']['class'].split()[1], e['text'])
        for e, label in zip(tiles, labels, strict=True)
    }


def test_what_people_have_said_is_on_the_page_and_what_not_is_left_blank(fitted, page, tmp_path):
    told = report(fitted, tmp_path, **TOLD)
    text = told.section('signing')['text']
    assert all(words in text for words in TOLD.values())
    section = told.section('signing')
    assert not [e for e in told.with_class('blank') if section['at'] in e['inside']]
    section = page.section('signing')
    blank = [e for e in page.with_class('blank') if section['at'] in e['inside']]
    assert len(blank) == len(TOLD)


def test_files_are_named_by_their_digest(fitted, tmp_path):
    fitted.save_release(tmp_path / 'fit.prefair')
    rows = pd.DataFrame({'text': ['a', 'b\nc', 'd,"e"']})
    rows.to_csv(tmp_path / 'rows.csv', index=False)
    page = report(fitted, tmp_path, synthetic_file=tmp_path / 'rows.csv')
    found = {e['attributes']['data-of']: e['text'] for e in page.with_class('digest')}
    digests = {
        kind: hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()
        for kind, name in (('release', 'fit.prefair'), ('synthetic', 'rows.csv'))
    }
    assert found == digests
    signing = page.section('signing')['text']
    assert 'rows.csv: 3; private table: about' in signing
    assert '-'.join(digests['release'][i : i + 4] for i in range(0, 16, 4)) in signing


@pytest.mark.parametrize('rows', [0, 1, 7])
def test_rows_are_counted_whatever_the_kind_of_file(rows, tmp_path):
    table = pd.DataFrame({'a': range(rows), 'b': ['x\ny'] * rows})
    table.to_csv(tmp_path / 'rows.csv', index=False)
    table.to_parquet(tmp_path / 'rows.parquet')
    (tmp_path / 'rows.txt').write_text('x')
    counts = [
        described_files(None, tmp_path / f'rows.{kind}').num_rows
        for kind in ('csv', 'parquet', 'txt')
    ]
    assert counts == [rows, rows, None]


def test_the_signing_page_comes_first_and_says_what_is_promised(page, fitted):
    first = next(iter(page.all('section')))
    assert first['attributes']['id'] == 'signing'
    text = first['text']
    assert '(1, 1e-9)-differential privacy, when you add or remove one row' in text
    assert 'income is independent of sex, race given education, occupation, hours' in text
    assert 'adaptive' in text
    assert 'records the same as income under another name' in text, 'copies of outcomes'
    assert fitted.fitted.provenance.sdv_version in text


def test_a_large_epsilon_does_not_look_like_a_small_one(census, page, tmp_path):
    looks = {'Privacy': [], 'This copy': []}
    for epsilon in (2.5, 8.0, 50.0):
        made = report(make(census, structure='adaptive', epsilon=epsilon), tmp_path)
        for label, found in looks.items():
            found.append(kinds(made)[label])
    assert [kind for kind, _ in looks['Privacy']] == ['plain', 'warning', 'alarm']
    assert [kind for kind, _ in looks['This copy']] == ['plain', 'warning', 'alarm']
    assert 'hardly any promise' in looks['Privacy'][-1][1]
    assert 'Hardly covered' in looks['This copy'][-1][1]
    assert 'do not release it as private data' in made.visible_text()
    assert kinds(page)['Privacy'][0] == 'good'
    assert '54.4 % of the time' in kinds(page)['Privacy'][1], 'by the curve of zCDP'


def test_the_dictionary_has_every_column_and_its_values(page, census):
    section = page.section('dictionary')
    rows = [e['text'] for e in page.all('tr') if section['at'] in e['inside']]
    assert len(rows) == 1 + census.data['census'].shape[1]
    told = {name: next(row for row in rows if row.startswith(name)) for name in ('sex', 'hours')}
    assert 'female, male' in told['sex']
    assert '5 to 80' in told['hours']
    assert not any('(null)' in row for row in rows)


@pytest.mark.filterwarnings('ignore:delta')
def test_a_delta_above_one_over_the_rows_is_red_at_any_epsilon(census, tmp_path):
    made = report(make(census, epsilon=0.5, delta=1e-3), tmp_path)
    kind, told = kinds(made)['Privacy']
    assert kind == 'alarm'
    assert 'epsilon = 0.5, delta = 0.001: delta is too large' in told
    assert 'publishing a row at random would satisfy it' in made.visible_text()
