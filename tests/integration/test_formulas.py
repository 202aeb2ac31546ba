"""Texts that a spreadsheet would run: written as they are, or made harmless if asked to."""

import numpy as np
import pandas as pd
import pytest
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.cli import main
from sdv_prefair.cli._opened_release import escape_formulas

TEXTS = ['=1+1', '+1', '-1', '@SUM(A1)', '\tx', 'plain', "'quoted", '1=1']
COLUMNS = {
    'text': {'sdtype': 'categorical', 'range_values': TEXTS, 'range_is_nullable': False},
    'number': {
        'sdtype': 'numerical',
        'range_min': -9,
        'range_max': -1,
        'decimal_places': 0,
        'range_is_nullable': False,
    },
}


@pytest.fixture(scope='module')
def release(tmp_path_factory):
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': COLUMNS}}})
    synthesizer = PreFairSynthesizer(metadata, structure='none', public_ranges=True, epsilon=50)
    rows = pd.DataFrame({'text': TEXTS * 50, 'number': np.arange(400) % 9 - 9})
    synthesizer.fit({'t': rows})
    path = tmp_path_factory.mktemp('release') / 't.prefair'
    synthesizer.save_release(path)
    return path


def sample(release, folder, *options):
    out = folder / 'rows.csv'
    assert main(['sample', str(release), '--rows', '300', '--out', str(out), *options]) == 0
    return pd.read_csv(out)


def test_texts_stay_as_they_are_unless_asked_otherwise(release, tmp_path, capsys):
    assert set(sample(release, tmp_path, '--quiet')['text']) == set(TEXTS)
    capsys.readouterr()


def test_texts_that_begin_like_a_formula_get_a_quotation_mark(release, tmp_path, capsys):
    plain = sample(release, tmp_path, '--quiet')
    escaped = sample(release, tmp_path, '--quiet', '--escape-formulas')
    assert set(escaped['text']) == {f"'{t}" if t in TEXTS[:5] else t for t in TEXTS}
    assert escaped['number'].equals(plain['number'])
    assert (escaped['number'] < 0).all()
    capsys.readouterr()


def test_only_texts_are_touched():
    moments = pd.to_datetime(['2020-01-01', None])
    table = pd.DataFrame({
        'category': pd.Categorical(['=a', 'b']),
        'number': [-1.5, np.nan],
        'moment': moments,
        'mixed': pd.Series([-1, '-1'], dtype=object),
    })
    escaped = escape_formulas(table)
    assert escaped['category'].tolist() == ["'=a", 'b']
    assert escaped['mixed'].tolist() == [-1, "'-1"]
    assert escaped[['number', 'moment']].to_csv() == table[['number', 'moment']].to_csv()


@pytest.mark.parametrize('start', ['=', '+', '-', '@', '\t', '\r'])
def test_no_two_texts_become_one(start):
    texts = ["'" * marks + start + 'a' for marks in range(4)] + ["'a", "''a", 'a']
    escaped = escape_formulas(pd.DataFrame({'text': texts}))['text']
    assert escaped.is_unique
    assert not escaped.str.startswith(start).any()
