"""The fitted graphical model, which is released and from which rows are sampled."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from sdv_prefair._arrays import Floats
from sdv_prefair.model._compression import Compression
from sdv_prefair.model._junction import Clique, marginal
from sdv_prefair.model._measurement import Domain, Measurement
from sdv_prefair.model._sampling import AncestralSampler, CliqueTable, condition, draw_given, soften

if TYPE_CHECKING:
    import mbi


class GraphicalModel:
    """A distribution over codes, as tables on a junction tree.

    Privacy: every attribute is a function of the measurements, the domain and public settings.
    The model can be saved, shown and taken apart without touching anything private.

    Attributes:
        domain: Number of codes of every column, in the order of the columns.
        cliques: The Markov graph: columns that are not in a clique together are independent given
            the others.
        total: Estimated number of rows.
        measurements: The measurements it was estimated from, in groups of codes.
        compressions: For columns with merged codes, how they were merged.
        loss: Half the sum of squared residuals, in units of each cell's noise.
        gap: Upper bound on how much lower the loss of any other model on these cliques can be; None
            if the estimator does not compute it.
        estimator: ``'direct'`` or ``'mbi'``.
        nodes: The junction tree with the distribution of every clique, in groups of codes.
    """

    def __init__(
        self,
        domain: Domain,
        cliques: Sequence[Clique],
        nodes: Sequence[CliqueTable],
        total: float,
        measurements: Sequence[Measurement] = (),
        compressions: Mapping[str, Compression] | None = None,
        gap: float | None = None,
        estimator: str = 'direct',
    ):
        self.compressions = dict(compressions or {})
        self.domain = {c: self._num_codes(c, size) for c, size in domain.items()}
        self.cliques = [tuple(clique) for clique in cliques]
        self.nodes = list(nodes)
        self.total = float(total)
        self.measurements = list(measurements)
        self.gap = gap
        self.estimator = estimator
        self.loss = self._loss()
        self.set_random_state(None)

    def marginal(self, columns: Sequence[str] | str) -> np.ndarray:
        """Return the joint distribution of a few columns, one axis of codes for each.

        The table is built in full: request columns whose numbers of codes multiply to millions at
        most.
        """
        columns = [columns] if isinstance(columns, str) else list(columns)
        self._check_columns(columns)
        table = marginal(self.nodes, columns)
        for axis, column in enumerate(columns):
            if column in self.compressions:
                table = self.compressions[column].spread(table, axis)
        return table

    def set_random_state(self, seed: int | np.random.Generator | None) -> None:
        """Reseed the random generator of ``sample``; None uses the system's entropy.

        This seed is for sampling alone. The noise of the measurements never comes from it.
        """
        self._rng = np.random.default_rng(seed)

    def sample(
        self,
        num_rows: int,
        evidence: Mapping[str, int] | None = None,
        independent_rows: bool = False,
    ) -> dict[str, np.ndarray]:
        """Sample rows from the model.

        Unless ``independent_rows`` is set, values are assigned by systematic sampling among the
        rows that share the values they depend on. One such table is closer to the model than
        independent rows would be, but its rows are dependent: a standard error that is
        computed as if they were independent, within a table or from several, is wrong.

        Args:
            num_rows: Number of rows.
            independent_rows: Whether rows are sampled independently of each other.
            evidence: Codes of columns to condition on. Every code of the domain has an answer: a
                code of probability zero is treated as independent of the rest (see
                ``sampling.soften``).

        Returns:
            An array of codes for every column, in the order of the domain.
        """
        evidence = self._checked_evidence(evidence or {})
        rows = self._sampler(evidence).draw(num_rows, self._rng, independent_rows)
        codes = {}
        for column in self.domain:
            if column in evidence:
                codes[column] = np.full(num_rows, evidence[column], dtype=np.int32)
            else:
                codes[column] = self._expand(
                    column, rows[column], self.compressions, independent_rows
                )
        return codes

    def sample_given(
        self,
        evidence: Mapping[str, np.ndarray],
        likelihood: Mapping[str, np.ndarray] | None = None,
        num_rows: int | None = None,
    ) -> dict[str, np.ndarray]:
        """Sample one row for every line of the evidence, given that line.

        Rows are sampled independently of each other.

        Args:
            evidence: Codes of some columns, an array for each, all of the same length.
            likelihood: For other columns, the likelihood of evidence common to all lines, given
                each code. It is zero for impossible codes, including that of undeclared values.
            num_rows: Number of lines, if there is no evidence to determine it.

        Returns:
            An array of codes for every column, in the order of the domain.
        """
        self._check_columns([*evidence, *(likelihood or {})])
        groups = {c: self._group_of(c)[codes] for c, codes in evidence.items()}
        of_groups, tilted = {}, dict(self.compressions)
        for column, weights in (likelihood or {}).items():
            whole = Compression.identity(self.domain[column])
            of_groups[column], tilted[column] = tilted.get(column, whole).tilt(weights)
        rows = draw_given(self.nodes, groups, self._rng, of_groups, num_rows)
        return {
            column: np.asarray(evidence[column])
            if column in evidence
            # Codes of a merged group are sampled by their own weights, whatever the rest of the row
            # is.
            else self._expand(column, rows[column], tilted)
            for column in self.domain
        }

    def to_mbi(self) -> mbi.MarkovRandomField:
        """Return the model, over codes, as an mbi model.

        Potentials are logarithms of each clique's distribution given its separator. Cells of
        probability zero get e^-700 instead, because mbi's message passing needs finite ones.
        """
        from sdv_prefair.model._private_pgm import as_markov_random_field

        tables = [self.marginal(node.columns) for node in self.nodes]
        nodes = [
            CliqueTable(node.columns, node.separator, node.parent, table)
            for node, table in zip(self.nodes, tables, strict=True)
        ]
        return as_markov_random_field(self.domain, nodes, self.total)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != '_prepared'}

    def _sampler(self, evidence: Mapping[str, int]) -> AncestralSampler:
        if evidence:
            groups = {c: int(self._group_of(c)[code]) for c, code in evidence.items()}
            return AncestralSampler(condition(soften(self.nodes), groups))
        if '_prepared' not in vars(self):
            self._prepared = AncestralSampler(self.nodes)
        return self._prepared

    def _loss(self) -> float:
        return sum(
            measurement.squared_error(self.total * marginal(self.nodes, measurement.columns))
            for measurement in self.measurements
        )

    def _num_codes(self, column: str, size: int) -> int:
        return self.compressions[column].num_codes if column in self.compressions else size

    def _group_of(self, column: str) -> np.ndarray:
        known = self.compressions.get(column)
        return np.arange(self.domain[column]) if known is None else known.group_of

    def _expand(
        self,
        column: str,
        groups: np.ndarray,
        compressions: Mapping[str, Compression],
        independent_rows: bool = True,
    ) -> np.ndarray:
        known = compressions.get(column)
        return groups if known is None else known.expand(groups, self._rng, independent_rows)

    def _check_columns(self, columns: Sequence[str]) -> None:
        unknown = [column for column in columns if column not in self.domain]
        if unknown or len(set(columns)) < len(columns):
            raise ValueError(
                f'{list(columns)} must be columns of the model, each once. It has '
                f'{list(self.domain)}.'
            )

    def _checked_evidence(self, evidence: Mapping[str, int]) -> dict[str, int]:
        self._check_columns(list(evidence))
        codes = {column: operator.index(code) for column, code in evidence.items()}
        for column, code in codes.items():
            if not 0 <= code < self.domain[column]:
                raise ValueError(
                    f"The evidence on '{column}' must be one of its codes, 0 to "
                    f'{self.domain[column] - 1}.'
                )
        return codes


# -- The two-way marginals of all pairs of columns of a forest: one matrix product each ------------
#
# Pair by pair, ``junction.marginal`` would walk the path between two columns every time. Here the
# table of a column with the next one along the path follows from that with the one before.


Pair = tuple[str, str]


def forest_pairs(model: GraphicalModel, pairs: Iterable[Pair]) -> Iterator[tuple[Pair, Floats]]:
    """Yield each pair of columns with its joint distribution, in groups of codes.

    Args:
        model: A model whose cliques have at most two columns and form a forest.
        pairs: Pairs of columns.
    """
    given = _conditionals(model)
    graph: nx.Graph[str] = nx.Graph(node.columns for node in model.nodes if len(node.columns) == 2)
    alone = {c: node.sum_to([c]) for node in model.nodes for c in node.columns}
    wanted: dict[str, list[str]] = {}
    for first, second in pairs:
        wanted.setdefault(first, []).append(second)
    for first, others in wanted.items():
        tables = _tables_with(first, graph, alone, given)
        for second in others:
            product = np.multiply.outer(alone[first], alone[second])
            yield (first, second), tables.get(second, product)


def _conditionals(model: GraphicalModel) -> dict[Pair, Floats]:
    """Return for both directions of every edge the second column given the first, by rows."""
    given = {}
    for node in model.nodes:
        if len(node.columns) == 2:
            first, second = node.columns
            given[first, second] = _by_rows(node.table)
            given[second, first] = _by_rows(node.table.T)
    return given


def _by_rows(table: Floats) -> Floats:
    mass = table.sum(axis=1, keepdims=True)
    rows: Floats = np.divide(table, mass, out=np.zeros_like(table), where=mass > 0)
    return rows


def _tables_with(
    column: str,
    graph: nx.Graph[str],
    alone: Mapping[str, Floats],
    given: Mapping[Pair, Floats],
) -> dict[str, Floats]:
    tables = {column: np.diag(alone[column])}
    if column in graph:
        for before, after in nx.bfs_edges(graph, column):
            tables[after] = tables[before] @ given[before, after]
    return tables


def distance_from_independence(table: Floats) -> float:
    """Return the L1 distance of a distribution from the product of its columns'."""
    product = np.multiply.outer(table.sum(axis=1), table.sum(axis=0))
    return float(np.abs(table - product).sum())
