"""Two columns with very many values do not stop a fit, through whatever door it goes."""

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sdv.metadata import Metadata
from sdv.sampling import Condition

from sdv_prefair import DomainWarning, PreFairSynthesizer
from sdv_prefair.errors import ReleaseError, StructureError
from sdv_prefair.release._strategy import check_structure
from sdv_prefair.structure import AdaptiveStrategy, AimStrategy, ExactStrategy

ROLES = {'protected': ['p'], 'admissible': ['a'], 'outcome': ['o']}
SOME = {'p': 3200, 'a': 3, 'o': 2, 'u': 3200}
ALL = {'p': 3200, 'a': 3200, 'o': 3200}
LONELY = {'p': 3200, 'a': 3200, 'b': 3, 'o': 2}
SMALLER = {'p': 3200, 'a': 3200, 'o': 2}
STRUCTURES = {
    'adaptive': 'adaptive', 'greedy': 'greedy', 'exact': 'exact', 'aim': 'aim', 'none': 'none',
    'planned': 'planned', 'privbayes': 'privbayes', 'mwem': 'mwem',
    'own exact': ExactStrategy(time_limit=5.0),
    'own aim': AimStrategy(tree=AdaptiveStrategy(), max_cells=60_000),
}  # fmt: skip


def table_of(sizes, num_rows=400):
    rng = np.random.default_rng(0)
    return pd.DataFrame({
        column: [f'{column}{code}' for code in rng.integers(0, size, num_rows)]
        for column, size in sizes.items()
    })


def new(sizes, **arguments):
    columns = {
        column: {
            'sdtype': 'categorical',
            'range_values': [f'{column}{code}' for code in range(size)],
            'range_is_nullable': False,
        }
        for column, size in sizes.items()
    }
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    options = {'epsilon': 5.0, 'public_ranges': True} | ROLES | arguments
    return PreFairSynthesizer(metadata, **options)


def fit(sizes, **arguments):
    synthesizer = new(sizes, **arguments)
    with pytest.warns(DomainWarning, match='too many combinations') as caught:
        synthesizer.fit({'t': table_of(sizes)})
    assert sum(issubclass(warned.category, DomainWarning) for warned in caught) == 1
    return synthesizer


@pytest.mark.parametrize(
    ('sizes', 'structure', 'estimator'),
    [
        (LONELY, 'planned', 'auto'),
        *(
            pytest.param(*rest, marks=pytest.mark.slow)
            for rest in [
                *((sizes, name, 'auto') for sizes in (SOME, ALL, LONELY) for name in STRUCTURES),
                (LONELY, 'adaptive', 'mbi'),
                (LONELY, 'aim', 'mbi'),
            ]
            if rest != (LONELY, 'planned', 'auto')
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else '-'.join(value),
)
def test_a_fit_goes_on_and_all_that_follows_it(sizes, structure, estimator, tmp_path):
    structure = STRUCTURES[structure]
    synthesizer = fit(sizes, structure=structure, estimator=estimator)
    edges = synthesizer.get_fair_graph().edges
    domain = synthesizer._model.domain
    assert all(domain[first] * domain[second] <= 10_000_000 for first, second in edges)
    assert synthesizer.get_privacy_ledger()['rho'].sum() == float(synthesizer.fitted.ledger.budget)
    synthesizer.save_release(tmp_path / 'x.prefair')
    opened = PreFairSynthesizer.load_release(tmp_path / 'x.prefair')
    assert nx.utils.edges_equal(opened.get_fair_graph().edges, edges)
    assert structure == 'none' or opened.verify_fairness()
    for fitted in (synthesizer, opened):
        assert set(fitted.sample(30)['t'].columns) == set(sizes)
        rows = fitted.sample_from_conditions([Condition({'a': 'a1'}, num_rows=7)])['t']
        assert (rows['a'] == 'a1').all() and len(rows) == 7
    assert len(opened.visualize().data)
    opened.create_release_report(path=tmp_path / 'x.html')
    assert (tmp_path / 'x.html').stat().st_size > 10_000
    assert set(synthesizer._model.to_mbi().domain.attributes) == set(sizes)


def test_columns_that_nothing_joins_keep_their_own_distribution():
    sizes = {'p': 20_000, 'a': 20_000, 'o': 20_000}
    table = table_of(sizes, 5000).assign(p=['p0', 'p1'] * 2500, o=['o0', 'o1'] * 2500)
    synthesizer = new(sizes, epsilon=50.0)
    with pytest.warns(DomainWarning):
        synthesizer.fit({'t': table})
    assert not synthesizer.get_fair_graph().edges
    rows = synthesizer.sample(4000)['t']
    shares = pd.crosstab(rows['p'], rows['o'], normalize=True)
    assert np.allclose(shares.loc[['p0', 'p1'], ['o0', 'o1']], 0.25, atol=0.06)


@pytest.mark.filterwarnings('ignore:seed is given')
def test_every_door_leads_to_the_same_model():
    table, models = table_of(SMALLER), []
    doors = {
        'fit': lambda synthesizer: {'t': table},
        'fit_table': lambda synthesizer: pa.Table.from_pandas(table),
        'fit_counts': lambda synthesizer: counted(synthesizer, table),
    }
    for door, given in doors.items():
        synthesizer = new(SMALLER, seed=1, structure='exact')
        with pytest.warns(DomainWarning):
            getattr(synthesizer, door)(given(synthesizer))
        models.append(synthesizer._model)
    for other in models[1:]:
        assert other.cliques == models[0].cliques
        for first, second in zip(models[0].nodes, other.nodes, strict=True):
            assert np.array_equal(first.table, second.table)


def counted(synthesizer, table):
    queries = synthesizer.count_queries()
    assert ('p', 'a') not in queries
    codes = {column: table[column].str[1:].astype(int) for column in table}
    return {
        clique: pd
        .DataFrame({column: codes[column] for column in clique})
        .value_counts()
        .rename('count')
        .reset_index()
        for clique in queries
    }


def test_a_given_tree_that_holds_such_a_pair_is_refused_before_rows_are_counted():
    tree = [('p', 'a'), ('a', 'o'), ('a', 'b')]
    with pytest.raises(StructureError, match="joins 'p' and 'a'"):
        new(LONELY, structure=tree).fit({'t': table_of(LONELY)})


def test_a_release_may_leave_columns_apart_only_if_it_must():
    """A model without one of its edges is not what any structure would have chosen."""
    small = {'p': 4, 'a': 3, 'o': 2}
    whole = new(small, structure='adaptive')
    whole.fit({'t': table_of(small)})
    lonely = fit(LONELY, structure='adaptive')
    for synthesizer in (whole, lonely):
        model, roles = synthesizer._model, synthesizer.get_roles('modified')
        check_structure(model, synthesizer.fitted.settings.mechanism, roles)
        (lost, *_) = [clique for clique in model.cliques if len(clique) == 2]
        model.cliques = [c for c in model.cliques if c != lost] + [(column,) for column in lost]
        with pytest.raises(ReleaseError, match='not the one that was asked for'):
            check_structure(model, synthesizer.fitted.settings.mechanism, roles)
