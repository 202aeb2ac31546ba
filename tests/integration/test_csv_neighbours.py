"""One row of a CSV file changes no other row: not its values, not its types, not its codes."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sdv.metadata import Metadata

from sdv_prefair import load_release, save_metadata
from sdv_prefair.cli import main
from sdv_prefair.cli._table_files import read_table
from sdv_prefair.columns._dtypes import as_described
from sdv_prefair.roles import Roles

COLUMNS = {
    'age': {'sdtype': 'numerical', 'range_min': 18, 'range_max': 90, 'decimal_places': 0},
    'pay': {'sdtype': 'numerical', 'range_min': 0.0, 'range_max': 9.5, 'decimal_places': 2},
    'size': {'sdtype': 'numerical'},
    'children': {'sdtype': 'ordinal', 'range_values': [0, 1, 2, 3]},
    'sex': {'sdtype': 'categorical', 'range_values': ['f', 'm']},
    'colour': {'sdtype': 'categorical'},
    'member': {'sdtype': 'boolean'},
    'day': {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'},
    'name': {'sdtype': 'id'},
}
METADATA = Metadata.load_from_dict({'tables': {'t': {'columns': COLUMNS}}})
ROWS = [
    ['33', '1.25', '7', '2', 'f', 'red', 'True', '2024-01-31', '007'],
    ['57', '9', '-3.5', '0', 'm', 'NA', 'false', '2023-11-05', '8'],
]
CELLS = st.one_of(
    st.none(),
    st.text(max_size=6),
    st.sampled_from(['4+', 'nan', 'inf', '-inf', '1e400', '9' * 30, '1_0', '3.0', 'None', ' 2 ']),
)


def table(*rows):
    return pd.DataFrame(rows, columns=list(COLUMNS), dtype=object)


def test_cells_become_what_the_metadata_says():
    typed = as_described(table(*ROWS, [None] * len(COLUMNS)), COLUMNS)

    assert typed['age'].tolist()[:2] == [33, 57]
    assert str(typed['age'].dtype) == 'Int64'
    assert typed['pay'].tolist()[:2] == [1.25, 9.0]
    assert typed['size'].tolist()[:2] == [7.0, -3.5]
    assert typed['children'].tolist()[:2] == [2, 0]
    assert typed['colour'].tolist()[:2] == ['red', 'NA']
    assert typed['member'].tolist()[:2] == [True, False]
    assert typed['name'].tolist()[:2] == ['007', '8']
    assert typed.iloc[2].isna().all()


@given(st.lists(CELLS, min_size=len(COLUMNS), max_size=len(COLUMNS)))
def test_a_row_changes_neither_types_nor_other_rows(row):
    alone, beside = as_described(table(*ROWS), COLUMNS), as_described(table(*ROWS, row), COLUMNS)

    assert (alone.dtypes == beside.dtypes).all()
    pd.testing.assert_frame_equal(alone, beside.iloc[:2])


@pytest.fixture
def folder(tmp_path):
    roles = Roles(['sex'], ['children'], ['member'])
    save_metadata(METADATA, roles, tmp_path / 'metadata.json')
    return tmp_path


def fit(folder, name, rows):
    table(*rows).to_csv(folder / f'{name}.csv', index=False)
    arguments = ['--metadata', str(folder / 'metadata.json'), '--ranges-are-public', '--quiet']
    out = folder / f'{name}.prefair'
    files = [str(folder / f'{name}.csv'), '--out', str(out)]
    assert main(['fit', *files, '--epsilon', '50', *arguments]) == 0
    return load_release(out)


@pytest.mark.filterwarnings('ignore::sdv_prefair.errors.PrivacyWarning')
def test_one_odd_row_leaves_the_release_as_it_is(folder, capsys):
    """With a budget so large that noise hides nothing, the rest of the table comes out."""
    odd = ['old', 'much', 'x', '4+', '?', None, 'perhaps', 'today', '']
    plain, beside = fit(folder, 'plain', ROWS * 200), fit(folder, 'beside', [*ROWS * 200, odd])
    one, other = (release.sample(2000)['t'] for release in (plain, beside))

    assert (one.dtypes == other.dtypes).all()
    for column in ('age', 'children', 'sex', 'member'):
        shares = [rows[column].value_counts(normalize=True) for rows in (one, other)]
        assert shares[0].sub(shares[1], fill_value=0).abs().max() < 0.05, column
    capsys.readouterr()


def test_only_an_empty_cell_is_missing(tmp_path):
    table(ROWS[1]).to_csv(tmp_path / 't.csv', index=False)
    assert read_table(tmp_path / 't.csv', METADATA)['colour'].tolist() == ['NA']
