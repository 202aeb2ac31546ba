"""A release gives back the same synthesizer, holds nothing private, and is written whole."""

import datetime
import json
import os
import pickle
import zipfile
import zoneinfo
from decimal import Decimal
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from rdt.transformers import AnonymizedFaker
from sdv.cag import (
    FixedCombinations,
    FixedIncrements,
    Inequality,
    OneHotEncoding,
    Range,
    SingleTableProgrammableConstraint,
)
from sdv.metadata import Metadata
from sdv.sampling import Condition

import sdv_prefair
from sdv_prefair import PreFairSynthesizer, PrivacyWarning, load_release
from sdv_prefair.constraints import PublicCombinations
from sdv_prefair.datasets import simulate_census
from sdv_prefair.errors import NotFittedError, ReleaseError, SynthesizerInputError
from sdv_prefair.release.metadata_checks import check_metadata
from sdv_prefair.release.zones import read_zone
from sdv_prefair.structure import FairTree, GreedyStrategy, UnconstrainedStrategy
from sdv_prefair.structure.exact import ExactStrategy
from sdv_prefair.transformers import CategoryCodes, DatetimeBins, NumberBins

SENTINEL = 'Zyzzyva4711'
TREE = [('sex', 'grade'), ('grade', 'hours'), ('grade', 'paid')]
ROLES = {'protected': ['sex'], 'admissible': ['grade'], 'outcome': ['paid']}


def staff_metadata(**more):
    columns = {
        'key': {'sdtype': 'id', 'regex_format': 'K[0-9]{6}'},
        'sex': {'sdtype': 'categorical', 'range_values': ['F', 'M']},
        'grade': {'sdtype': 'ordinal', 'range_values': ['a', 'b', 'c']},
        'hours': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 90, 'decimal_places': 0},
        'paid': {'sdtype': 'boolean', 'range_is_nullable': False},
    }
    tables = {'staff': {'primary_key': 'key', 'columns': columns | more}}
    return Metadata.load_from_dict({'tables': tables})


