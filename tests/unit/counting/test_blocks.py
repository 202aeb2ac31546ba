"""Blocks contain every histogram once, stay small, and give the counts of the rows.

About ``_sql.py``.
"""

import itertools
import math

import ibis
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.counting._sql import blocks_of, histograms, together_sql

LARGEST = 65_536


def stored(connection, columns):
    """Return a table of integers in a database."""
    connection.con.execute(
        f'CREATE TABLE t ({", ".join(f"c{n} INT" for n in range(len(columns)))})'
    )
    rows = [[int(code) for code in row] for row in zip(*columns, strict=True)]
    connection.con.executemany(f'INSERT INTO t VALUES ({", ".join("?" * len(columns))})', rows)
    return connection.table('t')


@st.composite
def declared(draw):
    """Return cliques of up to three columns, in any order of their columns, and sizes."""
    sizes = draw(st.lists(st.sampled_from([1, 2, 5, 33, 400, 70_000]), min_size=1, max_size=9))
    columns = st.integers(0, len(sizes) - 1)
    cliques = st.lists(columns, min_size=1, max_size=3, unique=True).map(tuple)
    return draw(st.lists(cliques, min_size=1, max_size=40, unique=True)), sizes


@given(declared())
def test_every_clique_is_in_exactly_one_block(given_cliques):
    cliques, sizes = given_cliques
    blocks = blocks_of(cliques, sizes)
    assert sorted(c for block in blocks for c in block.cliques) == sorted(cliques)
    for block in blocks:
        assert block.cliques
        assert all({*clique} <= {*block.columns} for clique in block.cliques)


@given(declared())
def test_a_block_is_small_or_a_clique(given_cliques):
    cliques, sizes = given_cliques
    for block in blocks_of(cliques, sizes):
        is_clique = {*block.columns} in [{*clique} for clique in cliques]
        assert is_clique or math.prod(sizes[column] for column in block.columns) <= LARGEST


@pytest.mark.parametrize(
    ('sizes', 'most'),
    [([2] * 16, 1), ([2] * 17, 3), ([33] * 15, 36), ([16, 9, 16, 7, 15, 6, 5, 2, 20, 10], 10)],
)
def test_far_fewer_blocks_than_pairs(sizes, most):
    pairs = list(itertools.combinations(range(len(sizes)), 2))
    assert len(blocks_of(pairs, sizes)) <= most < len(pairs)


@pytest.mark.parametrize('engine', ['duckdb', 'sqlite'])
@given(data=st.data())
def test_histograms_are_those_of_the_rows(engine, data):
    cliques, sizes = data.draw(declared())
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    rows = [rng.integers(0, min(size, 7), 50) for size in sizes]
    table = stored(getattr(ibis, engine).connect(), rows)
    counted = dict(histograms(table.mutate(c0=table['c0'] + 0), cliques, sizes))
    assert counted.keys() == {*cliques}
    for clique, (found, counts) in counted.items():
        cells, expected = np.unique(
            np.stack([rows[column] for column in clique]), axis=1, return_counts=True
        )
        order = np.lexsort(found[::-1])
        assert (np.stack(found)[:, order] == cells).all()
        assert (counts[order] == expected).all()
    table.get_backend().disconnect()


def test_only_declared_histograms_leave_the_database():
    table = stored(ibis.duckdb.connect(), [[0, 1]] * 4)
    pairs = [(0, 1), (1, 2), (2, 3)]
    (block,) = blocks_of(pairs, [2] * 4)
    answer = table.get_backend().con.execute(together_sql(table, [block])).fetchall()
    assert {row[0] for row in answer} == {0, 1, 2}
    assert {len(row) for row in answer} == {4}  # its number, the count, and two codes


@pytest.mark.parametrize('engine', ['duckdb', 'sqlite'])
def test_one_block_may_hold_more_histograms_than_one_query(engine):
    """SQLite puts no more than 500 together."""
    table = stored(getattr(ibis, engine).connect(), [[0, 1]] * 16)
    triples = list(itertools.combinations(range(16), 3))
    (block,) = blocks_of(triples, [2] * 16)
    assert len(block.cliques) == 560
    counted = dict(histograms(table.mutate(c0=table['c0'] + 0), triples, [2] * 16))
    assert counted.keys() == {*triples}
    assert all(counts.tolist() == [1, 1] for _, counts in counted.values())


def test_no_histograms_are_no_query():
    table = stored(ibis.duckdb.connect(), [[0, 1]])
    assert list(histograms(table, [], [2])) == []
