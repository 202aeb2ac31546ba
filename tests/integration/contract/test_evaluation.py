"""What a notebook does around a synthesizer: detection, reports, plots."""

import warnings

import numpy as np
import pandas as pd
import pytest
from contract import KINDS, STRUCTURES, only
from people import people
from sdv.evaluation import evaluate_quality, get_column_pair_plot, get_column_plot, run_diagnostic
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer, PrivacyWarning

# A notebook as people write it. Only the class and its arguments differ.
NOTEBOOK = """
import pandas as pd
from sdv.evaluation import evaluate_quality, get_column_plot, run_diagnostic
from sdv.metadata import Metadata
from sdv.sampling import Condition, DataFrameCondition
from sdv.single_table import {name}
from sdv.utils import load_synthesizer

metadata = Metadata.detect_from_dataframes(data)
metadata.update_column(table_name='people', column_name='email', sdtype='email', pii=True)
metadata.set_primary_key('key', 'people')
metadata.validate()
metadata.validate_data(data)
metadata.save_to_json(folder / 'metadata.json')
metadata = Metadata.load_from_json(folder / 'metadata.json')

synthesizer = {name}(metadata, locales=['en_GB'], enforce_rounding=True{arguments})
synthesizer.auto_assign_transformers(data)
shown = synthesizer.get_transformers()
synthesizer.validate(data)
synthesizer.fit(data)
synthetic = synthesizer.sample(num_rows=100)

quality = evaluate_quality(data, synthetic, metadata, verbose=False)
details = quality.get_details(property_name='Column Shapes')
diagnostic = run_diagnostic(real_data=data, synthetic_data=synthetic, metadata=metadata)
figure = get_column_plot(data, synthetic, metadata, table_name='people', column_name='age')

synthesizer.save(folder / 'synthesizer.pkl')
synthesizer = load_synthesizer(folder / 'synthesizer.pkl')
more = synthesizer.sample(num_rows=20, batch_size=5, output_folder_path=folder / 'out')
women = synthesizer.sample_from_conditions([Condition({{'sex': 'F'}}, num_rows=7)])
known = pd.DataFrame({{'sex': ['F', 'M'], 'education': ['college', 'doctorate']}})
asked = synthesizer.sample_from_conditions([DataFrameCondition(known)])
completed = synthesizer.sample_remaining_columns(known_columns=known)
synthesizer.reset_sampling()
print(synthesizer.get_info(), synthesizer.get_parameters(), synthesizer.get_metadata().to_dict())
"""
ROLES = ", protected=['sex'], admissible=['education'], outcome=['income']"
NOTEBOOKS = {'GaussianCopulaSynthesizer': '', 'PreFairSynthesizer': ROLES}


@pytest.mark.parametrize('name', NOTEBOOKS)
def test_a_notebook_runs_when_the_class_is_swapped_and_the_roles_are_added(name, tmp_path):
    (tmp_path / 'out').mkdir()
    found = {'data': people(400).data, 'folder': tmp_path}
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        exec(NOTEBOOK.format(name=name, arguments=NOTEBOOKS[name]), found)
    assert len(only(found['synthetic'])) == 100
    assert_same_dtypes(only(found['synthetic']), only(found['data']))
    assert 0 < found['quality'].get_score() <= 1
    assert found['diagnostic'].get_score() == 1.0
    assert len(pd.read_csv(tmp_path / 'out' / 'people.csv')) == 20
    assert (only(found['women'])['sex'] == 'F').all()
    for frame in (only(found['asked']), only(found['completed'])):
        assert list(frame['education']) == ['college', 'doctorate']


@pytest.mark.parametrize('kind', KINDS)
def test_quality_is_that_of_a_model_without_noise(kind, fits, table):
    synthetic = fits(kind).sample(1000)
    report = evaluate_quality(table.data, synthetic, table.metadata, verbose=False)
    shapes = report.get_details('Column Shapes')
    assert shapes['Error'].isna().all() if 'Error' in shapes else True
    assert shapes['Score'].mean() > 0.85


def test_columns_and_pairs_can_be_plotted(any_fit, table):
    synthetic = any_fit.sample(100)
    about = (table.data, synthetic, table.metadata)
    for column in ('age', 'sex', 'hired'):
        figure = get_column_plot(*about, table_name='people', column_name=column)
        assert len(figure.data) == 2
    for pair in (['age', 'wage'], ['sex', 'age'], ['sex', 'home']):
        assert get_column_pair_plot(*about, table_name='people', column_names=pair).data