def staff_rows(num_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({
        'key': [f'K{row:06}' for row in range(num_rows)],
        'sex': rng.choice(['F', 'M'], num_rows),
        'grade': rng.choice(['a', 'b', 'c'], num_rows),
        'hours': rng.integers(0, 91, num_rows),
        'paid': rng.random(num_rows) < 0.4,
    })


def fit(table=None, metadata=None, **changes):
    arguments = ROLES | {'public_ranges': True} | changes
    synthesizer = PreFairSynthesizer(metadata or staff_metadata(), **arguments)
    synthesizer.fit({'staff': staff_rows() if table is None else table})
    return synthesizer


@pytest.fixture
def path(tmp_path):
    return tmp_path / 'fit.release'


def released(synthesizer, path):
    synthesizer.save_release(path)
    return load_release(path)


def assert_same(one, two, rows=200):
    """Everything the two show and sample is the same."""
    one.reset_sampling()
    two.reset_sampling()
    for _ in range(2):
        ours, theirs = one.sample(rows), two.sample(rows)
        assert ours.keys() == theirs.keys()
        for name in ours:
            pd.testing.assert_frame_equal(ours[name], theirs[name])
    assert one.get_info() == two.get_info()
    assert one.get_roles() == two.get_roles()
    assert one.get_roles('modified') == two.get_roles('modified')
    assert repr(one.get_transformers()) == repr(two.get_transformers())
    for version in ('original', 'modified'):
        assert one.get_metadata(version).to_dict() == two.get_metadata(version).to_dict()
    ledgers = one.get_privacy_ledger(), two.get_privacy_ledger()
    pd.testing.assert_frame_equal(*ledgers)
    assert ledgers[0].attrs == ledgers[1].attrs
    graphs = one.get_fair_graph(), two.get_fair_graph()
    assert graphs[0].graph == graphs[1].graph
    assert nx.utils.graphs_equal(*graphs)
    assert one.visualize().to_json() == two.visualize().to_json()
    assert_same_model(one._model, two._model)


def assert_same_model(one, two):
    assert list(one.domain.items()) == list(two.domain.items())
    assert (one.cliques, one.total, one.gap) == (two.cliques, two.total, two.gap)
    assert (one.estimator, one.loss) == (two.estimator, pytest.approx(two.loss))
    for ours, theirs in zip(one.nodes, two.nodes, strict=True):
        assert (ours.columns, ours.separator) == (theirs.columns, theirs.separator)
        assert ours.parent == theirs.parent
        np.testing.assert_array_equal(ours.table, theirs.table)
    for ours, theirs in zip(one.measurements, two.measurements, strict=True):
        assert ours.columns == theirs.columns
        np.testing.assert_array_equal(ours.values, theirs.values)
        np.testing.assert_array_equal(ours.stddev, theirs.stddev)
    for column, ours in one.compressions.items():
        np.testing.assert_array_equal(ours.group_of, two.compressions[column].group_of)
        np.testing.assert_array_equal(ours.weights, two.compressions[column].weights)


@pytest.fixture(scope='module')
def census():
    return simulate_census(1500, seed=3)


def fit_census(census, **changes):
    arguments = census.roles.as_dict() | {'public_ranges': True} | changes
    synthesizer = PreFairSynthesizer(census.metadata, **arguments)
    synthesizer.fit(census.data)
    return synthesizer


# -- the same synthesizer comes back ---------------------------------------------------------------


@pytest.mark.parametrize('ranges', [True, False])
def test_a_census_comes_back_as_it_was(census, ranges, path):
    synthesizer = fit_census(census, public_ranges=ranges, epsilon=8.0)
    loaded = released(synthesizer, path)
    assert type(loaded) is PreFairSynthesizer
    assert_same(synthesizer, loaded)
    assert loaded.verify_fairness() is True
    assert loaded.get_parameters() == synthesizer.get_parameters()


def test_conditions_give_the_same_rows(census, path):
    synthesizer = fit_census(census)
    loaded = released(synthesizer, path)
    (table,) = census.data.values()
    asked = {column: table[column].iloc[0] for column in census.roles.admissible[:2]}
    ours, theirs = (s.sample_from_conditions([Condition(asked, 50)]) for s in (synthesizer, loaded))
    for name, sampled in ours.items():
        pd.testing.assert_frame_equal(sampled, theirs[name])
        assert (sampled[list(asked)] == pd.Series(asked)).all().all()


@pytest.mark.parametrize(
    'structure',
    [
        'none',
        'greedy',
        'exact',
        TREE,
        tuple(map(list, TREE)),
        FairTree(TREE),
        nx.Graph(TREE),
        GreedyStrategy(),
        ExactStrategy(time_limit=5.0),
    ],
    ids=repr,
)
def test_every_structure_comes_back(structure, path):
    synthesizer = fit(structure=structure)
    loaded = released(synthesizer, path)
    assert_same(synthesizer, loaded)
    if isinstance(structure, str | list | tuple):
        assert loaded.get_parameters() == synthesizer.get_parameters()
    assert loaded._strategy.name == synthesizer._strategy.name
    assert loaded._strategy.requires_roles == synthesizer._strategy.requires_roles


class Star:
    """A strategy of somebody's own."""

    name = 'star'

    def __init__(self, centre, requires_roles):
        self.centre, self.requires_roles = centre, requires_roles

    def declare(self, columns, roles):
        pairs = [(a, b) for i, a in enumerate(columns) for b in columns[i + 1 :]]
        return [pair for pair in pairs if self.centre in pair]

    def select(self, columns, roles, scores):
        return FairTree(self.declare(columns, roles))


def test_of_a_custom_strategy_its_name_and_tree_come_back(path):
    synthesizer = fit(structure=Star('grade', True))
    loaded = released(synthesizer, path)
    assert_same(synthesizer, loaded)
    assert loaded._strategy.name == 'star'
    assert loaded.verify_fairness() is True
    loaded.fit({'staff': staff_rows(seed=1)})
    assert nx.utils.edges_equal(loaded.get_fair_graph().edges, synthesizer.get_fair_graph().edges)


def test_a_custom_strategy_that_claims_no_fairness_comes_back_without(path):
    loaded = released(fit(structure=Star('hours', False)), path)
    with pytest.raises(SynthesizerInputError, match='not justifiably fair'):
        loaded.verify_fairness()


def test_without_roles(path):
    none = {'protected': (), 'admissible': (), 'outcome': (), 'structure': 'none'}
    synthesizer = fit(**none)
    loaded = released(synthesizer, path)
    assert_same(synthesizer, loaded)
    assert loaded.get_parameters() == synthesizer.get_parameters()


@pytest.mark.parametrize(
    'changes',
    [
        {'budget': 'paper', 'numeric_bins': 5, 'verbose': False, 'epsilon': 3},
        {'max_rows_per_person': 3, 'person_column': 'key', 'delta': 1e-5},
        {'enforce_rounding': False, 'enforce_min_max_values': False, 'locales': 'de_DE'},
        {'protected': ('sex',), 'locales': ('en_US', 'fr_FR'), 'epsilon': np.float64(0.5)},
        {'protected': {'sex': 1}.keys()},
        {'epsilon': 1e-6},
    ],
)
def test_arguments_come_back(changes, path):
    synthesizer = fit(**changes)
    loaded = released(synthesizer, path)
    assert_same(synthesizer, loaded)
    given, returned = synthesizer.get_parameters(), loaded.get_parameters()
    if not isinstance(given['protected'], list | tuple):
        given['protected'] = ('sex',)
    assert returned == given


@pytest.mark.slow
def test_a_model_of_mbi_comes_back(path):
    synthesizer = fit(estimator='mbi')
    assert_same(synthesizer, released(synthesizer, path))


def test_learnt_domains_with_unequal_bins_come_back(path):
    rng = np.random.default_rng(0)
    table = staff_rows(6000).assign(wage=rng.lognormal(3, 2, 6000))
    metadata = staff_metadata(wage={'sdtype': 'numerical'})
    synthesizer = fit(table, metadata, epsilon=50.0, public_ranges=False)
    assert synthesizer.get_transformers()['wage'].edges, 'the test needs unequal bins'
    assert_same(synthesizer, released(synthesizer, path))


def test_transformers_of_the_users_choice_come_back(path):
    bounds = {'range_min': '1990-01-01', 'range_max': '2030-01-01'}
    metadata = staff_metadata(hired={'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'} | bounds)
    table = staff_rows().assign(hired='2020-02-02')
    synthesizer = PreFairSynthesizer(metadata, public_ranges=True, **ROLES)
    synthesizer.auto_assign_transformers({'staff': table})
    days = [datetime.date(2020, 1, 1), '2020-05-05', pd.Timestamp('2020-06-01')]
    with pytest.warns(UserWarning, match='might impact the quality'):
        synthesizer.update_transformers({
            'grade': CategoryCodes(['a', 'c'], weights=[0.25, 0.75]),
            'hours': NumberBins(0, 80, 4, edges=[10, 20.5, 40]),
            'hired': DatetimeBins('2019-01-01', '2021-01-01', '%Y-%m-%d', edges=days),
        })
    synthesizer.fit({'staff': table})
    loaded = released(synthesizer, path)
    assert_same(synthesizer, loaded)
    assert set(loaded._chosen_transformers) == {'grade', 'hours', 'hired'}


def test_a_loaded_synthesizer_goes_on(path, tmp_path):
    """It can be released, pickled and fitted again like the one it came from."""
    loaded = released(fit(), path)
    again = tmp_path / 'again'
    loaded.save_release(again)
    assert again.read_bytes() == path.read_bytes()
    assert_same(pickle.loads(pickle.dumps(loaded)), loaded)
    loaded.fit_processed_data({'staff': loaded._encoding.encode(staff_rows(seed=5))})
    assert loaded.get_privacy_ledger()['rho'].sum() == float(loaded._ledger.budget)
    loaded.fit({'staff': staff_rows(seed=6)})
    assert loaded.get_privacy_ledger()['rho'].sum() == float(loaded._ledger.budget)


def test_all_three_doors_open_it(path):
    class Own(PreFairSynthesizer):
        pass

    synthesizer = fit()
    synthesizer.save_release(str(path))
    assert_same(synthesizer, sdv_prefair.load_release(str(path)))
    assert_same(synthesizer, PreFairSynthesizer.load_release(path))
    assert type(Own.load_release(path)) is Own


def test_fits_to_other_things_than_frames_come_back(path):
    table = staff_rows()
    streamed = PreFairSynthesizer(staff_metadata(), public_ranges=True, **ROLES)
    streamed.fit_table(pa.Table.from_pandas(table))
    assert_same(streamed, released(streamed, path))
    codes = streamed._encoding.encode(table)
    counted = PreFairSynthesizer(staff_metadata(), public_ranges=True, **ROLES)
    counted.fit_counts({
        clique: codes.groupby(list(clique)).size().rename('count').reset_index()
        for clique in streamed._cliques()
    })
    assert_same(counted, released(counted, path))


# -- columns of all kinds --------------------------------------------------------------------------

BERLIN = 'Europe/Berlin'
DTYPES = {
    'numerical': [
        *('int8', 'int16', 'int64', 'uint8', 'uint64', 'float16', 'float32', 'float64', 'object'),
        *('Int8', 'Int64', 'UInt16', 'Float32', 'Float64'),
        *map(pd.ArrowDtype, (pa.int32(), pa.uint8(), pa.float32(), pa.float64())),
        pd.ArrowDtype(pa.decimal128(12, 3)),
        pd.ArrowDtype(pa.decimal256(40, 2)),
    ],
    'categorical': [
        *('object', 'string[python]', 'string[pyarrow]', 'category'),
        *map(pd.ArrowDtype, (pa.string(), pa.large_string())),
        pd.CategoricalDtype(['9', '5', '1', '0'], ordered=True),
    ],
    'datetime': [
        *('datetime64[s]', 'datetime64[ms]', 'datetime64[us]', 'datetime64[ns]', 'object'),
        pd.DatetimeTZDtype('ns', 'UTC'),
        pd.DatetimeTZDtype('us', BERLIN),
        pd.DatetimeTZDtype('ns', zoneinfo.ZoneInfo(BERLIN)),
        pd.DatetimeTZDtype('s', datetime.timezone(datetime.timedelta(hours=-3))),
        *map(pd.ArrowDtype, (pa.timestamp('us'), pa.timestamp('ms', BERLIN), pa.date32())),
    ],
    'boolean': ['bool', 'boolean', 'object', pd.ArrowDtype(pa.bool_())],
    'id': ['object', 'int64', 'Int32', 'string[pyarrow]', pd.ArrowDtype(pa.int64())],
}
DESCRIBED = {
    'numerical': {'range_min': 0, 'range_max': 9},
    'categorical': {'range_values': ['0', '1', '5', '9']},
    'datetime': {'range_min': '1999-01-01', 'range_max': '2030-01-01'},
    'boolean': {},
    'id': {},
}


def values_of(sdtype, dtype, num_rows):
    rng = np.random.default_rng(1)
    if sdtype == 'datetime':
        days = pd.to_timedelta(rng.integers(0, 5000, num_rows), 'D')
        values = pd.Series(pd.Timestamp('2001-01-01') + days)
        zone = getattr(dtype, 'tz', None) or getattr(
            getattr(dtype, 'pyarrow_dtype', None), 'tz', None
        )
        return values.dt.tz_localize(zone).astype(dtype) if zone else values.astype(dtype)
    if sdtype == 'boolean':
        return pd.Series(rng.random(num_rows) < 0.5).astype(dtype)
    whole = pd.Series(rng.choice([0, 1, 5, 9], num_rows))
    if 'decimal' in str(dtype):
        whole = whole.astype(float)
    return (whole.astype(str) if sdtype == 'categorical' else whole).astype(dtype)


@pytest.mark.parametrize('sdtype', DTYPES)
def test_every_dtype_comes_back(sdtype, path):
    columns = {f'c{i}': dtype for i, dtype in enumerate(DTYPES[sdtype])}
    described = {column: {'sdtype': sdtype} | DESCRIBED[sdtype] for column in columns}
    table = staff_rows().assign(**{
        column: values_of(sdtype, dtype, 300) for column, dtype in columns.items()
    })
    synthesizer = fit(table, staff_metadata(**described))
    loaded = released(synthesizer, path)
    assert_same(synthesizer, loaded, rows=30)
    dtypes = loaded.sample(20)['staff'].dtypes
    for column in columns:
        if not isinstance(table[column].dtype, pd.CategoricalDtype):
            assert dtypes[column] == table[column].dtype
            assert type(dtypes[column]) is type(table[column].dtype)


def test_a_category_that_is_not_modelled_comes_back(path):
    metadata = staff_metadata(odd={'sdtype': 'unknown'}, badge={'sdtype': 'id'})
    texts = pd.Categorical(['u', 'v'] * 150, ordered=True)
    synthesizer = fit(staff_rows().assign(odd=texts, badge=texts), metadata)
    loaded = released(synthesizer, path)
    assert_same(synthesizer, loaded)
    assert loaded.sample(5)['staff']['odd'].dtype.ordered is True


@pytest.mark.skipif(not hasattr(pd.StringDtype(), '_na_value'), reason='pandas 2.3 has it')
def test_the_string_dtype_with_nan_comes_back(path):
    dtype = pd.StringDtype('pyarrow', na_value=np.nan)
    synthesizer = fit(staff_rows().astype({'sex': dtype, 'key': dtype}))
    loaded = released(synthesizer, path)
    assert_same(synthesizer, loaded)
    assert loaded.sample(5)['staff'].dtypes['sex'] == dtype


@pytest.mark.parametrize(
    'values',
    [
        [True, False],
        [1, 2, -(2**70)],
        [0.1, 1e-300, 2.5],
        [Decimal('0.10'), Decimal('-1E+3')],
        [pd.Timestamp('2020-01-01'), pd.Timestamp('2020-01-01 10:11:12.123456789')],
        [pd.Timestamp('2020-01-01', tz=BERLIN), pd.Timestamp('2021-06-01', tz='UTC')],
        [pd.Timestamp('1500-01-01').as_unit('s'), pd.Timestamp('2020-06-01').as_unit('ms')],
        [datetime.date(2020, 2, 29), datetime.datetime(2020, 1, 1, 5, 6, 7, 89)],
        ['', ' ', 'null', '$type', '\u2028', 'naïve', '😀', 'x' * 3000, '\x00'],
        ['1', 1, True, Decimal(3)],
        [('a', 1), ('b', 2)],
    ],
    ids=repr,
)
def test_values_keep_their_types(values, path):
    described = {'odd': {'sdtype': 'categorical', 'range_values': list(values)}}
    column = pd.Series([values[row % len(values)] for row in range(300)], dtype=object)
    synthesizer = fit(staff_rows().assign(odd=column), staff_metadata(**described), epsilon=50.0)
    loaded = released(synthesizer, path)
    declared = loaded.get_transformers()['odd'].values
    assert [(type(v), v) for v in declared] == [(type(v), v) for v in values]
    assert_same(synthesizer, loaded)


def test_a_value_that_cannot_be_written_is_named_by_its_column(path):
    described = {'odd': {'sdtype': 'categorical', 'range_values': [frozenset('a'), 'b']}}
    synthesizer = fit(staff_rows().assign(odd='b'), staff_metadata(**described))
    with pytest.raises(ReleaseError, match='odd.*frozenset|frozenset'):
        synthesizer.save_release(path)
    assert not path.exists()


ODD_NAMES = ['../x', '/etc/passwd', 'a b', ' ', 'naïve', '😀', 'x' * 5000, 'release.json', '$type']


def test_names_of_columns_never_become_names_of_members(path):
    metadata = staff_metadata(**{name: {'sdtype': 'boolean'} for name in ODD_NAMES})
    synthesizer = fit(staff_rows().assign(**dict.fromkeys(ODD_NAMES, True)), metadata)
    loaded = released(synthesizer, path)
    assert_same(synthesizer, loaded)
    with zipfile.ZipFile(path) as archive:
        for member in archive.namelist():
            folder, _, file = member.rpartition('/')
            assert folder in {'', 'groups', 'weights', 'tables', 'measurements', 'deviations'}
            assert member in {'release.json', 'metadata.json'} or file[:-4].isdigit()


def test_names_that_are_numbers_come_back(path):
    metadata = Metadata.load_from_dict({
        'tables': {'staff': {'columns': {str(i): {'sdtype': 'boolean'} for i in range(4)}}}
    })
    table = pd.DataFrame({i: np.arange(80) % (i + 2) == 0 for i in range(4)})
    roles = {'protected': ['0'], 'admissible': ['1'], 'outcome': ['2']}
    synthesizer = fit(table, metadata, **roles)
    loaded = released(synthesizer, path)
    assert_same(synthesizer, loaded)
    assert list(loaded.sample(3)['staff'].columns) == [0, 1, 2, 3]


# -- constraints -----------------------------------------------------------------------------------

TRIP = {
    'key': {'sdtype': 'id'},
    'sex': {'sdtype': 'categorical', 'range_values': ['F', 'M']},
    'low': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 50, 'decimal_places': 0},
    'middle': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 70, 'decimal_places': 0},
    'high': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 90, 'decimal_places': 0},
    'out': {'sdtype': 'datetime', 'range_min': '2020-01-01', 'range_max': '2021-01-01'},
    'back': {'sdtype': 'datetime', 'range_min': '2020-01-01', 'range_max': '2021-01-01'},
    'city': {'sdtype': 'categorical', 'range_values': ['Bonn', 'Lyon', 'Nice']},
    'land': {'sdtype': 'categorical', 'range_values': ['D', 'F']},
    'fee': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 1000, 'decimal_places': 0},
    'red': {'sdtype': 'categorical', 'range_values': [0, 1]},
    'blue': {'sdtype': 'categorical', 'range_values': [0, 1]},
    'paid': {'sdtype': 'boolean'},
}
CONSTRAINTS = [
    Range('low', 'middle', 'high', strict_boundaries=False),
    Inequality('out', 'back'),
    FixedCombinations(['city', 'land']),
    FixedIncrements('fee', 50),
    OneHotEncoding(['red', 'blue']),
]
PLACES = PublicCombinations(['city', 'land'], [['Bonn', 'D'], ['Lyon', 'F'], ['Nice', 'F']])


