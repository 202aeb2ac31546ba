"""``check`` says what a fit does to rows: planted slips are found, and counted as a fit does."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sdv.cag import Inequality
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer, Roles, save_metadata
from sdv_prefair.cli import main

pytestmark = pytest.mark.filterwarnings('ignore::UserWarning')

ROWS = 120
COLUMNS = {
    'key': {'sdtype': 'id'},
    'sex': {'sdtype': 'categorical', 'range_values': ['F', 'M'], 'range_is_nullable': False},
    'city': {'sdtype': 'categorical', 'range_values': ['Bonn', 'New York']},
    'age': {
        'sdtype': 'numerical',
        'range_min': 18,
        'range_max': 99,
        'decimal_places': 0,
        'range_is_nullable': False,
    },
    'wage': {'sdtype': 'numerical', 'range_min': 0.0, 'range_max': 900.0},
    'since': {
        'sdtype': 'datetime',
        'datetime_format': '%Y-%m-%d',
        'range_min': '2000-01-01',
        'range_max': '2019-12-31',
    },
    'nick': {'sdtype': 'categorical'},
}
METADATA = Metadata.load_from_dict({
    'tables': {'people': {'primary_key': 'key', 'columns': COLUMNS}}
})


def clean() -> pd.DataFrame:
    """Return rows of which there is nothing to say."""
    n = np.arange(ROWS)
    return pd.DataFrame({
        'key': n,
        'sex': np.where(n % 2, 'F', 'M'),
        'city': np.where(n % 3, 'Bonn', 'New York'),
        'age': pd.Series(18 + n % 50, dtype=object),
        'wage': pd.Series((n % 90) * 10.0, dtype=object),
        'since': [f'20{10 + i % 9}-0{1 + i % 8}-15' for i in n],
        'nick': np.where(n % 4, 'Al', 'Bo'),
    })


def new(**changes):
    return PreFairSynthesizer(METADATA, structure='none', public_ranges=True, **changes)


def found(table, **changes):
    frame = new(**changes).check({'people': table}).to_frame()
    return {(row.column, row.finding): row.rows for row in frame.itertuples()}


MISSING = 'are missing although range_is_nullable is false'
COMMA = 'have a number with a decimal comma'
UNIT = 'have a number with a unit or a separator'
NO_NUMBER, NO_DATE = 'are not numbers', 'are not dates'
OTHER_DATE = 'have a date in another format'
BELOW, ABOVE = 'are below range_min', 'are above range_max'
FINER = 'have more decimals than decimal_places allows'
SPELLED = 'differ from a value of range_values only by case or space'
UNLISTED = 'have a value that range_values does not list'
SEVERAL = 'differ from a more frequent value only by case or space'
REPEATED = 'repeat the key of an earlier row'

PLANTS = [
    ('sex', None, MISSING), ('sex', 'f', SPELLED), ('sex', ' M ', SPELLED), ('sex', 'X', UNLISTED),
    ('sex', 1, UNLISTED), ('city', 'new  york', SPELLED), ('city', 'Rome', UNLISTED),
    ('age', None, MISSING), ('age', '33,5', COMMA), ('age', 'old', NO_NUMBER), ('age', 3, BELOW),
    ('age', 130, ABOVE), ('age', 33.5, FINER), ('wage', '1.000,50', COMMA),
    ('wage', '12 EUR', UNIT), ('wage', 'many', NO_NUMBER), ('wage', -0.5, BELOW),
    ('wage', 1e6, ABOVE),
    ('since', '31.12.2012', OTHER_DATE), ('since', 'soon', NO_DATE), ('since', '1999-12-31', BELOW),
    ('since', '2020-01-01', ABOVE), ('nick', 'al', SEVERAL), ('key', 0, REPEATED),
]  # fmt: skip


def test_nothing_is_said_of_clean_rows():
    check = new().check({'people': clean()})
    assert not check
    assert check.to_frame().columns.tolist()[:5] == ['column', 'finding', 'rows', 'share', 'remedy']
    assert 'nothing that a fit would silently change' in repr(check)


@given(
    st.lists(st.tuples(st.sampled_from(PLANTS), st.integers(1, 5)), unique_by=lambda p: p[0][::2]),
    st.randoms(use_true_random=False),
)
def test_every_slip_is_counted_and_nothing_else(planted, random):
    table, expected = clean().astype(object), {}
    free = {column: random.sample(range(1, ROWS), ROWS - 1) for column in table}
    for (column, value, finding), times in planted:
        for _ in range(times):
            table.loc[free[column].pop(), column] = value
        expected[column, finding] = expected.get((column, finding), 0) + times
    assert found(table) == expected


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from(PLANTS), st.integers(1, 5)), min_size=1))
def test_it_agrees_with_the_codes_of_a_fit(planted):
    """What is said to be missing, unlisted or moved has those codes in the fit itself."""
    table, row = clean().astype(object), 0
    for (column, value, _), times in planted:
        for _ in range(times):
            row = (row + 7) % ROWS
            table.loc[row, column] = value
    synthesizer = new(epsilon=1)
    told = found(table)
    synthesizer.fit({'people': table})
    codes = synthesizer.encode_rows({'people': table})
    encoders = synthesizer.fitted.encoding.transformers
    for column in ('sex', 'city'):
        outside = codes[column].eq(encoders[column].other_code) & table[column].notna()
        of_check = [told.get((column, what), 0) for what in (SPELLED, UNLISTED)]
        assert outside.sum() == sum(of_check)
    for column in ('age', 'wage', 'since'):
        unread = codes[column].eq(encoders[column].unread_code) & table[column].notna()
        reasons = (COMMA, UNIT, NO_NUMBER, OTHER_DATE, NO_DATE)
        assert unread.sum() == sum(told.get((column, what), 0) for what in reasons)
        first, last = 0, len(encoders[column].line) - 1
        assert codes[column].eq(first).sum() >= told.get((column, BELOW), 0)
        assert codes[column].eq(last).sum() >= told.get((column, ABOVE), 0)


def test_rows_of_a_person_above_the_bound_are_dropped_first():
    table = clean()
    table.loc[[5, 6, 7], 'key'] = 4
    table.loc[7, 'sex'] = 'x'
    assert found(table, person_column='key', max_rows_per_person=2) == {
        ('key', 'belong to a person with more than 2'): 2
    }
    assert found(table) == {('key', REPEATED): 3, ('sex', UNLISTED): 1}


def test_constraints_that_are_not_met_are_counted():
    columns = {c: dict(COLUMNS['wage']) for c in ('low', 'high')}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    synthesizer = PreFairSynthesizer(metadata, structure='none', public_ranges=True)
    synthesizer.add_constraints([Inequality('low', 'high')])
    table = pd.DataFrame({'low': [1.0, 5.0, 7.0], 'high': [2.0, 4.0, 6.5]})
    (finding,) = synthesizer.check({'t': table}).findings
    assert (finding.column, finding.rows) == ('low, high', 2)
    assert 'Inequality' in finding.finding


def test_columns_that_tell_nothing_are_named():
    table = clean()
    table['sex'] = 'F'
    table['nick'] = [f'name {row}' for row in range(ROWS)]
    told = found(table)
    assert told == {
        ('sex', 'have the same value: the column is nearly constant'): ROWS,
        ('nick', 'have nearly all different values'): ROWS,
    }


def test_nothing_of_it_reaches_the_synthesizer():
    """The pickle before and after: rows of any kind leave no trace, nor does the number of them."""
    synthesizer = new()
    before = (
        pickle.dumps(vars(synthesizer)['_settings'].plan.original_domains),
        repr(sorted(vars(synthesizer))),
    )
    table = clean()
    table.loc[3, 'city'] = 'Zyzzyva'
    assert 'Zyzzyva' in repr(synthesizer.check({'people': table}))
    after = (
        pickle.dumps(vars(synthesizer)['_settings'].plan.original_domains),
        repr(sorted(vars(synthesizer))),
    )
    assert before == after
    assert b'Zyzzyva' not in pickle.dumps(synthesizer)
    assert synthesizer.get_privacy_account().empty


# -- the command --------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    save_metadata(METADATA, Roles(), tmp_path / 'metadata.json')
    clean().to_csv(tmp_path / 'clean.csv', index=False)
    return tmp_path


def run(folder, name, *more):
    return main(['check', str(folder / name), '--metadata', str(folder / 'metadata.json'), *more])


def test_the_command_is_quiet_about_clean_files(folder, capsys):
    assert run(folder, 'clean.csv', '--strict') == 0
    clean().infer_objects().to_parquet(folder / 'clean.parquet', index=False)
    assert run(folder, 'clean.parquet', '--strict') == 0
    shown = capsys.readouterr().out
    assert shown.count('NOT PRIVATE') == 2
    assert shown.count('nothing that a fit would silently change') == 2


def test_the_command_sees_texts_that_a_fit_takes_for_nulls(folder, capsys):
    table = clean().astype(object)
    table.loc[[1, 2], 'wage'] = '1,5'
    table.loc[3, 'age'] = 'n/a'
    table.loc[4, 'since'] = '31.12.2012'
    table.to_csv(folder / 'slips.csv', index=False)
    assert run(folder, 'slips.csv') == 0
    assert run(folder, 'slips.csv', '--strict') == 1
    shown = capsys.readouterr().out
    assert f'wage, rows that {COMMA}: 2 (1.67%).' in shown
    assert 'age, rows that look like a word for a missing value: 1 (0.83%).' in shown
    assert "Declare datetime_format '%d.%m.%Y'" in shown


def test_the_command_sees_separators_and_uneven_lines(folder, capsys):
    clean().to_csv(folder / 'semicolons.csv', index=False, sep=';')
    assert run(folder, 'semicolons.csv', '--strict') == 1
    assert f'have semicolons between their cells: {ROWS} (100.00%)' in capsys.readouterr().out
    lines = (folder / 'clean.csv').read_text().splitlines()
    lines[5] += ',surplus'
    (folder / 'uneven.csv').write_text('\n'.join(lines))
    assert run(folder, 'uneven.csv', '--strict') == 1
    assert (
        'have other than the 7 cells that the first line names: 1 (0.83%)'
        in capsys.readouterr().out
    )


def test_the_commands_see_letters_that_are_not_utf8(folder, capsys):
    table = clean().replace({'city': {'Bonn': 'Köln'}})
    (folder / 'latin.csv').write_bytes(table.to_csv(index=False).encode('latin-1'))
    rows = int((table['city'] == 'Köln').sum())
    assert run(folder, 'latin.csv', '--strict') == 1
    assert f'Rows that hold letters that are not UTF-8: {rows} (' in capsys.readouterr().out
    form = ['--out', str(folder / 'form.json')]
    assert main(['domain', str(folder / 'latin.csv'), *form]) == 0
    assert 'save it as UTF-8' in capsys.readouterr().out
    (folder / 'form.json').unlink()
    assert main(['domain', str(folder / 'clean.csv'), *form]) == 0
    assert 'UTF-8' not in capsys.readouterr().out


def test_numbers_and_dates_that_were_taken_for_categories_are_named():
    """`domain` takes numbers with decimal commas, and dates of most formats, for categories."""
    nick = {'money': [f'{i},50' for i in range(ROWS)], 'day': ['31.12.2012'] * ROWS}
    for written, finding in (('money', 'hold numbers with decimal commas'), ('day', 'hold dates')):
        assert found(clean().assign(nick=nick[written])) == {('nick', finding): ROWS}
        mixed = np.where(np.arange(ROWS) % 2, nick[written], 'Al')
        assert ('nick', finding) not in found(clean().assign(nick=mixed))
    years = np.where(np.arange(ROWS) % 2, '2012', '2013')
    assert found(clean().assign(nick=years)) == {}


def test_a_column_of_nulls_and_one_value_is_not_constant():
    sparse = clean().assign(city=np.where(np.arange(ROWS) % 2, 'Bonn', None))
    assert found(sparse) == {}
    assert len(found(clean().assign(city='Bonn'))) == 1


def test_a_file_that_a_fit_refuses_is_refused(folder, capsys):
    document = json.loads((folder / 'metadata.json').read_text())
    document['tables']['people']['columns']['more'] = {'sdtype': 'categorical'}
    (folder / 'metadata.json').write_text(json.dumps(document))
    assert run(folder, 'clean.csv') == 2
    assert "['more'] are in the metadata but not in the data" in capsys.readouterr().err
