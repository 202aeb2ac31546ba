"""About ``_sampling.py``."""

import itertools

import numpy as np
import pytest
from scipy.stats import chisquare

from sdv_prefair.model import Compression, GraphicalModel
from sdv_prefair.model._junction import arrange
from sdv_prefair.model._sampling import CliqueTable, draw_given

SIZES = {'a': 3, 'b': 4, 'c': 2, 'd': 3, 'lone': 2}
TREE = [('a', 'b'), ('b', 'c'), ('b', 'd'), ('lone',)]
WIDE = [('a', 'b', 'c'), ('b', 'd'), ('lone',)]


def random_model(cliques, seed=0):
    """Return a junction tree and its joint distribution, multiplied out."""
    rng = np.random.default_rng(seed)
    nodes, joint = [], np.ones(tuple(SIZES.values()))
    names = list(SIZES)
    for place in arrange(cliques):
        own = [c for c in place.clique if c not in place.separator]
        shape = [SIZES[c] for c in (*place.separator, *own)]
        split = int(np.prod(shape[: len(place.separator)]))
        conditional = rng.dirichlet(np.full(int(np.prod(shape)) // split, 0.7), split).reshape(
            shape
        )
        order = (*place.separator, *own)
        axes = [order.index(c) for c in names if c in order]
        spread = np.expand_dims(
            conditional.transpose(axes), [i for i, c in enumerate(names) if c not in order]
        )
        joint = joint * spread
        nodes.append((place, order))
    tables = [
        CliqueTable(
            place.clique,
            place.separator,
            place.parent,
            joint.sum(
                axis=tuple(i for i, c in enumerate(names) if c not in place.clique)
            ).transpose([[c for c in names if c in place.clique].index(c) for c in place.clique]),
        )
        for place, _ in nodes
    ]
    return tables, joint


@pytest.mark.parametrize('cliques', [TREE, WIDE])
@pytest.mark.parametrize('columns', [('c',), ('a', 'd'), ('b',), ('a', 'c', 'lone'), ('d', 'lone')])
def test_rows_follow_the_conditional_distribution_of_their_own_line(cliques, columns):
    """Every kind of line at once, mixed up; chi-squared against the joint distribution."""
    nodes, joint = random_model(cliques)
    names, each = list(SIZES), 20_000
    kinds = list(itertools.product(*(range(SIZES[c]) for c in columns)))[:6]
    order = np.random.default_rng(1).permutation(np.repeat(np.arange(len(kinds)), each))
    lines = np.array(kinds)[order]
    evidence = dict(zip(columns, lines.T, strict=True))
    rows = draw_given(nodes, evidence, np.random.default_rng(2))
    for column in columns:
        assert (rows[column] == evidence[column]).all()
    others = [c for c in names if c not in columns]
    for number, kind in enumerate(kinds):
        cells = tuple(kind[columns.index(c)] if c in columns else slice(None) for c in names)
        law = joint[cells].ravel() / joint[cells].sum()
        flat = np.ravel_multi_index(
            [rows[c][order == number] for c in others], [SIZES[c] for c in others]
        )
        observed = np.bincount(flat, minlength=law.size)
        rare = law * each < 5
        observed = np.append(observed[~rare], observed[rare].sum())
        expected = np.append(law[~rare], law[rare].sum()) * each
        kept = expected > 1
        p_value = chisquare(
            observed[kept], expected[kept] * observed[kept].sum() / expected[kept].sum()
        ).pvalue
        assert p_value > 1e-5
        unconditional = joint.sum(axis=tuple(names.index(c) for c in columns)).ravel()
        if np.abs(unconditional - law).sum() > 0.2:
            assert np.abs(np.bincount(flat, minlength=law.size) / each - unconditional).sum() > 0.1


def test_many_more_lines_than_a_chunk():
    nodes, joint = random_model(TREE)
    codes = np.random.default_rng(3).integers(0, 4, 20_000)
    rows = draw_given(nodes, {'b': codes}, np.random.default_rng(4))
    assert {len(values) for values in rows.values()} == {20_000}
    given = joint.sum(axis=(2, 3, 4))
    for code in range(4):
        share = np.bincount(rows['a'][codes == code], minlength=3) / (codes == code).sum()
        assert share == pytest.approx(given[:, code] / given[:, code].sum(), abs=0.03)


def test_evidence_of_probability_zero_has_an_answer():
    table = np.array([[0.5, 0.0], [0.5, 0.0]])
    rows = draw_given(
        [CliqueTable(('a', 'b'), (), None, table)],
        {'b': np.array([1, 0, 1])},
        np.random.default_rng(0),
    )
    assert rows['b'].tolist() == [1, 0, 1]
    assert set(rows['a']) <= {0, 1}


def test_merged_codes_can_be_asked_for():
    nodes = [CliqueTable(('a', 'b'), (), None, np.array([[0.4, 0.1], [0.1, 0.4]]))]
    merged = Compression(np.array([0, 1, 1]), np.array([1.0, 0.25, 0.75]))
    model = GraphicalModel({'a': 2, 'b': 2}, [('a', 'b')], nodes, 10, (), {'a': merged})
    model.set_random_state(0)
    rows = model.sample_given({'a': np.array([2] * 500 + [0] * 500)})
    assert (rows['a'] == np.array([2] * 500 + [0] * 500)).all()
    assert rows['b'][:500].mean() > 0.7 > 0.3 > rows['b'][500:].mean()
    rows = model.sample_given({'b': np.ones(4000, dtype=int)})
    assert np.bincount(rows['a'], minlength=3)[1:] / 4000 == pytest.approx([0.2, 0.6], abs=0.04)