def trips(num_rows=600):
    rng = np.random.default_rng(0)
    city = rng.choice(['Bonn', 'Lyon', 'Nice'], num_rows)
    low, red = rng.integers(0, 50, num_rows), rng.integers(0, 2, num_rows)
    out = pd.Timestamp('2020-01-01') + pd.to_timedelta(rng.integers(0, 100, num_rows), 'D')
    return pd.DataFrame({
        'key': np.arange(num_rows),
        'sex': rng.choice(['F', 'M'], num_rows),
        'low': low.astype('int16'),
        'middle': pd.array(low + rng.integers(0, 20, num_rows), 'Int64'),
        'high': (low + 20 + rng.integers(0, 20, num_rows)).astype(float),
        'out': out,
        'back': out + pd.to_timedelta(rng.integers(0, 100, num_rows), 'D'),
        'city': pd.Categorical(city),
        'land': np.where(city == 'Bonn', 'D', 'F'),
        'fee': rng.integers(0, 21, num_rows) * 50,
        'red': red,
        'blue': 1 - red,
        'paid': rng.random(num_rows) < 0.5,
    })


def fit_trips(constraints, **changes):
    metadata = Metadata.load_from_dict({'tables': {'staff': {'columns': TRIP}}})
    roles = {'protected': ['sex'], 'admissible': ['low', 'city'], 'outcome': ['paid']}
    arguments = roles | {'public_ranges': True, 'epsilon': 30.0} | changes
    synthesizer = PreFairSynthesizer(metadata, **arguments)
    synthesizer.add_constraints(constraints)
    synthesizer.fit({'staff': trips()})
    return synthesizer


