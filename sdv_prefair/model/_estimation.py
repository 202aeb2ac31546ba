"""The choice of the estimator for a list of measurements."""

from collections.abc import Mapping, Sequence

import networkx as nx

from sdv_prefair._arrays import Floats
from sdv_prefair.fairness._predicate import markov_graph
from sdv_prefair.model._compression import Compression
from sdv_prefair.model._forest_solver import Progress, solve_forest
from sdv_prefair.model._graphical_model import GraphicalModel
from sdv_prefair.model._junction import Clique, arrange
from sdv_prefair.model._max_entropy import (
    ITERATIONS,
    STATIONARITY,
    Factors,
    fit_chordal,
    fitted_factors,
)
from sdv_prefair.model._measurement import (
    Domain,
    Measurement,
    minimum_variance_total,
    shrink_tables,
)
from sdv_prefair.model._private_pgm import fit_with_mbi
from sdv_prefair.model._sampling import CliqueTable, soften

ESTIMATORS = ('auto', 'mbi')


def estimate(
    measurements: Sequence[Measurement],
    domain: Domain,
    cliques: Sequence[Clique] | None = None,
    *,
    total: float | None = None,
    estimator: str = 'auto',
    compressions: Mapping[str, Compression] | None = None,
    shrink: bool = False,
    iterations: int = ITERATIONS,
    stationarity: float = STATIONARITY,
    progress: Progress | None = None,
    start: Factors | None = None,
) -> GraphicalModel:
    """Estimate the model whose marginals are nearest to the measurements.

    Distance is half the sum of squared residuals, each in units of its noise; for a chordal graph
    that is not a forest, with a penalty that shrinks towards its forest, see ``_max_entropy.py``. A
    column that no clique names is independent of the others; one that was not measured is uniform,
    or as its edges determine.

    Paper: last step of Greedy-PreFair and Exponential-PreFair, Private-PGM's estimate.
    Privacy: post-processing of released values.

    Args:
        measurements: Noisy marginals; the columns of each are contained in some clique.
        domain: Number of codes of every column; of groups, for a column in ``compressions``.
            Its order is the order of the columns.
        cliques: The Markov graph; unless given, the cliques of the measurements.
        total: Number of rows; unless given, the minimum-variance estimate.
        estimator: ``'auto'`` solves forests and other chordal graphs directly and uses mbi for
            everything else, ``'mbi'`` uses mbi for everything.
        compressions: How groups of codes are decoded into codes.
        shrink: Whether to shrink tables that are mostly noise towards independence first, see
            ``_measurement.py``. The model's loss refers to the measurements as given, its gap to
            those that were fitted.
        iterations: The maximum for a chordal graph that is not a forest, if it is solved directly.
        stationarity: How far off cells of such a graph may be at the end, in units of noise and
            sampling error, as a root mean square.
        progress: Called with the number of iterations done.
        start: The result of ``start_of`` for a model of the same tables: for a chordal graph that
            is not a forest, it saves most of the time.
    """
    if estimator not in ESTIMATORS:
        raise ValueError(f"estimator ({estimator!r}) must be 'auto' or 'mbi'.")
    if cliques is None:
        cliques = [measurement.columns for measurement in measurements]
    cliques = _completed(_maximal_cliques(cliques, domain), domain)
    _check_measurements(measurements, domain, cliques)
    if total is None:
        total = minimum_variance_total(measurements)
    fitted = shrink_tables(measurements) if shrink else measurements
    gap = None
    if estimator == 'auto' and _is_forest(cliques):
        estimator = 'direct'
        nodes, gap = _fit_forest(fitted, domain, cliques, total, progress)
    elif estimator == 'auto' and _is_chordal(cliques):
        estimator = 'direct'
        forest = _forest_inside(fitted, domain, total)
        nodes = fit_chordal(
            forest, fitted, cliques, total, iterations, progress, stationarity, start
        )
    else:
        estimator = 'mbi'
        nodes = fit_with_mbi(fitted, domain, cliques, total, progress=progress)
    return GraphicalModel(domain, cliques, nodes, total, measurements, compressions, gap, estimator)


