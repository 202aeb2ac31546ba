"""Each table as its source describes it, and a simulated one whose bias is known.

Of ``_adult_columns.py``, ``_dataset.py``, ``_files.py`` and ``_simulated.py``.
"""

import itertools
import json
import warnings
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from sdv_prefair.datasets import _adult_columns as adult_columns
from sdv_prefair.datasets import _simulated as simulated
from sdv_prefair.datasets import (
    load_adult,
    load_census_kdd,
    load_compas,
    simulate_census,
)
from sdv_prefair.metrics import independence_test
from sdv_prefair.metrics._codes import encode

FILES = Path(__file__).parents[3] / '..' / 'shared' / 'data'
needs_files = pytest.mark.skipif(not FILES.is_dir(), reason='no data files beside the project')


def strata_of_admissible(table: pd.DataFrame) -> np.ndarray:
    return table.groupby(list(simulated.ROLES.admissible)).ngroup().to_numpy()


def columns_of(dataset):
    ((name, table),) = dataset.data.items()
    return name, table, dataset.metadata.tables[name].columns


class TestSimulatedCensus:
    def test_is_a_tuple_and_has_names(self):
        dataset = simulate_census(100, seed=1)
        data, metadata, roles = dataset
        assert data is dataset.data and metadata is dataset.metadata and roles is dataset.roles
        assert len(data['census']) == 100

    def test_same_seed_same_table_other_seed_other_table(self):
        one, same, other = (simulate_census(50, seed=s).data['census'] for s in (3, 3, 4))
        pd.testing.assert_frame_equal(one, same)
        assert not one.equals(other)

    @given(seed=st.integers(0, 2**32 - 1), direct_effect=st.floats(-5, 5))
    def test_rows_always_lie_within_the_public_ranges(self, seed, direct_effect):
        dataset = simulate_census(300, seed, direct_effect)
        with warnings.catch_warnings():
            warnings.simplefilter('error')
            dataset.metadata.validate()
            dataset.metadata.validate_data(dataset.data)

    def test_has_mixed_types_and_missing_values(self):
        _, table, columns = columns_of(simulate_census(2000, 0))
        sdtypes = {column['sdtype'] for column in columns.values()}
        assert {'categorical', 'ordinal', 'boolean', 'numerical', 'datetime', 'id'} <= sdtypes
        for name, column in columns.items():
            assert table[name].isna().any() == column['range_is_nullable'], name
        assert table['hours'].dtype.kind == 'i'
        assert table['commute_km'].dtype.kind == 'f'
        assert table['home_owner'].dtype == bool
        assert table['person_id'].is_unique

    @pytest.mark.parametrize('protected', ['sex', 'race'])
    def test_direct_effect_makes_income_depend_on_protected_given_admissible(self, protected):
        table = simulate_census(20_000, seed=0).data['census']
        result = independence_test(
            table['income'], table[protected], strata_of_admissible(table), 99, seed=0
        )
        assert result.p_value == pytest.approx(0.01)
        assert result.estimate > 1.3 * result.null_interval[1]

    def test_without_direct_effect_p_values_are_spread_evenly(self):
        """Independence holds exactly, so a p-value below x is seen a share x of the time."""
        p_values = []
        for seed in range(40):
            table = simulate_census(2000, seed, direct_effect=0.0).data['census']
            groups = table['sex'] + table['race']
            strata = strata_of_admissible(table)
            p_values.append(independence_test(table['income'], groups, strata, 49, seed).p_value)
        # Binomial(40, 0.1) exceeds 11 with probability 0.0006; Binomial(40, 0.5) is in 8..32.
        assert sum(p <= 0.1 for p in p_values) <= 11
        assert 8 <= sum(p <= 0.5 for p in p_values) <= 32

    def test_admissible_paths_remain_without_direct_effect(self):
        table = simulate_census(20_000, seed=0, direct_effect=0.0).data['census']
        everyone = np.zeros(len(table))
        assert independence_test(table['income'], table['sex'], everyone, 49, 0).p_value < 0.05
        assert independence_test(table['income'], table['race'], everyone, 49, 0).p_value < 0.05

    def test_direct_effects_are_the_documented_log_odds(self):
        """Logistic regression on the causes of income finds the module's own constants."""
        table = simulate_census(60_000, seed=5).data['census']
        causes = pd.get_dummies(table[['education', 'occupation']], drop_first=True, dtype=float)
        causes['hours'] = table['hours'] - 38
        causes['male'] = (table['sex'] == 'male').astype(float)
        causes['A'] = (table['race'] == 'minority A').astype(float)
        causes['B'] = (table['race'] == 'minority B').astype(float)
        model = LogisticRegression(C=1e6, max_iter=2000).fit(causes, table['income'] == '>50K')
        found = dict(zip(causes.columns, model.coef_[0], strict=True))
        of_sex, of_race = simulated.DIRECT_EFFECT_OF_SEX, simulated.DIRECT_EFFECT_OF_RACE
        assert found['male'] == pytest.approx(of_sex['male'] - of_sex['female'], abs=0.1)
        assert found['A'] == pytest.approx(of_race['minority A'] - of_race['majority'], abs=0.1)
        assert found['B'] == pytest.approx(of_race['minority B'] - of_race['majority'], abs=0.1)

    @pytest.mark.parametrize('num_rows', [10_000, 200_000])
    def test_plain_maximum_spanning_tree_is_not_fair(self, num_rows):
        """The table is an example worth having: without roles the model is unfair."""
        dataset = simulate_census(num_rows, seed=0)
        _, table, columns = columns_of(dataset)
        names = [name for name in columns if name not in {'person_id', 'email'}]
        codes = encode([table], columns, names)[0]
        graph = nx.Graph()
        for one, other in itertools.combinations(names, 2):
            shape = (codes[one].max() + 1, codes[other].max() + 1)
            cells = np.ravel_multi_index((codes[one], codes[other]), shape)
            joint = np.bincount(cells, minlength=np.prod(shape)).reshape(shape) / num_rows
            product = np.outer(joint.sum(axis=1), joint.sum(axis=0))
            graph.add_edge(one, other, weight=np.abs(joint - product).sum())
        tree = nx.maximum_spanning_tree(graph)
        tree.remove_nodes_from(dataset.roles.admissible)
        assert nx.has_path(tree, 'sex', 'income')
        assert nx.has_path(tree, 'race', 'income')