@pytest.mark.parametrize(
    'constraints',
    [CONSTRAINTS, [PLACES], [CONSTRAINTS[0], FixedCombinations(['sex', 'city'])]],
    ids=['every kind', 'public', 'some'],
)
@pytest.mark.parametrize('ranges', [True, False])
def test_constraints_come_back(constraints, ranges, path):
    synthesizer = fit_trips(constraints, public_ranges=ranges, structure='greedy')
    loaded = released(synthesizer, path)
    assert_same(synthesizer, loaded, rows=60)
    assert repr(loaded.get_constraints()) == repr(synthesizer.get_constraints())
    assert loaded.verify_fairness() is True
    loaded.validate_constraints(loaded.sample(50)['staff'])


def test_combinations_that_reject_rows_come_back(path):
    """The second constraint finds its columns gone, so it is kept by rejecting rows."""
    constraints = [PLACES, FixedCombinations(['city', 'red'])]
    synthesizer = fit_trips(constraints)
    assert synthesizer._plan.rejections
    assert_same(synthesizer, released(synthesizer, path), rows=60)


def test_a_programmable_constraint_is_code(path):
    class Even(SingleTableProgrammableConstraint):
        column_names = ['low']

        def validate(self, metadata): ...

        def is_valid(self, data):
            return data['low'] % 2 == 0

    synthesizer = fit_trips([Even()])
    with pytest.raises(ReleaseError, match='Even.*it is code'):
        synthesizer.save_release(path)


