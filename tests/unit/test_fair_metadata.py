import copy
import json
import pickle

import pandas as pd
import pytest
from contract import only
from sdv.metadata import Metadata
from sdv.single_table import GaussianCopulaSynthesizer

from sdv_prefair import FairMetadata, PreFairSynthesizer, Roles, load_metadata, save_metadata
from sdv_prefair._sdv_versions import as_given_back
from sdv_prefair.errors import RolesError
from sdv_prefair.fairness import Independent, Statements, demographic_parity

ROLES = Roles(['sex'], ['grade'], ['pay'])
PARITY = Statements([Independent(['sex'], ['pay']), Independent(['sex'], ['grade'], ['pay'])])
ROWS = pd.DataFrame({
    'id': [f'p{number}' for number in range(40)],
    'sex': ['f', 'm'] * 20,
    'grade': ['a', 'b', 'b', 'c'] * 10,
    'pay': ['low', 'high', 'high', 'low', 'low'] * 8,
})


def _metadata(**kinds):
    columns = dict.fromkeys(('sex', 'grade', 'pay'), 'categorical') | kinds
    values = {'sex': ['f', 'm'], 'grade': ['a', 'b', 'c'], 'pay': ['low', 'high']}
    described = {
        name: {'sdtype': sdtype} | ({'range_values': values[name]} if name in values else {})
        for name, sdtype in columns.items()
    }
    return {'tables': {'staff': {'columns': {'id': {'sdtype': 'id'}} | described}}}


def _with_roles():
    metadata = FairMetadata.load_from_dict(_metadata())
    metadata.set_roles(**ROLES.as_dict())
    return metadata


def _with_statements():
    return FairMetadata.from_metadata(FairMetadata.load_from_dict(_metadata()), PARITY)


def _through_json(metadata, folder):
    metadata.save_to_json(folder / 'staff.json')
    return FairMetadata.load_from_json(folder / 'staff.json')


@pytest.mark.parametrize(
    'copied',
    [
        lambda metadata, _: metadata.copy(),
        lambda metadata, _: copy.copy(metadata),
        lambda metadata, _: copy.deepcopy(metadata),
        lambda metadata, _: pickle.loads(pickle.dumps(metadata)),
        lambda metadata, _: FairMetadata.from_metadata(metadata, metadata.get_roles()),
        lambda metadata, _: FairMetadata.load_from_dict(json.loads(repr(metadata))),
        _through_json,
    ],
    ids=['copy', 'copy.copy', 'deepcopy', 'pickle', 'from_metadata', 'repr', 'json'],
)
@pytest.mark.parametrize(('made', 'promised'), [(_with_roles, ROLES), (_with_statements, PARITY)])
def test_roles_and_statements_survive(copied, made, promised, tmp_path):
    metadata = made()
    again = copied(metadata, tmp_path)
    assert type(again) is FairMetadata
    assert again.get_roles() == again.get_fairness() == promised
    assert type(again.get_roles()) is type(promised)
    assert again.to_dict() == metadata.to_dict()


def test_changing_a_copy_leaves_the_original():
    metadata = _with_roles()
    metadata.copy().set_roles()
    assert metadata.get_roles() == ROLES


def test_one_file_for_both(tmp_path):
    metadata = _with_roles()
    metadata.save_to_json(tmp_path / 'ours.json')
    plain = Metadata.load_from_dict(_metadata())
    save_metadata(plain, ROLES, tmp_path / 'theirs.json')
    assert (tmp_path / 'ours.json').read_text() == (tmp_path / 'theirs.json').read_text()
    described, roles = load_metadata(tmp_path / 'ours.json')
    assert (described.to_dict(), roles) == (plain.to_dict(), ROLES)
    with pytest.raises(ValueError, match='already exists'):
        metadata.save_to_json(tmp_path / 'ours.json')


def test_a_file_that_sdv_wrote_has_no_roles(tmp_path):
    Metadata.load_from_dict(_metadata()).save_to_json(tmp_path / 'sdv.json')
    assert not FairMetadata.load_from_json(tmp_path / 'sdv.json').get_roles()


def test_the_dictionary_is_sdvs_own():
    assert Metadata.load_from_dict(_with_roles().to_dict()).tables['staff'].columns['sex']


def test_detection_gives_metadata_without_roles():
    detected = FairMetadata.detect_from_dataframes({'staff': ROWS})
    assert type(detected) is FairMetadata
    assert not detected.get_roles()
    assert detected.to_dict() == Metadata.detect_from_dataframes({'staff': ROWS}).to_dict()


def test_anonymized_metadata_has_the_same_roles_under_other_names():
    anonymized = _with_roles().anonymize()
    assert type(anonymized) is FairMetadata
    assert [len(names) for names in anonymized.get_roles().as_dict().values()] == [1, 1, 1]
    assert not set(anonymized.get_roles().columns()) & set(ROLES.columns())
    anonymized.validate()


def test_anonymized_metadata_has_the_same_statements_under_other_names():
    anonymized = _with_statements().anonymize()
    sizes = [
        (len(one.left), len(one.right), len(one.given))
        for one in anonymized.get_fairness().statements
    ]
    assert sizes == [(1, 1, 0), (1, 1, 1)]
    assert not set(anonymized.get_fairness().columns()) & set(PARITY.columns())


def test_one_statement_that_roles_express_is_roles():
    metadata = FairMetadata.load_from_dict(_metadata())
    metadata.set_fairness(Independent(['sex'], ['pay'], ['grade']))
    assert metadata.get_roles().as_dict() == ROLES.as_dict()
    assert '"role": "protected"' in repr(metadata)


