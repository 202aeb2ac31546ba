"""From construction to sampling: every method that SDV's synthesizers have, as they have it."""

import inspect
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from contract import KINDS, STRUCTURES, fit, make, only
from people import people
from sdv.errors import InvalidDataError, RefitWarning, SamplingError
from sdv.metadata import Metadata
from sdv.single_table import GaussianCopulaSynthesizer
from sdv.utils import load_synthesizer

from sdv_prefair import PreFairSynthesizer


def test_no_public_method_of_sdv_is_missing_or_asks_for_more():
    for name, method in inspect.getmembers(GaussianCopulaSynthesizer, inspect.isfunction):
        if name.startswith('_') or name == 'get_learned_distributions':
            continue
        theirs = inspect.signature(method).parameters
        ours = inspect.signature(getattr(PreFairSynthesizer, name)).parameters
        assert list(ours)[: len(theirs)] == list(theirs), name
        for parameter in list(ours)[len(theirs) :]:
            assert ours[parameter].default is not inspect.Parameter.empty
        for parameter, declared in theirs.items():
            assert ours[parameter].default == declared.default, (name, parameter)


def test_the_arguments_all_sdv_synthesizers_share_are_taken(table):
    shared = ('enforce_min_max_values', 'enforce_rounding', 'locales')
    theirs = inspect.signature(GaussianCopulaSynthesizer.__init__).parameters
    ours = inspect.signature(PreFairSynthesizer.__init__).parameters
    for name in shared:
        assert ours[name].default == theirs[name].default


@pytest.mark.parametrize('kind', KINDS)
def test_parameters_make_the_same_synthesizer_again(kind, table):
    first = make(kind, table)
    again = type(first)(table.metadata, **first.get_parameters())
    assert again.get_parameters() == first.get_parameters()
    assert 'metadata' not in first.get_parameters()


def test_information(any_fit):
    info = any_fit.get_info()
    assert info['class_name'] == type(any_fit).__name__
    assert info['is_fit'] is True
    assert info['last_fit_date'] and info['creation_date'] and info['fitted_sdv_version']


@pytest.mark.parametrize('version', ['original', 'modified'])
def test_metadata_comes_back_as_a_copy(any_fit, table, version):
    metadata = any_fit.get_metadata(version)
    assert isinstance(metadata, Metadata)
    assert metadata.to_dict() == table.metadata.to_dict()
    metadata.update_column('age', 'people', sdtype='categorical')
    assert any_fit.get_metadata(version).to_dict() == table.metadata.to_dict()


def test_other_versions_of_the_metadata_do_not_exist(any_fit):
    with pytest.raises(ValueError, match="Unrecognized version 'newest'"):
        any_fit.get_metadata('newest')


@pytest.mark.parametrize('kind', KINDS)
def test_sampling_needs_a_fit(kind, table):
    synthesizer = make(kind, table)
    assert synthesizer.get_info()['is_fit'] is False
    with pytest.raises(SamplingError, match='has not been fitted'):
        synthesizer.sample(1)
    with pytest.raises(ValueError, match="'auto_assign_transformers' or 'fit'"):
        synthesizer.get_transformers()


def test_no_rows_give_an_empty_frame(any_fit):
    assert only(any_fit.sample(0)).empty
    assert only(any_fit.sample(num_rows=0)).empty


def test_the_number_of_rows_has_to_be_given(any_fit):
    with pytest.raises(ValueError, match='You must specify the number of rows'):
        any_fit.sample(None)


def test_another_table_cannot_be_sampled(any_fit):
    assert len(only(any_fit.sample(3, main_table_name='people'))) == 3
    with pytest.raises(ValueError, match="'others' is not present in the metadata"):
        any_fit.sample(3, main_table_name='others')
    with pytest.raises(ValueError, match="'others' is not present in the metadata"):
        any_fit.get_transformers('others')