# -- what is refused -------------------------------------------------------------------------------


def test_before_a_fit_there_is_nothing_to_save(path):
    with pytest.raises(NotFittedError):
        PreFairSynthesizer(staff_metadata(), public_ranges=True, **ROLES).save_release(path)
    assert not path.exists()


def test_a_generator_of_the_users_own_is_refused_and_the_old_file_stays(path):
    path.write_bytes(b'what was there')
    metadata = staff_metadata(ssn={'sdtype': 'ssn', 'pii': True})
    table = staff_rows().assign(ssn='0')
    synthesizer = PreFairSynthesizer(metadata, public_ranges=True, **ROLES)
    synthesizer.auto_assign_transformers({'staff': table})
    synthesizer.update_transformers({'ssn': AnonymizedFaker('company', 'bs')})
    synthesizer.fit({'staff': table})
    with pytest.raises(ReleaseError, match="'ssn' has a transformer"):
        synthesizer.save_release(path)
    assert path.read_bytes() == b'what was there'
    assert list(path.parent.iterdir()) == [path]


def test_a_transformer_that_is_code_is_refused(path):
    class Own(CategoryCodes):
        pass

    synthesizer = PreFairSynthesizer(staff_metadata(), public_ranges=True, **ROLES)
    synthesizer.auto_assign_transformers({'staff': staff_rows()})
    with pytest.warns(UserWarning, match='might impact the quality'):
        synthesizer.update_transformers({'sex': Own(['F', 'M'])})
    synthesizer.fit({'staff': staff_rows()})
    with pytest.raises(ReleaseError, match="'sex'.*Own.*it is code"):
        synthesizer.save_release(path)


