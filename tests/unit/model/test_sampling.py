import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest

from sdv_prefair.model._sampling import (
    AncestralSampler,
    CliqueTable,
    condition,
    soften,
    spread_evenly,
)


def chain(seed, sizes, concentration=0.6):
    """A random chain a - b - c ... as a junction tree, and its joint distribution."""
    rng = np.random.default_rng(seed)
    names = 'abcdefgh'[: len(sizes)]
    joint = rng.dirichlet(np.full(sizes[0], concentration))
    nodes, last = [], joint
    for i in range(1, len(sizes)):
        rows = rng.dirichlet(np.full(sizes[i], concentration), size=sizes[i - 1])
        table = last[:, None] * rows
        separator, parent = ((names[i - 1],), i - 2) if i > 1 else ((), None)
        nodes.append(CliqueTable((names[i - 1], names[i]), separator, parent, table))
        joint = joint[..., None] * rows
        last = table.sum(axis=0)
    return nodes, joint


def joint_of(nodes, sizes):
    """Multiply out the conditional tables of a chain, by hand."""
    found = np.empty(sizes)
    for cell in itertools.product(*map(range, sizes)):
        value = 1.0
        for node in nodes:
            values = tuple(cell['abcdefgh'.index(column)] for column in node.columns)
            value *= node.conditional()[values]
        found[cell] = value
    return found


@given(st.integers(0, 10**6), st.lists(st.integers(1, 4), min_size=2, max_size=5), st.data())
def test_conditioning_is_bayes_rule(seed, sizes, data):
    nodes, joint = chain(seed, sizes)
    asked = data.draw(st.sets(st.integers(0, len(sizes) - 1), min_size=1))
    evidence = {'abcdefgh'[i]: data.draw(st.integers(0, sizes[i] - 1)) for i in asked}
    given_cells = tuple(
        slice(evidence['abcdefgh'[i]], evidence['abcdefgh'[i]] + 1) if i in asked else slice(None)
        for i in range(len(sizes))
    )
    expected = joint[given_cells] / joint[given_cells].sum()

    conditioned = condition(nodes, evidence)
    np.testing.assert_allclose(joint_of(conditioned, expected.shape), expected, atol=1e-9)


def test_conditioning_on_nothing_changes_nothing():
    nodes, _ = chain(0, [2, 3])

    assert condition(nodes, {}) == nodes


def test_impossible_evidence_names_its_columns():
    table = np.array([[0.5, 0.0], [0.25, 0.25]])
    nodes = [CliqueTable(('a', 'b'), (), None, table)]
    with pytest.raises(ValueError, match=r"\['a', 'b'\]"):
        condition(nodes, {'a': 0, 'b': 1})


def test_softening_leaves_nothing_impossible_and_stays_consistent():
    first = CliqueTable(('a', 'b'), (), None, np.array([[0.6, 0.0, 0.0], [0.0, 0.4, 0.0]]))
    second = CliqueTable(('b', 'c'), ('b',), 0, np.array([[0.6, 0.0], [0.1, 0.3], [0.0, 0.0]]))
    soft = soften([first, second])

    for before, after in zip([first, second], soft, strict=True):
        assert (after.table > 0).all()
        np.testing.assert_allclose(after.table, before.table, atol=1e-11)
    np.testing.assert_allclose(soft[0].sum_to(['b']), soft[1].sum_to(['b']), rtol=1e-12)
    for cell in itertools.product(range(2), range(3), range(2)):
        given_soft = condition(soft, dict(zip('abc', cell, strict=True)))
        assert all(np.isfinite(node.table).all() for node in given_soft)


def test_many_conflicting_pieces_of_evidence_do_not_underflow():
    """Forty leaves that all contradict their centre: the product is far below 1e-308."""
    nodes = []
    for i in range(40):
        separator, parent = ((), None) if i == 0 else (('centre',), 0)
        table = np.array([[0.5, 0.0], [0.0, 0.5]])
        nodes.append(CliqueTable(('centre', f'leaf{i}'), separator, parent, table))
    evidence = {f'leaf{i}': i % 2 for i in range(40)}
    drawn = AncestralSampler(condition(soften(nodes), evidence)).draw(
        4000, np.random.default_rng(0)
    )

    assert drawn['centre'].mean() == pytest.approx(0.5, abs=0.05)