@pytest.mark.parametrize('kind', STRUCTURES)
def test_another_table_cannot_be_fitted(kind, table):
    synthesizer = make(kind, table)
    with pytest.raises(InvalidDataError, match="the one table 'people'"):
        synthesizer.fit({'others': table.frame})
    with pytest.raises(InvalidDataError, match="the one table 'people'"):
        synthesizer.fit({'people': table.frame, 'others': table.frame})


def test_samples_go_on_until_they_are_reset(any_fit):
    first, second = only(any_fit.sample(60)), only(any_fit.sample(60))
    any_fit.reset_sampling()
    pd.testing.assert_frame_equal(only(any_fit.sample(60)), first)
    assert not first['age'].equals(second['age'])
    assert not set(first['key']) & set(second['key'])


def test_batches_are_one_sample(any_fit, capsys):
    sampled = only(any_fit.sample(50, batch_size=10))
    assert len(sampled) == 50
    assert list(sampled.index) == list(range(50))
    assert sampled['key'].is_unique
    expected = only(any_fit.sample(50)).dtypes
    assert (sampled.dtypes == expected).all()
    assert 'Sampling rows' in capsys.readouterr().err


def test_samples_are_written_to_a_folder(any_fit, tmp_path):
    sampled = only(any_fit.sample(40, batch_size=10, output_folder_path=str(tmp_path)))
    written = pd.read_csv(tmp_path / 'people.csv')
    assert list(written.columns) == list(sampled.columns)
    for column in ('key', 'age', 'hired', 'income'):
        assert written[column].tolist() == pytest.approx(sampled[column].tolist(), nan_ok=True)
    with pytest.raises((FileExistsError, AssertionError, ValueError)):
        any_fit.sample(5, output_folder_path=str(tmp_path))


def test_validation_says_nothing_of_good_data(any_fit, table):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        assert any_fit.validate(table.data) is None


def test_validation_refuses_what_does_not_fit(any_fit, table):
    bad = table.frame.drop(columns='sex')
    with pytest.raises(InvalidDataError, match='sex'):
        any_fit.validate({'people': bad})


@pytest.mark.parametrize('kind', KINDS)
def test_fit_is_preprocess_and_fit_of_processed_data(kind, table):
    synthesizer = make(kind, table)
    before = table.frame.copy()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        processed = synthesizer.preprocess(table.data)
    assert list(processed) == ['people']
    assert len(processed['people']) == len(table.frame)
    assert all(dtype.kind in 'iuf' for dtype in processed['people'].dtypes)
    assert synthesizer.get_info()['is_fit'] is False
    synthesizer.fit_processed_data(processed)
    assert synthesizer.get_info()['is_fit'] is True
    sampled = only(synthesizer.sample(30))
    assert (sampled.dtypes == table.frame.dtypes).all()
    pd.testing.assert_frame_equal(table.frame, before)


@pytest.mark.parametrize('kind', STRUCTURES)
def test_processed_data_may_be_fewer_rows_but_nothing_else(kind, table):
    synthesizer = make(kind, table)
    with pytest.raises(InvalidDataError, match='Call preprocess or fit first'):
        synthesizer.fit_processed_data(table.data)
    processed = only(synthesizer.preprocess(table.data))
    for spoilt in (
        processed.head(0),
        processed.drop(columns='sex'),
        processed.astype(float),
        processed.assign(age=np.uint8(255)),
    ):
        with pytest.raises(InvalidDataError, match='rows that preprocess returned'):
            synthesizer.fit_processed_data({'people': spoilt})
    assert synthesizer.get_info()['is_fit'] is False
    synthesizer.fit_processed_data({'people': processed[processed['sex'] == 0]})
    assert (only(synthesizer.sample(50))['sex'] == 'F').all()


@pytest.mark.parametrize('kind', KINDS)
def test_preprocessing_again_warns_and_refitting_does_not(kind, table):
    synthesizer = fit(kind, table)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        processed = synthesizer.preprocess(table.data)
    assert [w for w in caught if w.category is RefitWarning]
    synthesizer.fit_processed_data(processed)
    other = people(200, seed=5)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        synthesizer.fit(other.data)
    assert not [w for w in caught if w.category is RefitWarning]
    sampled = only(synthesizer.sample(500))
    assert abs((sampled['sex'] == 'F').mean() - (other.frame['sex'] == 'F').mean()) < 0.1