def test_an_exotic_dtype_is_refused(path):
    synthesizer = fit()
    synthesizer._data_processor._dtypes['key'] = pd.SparseDtype(int)
    with pytest.raises(ReleaseError, match="'key'.*Sparse"):
        synthesizer.save_release(path)


@pytest.mark.parametrize('sdtype', ['binary', 'zip', 'pyobject', 'os.system', '__class__', 'Ssn'])
def test_an_sdtype_that_is_none_or_makes_files_up_is_refused(sdtype):
    described = staff_metadata(made={'sdtype': 'ssn'}).to_dict()
    check_metadata(described)
    described['tables']['staff']['columns']['made']['sdtype'] = sdtype
    with pytest.raises(ReleaseError, match='sdtype'):
        check_metadata(described)


def test_a_model_that_was_made_unfair_is_not_written(path):
    synthesizer = fit(structure=TREE)
    synthesizer._model.cliques[0] = ('sex', 'paid')
    with pytest.raises(ReleaseError):
        synthesizer.save_release(path)
    assert not path.exists()


@pytest.mark.parametrize(
    'name',
    [
        *('dateutil/Europe/Berlin', '../x', '/etc/localtime', 'Nowhere/City', 'UTC+99:99', ''),
        *('zoneinfo:../x', 'zoneinfo:Nowhere', 'x' * 99, 5),
    ],
)
def test_a_time_zone_that_is_none_is_refused(name):
    with pytest.raises(ReleaseError, match='time zone'):
        read_zone(name)


