"""Problems with a known answer: random graphs, noisy tables of them, and joint-space oracles."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from sdv_prefair.model import Measurement


class Forest:
    """A random distribution that is Markov on a forest, and noisy measurements of it."""

    def __init__(self, sizes, parents, total, seed):
        self.rng = np.random.default_rng(seed)
        self.domain = {f'c{i}': size for i, size in enumerate(sizes)}
        self.names = list(self.domain)
        self.total = total
        self.edges = []
        self.truth = {}
        for i, name in enumerate(self.names):
            parent = parents[i - 1] if i else None
            if parent is None:
                self.truth[name,] = self.rng.dirichlet(np.full(sizes[i], 0.7))
            else:
                edge = (self.names[parent], name)
                rows = self.rng.dirichlet(np.full(sizes[i], 0.7), size=sizes[parent])
                self.truth[edge] = self.truth[edge[:1]][:, None] * rows
                self.truth[name,] = self.truth[edge].sum(axis=0)
                self.edges.append(edge)

    def measure(self, columns, stddev):
        expected = self.total * self.truth[tuple(columns)]
        noise = stddev * self.rng.normal(size=expected.shape)
        return Measurement(tuple(columns), expected + noise, stddev)

    def measure_all(self, one_way, two_way):
        return [self.measure((name,), one_way) for name in self.names] + [
            self.measure(edge, two_way) for edge in self.edges
        ]


class Chordal:
    """A random chordal graph, a random joint distribution, and noisy measurements of it.

    Each column joins some columns of a clique before it, or stands alone: that gives every
    chordal graph and no other.
    """

    def __init__(self, sizes, seed, total=1000.0, join=(0, 1, 2, 3)):
        self.rng = np.random.default_rng(seed)
        self.domain = {f'c{i}': size for i, size in enumerate(sizes)}
        self.names = list(self.domain)
        self.total = total
        self.joint = self.rng.dirichlet(np.full(np.prod(sizes), 0.7)).reshape(sizes)
        cliques = []
        for i in range(len(sizes)):
            near = cliques[self.rng.integers(len(cliques))] if cliques else ()
            count = min(self.rng.choice(join), len(near))
            new = (*sorted(self.rng.permutation(near)[:count].astype(int)), i)
            cliques = [clique for clique in cliques if not set(clique) < set(new)] + [new]
        self.cliques = [tuple(self.names[i] for i in clique) for clique in cliques]
        self.pairs = sorted({p for c in self.cliques for p in itertools.combinations(c, 2)})

    def marginal(self, columns):
        return sum_joint(self.joint, self.names, columns)

    def measure(self, columns, stddev):
        expected = self.total * self.marginal(columns)
        noise = stddev * self.rng.normal(size=expected.shape)
        return Measurement(tuple(columns), expected + noise, stddev)

    def measure_all(self, one_way, two_way):
        return [self.measure((name,), one_way) for name in self.names] + [
            self.measure(pair, two_way) for pair in self.pairs
        ]


def sum_joint(joint, names, columns):
    """Sum a table over ``names`` to some of them, in the order asked for."""
    return np.einsum(joint, range(len(names)), [names.index(column) for column in columns])


def multiply(factors, names):
    """Multiply tables, given with their columns, to one over ``names``."""
    arguments = []
    for columns, table in factors:
        arguments += [table, [names.index(column) for column in columns]]
    return np.einsum(*arguments, range(len(names)))


@pytest.fixture(scope='session')
def make_forest():
    return Forest


@pytest.fixture(scope='session')
def make_chordal():
    return Chordal


@pytest.fixture(scope='session')
def summed():
    return sum_joint


@pytest.fixture(scope='session')
def multiplied():
    return multiply


@pytest.fixture(scope='session')
def joint_least_squares():
    """Solve the least squares over all joint distributions, knowing nothing of trees."""

    def solve(measurements, domain, total):
        cells = np.array(list(itertools.product(*(range(size) for size in domain.values()))))
        blocks, targets = [], []
        for measurement in measurements:
            axes = [list(domain).index(column) for column in measurement.columns]
            shape = measurement.values.shape
            index = np.ravel_multi_index(cells[:, axes].T, shape)
            indicator = index == np.arange(measurement.values.size)[:, None]
            stddev = np.broadcast_to(measurement.stddev, shape).ravel()[:, None]
            blocks.append(total * indicator / stddev)
            targets.append(measurement.values.ravel() / stddev[:, 0])
        design, target = np.vstack(blocks), np.concatenate(targets)
        # SLSQP gives up at the start where the objective is steep.
        scale = np.abs(design).max()
        design, target = design / scale, target / scale
        found = minimize(
            lambda p: 0.5 * np.sum((design @ p - target) ** 2),
            np.full(len(cells), 1 / len(cells)),
            jac=lambda p: design.T @ (design @ p - target),
            bounds=[(0, 1)] * len(cells),
            constraints={'type': 'eq', 'fun': lambda p: p.sum() - 1, 'jac': np.ones_like},
            method='SLSQP',
            options={'ftol': 1e-14, 'maxiter': 2000},
        )
        assert found.success, found.message
        return found.fun * scale**2, found.x.reshape(tuple(domain.values()))

    return solve
