"""PrivBayes: a Bayesian network that grows node by node, fair in its moral graph."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import ClassVar

import networkx as nx

from sdv_prefair.counts import Clique
from sdv_prefair.errors import StructureError, shown
from sdv_prefair.fairness._predicate import fair_additions, markov_graph
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.selection._small_cliques import CliqueStrategy


@dataclass(frozen=True)
class PrivBayesStrategy(CliqueStrategy):
    """Each column is the child of at most two others that are already in the network.

    A child and its parents are one clique of the moral graph, which connects parents. They must be
    adjacent already, so no fill-in is needed and the graph stays chordal: the fairness predicate
    tests the whole graph. A child of a protected and an outcome column would connect the two, so
    there is none.

    Paper: Extensions (PrivBayes), after Zhang et al., 2014.

    Departs: PrivBayes allows any parents. If they are not adjacent, moralising and triangulating
    connects columns that were not chosen, and whose tables were never measured.

    Args:
        rule: Which columns may be in one clique, see ``CliqueStrategy``.
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