@pytest.mark.parametrize('make', [Path.mkdir, os.mkfifo])
def test_what_is_no_file_is_refused(make, path):
    make(path)
    with pytest.raises(ReleaseError, match='is no file'):
        load_release(path)


def test_a_file_that_is_not_there(path):
    with pytest.raises(FileNotFoundError):
        load_release(path)


# -- how it is written -----------------------------------------------------------------------------


def test_the_same_fit_gives_the_same_bytes(path, tmp_path):
    synthesizer = fit()
    synthesizer.save_release(path)
    synthesizer.sample(100)
    synthesizer.save_release(tmp_path / 'again')
    assert (tmp_path / 'again').read_bytes() == path.read_bytes()


def test_a_release_is_replaced_and_nothing_is_left_beside_it(path):
    fit(structure='none').save_release(path)
    synthesizer = fit(structure='greedy')
    synthesizer.save_release(path)
    assert_same(synthesizer, load_release(path))
    assert list(path.parent.iterdir()) == [path]


def test_a_write_that_fails_leaves_nothing_behind(path):
    path.mkdir()
    with pytest.raises(OSError):
        fit().save_release(path)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.skipif(os.name != 'posix', reason='permissions are those of POSIX')
def test_permissions_follow_the_umask(path):
    synthesizer = fit()
    before = os.umask(0o027)
    try:
        synthesizer.save_release(path)
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o640


