import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.counting import Accumulator, count_codes
from sdv_prefair.counting._worker_counts import CHUNK_ROWS
from sdv_prefair.errors import DomainError, StructureError

DOMAIN = {'a': 3, 'b': 4, 'wide': 70_000, 'c': 2}


def table(num_rows, seed=0):
    rng = np.random.default_rng(seed)
    return {column: rng.integers(0, size, num_rows) for column, size in DOMAIN.items()}


def by_hand(codes, clique):
    histogram = np.zeros([DOMAIN[column] for column in clique], dtype=np.int64)
    for row in zip(*(codes[column] for column in clique), strict=True):
        histogram[row] += 1
    return histogram


@given(st.integers(0, 300), st.integers(0, 10))
def test_histograms_are_exact_dense_and_sparse(num_rows, seed):
    codes = table(num_rows, seed)
    cliques = [('a',), ('wide',), ('a', 'b'), ('wide', 'c'), ('c', 'a', 'b')]
    counts = count_codes(codes, DOMAIN, cliques)
    for clique in cliques:
        assert (counts.project(clique) == by_hand(codes, clique)).all()
        assert counts.project(clique).dtype == np.int64


@given(st.lists(st.integers(0, 200), max_size=5))
def test_chunks_add_up(cuts):
    codes = table(200)
    cliques = [('a', 'b'), ('wide', 'c')]
    accumulator = Accumulator(DOMAIN, cliques)
    edges = [0, *sorted(cuts), 200]
    for start, end in zip(edges[:-1], edges[1:], strict=True):
        accumulator.add({column: values[start:end] for column, values in codes.items()})
    whole = count_codes(codes, DOMAIN, cliques)
    for clique in cliques:
        assert (accumulator.counts().project(clique) == whole.project(clique)).all()


def test_more_rows_than_a_chunk(monkeypatch):
    codes = table(CHUNK_ROWS + 10)
    counts = count_codes(codes, DOMAIN, [('a', 'b')])
    assert counts.project(('a', 'b')).sum() == CHUNK_ROWS + 10
    assert (
        counts.project(('a', 'b'))
        == np.histogram2d(codes['a'], codes['b'], bins=[3, 4], range=[[0, 3], [0, 4]])[0]
    ).all()


def test_small_code_types_do_not_overflow():
    codes = {'x': np.full(300, 200, dtype=np.uint8), 'y': np.full(300, 201, dtype=np.uint8)}
    counts = count_codes(codes, {'x': 250, 'y': 250}, [('x', 'y')])
    assert counts.project(('x', 'y'))[200, 201] == 300


def test_only_declared_cliques_can_be_read():
    counts = count_codes(table(10), DOMAIN, [('a', 'b')])
    with pytest.raises(StructureError, match=r"\['a', 'c'\] was not declared"):
        counts.project(('a', 'c'))


def test_too_large_a_histogram_names_the_columns():
    with pytest.raises(DomainError, match="'x' has 10,000 codes"):
        Accumulator({'x': 10_000, 'y': 10_000}, [('x', 'y')])


@given(st.integers(0, 5))
def test_regrouping_counts_equals_counting_regrouped_codes(seed):
    codes = table(400, seed)
    groups = {
        'a': np.array([0, 1, 1]),
        'wide': np.arange(70_000) % 7,
    }
    cliques = [('a',), ('a', 'b'), ('wide', 'c')]
    regrouped = count_codes(codes, DOMAIN, cliques).regroup(groups)
    new_codes = {c: groups[c][v] if c in groups else v for c, v in codes.items()}
    new_domain = DOMAIN | {'a': 2, 'wide': 7}
    directly = count_codes(new_codes, new_domain, cliques)
    assert regrouped.domain == new_domain
    for clique in cliques:
        assert (regrouped.project(clique) == directly.project(clique)).all()


@pytest.mark.parametrize(
    'groups',
    [
        np.arange(250),
        np.arange(301),
        np.where(np.arange(300) == 299, -1, 0),
        np.zeros(300),
        np.zeros((300, 1), dtype=int),
    ],
    ids=['short', 'long', 'negative', 'floats', 'table'],
)
@pytest.mark.parametrize('last', [0, 299])
def test_rows_do_not_decide_whether_groups_are_refused(groups, last):
    codes = {'a': np.array([0, 1, last]), 'b': np.array([0, 1, 2])}
    counts = count_codes(codes, {'a': 300, 'b': 300}, [('a', 'b')])
    with pytest.raises(ValueError, match='one for each code'):
        counts.regroup({'a': groups})
