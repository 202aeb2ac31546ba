"""Private-PGM by mbi: the estimator for graphs that are not chordal, or on request.

Everything here runs in double precision inside a context of its own, so JAX's global settings
stay unchanged. The first call in a process compiles for seconds.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from types import ModuleType
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np

from sdv_prefair.fairness._predicate import markov_graph
from sdv_prefair.model._forest_solver import Progress
from sdv_prefair.model._junction import Clique, arrange
from sdv_prefair.model._measurement import Domain, Measurement
from sdv_prefair.model._sampling import CliqueTable

if TYPE_CHECKING:
    import mbi

# -- Imports mbi only when something needs it ------------------------------------------------------
#
# mbi imports JAX, which takes seconds and hundreds of megabytes that the direct solver does
# without. Nothing in this package may import either at the top of a file.


def load_mbi() -> ModuleType:
    """Return the mbi package, imported without its warnings about JAX's settings.

    mbi warns, on import, about single precision (``double_precision`` sees to it) and about
    JAX's compilation cache (which does nothing unless the user names a directory).
    """
    with warnings.catch_warnings():
        warnings.filterwarnings('ignore', message='JAX', category=UserWarning)
        import mbi
    package: ModuleType = mbi
    return package


def double_precision() -> AbstractContextManager[object]:
    """Return a context in which JAX computes in float64.

    Single precision rounds counts above 2^24 and stalls at a higher loss. JAX's own switch is
    global to the process; this context holds for the calling thread until it is left, so the
    user's other JAX programs keep their precision.
    """
    import jax

    context: AbstractContextManager[object] = jax.enable_x64(True)
    return context


# -- Private-PGM by mbi: the estimator for graphs that are not chordal, or on request --------------

# The number that PreFair's authors use for the final model.
ITERATIONS = 5000
_SMALLEST_LOGARITHM = -700.0


def fit_with_mbi(
    measurements: Sequence[Measurement],
    domain: Domain,
    cliques: Sequence[Clique],
    total: float,
    iterations: int = ITERATIONS,
    progress: Progress | None = None,
) -> list[CliqueTable]:
    """Estimate the distributions of a junction tree's cliques by mirror descent.

    Paper: last step of Greedy-PreFair and Exponential-PreFair, Private-PGM's estimate.
    Privacy: post-processing of released values.

    Args:
        measurements: The columns of each are contained in some clique.
        domain: Number of codes of every column.
        cliques: The maximal cliques of the Markov graph, chordal or not.
        total: Number of rows.
        iterations: Steps of mirror descent.
        progress: Called with the number of iterations done.
    """
    mbi = load_mbi()
    with double_precision():
        mbi_domain = mbi.Domain.fromdict(domain)
        fitted = mbi.estimation.MirrorDescent().estimate(
            mbi_domain,
            [measurement.to_mbi() for measurement in measurements],
            known_total=total,
            iters=iterations,
            callback_fn=_counting(progress, mbi.estimation.CALLBACK_EVERY),
        )
        places = arrange(_chordal_cliques(mbi, mbi_domain, cliques))
        potentials = fitted.potentials.expand([place.clique for place in places])
        beliefs = mbi.marginal_oracles.message_passing_shafer_shenoy(potentials)
        tables = [np.asarray(beliefs[place.clique].values, dtype=float) for place in places]
    return [
        CliqueTable(*place, np.maximum(table, 0.0) / table.sum())
        for place, table in zip(places, tables, strict=True)
    ]


def as_markov_random_field(
    domain: Domain, nodes: Sequence[CliqueTable], total: float
) -> mbi.MarkovRandomField:
    """Return a junction tree as mbi's model, with potentials that reproduce its tables."""
    mbi = load_mbi()
    with double_precision():
        mbi_domain = mbi.Domain.fromdict(domain)
        with np.errstate(divide='ignore'):
            logarithms = [
                np.maximum(np.log(node.conditional()), _SMALLEST_LOGARITHM) for node in nodes
            ]
        counts = [total * node.table for node in nodes]
        return mbi.MarkovRandomField(
            potentials=_clique_vector(mbi, mbi_domain, nodes, logarithms),
            marginals=_clique_vector(mbi, mbi_domain, nodes, counts),
            total=total,
        )


def _clique_vector(
    mbi: ModuleType,
    domain: mbi.Domain,
    nodes: Sequence[CliqueTable],
    tables: Sequence[np.ndarray],
) -> mbi.CliqueVector:
    import jax.numpy as jnp

    factors = {
        node.columns: mbi.Factor(domain.project(node.columns), jnp.asarray(table))
        for node, table in zip(nodes, tables, strict=True)
    }
    return mbi.CliqueVector(domain, list(factors), factors)


def _chordal_cliques(
    mbi: ModuleType, domain: mbi.Domain, cliques: Sequence[Clique]
) -> list[Clique]:
    """Return the maximal cliques of the triangulated Markov graph; a chordal one is unchanged.

    mbi's elimination order may add fill-in edges to a chordal graph too, which would make columns
    dependent that were not chosen to be.
    """
    if nx.is_chordal(markov_graph(cliques)):
        return list(cliques)
    tree, _ = mbi.junction_tree.make_junction_tree(domain, cliques)
    return sorted(tree.nodes, key=domain.axes)


def _counting(progress: Progress | None, every: int) -> Callable[[object], None] | None:
    if progress is None:
        return None
    done = 0

    def after_block(_: object) -> None:
        nonlocal done
        done += every
        progress(done)

    return after_block
