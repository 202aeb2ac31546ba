"""Every door gives the fit of ``fit``, to the bit, whatever types and collations do to values."""

import functools

import odd_types
import pytest
from census_doors import assert_same_fit
from neighbours import Recording

pytestmark = pytest.mark.filterwarnings(
    'ignore:seed is given', 'ignore:Nothing of column', 'ignore:fetch_arrow_table'
)
ROWS = odd_types.rows()
DOORS = [('arrow', None)] + [
    (engine, stay)
    for engine in ('duckdb', 'sqlite', 'postgres', 'mariadb')
    for stay in (None, True)
]


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
    arguments = {'structure': 'none', 'public_ranges': is_public, 'seed': 1, 'epsilon': 20.0}
    return Recording(odd_types.metadata(names, is_public), **(arguments | changes))


@functools.cache
def fitted(name, is_public, dtype=None):
    """Return the fit of a frame, with another dtype than that of Arrow's type if there is one."""
    synthesizer = new([name], is_public)
    others = {} if dtype is None else {name: dtype}
    synthesizer.fit({'odd': odd_types.frame(ROWS, **others)[[name]]})
    return synthesizer


@pytest.mark.parametrize('is_public', [True, False], ids=['declared', 'learnt'])
@pytest.mark.parametrize(('engine', 'stay'), DOORS)
def test_every_door_gives_the_fit_of_fit(engine, stay, is_public, table_in):
    table = table_in(engine)
    others = odd_types.SQLITE_DTYPES if engine == 'sqlite' else {}
    for name in odd_types.NAMES:
        if stay and name in refused(engine, is_public):
            continue
        synthesizer = new([name], is_public)
        synthesizer.fit_table(table.select([name]), stay)
        expected = fitted(name, is_public, others.get(name))
        counted, wanted = (s.recorded.project((name,)) for s in (synthesizer, expected))
        assert counted.tolist() == wanted.tolist(), name
        assert_same_fit(synthesizer, expected)
