"""The functions that SDGym asks of a custom synthesizer, as its documentation describes them."""

import inspect
import pickle

import cloudpickle
import pandas as pd
import pytest
from people import people
from sdv.metadata import Metadata

from sdv_prefair.sdgym import custom_synthesizer

pytestmark = pytest.mark.filterwarnings('ignore::sdv_prefair.errors.PrivacyWarning')
COLUMNS = ('sex', 'education', 'age', 'home', 'income')


def create_single_table_synthesizer(
    display_name, get_trained_synthesizer_fn, sample_from_synthesizer_fn
):
    """Make a class the way SDGym does: both functions are called by position."""

    def get_trained_synthesizer(self, data, metadata):
        return get_trained_synthesizer_fn(data, metadata)

    def sample_from_synthesizer(self, synthesizer, n_samples):
        return sample_from_synthesizer_fn(synthesizer, n_samples)

    methods = {
        'get_trained_synthesizer': get_trained_synthesizer,
        'sample_from_synthesizer': sample_from_synthesizer,
    }
    return type(f'Custom:{display_name}', (), methods)


@pytest.fixture(scope='module')
def table():
    return people(200, COLUMNS)


def single_table_dictionary(metadata):
    return metadata.to_dict()['tables']['people'] | {'METADATA_SPEC_VERSION': 'SINGLE_TABLE_V1'}


FORMS = {
    'dictionary': Metadata.to_dict,
    'of one table': single_table_dictionary,
    'object': lambda m: m,
}


@pytest.mark.parametrize('form', FORMS)
def test_without_roles_it_is_plain_mst(table, form):
    cls = create_single_table_synthesizer(**custom_synthesizer('MST', epsilon=10.0))
    assert cls.__name__ == 'Custom:MST'
    metadata = FORMS[form](table.metadata)
    before = pickle.dumps(metadata)
    trained = cls().get_trained_synthesizer(table.frame.copy(), metadata)
    assert pickle.dumps(metadata) == before
    parameters = trained.get_parameters()
    assert parameters['structure'] == 'none' and parameters['epsilon'] == 10.0
    sampled = cls().sample_from_synthesizer(trained, n_samples=len(table.frame))
    assert isinstance(sampled, pd.DataFrame)
    assert list(sampled.columns) == list(table.frame.columns)
    assert (sampled.dtypes == table.frame.dtypes).all()
    assert len(sampled) == len(table.frame)


def test_with_roles_it_is_fair(table):
    functions = custom_synthesizer('PreFair', {'people': table.roles}, structure='greedy')
    cls = create_single_table_synthesizer(**functions)
    trained = cls().get_trained_synthesizer(table.frame, table.metadata.to_dict())
    assert trained.verify_fairness() is True
    assert trained.get_parameters()['structure'] == 'greedy'


def test_a_data_set_without_roles_falls_back_to_mst(table):
    functions = custom_synthesizer('PreFair', {'others': table.roles}, structure='greedy')
    trained = functions['get_trained_synthesizer_fn'](table.frame, table.metadata.to_dict())
    assert trained.get_parameters()['structure'] == 'none'


def test_the_signatures_are_those_documented():
    functions = custom_synthesizer('MST')
    assert set(functions) == set(inspect.signature(create_single_table_synthesizer).parameters)
    required = [
        [
            name
            for name, parameter in inspect.signature(functions[key]).parameters.items()
            if parameter.default is inspect.Parameter.empty
            and parameter.kind is not inspect.Parameter.KEYWORD_ONLY
        ]
        for key in ('get_trained_synthesizer_fn', 'sample_from_synthesizer_fn')
    ]
    assert required == [['data', 'metadata'], ['synthesizer', 'n_rows']]


def test_functions_and_fits_travel_to_other_processes(table):
    functions = pickle.loads(pickle.dumps(custom_synthesizer('MST')))
    trained = functions['get_trained_synthesizer_fn'](table.frame, table.metadata.to_dict())
    loaded = cloudpickle.loads(cloudpickle.dumps(trained))
    sampled = [functions['sample_from_synthesizer_fn'](one, 20) for one in (trained, loaded)]
    pd.testing.assert_frame_equal(*sampled)


def test_metadata_of_the_public_data_sets_is_read():
    columns = {
        'age': {'sdtype': 'numerical', 'computer_representation': 'Int64'},
        'workclass': {'sdtype': 'categorical'},
        'label': {'sdtype': 'categorical'},
    }
    metadata = {
        'METADATA_SPEC_VERSION': 'V1',
        'tables': {'adult': {'columns': columns}},
        'relationships': [],
    }
    frame = pd.DataFrame({
        'age': list(range(20, 60)) * 10,
        'workclass': ['private', 'state'] * 200,
        'label': ['<=50K', '>50K'] * 200,
    })
    functions = custom_synthesizer('MST', epsilon=100.0)
    trained = functions['get_trained_synthesizer_fn'](frame, metadata)
    sampled = functions['sample_from_synthesizer_fn'](trained, 100)
    assert set(sampled['workclass'].dropna()) == {'private', 'state'}
