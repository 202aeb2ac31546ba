"""The fits of the gate: every structure, every kind of column, every door that costs little."""

import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import ibis
import pyarrow.parquet as parquet
from gate_tables import Table, tables
from sdv.cag import Inequality
from triple_loop import TripleLoop

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.constraints import PublicCombinations
from sdv_prefair.fairness import Independent, demographic_parity, equalized_odds, justifiable
from sdv_prefair.structure import (
    AdaptiveStrategy,
    AimStrategy,
    MwemStrategy,
    PlannedStrategy,
    PrivBayesStrategy,
    UnconstrainedStrategy,
)

Door = Callable[[PreFairSynthesizer, Table, Path], None]


@dataclass(frozen=True)
class Fit:
    """One fit of the gate.

    Attributes:
        table: The table that is fitted.
        arguments: The arguments of the synthesizer besides metadata, roles and seed.
        door: How the rows come in.
        constraints: What is added before the fit.
        roles: Whether the roles of the table are passed.
    """

    table: Table
    arguments: dict[str, Any] = field(default_factory=dict)
    door: Door = lambda synthesizer, table, _: synthesizer.fit({table.name: table.frame})
    constraints: tuple[Any, ...] = ()
    roles: bool = True

    def run(self) -> PreFairSynthesizer:
        """Return a synthesizer that was fitted so."""
        roles = self.table.roles if self.roles else {}
        given = {'public_ranges': True, 'seed': 7, **roles, **self.arguments}
        synthesizer = PreFairSynthesizer(self.table.metadata, **given)
        if self.constraints:
            synthesizer.add_constraints(list(self.constraints))
        with tempfile.TemporaryDirectory() as folder:
            self.door(synthesizer, self.table, Path(folder))
        return synthesizer


def fits() -> dict[str, Fit]:
    """Return every fit by name."""
    return dict(_all(tables()))


def _all(of: dict[str, Table]) -> Iterator[tuple[str, Fit]]:
    yield from _structures(of['people'], of['census'])
    yield from _notions(of['people'], of['census'])
    yield from _learnt(of['learnt'])
    yield from _persons(of['visits'])
    yield from _odd(of['odd'])
    yield 'wide: planned in turns', Fit(of['wide'], {'epsilon': 1e4})
    yield 'wide: planned', Fit(of['wide'], {})
    yield 'wide: aim', Fit(of['wide'], {'structure': 'aim', 'epsilon': 30.0})
    for name, door in DOORS.items():
        even = {'discretization': 'uniform'} if name == 'answers' else {}
        yield f'door: {name}', Fit(of['people'], {'structure': 'adaptive', **even}, door)
    for name in ('arrow', 'csv', 'stays'):
        yield f'door: {name}, planned', Fit(of['people'], {}, DOORS[name])


def _structures(people: Table, census: Table) -> Iterator[tuple[str, Fit]]:
    for structure in ('planned', 'adaptive', 'greedy', 'exact', 'aim', 'privbayes', 'mwem'):
        yield f'people: {structure}', Fit(people, {'structure': structure})
        yield f'census: {structure}', Fit(census, {'structure': structure, 'epsilon': 3.0})
    yield 'people: none', Fit(people, {'structure': 'none'}, roles=False)
    edges = [('sex', 'education'), ('race', 'hours'), ('education', 'hours')]
    edges += [('hours', 'wage'), ('education', 'hired on'), ('wage', 'town')]
    tree = [*edges, ('education', 'promoted')]
    yield 'people: a given tree', Fit(people, {'structure': tree})
    guest = TripleLoop(('education', 'wage', 'promoted'))
    yield 'people: a mechanism of a guest', Fit(people, {'structure': guest})
    paper = {'budget': 'paper', 'discretization': 'uniform', 'numeric_bins': 8}
    yield 'people: paper', Fit(people, {'structure': 'greedy', **paper})
    yield 'people: paper, exact', Fit(people, {'structure': 'exact', **paper})
    yield 'people: mbi', Fit(people, {'structure': 'greedy', 'estimator': 'mbi'})


def _notions(people: Table, census: Table) -> Iterator[tuple[str, Fit]]:
    free = {'unlabelled': 'free'}
    parity = demographic_parity(['sex'], ['promoted'])
    odds = equalized_odds(['c00'], decision=['c03'], label=['flag'])
    several = justifiable(['c00'], {'c03': ['c01'], 'flag': ['c02', 'c06']})
    yield 'people: parity', Fit(people, {'fairness': parity, **free}, roles=False)
    yield 'census: odds', Fit(census, {'fairness': odds, 'structure': 'aim', **free}, roles=False)
    yield 'census: several', Fit(census, {'fairness': several}, roles=False)
    both = [Independent(['c00'], ['c03'], ['c01']), Independent(['c05'], ['flag'], ['c02'])]
    given = {'fairness': both, 'structure': 'exact', 'unlabelled': 'apart'}
    yield 'census: two, exact', Fit(census, given, roles=False)
    yield 'people: free', Fit(people, free)
    without = PlannedStrategy(UnconstrainedStrategy())
    yield 'census: planned without roles', Fit(census, {'structure': without}, roles=False)
    aim = AimStrategy(AdaptiveStrategy(), max_cells=2000)
    yield 'census: aim, adaptive', Fit(census, {'structure': aim, 'epsilon': 3.0})
    bayes = PrivBayesStrategy(theta=1.0, max_triples=50)
    yield 'people: privbayes, small', Fit(people, {'structure': bayes, 'epsilon': 10.0})
    yield 'people: mwem, six', Fit(people, {'structure': MwemStrategy(rounds=6), 'epsilon': 5.0})


