"""Three files, handed over: the release, its rows and the page that was signed."""

import numpy as np
import pandas as pd
import pytest
from every_dtype import every_dtype
from people import people
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.cli import main

SMALL = people(400, ('sex', 'education', 'age', 'income'))


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp('handed_over')
    synthesizer = PreFairSynthesizer(
        SMALL.metadata, epsilon=100.0, public_ranges=True, **SMALL.roles
    )
    synthesizer.fit(SMALL.data)
    synthesizer.save_release(folder / 'model.prefair')
    sample = ['sample', str(folder / 'model.prefair'), '--rows', '3000', '--quiet']
    assert main([*sample, '--out', str(folder / 'rows.csv')]) == 0
    assert main([*sample, '--out', str(folder / 'rows.parquet')]) == 0
    return folder


def verify(folder, *names):
    return main(['verify', *(str(folder / n) if '.' in n else n for n in names)])


@pytest.mark.parametrize('rows', ['rows.csv', 'rows.parquet'])
def test_what_belongs_together_is_verified(folder, rows, capsys):
    assert verify(folder, 'model.prefair', rows) == 0
    shown = capsys.readouterr()
    assert 'FAILED' not in shown.out
    assert 'exactly the rows that the release returns when 3,000 are sampled' in shown.out
    assert shown.out.endswith('Verified.\n')
    assert not shown.err


def test_the_page_knows_its_files(folder, capsys):
    report = ['report', str(folder / 'model.prefair'), '--out', str(folder / 'page.html')]
    rows = ['--synthetic', str(folder / 'rows.csv')]
    assert main([*report, *rows, '--purpose', 'teaching', '--declared-by', 'me']) == 0
    page = (folder / 'page.html').read_text(encoding='utf-8')
    assert 'teaching' in page
    assert verify(folder, 'model.prefair', 'rows.csv', '--report', 'page.html') == 0
    assert capsys.readouterr().out.count('the SHA-256 on it is that of this file') == 2
    # The same rows, written again with another line at the end, are another file.
    text = (folder / 'rows.csv').read_text()
    (folder / 'other.csv').write_text(text + text.splitlines()[1] + '\n')
    assert verify(folder, 'model.prefair', 'other.csv', '--report', 'page.html') == 1
    assert 'FAILED report: the SHA-256 on it is that of another file' in capsys.readouterr().out


@pytest.mark.parametrize(
    ('column', 'value', 'about'),
    [
        ('age', 'elderly', 'types'),
        ('age', '33.4', 'types'),
        ('age', '1000', 'values'),
        ('sex', 'Q', 'values'),
        ('income', 'low', 'distribution'),
        ('income', 'low', 'origin'),
    ],
)
def test_rows_that_were_changed_are_found_and_not_quoted(folder, column, value, about, capsys):
    table = pd.read_csv(folder / 'rows.csv', dtype=str)
    few = about != 'distribution'
    table.loc[: 3 if few else len(table), column] = value
    table.to_csv(folder / 'changed.csv', index=False)
    assert verify(folder, 'model.prefair', 'changed.csv') == 1
    shown = capsys.readouterr()
    assert f'FAILED {about}: ' in shown.out
    assert 'NOT verified' in shown.out
    assert 'elderly' not in shown.out


def test_a_file_that_is_no_release_fails(folder, capsys):
    assert verify(folder, 'rows.csv') == 1
    assert 'FAILED file: ' in capsys.readouterr().out


def test_rows_of_another_release_do_not_get_onto_the_page(folder, capsys):
    table = pd.read_csv(folder / 'rows.csv', dtype=str).assign(sex='F')
    table.to_csv(folder / 'foreign.csv', index=False)
    report = ['report', str(folder / 'model.prefair'), '--out', str(folder / 'no.html')]
    assert main([*report, '--synthetic', str(folder / 'foreign.csv')]) == 2
    assert 'NOT that of the model' in capsys.readouterr().err
    assert not (folder / 'no.html').exists()


def test_a_real_valued_column_is_read_to_the_last_bit(tmp_path, capsys):
    """pandas.to_numeric reads 14 % of doubles with another last bit, which were called changed."""
    rng = np.random.default_rng(0)
    letters = {'sdtype': 'categorical', 'range_values': ['u', 'v']}
    real = {'sdtype': 'numerical', 'range_min': -1000.0, 'range_max': 1000.0}
    columns = {'p': letters, 'a': letters, 'o': letters, 'real': real}
    table = pd.DataFrame({c: rng.choice(['u', 'v'], 300) for c in 'pao'})
    table['real'] = rng.normal(size=300)
    synthesizer = PreFairSynthesizer(
        Metadata.load_from_dict({'tables': {'t': {'columns': columns}}}),
        epsilon=100.0, public_ranges=True, protected=['p'], admissible=['a'], outcome=['o'],
    )  # fmt: skip
    synthesizer.fit({'t': table})
    synthesizer.save_release(tmp_path / 'model.prefair')
    synthesizer.sample_to(tmp_path / 'rows.csv', 800)
    assert verify(tmp_path, 'model.prefair', 'rows.csv') == 0
    synthesizer.sample_to(tmp_path / 'other.csv', 900)
    assert verify(tmp_path, 'model.prefair', 'other.csv') == 0
    assert 'NOT' not in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.filterwarnings('ignore')
def test_rows_of_every_dtype_verify_from_either_file(tmp_path, capsys):
    """The rows that sampling reproduces, and others that came after them."""
    wide = every_dtype(100)
    synthesizer = PreFairSynthesizer(wide.metadata, epsilon=50.0, **wide.roles)
    synthesizer.fit(wide.data)
    synthesizer.save_release(tmp_path / 'model.prefair')
    for name in ('rows.csv', 'rows.parquet', 'rows.csv.gz'):
        synthesizer.reset_sampling()
        for place in ('own', 'later'):
            synthesizer.sample_to(tmp_path / f'{place}-{name}', 150)
            assert verify(tmp_path, 'model.prefair', f'{place}-{name}') == 0, (place, name)
            told = capsys.readouterr().out
            assert ('exactly the rows' in told) == (place == 'own')