@given(st.integers(0, 10**6), st.lists(st.integers(1, 70), min_size=2, max_size=4))
def test_only_cells_of_positive_probability_are_drawn(seed, sizes):
    nodes, _ = chain(seed, sizes, concentration=0.02)
    rows = AncestralSampler(nodes).draw(300, np.random.default_rng(seed))

    for node in nodes:
        cells = tuple(rows[column] for column in node.columns)
        assert (node.table[cells] > 0).all()


@given(st.integers(0, 10**6), st.integers(1, 200), st.integers(1, 30))
def test_draws_invert_the_cumulative_distribution(seed, size, rows):
    """The guide table is a shortcut: it must give what a plain search gives."""
    rng = np.random.default_rng(seed)
    table = rng.dirichlet(np.full(size, 0.05), size=rows) / rows
    node = CliqueTable(('a', 'b'), (), None, table)
    drawn = AncestralSampler([node]).draw(200, np.random.default_rng(seed))

    stream = np.random.default_rng(seed)
    if rows > 1:
        uniform = spread_evenly(np.zeros(200, dtype=int), stream)
        cumulative = np.cumsum(table.sum(axis=1))
        np.testing.assert_array_equal(
            drawn['a'], np.searchsorted(cumulative / cumulative[-1], uniform, side='right')
        )
    if size > 1:
        uniform = spread_evenly(drawn['a'].astype(int), stream)
        cumulative = np.cumsum(table, axis=1)[drawn['a']]
        expected = (cumulative / cumulative[:, -1:] <= uniform[:, None]).sum(axis=1)
        np.testing.assert_array_equal(drawn['b'], expected)


@given(st.integers(0, 10**6), st.lists(st.integers(0, 40), min_size=1, max_size=5))
def test_spread_draws_fall_once_into_every_part_of_their_group(seed, counts):
    group = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(counts)), counts))
    uniform = spread_evenly(group, np.random.default_rng(seed))

    assert ((uniform >= 0) & (uniform < 1)).all()
    for number, count in enumerate(counts):
        parts = np.floor(uniform[group == number] * count + 1e-9)
        assert sorted(parts) == list(range(count))


def test_a_spread_draw_alone_is_uniform_and_blind_to_the_other_groups():
    """Each position by itself, over many repetitions; a fixed offset or order would be found."""
    rng = np.random.default_rng(0)
    group = np.array([0, 0, 0, 1, 1])
    draws = np.array([spread_evenly(group, rng) for _ in range(20_000)])

    for position in range(len(group)):
        assert kstest(draws[:, position], 'uniform').pvalue > 1e-3
    correlation = np.corrcoef(draws.T)
    assert np.abs(correlation[:3, 3:]).max() < 0.03
    assert kstest(np.sort(draws[:, :3], axis=1)[:, 0] * 3, 'uniform').pvalue > 1e-3


@given(st.integers(0, 10**6), st.lists(st.integers(2, 6), min_size=2, max_size=4))
def test_counts_stray_from_the_model_by_less_than_a_row_a_value(seed, sizes):
    nodes, _ = chain(seed, sizes)
    rows = AncestralSampler(nodes).draw(5000, np.random.default_rng(seed))

    for node in nodes:
        counts = np.zeros(node.table.shape)
        np.add.at(counts, tuple(rows[column] for column in node.columns), 1)
        expected = node.table / node.table.sum(axis=1, keepdims=True) * counts.sum(1)[:, None]
        drawn = counts.sum(axis=1) > 0
        assert np.abs(counts - expected)[drawn].max() < 1 + 1e-6


def test_rows_past_one_chunk_are_drawn_like_the_others():
    nodes, joint = chain(4, [3, 4])
    rows = AncestralSampler(nodes).draw(150_000, np.random.default_rng(0))
    tail = np.zeros((3, 4))
    np.add.at(tail, (rows['a'][131_072:], rows['b'][131_072:]), 1)

    assert np.abs(tail / tail.sum() - joint).sum() < 0.05


def test_a_separator_of_two_columns_may_stand_in_any_order():
    rng = np.random.default_rng(0)
    joint = rng.dirichlet(np.ones(24)).reshape(2, 3, 2, 2)
    joint = joint.sum(3)[..., None] * (joint.sum(0) / joint.sum((0, 3))[..., None])  # a | d : b, c
    nodes = [
        CliqueTable(('a', 'b', 'c'), (), None, joint.sum(3)),
        CliqueTable(('d', 'c', 'b'), ('c', 'b'), 0, joint.sum(0).transpose(2, 1, 0)),
    ]
    weights = condition(nodes, {'d': 1})[0].table

    expected = joint[..., 1]
    np.testing.assert_allclose(weights / weights.sum(), expected / expected.sum())