def assert_same_dtypes(sampled, frame):
    """Categories are listed in the metadata's order: a dtype's own may come from rows."""
    assert (sampled.dtypes.astype(str) == frame.dtypes.astype(str)).all()
    for column in frame.select_dtypes('category'):
        assert sampled[column].cat.ordered == frame[column].cat.ordered


def detectable():
    """Return a table with what SDV's detection tells apart."""
    generator = np.random.default_rng(3)
    size = 1500
    grades = pd.CategoricalDtype(['low', 'middle', 'high'], ordered=True)
    return pd.DataFrame({
        'serial': [f'{row:05d}-x' for row in range(size)],
        'gender': generator.choice(['F', 'M'], size),
        'grade': pd.Series(generator.choice(list(grades.categories), size)).astype(grades),
        'approved': generator.random(size) < 0.4,
        'children': generator.integers(0, 5, size),
        'balance': generator.normal(0, 1000, size).round(2),
        'visits': pd
        .Series(generator.integers(0, 900, size))
        .astype('Int64')
        .mask(generator.random(size) < 0.1),
        'hours': pd
        .Series(generator.integers(0, 700, size))
        .astype(float)
        .mask(generator.random(size) < 0.1),
        'opened': pd.Timestamp('2015-01-01')
        + pd.to_timedelta(generator.integers(0, 10**8, size), unit='s'),
        'birth_day': pd.Series(
            pd.Timestamp('1960-01-01') + pd.to_timedelta(generator.integers(0, 9999, size), 'D')
        ).dt.strftime('%Y-%m-%d'),
        'empty': pd.Series([np.nan] * size),
    })


DETECTED_ROLES = {'protected': ['gender'], 'admissible': ['grade'], 'outcome': ['approved']}


def make_detected(frame, public_ranges, **changes):
    metadata = Metadata.detect_from_dataframes({'t': frame})
    arguments = {'epsilon': 1e4, 'public_ranges': public_ranges} | DETECTED_ROLES | changes
    with warnings.catch_warnings():
        warnings.filterwarnings('ignore', message='We strongly recommend saving')
        return PreFairSynthesizer(metadata, **arguments), metadata


@pytest.mark.parametrize('structure', STRUCTURES[:-1])
def test_detected_metadata_is_taken_as_public_with_a_warning(structure):
    frame = detectable()
    with pytest.warns(PrivacyWarning, match='treated as public'):
        synthesizer, metadata = make_detected(frame, None, structure=structure)
    with pytest.warns(PrivacyWarning, match="Nothing in column 'empty'"):
        synthesizer.fit({'t': frame})
    sampled = only(synthesizer.sample(500))
    assert_same_dtypes(sampled, frame)
    assert (sampled['hours'].dropna() % 1 == 0).all()
    assert (sampled['balance'].round(2) == sampled['balance']).all()
    assert set(sampled['grade'].cat.categories) == {'low', 'middle', 'high'}
    report = run_diagnostic({'t': frame}, {'t': sampled}, metadata, verbose=False)
    assert report.get_score() == 1.0


def test_nothing_is_said_when_the_ranges_are_declared_public():
    frame = detectable().drop(columns='empty')
    with warnings.catch_warnings():
        warnings.simplefilter('error', PrivacyWarning)
        warnings.filterwarnings('ignore', 'epsilon .* is above 20')
        synthesizer, _ = make_detected(frame, True)
        synthesizer.fit({'t': frame})
    assert 'learn domains' not in set(synthesizer.get_privacy_ledger()['step'])


@pytest.mark.parametrize('structure', STRUCTURES[:-1])
def test_detected_ranges_are_ignored_when_they_are_not_public(structure):
    frame = detectable().drop(columns='empty')
    with warnings.catch_warnings():
        warnings.simplefilter('error', PrivacyWarning)
        warnings.filterwarnings('ignore', 'epsilon .* is above 20')
        synthesizer, metadata = make_detected(frame, False, structure=structure)
        synthesizer.fit({'t': frame})
    ledger = synthesizer.get_privacy_ledger()
    assert 'learn domains' in set(ledger['step'])
    sampled = only(synthesizer.sample(2000))
    assert_same_dtypes(sampled, frame)
    assert set(sampled['gender']) == {'F', 'M'}
    assert set(sampled['grade'].cat.categories) == {'low', 'middle', 'high'}
    assert set(sampled['children'].dropna()) == set(range(5))
    for column in ('balance', 'hours'):
        low, high = frame[column].quantile([0.05, 0.95])
        assert sampled[column].between(low, high).mean() > 0.5, column
    quality = evaluate_quality({'t': frame}, {'t': sampled}, metadata, verbose=False)
    assert quality.get_properties().set_index('Property')['Score']['Column Shapes'] > 0.8
