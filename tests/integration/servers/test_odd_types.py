"""Every door gives the fit of ``fit``, to the bit, whatever types and collations do to values."""

import functools

import odd_types
import pandas as pd
import pytest
from census_doors import assert_same_fit
from neighbours import Recording

pytestmark = pytest.mark.filterwarnings(
    'ignore:seed is given', 'ignore:Nothing of column', 'ignore:fetch_arrow_table'
)
ROWS = odd_types.rows()
DOORS = [('arrow', None)] + [
    (engine, stay) for engine in ('duckdb', 'postgres') for stay in (None, True)
]
SLOW = [('sqlite', True), ('mariadb', None), ('mariadb', True)]
DOORS += [('sqlite', None), *(pytest.param(*door, marks=pytest.mark.slow) for door in SLOW)]


def refused(engine, is_public):
    """Return the columns that a database does not count itself, as it says."""
    moments = {'day', 'moment', 'instant'} if engine == 'sqlite' else set()
    return moments | (set() if is_public else {'instant'})


@pytest.fixture
def table_in(request):
    """Return what stores the rows in an engine."""
    connect = {'postgres': 'open_postgres', 'mariadb': 'open_mariadb'}

    def store(engine):
        if engine == 'arrow':
            return odd_types.arrow_table(ROWS)
        place = getattr(odd_types, f'in_{engine}')
        if engine not in connect:
            return place(ROWS)
        return place(ROWS, request.getfixturevalue(connect[engine])())

    return store


def new(names, is_public=True, **changes):
    arguments = {'structure': 'none', 'public_ranges': is_public, 'seed': 1, 'epsilon': 200.0}
    return Recording(odd_types.metadata(names, is_public), **(arguments | changes))


@functools.cache
def fitted(names, is_public, others=()):
    """Return the fit of a frame; some columns may have other dtypes than those of Arrow's types."""
    synthesizer = new(names, is_public)
    synthesizer.fit({'odd': odd_types.frame(ROWS, **dict(others))[list(names)]})
    return synthesizer


@pytest.mark.slow
@pytest.mark.parametrize('is_public', [True, False], ids=['declared', 'learnt'])
@pytest.mark.parametrize(('engine', 'stay'), DOORS)
def test_every_door_gives_the_fit_of_fit(engine, stay, is_public, table_in):
    left_out = refused(engine, is_public) if stay else set()
    names = tuple(name for name in odd_types.NAMES if name not in left_out)
    synthesizer = new(names, is_public)
    synthesizer.fit_table(table_in(engine).select(list(names)), stay)
    others = odd_types.SQLITE_DTYPES if engine == 'sqlite' else {}
    expected = fitted(names, is_public, tuple(others.items()))
    for name in names:
        counted, wanted = (s.recorded.project((name,)) for s in (synthesizer, expected))
        assert counted.tolist() == wanted.tolist(), name
    assert_same_fit(synthesizer, expected)


@pytest.mark.parametrize(
    'engine', ['duckdb', 'postgres', pytest.param('mariadb', marks=pytest.mark.slow)]
)
def test_so_do_the_queries_for_ones_own_hands(engine, table_in):
    names = ('text', 'folded', 'padded', 'mood', 'flag', 'digit', 'age', 'real', 'moment')
    database = table_in(engine).get_backend()
    dialect = {'mariadb': 'mysql'}.get(engine, engine)
    synthesizer = new(names)
    expected = new(names, discretization='uniform')
    # Metadata that states no decimal places leaves open whether a number is an integer.
    expected.fit({'odd': odd_types.frame(ROWS, age='float64')[list(names)]})
    answers = {
        clique: pd.DataFrame(database.raw_sql(sql).fetchall(), columns=[*clique, 'count'])
        for clique, sql in synthesizer.count_queries(dialect).items()
    }
    synthesizer.fit_counts(answers)
    assert_same_fit(synthesizer, expected)