@pytest.mark.parametrize(
    'fairness', [Independent(['sex'], ['wage']), Independent(['id'], ['pay']), 'parity']
)
def test_wrong_statements_are_refused_and_change_nothing(fairness):
    metadata = _with_roles()
    with pytest.raises(RolesError, match='fairness'):
        metadata.set_fairness(fairness)
    assert metadata.get_roles() == ROLES


@pytest.mark.parametrize(
    ('lists', 'reason'),
    [
        ((['sex'], ['grade'], ['wage']), "'wage', which is not in the metadata"),
        ((['sex'], ['grade'], ['id']), "'id', which is not modelled"),
        ((['sex'], ['grade'], ['sex']), 'both name'),
        ((['sex'], [], ['pay']), 'must name at least one'),
        (('sex', ['grade'], ['pay']), 'must be a list'),
    ],
)
def test_wrong_roles_are_refused_and_change_nothing(lists, reason):
    metadata = _with_roles()
    with pytest.raises(RolesError, match=reason):
        metadata.set_roles(*lists)
    assert metadata.get_roles() == ROLES


def test_validation_looks_at_roles_again():
    metadata = _with_roles()
    metadata.validate()
    metadata.update_column('sex', 'staff', sdtype='id')
    with pytest.raises(RolesError, match="'sex', which is not modelled"):
        metadata.validate()


def test_roles_are_for_one_table():
    metadata = _with_roles()
    metadata.add_table('others')
    with pytest.raises(RolesError, match='exactly one table'):
        metadata.set_roles(**ROLES.as_dict())


def test_a_column_with_a_role_is_not_removed():
    metadata = _with_roles()
    with pytest.raises(RolesError, match='has the role outcome'):
        metadata.remove_column('pay', 'staff')
    metadata.set_roles()
    metadata.remove_column('pay', 'staff')
    assert 'pay' not in metadata.tables['staff'].columns


def test_only_metadata_is_lifted():
    with pytest.raises(RolesError, match='load_from_dict'):
        FairMetadata.from_metadata({'tables': {}})


def test_the_drawing_colours_roles():
    drawn = _with_roles().visualize().source
    assert all(f'<font>{role}</font>' in drawn for role in ROLES.as_dict())
    assert drawn.count('#D55E0066') == 3, 'the three cells of the protected column'
    plain = FairMetadata.load_from_dict(_metadata())
    assert plain.visualize().source == Metadata.load_from_dict(_metadata()).visualize().source


# -- with a synthesizer ----------------------------------------------------------------------


def _synthesizer(metadata, **arguments):
    return PreFairSynthesizer(metadata, epsilon=5.0, public_ranges=True, seed=1, **arguments)


def test_a_synthesizer_takes_the_roles_of_the_metadata():
    synthesizer = _synthesizer(_with_roles())
    assert synthesizer.get_roles() == ROLES
    assert synthesizer.get_parameters()['protected'] == ['sex']
    assert synthesizer.get_metadata().get_roles() == ROLES
    by_arguments = _synthesizer(Metadata.load_from_dict(_metadata()), **ROLES.as_dict())
    assert type(by_arguments.get_metadata()) is Metadata


@pytest.mark.filterwarnings('ignore::sdv_prefair.errors.NoiseWarning')
@pytest.mark.filterwarnings('ignore::sdv_prefair.errors.PrivacyWarning')
def test_rows_are_those_of_roles_given_as_arguments():
    rows = []
    for metadata, roles in (
        (_with_roles(), {}),
        (_with_roles(), ROLES.as_dict()),
        (Metadata.load_from_dict(_metadata()), ROLES.as_dict()),
    ):
        synthesizer = _synthesizer(metadata, **roles)
        synthesizer.fit({'staff': ROWS})
        synthesizer.verify_fairness()
        rows.append(only(synthesizer.sample(30))[['sex', 'grade', 'pay']])
    pd.testing.assert_frame_equal(rows[0], rows[1])
    pd.testing.assert_frame_equal(rows[0], rows[2])


def test_arguments_that_contradict_the_metadata_are_refused():
    with pytest.raises(RolesError, match=r"the roles of \['sex', 'grade'\]"):
        _synthesizer(_with_roles(), protected=['grade'], admissible=['sex'], outcome=['pay'])


@pytest.mark.filterwarnings('ignore::sdv_prefair.errors.NoiseWarning')
@pytest.mark.filterwarnings('ignore::sdv_prefair.errors.PrivacyWarning')
def test_a_synthesizer_takes_the_statements_of_the_metadata():
    parity = demographic_parity(['sex'], ['pay'])
    metadata = FairMetadata.from_metadata(FairMetadata.load_from_dict(_metadata()), parity)
    synthesizer = _synthesizer(metadata)
    assert synthesizer.get_fairness() == metadata.get_fairness()
    assert synthesizer.get_metadata().get_fairness() == metadata.get_fairness()
    synthesizer.fit({'staff': ROWS})
    assert synthesizer.verify_fairness()
    assert _synthesizer(metadata, fairness=parity).get_fairness() == metadata.get_fairness()


@pytest.mark.parametrize(
    'arguments', [{'fairness': [Independent(['sex'], ['grade'])]}, ROLES.as_dict()]
)
def test_arguments_that_contradict_the_statements_are_refused(arguments):
    with pytest.raises(RolesError, match='disagree on the fairness statements'):
        _synthesizer(_with_statements(), **arguments)


def test_sdvs_own_synthesizers_take_it():
    synthesizer = GaussianCopulaSynthesizer(_with_roles())
    synthesizer.fit(as_given_back({'staff': ROWS}))
    assert list(only(synthesizer.sample(5))) == list(ROWS)
