"""MWEM+PGM: a number of rounds that add pairs and triples and keep the graph fair and chordal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from sdv_prefair.counts import Clique
from sdv_prefair.fairness._predicate import fair_additions, markov_graph
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.selection._decomposable import affordable_cliques
from sdv_prefair.selection._small_cliques import CliqueStrategy, check_whole


@dataclass(frozen=True)
class MwemStrategy(CliqueStrategy):
    """In each round the pair or triple that the current model fits worst.

    Paper: Extensions (MWEM-PGM), after McKenna et al., 2019.

    Departs: Private-PGM triangulates whatever graph results. Here the graph stays chordal with
    every clique, so no fill-in is needed, and the fairness predicate tests the whole graph. A
    triple is a candidate only once two of its columns are adjacent: three columns are always
    further from independence than two, so otherwise triples would be chosen where pairs suffice.

    Args:
        rule: Which columns may be in one clique, see ``CliqueStrategy``.
        max_cells: Largest number of cells of a triple, and of a clique of the model.
        max_triples: The maximum number of triples that are counted.
        rounds: How many cliques are chosen; by default, twice as many as there are columns.

    Raises:
        StructureError: If an argument is invalid.
    """

    rounds: int | None = None
    name: ClassVar[str] = 'mwem'

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rounds is not None:
            check_whole('rounds', self.rounds, 20)

    def additions(
        self,
        on_offer: Sequence[Clique],
        chosen: Sequence[Clique],
        roles: Statements,
        domain: Mapping[str, int],
    ) -> list[Clique]:
        """Return the cliques that may be chosen next, without those already measured.

        Privacy: a function of released cliques and public facts.

        Args:
            on_offer: The cliques that may be measured.
            chosen: The cliques so far.
            roles: The roles of the columns.
            domain: Number of codes of every column.
        """
        measured, graph = [set(clique) for clique in chosen], markov_graph(chosen)
        new = [
            c for c in on_offer if not any(measured_one.issuperset(c) for measured_one in measured)
        ]
        near = [
            c for c in new if len(c) == 2 or any(graph.has_edge(*p) for p in combinations(c, 2))
        ]
        fair = fair_additions(self.kept_roles(roles), near, chosen)
        return affordable_cliques(chosen, fair, domain, self.max_cells)