def _learnt(table: Table) -> Iterator[tuple[str, Fit]]:
    unknown = {'public_ranges': False, 'epsilon': 3.0}
    yield 'learnt: planned', Fit(table, unknown)
    other = {'country': 'elsewhere', 'floor': -1}
    yield 'learnt: greedy', Fit(table, {**unknown, 'structure': 'greedy', 'other': other})
    known = {'age': {'range_min': 0, 'range_max': 99}, 'sex': {'range_values': ['f', 'm']}}
    spikes = {'gain': [0], 'age': [40]}
    yield 'learnt: in part', Fit(table, {**unknown, 'domain': known, 'spikes': spikes})
    yield 'learnt: without other', Fit(table, {**unknown, 'other': None, 'structure': 'mwem'})
    yield 'learnt: arrow', Fit(table, unknown, DOORS['arrow'])


def _persons(table: Table) -> Iterator[tuple[str, Fit]]:
    persons = {'person_column': 'person', 'max_rows_per_person': 2, 'epsilon': 3.0}
    even = {**persons, 'discretization': 'uniform'}
    yield 'visits: persons', Fit(table, persons)
    yield 'visits: persons, greedy', Fit(table, {**persons, 'structure': 'greedy'})
    yield 'visits: three rows', Fit(table, {'max_rows_per_person': 3})
    for name in ('parquet', 'streamed', 'stays'):
        yield f'visits: persons, {name}', Fit(table, even, DOORS[name])


def _odd(table: Table) -> Iterator[tuple[str, Fit]]:
    yield 'odd: planned', Fit(table, {'epsilon': 5.0})
    yield 'odd: adaptive', Fit(table, {'structure': 'adaptive', 'look_for_copies': False})
    rising = (Inequality('low', 'high'),)
    yield 'odd: inequality', Fit(table, {}, constraints=rising)
    combined = PublicCombinations(['side', 'size'], [('left', 0.5), ('right', 1.5)])
    several = (Inequality('low', 'high', strict_boundaries=True), combined)
    yield 'odd: two constraints', Fit(table, {'structure': 'aim'}, constraints=several)


def _by_path(name: str) -> Door:
    def door(synthesizer: PreFairSynthesizer, table: Table, folder: Path) -> None:
        path = folder / f'{table.name}.{name}'
        if name == 'csv':
            table.frame.to_csv(path, index=False)
        else:
            parquet.write_table(table.arrow, path, row_group_size=500)
        synthesizer.fit_table(str(path))

    return door


def _relation(synthesizer: PreFairSynthesizer, table: Table, _: Path) -> None:
    with _database(table) as database:
        synthesizer.fit_table(database.con.table(table.name))


def _by_ibis(rows_stay: bool) -> Door:
    def door(synthesizer: PreFairSynthesizer, table: Table, _: Path) -> None:
        with _database(table) as database:
            synthesizer.fit_table(database.table(table.name), rows_stay=rows_stay)

    return door


@contextmanager
def _database(table: Table) -> Generator[Any, None, None]:
    database = ibis.duckdb.connect()
    try:
        _create(database.con, table)
        yield database
    finally:
        database.disconnect()


def _answers(synthesizer: PreFairSynthesizer, table: Table, _: Path) -> None:
    """Run the queries for every histogram, with codes that are known before anything is counted."""
    with duckdb.connect() as database:
        _create(database, table)
        queries = synthesizer.count_queries()
        answers = {clique: database.sql(sql).df() for clique, sql in queries.items()}
    synthesizer.fit_counts(answers)


def _create(database: duckdb.DuckDBPyConnection, table: Table) -> None:
    """Create the table; dates that are texts become timestamps, which a database can count."""
    dates = [
        column
        for column, facts in table.columns.items()
        if facts['sdtype'] == 'datetime' and table.frame[column].dtype == object
    ]
    casts = ', '.join(f'"{column}"::TIMESTAMP AS "{column}"' for column in dates)
    what = f'* REPLACE ({casts})' if casts else '*'
    database.register('given', table.arrow)
    database.execute(f'CREATE TABLE {table.name} AS SELECT {what} FROM given')


def _preprocessed(synthesizer: PreFairSynthesizer, table: Table, _: Path) -> None:
    synthesizer.fit_processed_data(synthesizer.preprocess({table.name: table.frame}))


DOORS: dict[str, Door] = {
    'arrow': lambda synthesizer, table, _: synthesizer.fit_table(table.arrow),
    'csv': _by_path('csv'),
    'parquet': _by_path('parquet'),
    'relation': _relation,
    'streamed': _by_ibis(rows_stay=False),
    'stays': _by_ibis(rows_stay=True),
    'preprocessed': _preprocessed,
    'answers': _answers,
}
"""How rows come in, besides a frame."""