def _fit_forest(
    measurements: Sequence[Measurement],
    domain: Domain,
    cliques: Sequence[Clique],
    total: float,
    progress: Progress | None,
) -> tuple[list[CliqueTable], float]:
    edges = [clique for clique in cliques if len(clique) == 2]
    solution = solve_forest(measurements, domain, edges, total, progress)
    tables: dict[Clique, Floats] = {edge: table for edge, table in solution.edges.items()}
    tables |= {(column,): table for column, table in solution.columns.items()}
    nodes = [CliqueTable(*place, tables[place.clique]) for place in arrange(cliques)]
    return nodes, solution.gap


def start_of(
    model: GraphicalModel, shrink: bool = False, stationarity: float = STATIONARITY
) -> Factors | None:
    """Return the starting point for estimates of the same tables, measured again.

    None unless the model's graph is chordal and not a forest, and was solved directly.

    Privacy: post-processing of released values.

    Args:
        model: The model, with its measurements.
        shrink: As in ``estimate``.
        stationarity: As in ``estimate``.
    """
    if model.estimator != 'direct' or _is_forest(model.cliques):
        return None
    fitted = shrink_tables(model.measurements) if shrink else model.measurements
    merged = {c: compression.num_groups for c, compression in model.compressions.items()}
    forest = _forest_inside(fitted, model.domain | merged, model.total)
    return fitted_factors(forest, fitted, model.cliques, model.total, stationarity)


def _forest_inside(
    measurements: Sequence[Measurement], domain: Domain, total: float
) -> list[CliqueTable]:
    """Return the forest of those pairs that were measured first.

    Softened, so that a cell that noise made zero there can be positive if another table has it.
    """
    pairs = dict.fromkeys(frozenset(m.columns) for m in measurements if len(m.columns) == 2)
    graph: nx.Graph[str] = nx.Graph()
    graph.add_edges_from((i, j, {'weight': place}) for place, (i, j) in enumerate(pairs))
    held = {frozenset(edge) for edge in nx.minimum_spanning_edges(graph, data=False)}
    inside = [m for m in measurements if len(m.columns) == 1 or frozenset(m.columns) in held]
    edges = _maximal_cliques([m.columns for m in inside], domain)
    forest, _ = _fit_forest(inside, domain, edges, total, None)
    return soften(forest)


def _maximal_cliques(cliques: Sequence[Clique], domain: Domain) -> list[Clique]:
    """Return cliques in the order of the columns, without repeats, that cover all columns."""
    order = {column: position for position, column in enumerate(domain)}
    unknown = sorted({str(c) for clique in cliques for c in clique if c not in order})
    if unknown:
        raise ValueError(
            f'cliques name columns that domain does not have: {unknown}. Add them to domain, or '
            'leave them out.'
        )
    canonical = {tuple(sorted(set(clique), key=order.__getitem__)) for clique in cliques}
    canonical |= {(column,) for column in domain}
    sets = {clique: set(clique) for clique in canonical}
    maximal = [
        clique for clique in canonical if not any(sets[clique] < other for other in sets.values())
    ]
    return sorted(maximal, key=lambda clique: [order[column] for column in clique])


def _is_forest(cliques: Sequence[Clique]) -> bool:
    return all(len(clique) <= 2 for clique in cliques) and nx.is_forest(markov_graph(cliques))


def _is_chordal(cliques: Sequence[Clique]) -> bool:
    return nx.is_chordal(markov_graph(cliques))


def _completed(cliques: Sequence[Clique], domain: Domain) -> list[Clique]:
    """Return the maximal cliques of the graph, if they form a junction tree as they are."""
    graph = markov_graph(cliques)
    if not nx.is_chordal(graph):
        return list(cliques)
    return _maximal_cliques([tuple(clique) for clique in nx.find_cliques(graph)], domain)


def _check_measurements(
    measurements: Sequence[Measurement], domain: Domain, cliques: Sequence[Clique]
) -> None:
    for measurement in measurements:
        columns = measurement.columns
        if not any(set(columns) <= set(clique) for clique in cliques):
            raise ValueError(
                f'The measurement of {list(columns)} is not covered by any clique. Add a clique '
                'that contains these columns.'
            )
        if measurement.values.shape != tuple(domain[column] for column in columns):
            raise ValueError(
                f'The measurement of {list(columns)} has shape {measurement.values.shape}. It must '
                'have as many cells along each axis as domain has codes.'
            )
