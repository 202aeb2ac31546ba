"""Metadata and roles in one file.

About ``_metadata_files.py``.
"""

import json

import pytest
from sdv.metadata import Metadata

from sdv_prefair._metadata_files import load_metadata, save_metadata
from sdv_prefair.errors import RolesError
from sdv_prefair.fairness import Independent, Statements
from sdv_prefair.roles import Roles

COLUMNS = {
    'id': {'sdtype': 'id'},
    'sex': {'sdtype': 'categorical', 'range_values': ['F', 'M', 'é']},
    'age': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 120},
    'job': {'sdtype': 'categorical'},
    'hired': {'sdtype': 'boolean'},
}
ROLES = Roles(['sex'], ['age', 'job'], ['hired'])


@pytest.fixture
def metadata():
    table = {'columns': COLUMNS, 'primary_key': 'id'}
    return Metadata.load_from_dict({'tables': {'people': table}})


def test_round_trip(metadata, tmp_path):
    save_metadata(metadata, ROLES, tmp_path / 'm.json')
    loaded, roles = load_metadata(str(tmp_path / 'm.json'))
    loaded.validate()
    assert loaded.to_dict() == metadata.to_dict()
    assert roles == ROLES
    document = json.loads((tmp_path / 'm.json').read_text())
    columns = document['tables']['people']['columns']
    assert columns['sex']['role'] == 'protected'
    assert columns['job']['role'] == 'admissible'
    assert columns['hired']['role'] == 'outcome'
    assert 'role' not in columns['id']


def test_plain_sdv_files_have_no_roles(metadata, tmp_path):
    metadata.save_to_json(tmp_path / 'plain.json')
    loaded, roles = load_metadata(tmp_path / 'plain.json')
    assert loaded.to_dict() == metadata.to_dict()
    assert roles == Roles()


def test_without_roles_the_file_is_plain_sdv(metadata, tmp_path):
    save_metadata(metadata, Roles(), tmp_path / 'm.json')
    assert Metadata.load_from_json(tmp_path / 'm.json').to_dict() == metadata.to_dict()


def test_saving_counts_as_saving_for_sdv(metadata, tmp_path):
    metadata.update_column('job', sdtype='categorical', range_values=['a'])
    assert metadata._check_updated_flag()
    save_metadata(metadata, ROLES, tmp_path / 'm.json')
    assert not metadata._check_updated_flag()


def test_files_are_not_replaced_unless_asked(metadata, tmp_path):
    path = tmp_path / 'm.json'
    path.write_text('mine')
    with pytest.raises(ValueError) as ours:
        save_metadata(metadata, ROLES, path)
    with pytest.raises(ValueError) as sdvs:
        metadata.save_to_json(path)
    assert str(ours.value) == str(sdvs.value)
    assert path.read_text() == 'mine'
    save_metadata(metadata, ROLES, path, mode='overwrite')
    assert load_metadata(path)[1] == ROLES


def test_unknown_mode(metadata, tmp_path):
    with pytest.raises(ValueError, match="Mode 'append'"):
        save_metadata(metadata, ROLES, tmp_path / 'm.json', mode='append')


def test_a_failed_save_leaves_the_old_file_and_nothing_else(metadata, tmp_path):
    path = tmp_path / 'm.json'
    path.write_text('mine')
    metadata.tables['people'].columns['job']['range_values'] = [object()]  # JSON cannot hold it
    with pytest.raises(TypeError):
        save_metadata(metadata, ROLES, path, mode='overwrite')
    assert path.read_text() == 'mine'
    assert [child.name for child in tmp_path.iterdir()] == ['m.json']


def test_a_save_leaves_no_other_file(metadata, tmp_path):
    save_metadata(metadata, ROLES, tmp_path / 'm.json')
    assert [child.name for child in tmp_path.iterdir()] == ['m.json']


@pytest.mark.parametrize('role', ['sensitive', 'unlabelled', '', 3, ['protected']])
def test_unknown_roles_are_refused(metadata, tmp_path, role):
    path = tmp_path / 'm.json'
    save_metadata(metadata, ROLES, path)
    document = json.loads(path.read_text())
    document['tables']['people']['columns']['job']['role'] = role
    path.write_text(json.dumps(document))
    with pytest.raises(RolesError, match="role of column 'job'"):
        load_metadata(path)


def test_roles_of_columns_that_are_not_there(metadata, tmp_path):
    with pytest.raises(RolesError, match='salary'):
        save_metadata(metadata, Roles(['sex'], ['age'], ['salary']), tmp_path / 'm.json')
    assert not (tmp_path / 'm.json').exists()


def test_several_tables_are_refused(tmp_path):
    table = {'columns': {'a': {'sdtype': 'boolean'}}}
    metadata = Metadata.load_from_dict({'tables': {'x': table, 'y': table}})
    with pytest.raises(RolesError, match='exactly one table'):
        save_metadata(metadata, Roles(), tmp_path / 'm.json')


def test_missing_file(tmp_path):
    with pytest.raises(ValueError, match='There is no file'):
        load_metadata(tmp_path / 'none.json')


STATEMENTS = Statements([
    Independent(['sex'], ['hired'], given=['job']),
    Independent(['sex'], ['job']),
])


def test_statements_go_beside_the_tables(metadata, tmp_path):
    save_metadata(metadata, STATEMENTS, tmp_path / 'm.json')
    loaded, statements = load_metadata(tmp_path / 'm.json')
    assert loaded.to_dict() == metadata.to_dict()
    assert statements == STATEMENTS
    document = json.loads((tmp_path / 'm.json').read_text())
    assert document['fairness'] == [
        {'left': ['sex'], 'right': ['hired'], 'given': ['job']},
        {'left': ['sex'], 'right': ['job'], 'given': []},
    ]
    assert not any('role' in about for about in document['tables']['people']['columns'].values())


def test_statements_about_columns_that_are_not_there_are_refused(metadata, tmp_path):
    unknown = Statements([Independent(['sex'], ['pay'])])
    with pytest.raises(RolesError, match='does not have'):
        save_metadata(metadata, unknown, tmp_path / 'm.json')
    save_metadata(metadata, STATEMENTS, tmp_path / 'm.json')
    document = json.loads((tmp_path / 'm.json').read_text())
    document['fairness'] = unknown.as_records()
    (tmp_path / 'm.json').write_text(json.dumps(document))
    with pytest.raises(RolesError, match='does not have'):
        load_metadata(tmp_path / 'm.json')
