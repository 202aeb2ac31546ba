"""A mechanism in a single file goes through every door, release, report and conditions."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sdv.metadata import Metadata
from sdv.sampling import Condition
from triple_loop import CHOOSE, MEASURE, TripleLoop

from sdv_prefair import PreFairSynthesizer, load_release
from sdv_prefair.datasets import simulate_census
from sdv_prefair.errors import StructureError, UnfairModelError
from sdv_prefair.selection._measuring import measure
from sdv_prefair.selection._mechanism import Release, quiet

TRIPLE = ('education', 'hours', 'income')


@pytest.fixture(scope='module')
def census():
    return simulate_census(num_rows=3000, seed=1)


def make(census, **options):
    options = {'structure': TripleLoop(TRIPLE), 'public_ranges': True} | options
    return PreFairSynthesizer(census.metadata, **census.roles.as_dict(), **options)


@pytest.fixture(scope='module')
def fitted(census):
    synthesizer = make(census, epsilon=50.0)
    synthesizer.fit(census.data)
    return synthesizer


def table_of(census):
    return next(iter(census.data.values()))


def test_spends_its_budget_in_its_own_steps(fitted):
    ledger = fitted.get_privacy_ledger()
    assert ledger['rho'].sum() == ledger.attrs['rho']
    assert {CHOOSE, MEASURE} < set(ledger['step'])
    assert TRIPLE in set(ledger['columns'])


def test_the_triple_is_a_clique_of_the_model(fitted):
    assert TRIPLE in fitted._model.cliques
    graph = fitted.get_fair_graph()
    assert {frozenset(edge) for edge in graph.edges} == {
        frozenset(('education', 'hours')),
        frozenset(('education', 'income')),
        frozenset(('hours', 'income')),
    }
    assert all(graph.edges[edge]['sigma'] > 0 for edge in graph.edges)
    assert sum('beyond_tree' in graph.edges[edge] for edge in graph.edges) == 1
    assert fitted.verify_fairness()
    assert fitted.visualize().data


def test_joint_effects_are_kept(census, fitted):
    """The interaction of all three columns, which no model of pairs could hold."""
    real = fitted.encode_rows(census.data)
    sizes = [fitted.fitted.encoding.domain[column] for column in TRIPLE]
    counts, _ = np.histogramdd(real[list(TRIPLE)].to_numpy(), [np.arange(n + 1) for n in sizes])
    model = fitted._model.marginal(TRIPLE)
    assert np.abs(model - counts / counts.sum()).sum() / 2 < 0.1


def test_conditions(fitted):
    wanted = Condition({'income': '>50K', 'education': 'bachelor'}, num_rows=20)
    rows = next(iter(fitted.sample_from_conditions([wanted]).values()))
    assert (rows['income'] == '>50K').all() and (rows['education'] == 'bachelor').all()


def test_the_release_comes_back(fitted, tmp_path):
    path = tmp_path / 'fit.prefair'
    fitted.save_release(path)
    loaded = load_release(path)
    assert loaded.verify_fairness()
    assert loaded._model.cliques == fitted._model.cliques
    assert 'structure: triple loop' in repr(loaded)
    assert loaded.fitted.settings.mechanism.name == TripleLoop.name
    fitted.reset_sampling()
    loaded.reset_sampling()
    for name, rows in fitted.sample(num_rows=50).items():
        pd.testing.assert_frame_equal(rows, loaded.sample(num_rows=50)[name])


def test_the_report_shows_it(fitted, tmp_path):
    path = tmp_path / 'report.html'
    fitted.create_release_report(path=path)
    page = path.read_text('utf-8')
    assert 'triple loop' in page
    assert MEASURE in page


def test_every_door_gives_the_same_model(census, tmp_path):
    frame = table_of(census)
    path = tmp_path / 'census.parquet'
    frame.to_parquet(path)
    models = []
    for fit in (
        lambda s: s.fit(census.data),
        lambda s: s.fit_table(path),
        lambda s: s.fit_table(pa.Table.from_pandas(frame, preserve_index=False)),
        lambda s: s.fit_counts(_answers(s, frame)),
    ):
        # Counts are given once, so there is no look at columns before.
        synthesizer = make(census, seed=3, discretization='uniform')
        with pytest.warns(UserWarning, match='seed'):
            fit(synthesizer)
        models.append(synthesizer._model)
    for model in models[1:]:
        for mine, first in zip(model.nodes, models[0].nodes, strict=True):
            np.testing.assert_array_equal(mine.table, first.table)


def _answers(synthesizer, frame):
    duckdb = pytest.importorskip('duckdb')
    with duckdb.connect() as connection:
        connection.sql('CREATE TABLE census AS SELECT * FROM frame')
        queries = synthesizer.count_queries()
        return {clique: connection.sql(query).df() for clique, query in queries.items()}


def test_only_what_was_declared_can_be_read(census):
    class Greedy(TripleLoop):
        def declare(self, domain, roles):
            return [clique for clique in super().declare(domain, roles) if len(clique) < 3]

    with pytest.raises(StructureError, match='not declared'):
        make(census, structure=Greedy(TRIPLE)).fit(census.data)


def test_a_model_that_ties_protected_to_outcome_is_not_kept(census):
    """Whatever a mechanism promises, the fit asks; what was spent is in the account."""
    synthesizer = make(census, structure=TripleLoop(('sex', 'education', 'income')))
    with pytest.raises(UnfairModelError, match='sex - income|income - sex'):
        synthesizer.fit(census.data)
    assert synthesizer._model is None
    assert list(synthesizer.get_privacy_account()['outcome']) == ['failed']


class NothingMerged:
    """Measures a chain of three columns, and merges no codes."""

    name, requires_roles, shape = 'nothing merged', True, 'any'
    pairs = [('sex', 'grade'), ('grade', 'paid')]

    def declare(self, domain, roles):
        return [*((column,) for column in domain), *self.pairs]

    def run(self, table, roles, budget, progress=quiet):
        cliques = self.declare(table.domain, roles)
        return Release(measure(table, cliques, table.ledger.remaining, budget, MEASURE), self.pairs)


@pytest.mark.filterwarnings('ignore:Admissible columns are near')
@pytest.mark.parametrize('nullable', [True, False])
@pytest.mark.parametrize('grade', [3.0, 'c'])
def test_codes_without_a_value_are_not_drawn_though_none_was_merged(grade, nullable, tmp_path):
    """They tell everything here, and would come back as values that tell nothing."""
    unknown = np.random.default_rng(0).random(3000) < 0.5
    domain = {'sdtype': 'numerical', 'range_min': 1, 'range_max': 3, 'decimal_places': 0}
    missing = np.nan
    if isinstance(grade, str):
        domain, missing = {'sdtype': 'categorical', 'range_values': ['a', 'b', 'c']}, 'z'
    yes_no = {'sdtype': 'categorical', 'range_values': ['no', 'yes']}
    columns = {'sex': yes_no, 'grade': domain | {'range_is_nullable': nullable}, 'paid': yes_no}
    synthesizer = PreFairSynthesizer(
        Metadata.load_from_dict({'tables': {'staff': {'columns': columns}}}),
        **{'protected': ['sex'], 'admissible': ['grade'], 'outcome': ['paid']},
        **{'structure': NothingMerged(), 'public_ranges': True, 'epsilon': 100.0},
    )
    told = np.where(unknown, 'yes', 'no')
    grades = pd.Series([missing if is_unknown else grade for is_unknown in unknown])
    synthesizer.fit({'staff': pd.DataFrame({'sex': told, 'grade': grades, 'paid': told})})
    assert synthesizer._model.domain == synthesizer.fitted.encoding.domain
    rows = synthesizer.sample(4000)['staff']
    for _, alike in rows.groupby('grade', dropna=False):
        shares = alike['paid'].eq('yes').groupby(alike['sex']).agg(['mean', 'size'])
        shares = shares[shares['size'] > 100]
        assert len(shares) < 2 or np.ptp(shares['mean']) < 0.15
    synthesizer.save_release(tmp_path / 'release')
    assert load_release(tmp_path / 'release').verify_fairness()