def test_the_members_are_what_they_say(path):
    """Others can read a release with a zip tool, a JSON parser, SDV and numpy."""
    synthesizer = fit()
    synthesizer.save_release(path)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        release = json.loads(archive.read('release.json'))
        metadata = Metadata.load_from_dict(json.loads(archive.read('metadata.json')))
        node = synthesizer._model.nodes[1]
        with archive.open('tables/1.npy') as stream:
            np.testing.assert_array_equal(np.load(stream, allow_pickle=False), node.table)
    assert release['model']['nodes'][1]['columns'] == list(node.columns)
    assert metadata.to_dict() == synthesizer.get_metadata().to_dict()
    assert b'pickle' not in path.read_bytes()


# -- privacy ---------------------------------------------------------------------------------------


def unzipped(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def numbers_in(document):
    if isinstance(document, dict | list):
        items = document.values() if isinstance(document, dict) else document
        return {number for item in items for number in numbers_in(item)}
    return {document} if isinstance(document, int | float) else set()


@pytest.mark.parametrize('ranges', [True, False])
def test_no_value_of_a_row_is_in_a_release(ranges, path):
    secret = staff_rows(1).assign(key=SENTINEL, sex=SENTINEL, grade=SENTINEL, hours=77_777_777)
    table = pd.concat([staff_rows(), secret], ignore_index=True).astype({'sex': 'category'})
    fit(table, public_ranges=ranges, epsilon=20.0).save_release(path)
    assert len(table) not in numbers_in(json.loads(unzipped(path)['release.json']))
    for content in unzipped(path).values():
        assert SENTINEL.encode() not in content
        assert b'77777777' not in content
        assert np.float64(77_777_777).tobytes() not in content


def test_neighbours_differ_in_noisy_values_only(path):
    table = staff_rows()
    neighbour = pd.concat([table, table.iloc[:1].assign(grade=SENTINEL)], ignore_index=True)
    contents = []
    for rows in (table, neighbour):
        with pytest.warns(PrivacyWarning, match='seed'):
            synthesizer = fit(rows, seed=4, structure=TREE)
        synthesizer.save_release(path)
        contents.append(unzipped(path))
    one, two = contents
    assert one['metadata.json'] == two['metadata.json']
    assert one['measurements/0.npy'] != two['measurements/0.npy'], 'the comparison sees noise'
    ours, theirs = (json.loads(members['release.json']) for members in contents)
    for release in (ours, theirs):
        del release['model']
    assert ours == theirs


def test_a_seeded_fit_stays_marked(path):
    with pytest.warns(PrivacyWarning, match='seed'):
        synthesizer = fit(seed=7)
    loaded = released(synthesizer, path)
    assert_same(synthesizer, loaded)
    assert loaded.get_info()['is_private'] is False
    assert loaded.get_privacy_ledger().attrs['private'] is False
    assert loaded.get_fair_graph().graph['private'] is False
    assert 'not private' in loaded.visualize().layout.title.text


def test_opening_warns_of_nothing(path, recwarn):
    with pytest.warns(PrivacyWarning, match='public_ranges'):
        synthesizer = fit(public_ranges=None, structure=UnconstrainedStrategy())
    recwarn.clear()
    released(synthesizer, path)
    assert not recwarn.list
