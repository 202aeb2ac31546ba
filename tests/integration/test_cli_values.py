"""Values and names on the command line: as a user writes them, whatever the column holds."""

import pandas as pd
import pytest
from sdv.metadata import Metadata

from sdv_prefair import Roles, save_metadata
from sdv_prefair.cli import main

pytestmark = pytest.mark.filterwarnings(
    'ignore::sdv_prefair.errors.PrivacyWarning', 'ignore::sdv_prefair.errors.FairnessWarning'
)
COLUMNS = {
    'hired?': {'sdtype': 'boolean'},
    'a=b': {'sdtype': 'categorical', 'range_values': ['x', 'y=z']},
    'a': {'sdtype': 'categorical', 'range_values': ['b=x', 'w'], 'range_is_nullable': False},
    'size': {'sdtype': 'categorical'},
    'pay, gross': {
        'sdtype': 'numerical', 'range_min': 0.0, 'range_max': 9.0, 'decimal_places': 1,
    },
}  # fmt: skip
METADATA = Metadata.load_from_dict({'tables': {'t': {'columns': COLUMNS}}})


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    """A folder with a table as Parquet, and a release in which ``size`` was learnt."""
    folder = tmp_path_factory.mktemp('values')
    table = pd.DataFrame({
        'hired?': [True, False] * 400,
        'a=b': ['x', 'y=z'] * 400,
        'a': ['b=x', 'w', 'w', 'w'] * 200,
        'size': [1, 2] * 400,
        'pay, gross': [1.5, 2.5] * 400,
    })
    table.to_parquet(folder / 'table.parquet', index=False)
    save_metadata(METADATA, Roles(), folder / 'metadata.json')
    roles = ['--protected', 'a', '--admissible', '"pay, gross", size', '--outcome', 'hired?']
    files = ['--metadata', str(folder / 'metadata.json'), '--out', str(folder / 'm.prefair')]
    options = ['--ranges-are-public', '--quiet', '--epsilon', '50']
    assert main(['fit', str(folder / 'table.parquet'), *files, *options, *roles]) == 0
    return folder


def sample(folder, *where):
    conditions = [part for condition in where for part in ('--where', condition)]
    files = [str(folder / 'm.prefair'), '--out', str(folder / 'rows.parquet')]
    code = main(['sample', *files, '--rows', '7', '--quiet', *conditions])
    return pd.read_parquet(folder / 'rows.parquet') if code == 0 else None


@pytest.mark.parametrize(
    ('condition', 'column', 'value'),
    [
        ('hired?=True', 'hired?', True),
        ('hired?=false', 'hired?', False),
        ('a=b=y=z', 'a=b', 'y=z'),
        ('a=w', 'a', 'w'),
        ('size=2', 'size', 2),
        ('size=2.0', 'size', 2),
        ('pay, gross=2.5', 'pay, gross', 2.5),
    ],
)
def test_what_is_asked_for_is_what_all_rows_have(folder, condition, column, value, capsys):
    rows = sample(folder, condition)
    assert rows is not None, capsys.readouterr().err
    assert rows[column].tolist() == [value] * 7


def test_missing_values_can_be_asked_for(folder, capsys):
    rows = sample(folder, 'a=b=')
    assert rows is not None, capsys.readouterr().err
    assert rows['a=b'].isna().all()


@pytest.mark.parametrize(
    ('where', 'message'),
    [
        (['a=w', 'a=w'], 'a second time'),
        (['pay, gross=2.55'], 'at most 1 decimals'),
        (['pay, gross=10'], 'from 0.0 to 9.0'),
        (['a='], "one of ['b=x', 'w']"),
        (['size=9'], "one of ['1', '2']"),
        (['hired?=perhaps'], "one of ['False', 'True']"),
        (['colour=red'], 'COLUMN=VALUE'),
    ],
)
def test_what_cannot_be_is_refused_with_what_can(folder, where, message, capsys):
    assert sample(folder, *where) is None
    assert message in capsys.readouterr().err


def test_quiet_sampling_draws_no_bars(folder, capsys):
    assert sample(folder, 'a=w') is not None
    assert not capsys.readouterr().err


def test_the_promise_tells_names_with_commas_apart(folder, capsys):
    files = ['--metadata', str(folder / 'metadata.json'), '--out', str(folder / 'n.prefair')]
    roles = ['--protected', 'a', '--admissible', '"pay, gross",size', '--outcome', 'hired?']
    line = ['fit', str(folder / 'table.parquet'), *files, '--ranges-are-public', '--quiet', *roles]
    assert main(line) == 0
    assert "given 'pay, gross', 'size'." in capsys.readouterr().out