@pytest.mark.parametrize('kind', STRUCTURES)
def test_a_refit_forgets_the_first_table(kind, table):
    synthesizer = fit(kind, table)
    one_sex = table.frame.assign(sex='F', age=30)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer.fit({'people': one_sex})
    sampled = only(synthesizer.sample(300))
    assert (sampled['sex'] == 'F').all() and (sampled['age'] == 30).all()


@pytest.mark.parametrize('kind', STRUCTURES)
def test_decimals_are_declared_or_any(kind, table):
    rounded, free = (
        only(fit(kind, table, enforce_rounding=enforce).sample(200)) for enforce in (True, False)
    )
    assert (rounded['wage'].dropna().round(2) == rounded['wage'].dropna()).all()
    assert (free['wage'].dropna().round(2) != free['wage'].dropna()).any()
    assert free['age'].dtype == table.frame['age'].dtype


@pytest.mark.parametrize('kind', STRUCTURES)
def test_values_stay_in_their_ranges_whatever_is_asked(kind, table):
    sampled = only(fit(kind, table, enforce_min_max_values=False).sample(300))
    assert sampled['age'].between(18, 99).all()
    assert sampled['wage'].dropna().between(0, 1e5).all()


@pytest.mark.parametrize('kind', KINDS)
def test_a_change_of_the_metadata_is_noticed(kind):
    table = people(60)
    synthesizer = make(kind, table)
    table.metadata.update_column('note', 'people', sdtype='id')
    with pytest.warns(UserWarning, match='Your metadata has been modified'):
        synthesizer.fit(table.data)


def test_saved_and_loaded_it_samples_the_same(any_fit, tmp_path):
    any_fit.save(tmp_path / 'fit.pkl')
    loaded = load_synthesizer(tmp_path / 'fit.pkl')
    pd.testing.assert_frame_equal(only(loaded.sample(80)), only(any_fit.sample(80)))
    assert loaded.get_parameters() == any_fit.get_parameters()
    assert loaded.get_metadata().to_dict() == any_fit.get_metadata().to_dict()


def test_another_process_samples_the_same(fits, tmp_path):
    fits('adaptive').save(tmp_path / 'fit.pkl')
    program = (
        'import sys; from sdv.utils import load_synthesizer;'
        'sampled = load_synthesizer(sys.argv[1]).sample(50);'
        'sampled["people"].to_pickle(sys.argv[2])'
    )
    paths = [str(tmp_path / 'fit.pkl'), str(tmp_path / 'sample.pkl')]
    subprocess.run([sys.executable, '-W', 'ignore', '-c', program, *paths], check=True)
    here = only(load_synthesizer(paths[0]).sample(50))
    pd.testing.assert_frame_equal(pd.read_pickle(paths[1]), here)


@pytest.mark.parametrize('kind', KINDS)
def test_saving_before_the_fit_warns(kind, table, tmp_path):
    synthesizer = make(kind, table)
    with pytest.warns(UserWarning, match='has not yet been fitted'):
        synthesizer.save(tmp_path / 'empty.pkl')
    loaded = load_synthesizer(tmp_path / 'empty.pkl')
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        loaded.fit(table.data)
    assert len(only(loaded.sample(4))) == 4


@pytest.mark.parametrize('kind', STRUCTURES)
def test_a_pickle_before_the_fit_holds_no_rows(kind, table, tmp_path):
    synthesizer = make(kind, table)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer.preprocess(table.data)
        synthesizer.save(tmp_path / 'empty.pkl')
    assert b'Zyzzyva' not in (tmp_path / 'empty.pkl').read_bytes()


def test_constraints_can_be_asked_for(any_fit):
    assert any_fit.get_constraints() == []