@needs_files
class TestFiles:
    @pytest.mark.parametrize(
        ('load', 'options', 'name', 'shape'),
        [
            (load_adult, {}, 'adult', (48_842, 15)),
            (load_adult, {'raw': False}, 'adult', (48_842, 14)),
            (load_compas, {}, 'compas', (6_172, 8)),
            (load_compas, {'aligned': False}, 'compas', (6_172, 8)),
            (load_census_kdd, {}, 'census_kdd', (299_285, 42)),
        ],
    )
    def test_rows_lie_within_the_written_ranges(self, load, options, name, shape):
        dataset = load(FILES, **options)
        with warnings.catch_warnings():
            warnings.simplefilter('error')
            dataset.metadata.validate()
            dataset.metadata.validate_data(dataset.data)
        assert dataset.data[name].shape == shape
        assert set(dataset.roles.columns()) <= set(dataset.data[name].columns)
        assert dataset.roles.is_saturated(dataset.data[name].columns) == (name == 'census_kdd')
        for column in dataset.metadata.tables[name].columns.values():
            assert 'range_values' in column or {'range_min', 'range_max'} <= set(column)

    def test_the_tables_own_folder_can_be_given(self):
        assert len(load_compas(FILES / 'compas').data['compas']) == 6_172

    def test_question_mark_stays_a_value(self):
        table = load_adult(FILES).data['adult']
        assert (table['occupation'] == '?').sum() == 2_809
        assert not table.isna().any().any()

    def test_raw_and_coded_adult_agree(self):
        raw, codes = (load_adult(FILES, raw=raw).data['adult'] for raw in (True, False))
        assert (np.array(adult_columns.RACES)[codes['race']] == raw['race']).all()
        assert (np.array(adult_columns.OCCUPATIONS)[codes['occupation']] == raw['occupation']).all()
        assert (
            np.array(adult_columns.EDUCATIONS)[codes['education-num']] == raw['education']
        ).all()
        assert (codes['education-num'] + 1 == raw['education-num']).all()
        assert (codes['age'] + 16 == raw['age']).all()

    def test_codes_have_the_published_sizes(self):
        sizes = json.loads((FILES / 'adult' / 'adult-domain.json').read_text())
        columns = load_adult(FILES, raw=False).metadata.tables['adult'].columns
        assert {name: len(column['range_values']) for name, column in columns.items()} == sizes

    def test_released_compas_has_its_priors_out_of_place(self):
        aligned = load_compas(FILES).data['compas']
        released = load_compas(FILES, aligned=False).data['compas']
        assert aligned['Number_of_Priors'].corr(aligned['Two_yr_Recidivism']) > 0.25
        assert abs(released['Number_of_Priors'].corr(released['Two_yr_Recidivism'])) < 0.05
        assert released['Number_of_Priors'].is_monotonic_increasing


@pytest.mark.parametrize(
    ('load', 'file'),
    [
        (load_adult, 'adult_raw.csv.gz'),
        (load_compas, 'cleaned_Compas_aligned.csv'),
        (load_census_kdd, 'census_income_kdd.csv.gz'),
    ],
)
def test_a_missing_file_is_named_with_its_folder(load, file, tmp_path):
    with pytest.raises(FileNotFoundError) as error:
        load(tmp_path)
    assert file in str(error.value)
    assert str(tmp_path) in str(error.value)
