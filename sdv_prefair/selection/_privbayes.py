"""Fair PrivBayes: a Bayesian network selected and measured node by node.

After Zhang, Cormode, Procopiuc, Srivastava, Xiao: *PrivBayes* (SIGMOD 2014, TODS 2017). In each
round a child and its parents are chosen by the exponential mechanism, as far as theta-usefulness
and fairness allow, and their table is measured.

Paper: Extensions (PrivBayes).

Departs: the score is an L1 distance in rows, which one row changes by 1, and not the mutual
information, whose sensitivity is log(n)/n: a number of rows that is not public. PrivBayes chooses
the whole network first and then measures it; here the parents' table is known when a child is
chosen, so the score is about the child and not about how its parents depend on each other. The
model is estimated from all tables together, one-way marginals included, and not one conditional
distribution after the other. The first column is not chosen at random: the first choice is among
all pairs.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from statistics import fmean
from typing import ClassVar

import networkx as nx
import numpy as np

from sdv_prefair._arrays import Floats
from sdv_prefair.counting import Clique
from sdv_prefair.errors import StructureError, shown
from sdv_prefair.fairness._predicate import fair_additions, markov_graph
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.model import one_way_model
from sdv_prefair.model._measurement import project_on_simplex
from sdv_prefair.model._sampling import broadcast_to, sum_to
from sdv_prefair.privacy import PrivateTable, Score
from sdv_prefair.privacy._accounting import SELECT_CLIQUES
from sdv_prefair.selection._cliques import CliqueMechanism, MeasuredInTurn, telling
from sdv_prefair.selection._measuring import Budget, expected_noise, first_shares, measure_one_ways
from sdv_prefair.selection._mechanism import Progress, Release, quiet
from sdv_prefair.selection._scores import model_gap


@dataclass(frozen=True)
class PrivBayesStrategy(CliqueMechanism):
    """Each column is the child of at most two others that are already in the network.

    A child and its parents are one clique of the moral graph, which connects parents. They must be
    adjacent already, so no fill-in is needed and the graph stays chordal: the fairness predicate
    tests the whole graph. A child of a protected and an outcome column would connect the two, so
    there is none.

    Paper: Extensions (PrivBayes), after Zhang et al., 2014.

    Departs: PrivBayes allows any parents. If they are not adjacent, moralising and triangulating
    connects columns that were not chosen, and whose tables were never measured.

    Args:
        rule: Which columns may be in one clique, see ``CliqueMechanism``.
        max_cells: Largest number of cells of a triple.
        max_triples: The maximum number of triples that are counted.
        theta: PrivBayes' usefulness: the average cell must be at least this many times its noise,
            or the table is not measured. This bounds the number of parents.

    Raises:
        StructureError: If an argument is invalid.
    """

    theta: float = 4.0
    name: ClassVar[str] = 'privbayes'

    def __post_init__(self) -> None:
        super().__post_init__()
        theta = self.theta
        if not isinstance(theta, Real) or isinstance(theta, bool) or not 0 < theta < math.inf:
            raise StructureError(f'theta ({shown(theta)}) must be a number above 0, for example 4.')

    def run(
        self, table: PrivateTable, roles: Statements, budget: Budget, progress: Progress = quiet
    ) -> Release:
        """Measure one-way marginals, then choose and measure a child with its parents in turn.

        Privacy: spends all that is left in the table's ledger, through the table alone. Candidates
        and predictions of a round depend on released values and public facts, so rounds compose.
        """
        cliques = self.histograms(table.domain, roles)  # before codes are merged
        one_way_rho, selection_rho = first_shares(table, budget, cliques)
        progress('Measuring one-way marginals')
        one_ways = measure_one_ways(table, one_way_rho, budget)
        progress('Choosing parents')
        tables_rho = table.ledger.remaining - selection_rho
        measured = MeasuredInTurn(table, one_ways, budget, tables_rho)
        shares = table.ledger.shares(selection_rho, [1] * (len(table.domain) - 1))
        network = _Network(table, measured, budget)
        on_offer = network.useful(telling(cliques, table), tables_rho, self.theta)
        for to_come, rho in zip(reversed(range(len(shares))), shares, strict=True):
            families = self.families(on_offer, measured.cliques, roles)
            if not families:
                break
            typical = fmean(map(measured.weight, families))
            gap = network.gap(families, typical, to_come)
            family = table.choose(families, gap, rho, SELECT_CLIQUES)
            measured.measure(family, typical, to_come)
        return measured.finish()

    def families(
        self, on_offer: Sequence[Clique], chosen: Sequence[Clique], roles: Statements
    ) -> list[Clique]:
        """Return the cliques of a new child and its parents that may be chosen next.

        If no column can have parents, as at the beginning, they are pairs of new columns.

        Privacy: a function of released cliques and public facts.

        Args:
            on_offer: The cliques that may be measured.
            chosen: The cliques so far.
            roles: The roles of the columns.
        """
        graph = markov_graph(chosen)
        fair = fair_additions(self.kept_roles(roles), on_offer, chosen)
        families = [clique for clique in fair if _is_family(clique, graph)]
        return families or [c for c in fair if len(c) == 2 and not set(c) & set(graph)]


def child_of(clique: Clique, chosen: Sequence[Clique]) -> str:
    """Return the new column of a family; of two new ones, the second."""
    known = {column for other in chosen for column in other}
    return [column for column in clique if column not in known][-1]


def _is_family(clique: Clique, graph: 'nx.Graph[str]') -> bool:
    """Whether one column is new and all others are pairwise adjacent."""
    parents = [column for column in clique if column in graph]
    edges = graph.subgraph(parents).number_of_edges()
    return len(parents) == len(clique) - 1 and edges == math.comb(len(parents), 2)


class _Network:
    """What released tables predict for a child and its parents if the child is independent of them.

    Privacy: holds released values.
    """

    def __init__(self, table: PrivateTable, measured: MeasuredInTurn, budget: Budget):
        self._domain, self._ledger = table.domain, table.ledger
        self._measured, self._budget = measured, budget
        self._total, self._expected = one_way_model(measured.measurements)

    def useful(self, cliques: Sequence[Clique], rho: Fraction, theta: float) -> list[Clique]:
        """Return the cliques whose average cell is at least theta times its noise.

        The noise is computed from equal shares for all tables of a network.
        """
        if not cliques:
            return []
        equal = float(rho) / (len(self._domain) - 1)
        noise = expected_noise(equal, self._ledger.max_rows_per_person)
        most = self._total / (theta * noise)
        sizes = {c: np.prod([self._domain[column] for column in c], dtype=float) for c in cliques}
        return [clique for clique, cells in sizes.items() if cells <= most]

    def gap(self, families: Sequence[Clique], typical: float, to_come: int) -> Score:
        """Return the score: the distance of counts from those of an independent child.

        If the budget says so, the errors of the prediction and of the measurement are subtracted.
        """
        chosen, expected, discount = self._measured.cliques, {}, {}
        for family in families:
            child = child_of(family, chosen)
            parents = tuple(column for column in family if column != child)
            table, error = self._parents(parents)
            spread = broadcast_to(table, parents, family)
            share = broadcast_to(self._expected[child] / self._total, (child,), family)
            expected[family] = spread * share
            noise = self._measured.noise(family, typical, to_come)
            discount[family] = error + float(np.minimum(expected[family], noise).sum())
        return model_gap(expected, discount if self._budget.discount_noise else {})

    def _parents(self, parents: Clique) -> tuple[Floats, float]:
        """Return the parents' counts, estimated from released tables, and their expected error."""
        if len(parents) == 1:
            return self._expected[parents[0]], 0.0
        seen = next(m for m in self._measured.tables if set(parents) <= set(m.columns))
        values = sum_to(seen.values, seen.columns, parents)
        variance = sum_to(seen.variance, seen.columns, parents)
        table = project_on_simplex(values, self._total, variance)
        noise = np.sqrt(variance * 2 / np.pi)
        return table, float(np.minimum(table, noise).sum())
