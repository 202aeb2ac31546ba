"""What a fitted model shows of proxies: what stands for protected columns, what outcomes rest on.

A model that keeps its statements may still carry what nobody meant: an admissible column that all
but copies a protected one lets everything through, by the letter of the promise. Whoever signs a
release should see that. The model tells, and costs nothing more.

Numbers are those of ``fairness/dependence.py``, from 0 to 1. Noise makes columns look more
dependent than they are, so beside each stands what is surely told: what is left once chance,
noise, and three of its standard deviations are taken off.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np
import pandas as pd

from sdv_prefair.fairness import Independent, Statements
from sdv_prefair.fairness.dependence import (
    NEARLY_COPIES,
    NOTICEABLE,
    SURELY,
    beyond,
    how_much_tells,
    most_that_can_be_told,
    told_by_chance,
)
from sdv_prefair.fairness.predicate import markov_graph
from sdv_prefair.fitting.outcome_copies import OutcomeLook
from sdv_prefair.model import GraphicalModel
from sdv_prefair.model.junction import marginal
from sdv_prefair.model.noise import noise_of_pairs

ADMISSIBLE_PROXY = 'admissible column about a protected one'
STAND_IN = 'unlabelled column about a protected one'
RESTS_ON = 'neighbour of an outcome about it'
LET_THROUGH = 'protected column about an outcome'
OUTCOME_COPY = 'unlabelled column about an outcome, by a private look'
HEADINGS = {
    ADMISSIBLE_PROXY: 'What admissible columns tell about protected ones',
    STAND_IN: 'Which unlabelled columns stand for protected ones',
    RESTS_ON: 'What outcomes rest on in the model',
    LET_THROUGH: 'What protected columns still tell about outcomes, through admissible ones',
    OUTCOME_COPY: 'What unlabelled columns tell about outcomes in the table, by a private look',
}
"""The questions that are answered, and how they are asked in a report."""


@dataclass(frozen=True)
class Finding:
    """How much a column tells about another.

    Attributes:
        statement: The statement that gives the two their roles.
        part: Which question it answers, a key of ``HEADINGS``.
        column: The column that tells.
        about: The column it tells about.
        tells: How much, from 0 to 1, in the model or by the look.
        surely: How much of it is more than chance and noise.
    """

    statement: Independent
    part: str
    column: str
    about: str
    tells: float
    surely: float

    @property
    def nearly_copies(self) -> bool:
        """Whether the one column surely tells nearly all of the other."""
        return self.surely >= NEARLY_COPIES


class FairnessExplanation:
    """What stands behind the statements of a fit; ``print`` it, or ask for ``to_frame()``.

    Privacy: made of the released model and a look that was paid for.

    Args:
        findings: What was found, the strongest of each question first.
    """

    def __init__(self, findings: Iterable[Finding]):
        self.findings = tuple(findings)

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each finding, with ``tells`` and ``surely`` from 0 to 1."""
        columns = ['statement', 'part', 'column', 'about', 'tells', 'surely']
        rows = [
            (str(f.statement), f.part, f.column, f.about, f.tells, f.surely) for f in self.findings
        ]
        return pd.DataFrame(rows, columns=columns)

    def of(self, part: str) -> tuple[Finding, ...]:
        """Return the findings that answer one question."""
        return tuple(finding for finding in self.findings if finding.part == part)

    def __repr__(self) -> str:
        statements = dict.fromkeys(finding.statement for finding in self.findings)
        return '\n\n'.join(map(self._described, statements)) or 'Nothing is promised.'

    def _described(self, statement: Independent) -> str:
        lines = [str(statement), '(0 tells nothing, 1 everything; what noise explains is left out)']
        for part, heading in HEADINGS.items():
            own = [finding for finding in self.of(part) if finding.statement == statement]
            if own:
                lines += [f'  {heading}:', *_told(own)]
        return '\n'.join(lines)


def _told(findings: Sequence[Finding]) -> list[str]:
    lines = [
        f'    {finding.column} tells {finding.surely:.2f} of {finding.about}'
        + (', nearly a copy' if finding.nearly_copies else '')
        for finding in findings
        if finding.surely >= NOTICEABLE
    ]
    rest = len(findings) - len(lines)
    less = f'    {rest} {"pair" if rest == 1 else "pairs"} of columns below {NOTICEABLE}'
    return lines + [less] if rest else lines


def explain(
    model: GraphicalModel, roles: Statements, looks: Sequence[OutcomeLook] = ()
) -> list[Finding]:
    """Return what the model shows, statement by statement. Post-processing of released values.

    Args:
        model: The fitted model.
        roles: The statements about its columns.
        looks: What was looked at besides.
    """
    reader = _Reader(model)
    shown = [
        finding
        for statement in roles.statements
        for part, pairs in _questions(model, roles, statement)
        for finding in sorted(
            (Finding(statement, part, *pair, *reader.told(*pair)) for pair in pairs),
            key=lambda finding: -finding.tells,
        )
    ]
    return shown + [
        Finding(statement, OUTCOME_COPY, look.column, look.outcome, look.tells, look.surely)
        for statement in roles.statements
        for look in sorted(looks, key=lambda look: -look.tells)
        if look.outcome in statement.right
    ]


def admissible_copies(model: GraphicalModel, roles: Statements) -> list[tuple[str, str]]:
    """Return the admissible columns that surely nearly copy a protected one, each with that one."""
    reader = _Reader(model)
    pairs = dict.fromkeys(
        (given, left) for s in roles.statements for given in s.given for left in s.left
    )
    return [pair for pair in pairs if reader.told(*pair)[1] >= NEARLY_COPIES]


def _questions(
    model: GraphicalModel, roles: Statements, statement: Independent
) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    left, right, graph = statement.left, statement.right, markov_graph(model.cliques)
    unlabelled = roles.unlabelled(model.domain)
    yield ADMISSIBLE_PROXY, [(given, one) for given in statement.given for one in left]
    yield STAND_IN, [(column, one) for column in unlabelled for one in left]
    yield (
        RESTS_ON,
        [(column, one) for one in right if one in graph for column in sorted(graph[one])],
    )
    yield LET_THROUGH, [(one, other) for one in left for other in right]


class _Reader:
    """Reads off a model what columns tell about each other, and what noise there is between them.

    Privacy: post-processing of released values.
    """

    def __init__(self, model: GraphicalModel):
        self._model = model
        self._joined = markov_graph(model.cliques)
        self._measured: nx.Graph[str] = nx.Graph()
        for noise in noise_of_pairs(model):
            spread = math.sqrt(noise.cells) * noise.sigma / max(model.total, 1.0)
            for edge in markov_graph([noise.columns]).edges:
                known = self._measured.get_edge_data(*edge, {'noise': math.inf})
                if 2 * noise.misplaced < known['noise']:
                    self._measured.add_edge(*edge, noise=2 * noise.misplaced, spread=spread)

    def told(self, column: str, about: str) -> tuple[float, float]:
        """Return how much a column tells about another, and how much of it surely."""
        if not self._are_joined(column, about):
            return 0.0, 0.0
        table = marginal(self._model.nodes, [column, about])
        shares = table / table.sum()
        first, second = shares.sum(axis=1), shares.sum(axis=0)
        most = most_that_can_be_told(second)
        noise, spread = self._noise_between(column, about)
        if most <= 0 or not math.isfinite(noise):
            return 0.0, 0.0
        total = max(self._model.total, 1.0)
        tells = how_much_tells(table)
        by_chance = (noise + told_by_chance(first, second, total) / total) / most
        return tells, beyond(tells - SURELY * spread / most, by_chance)

    def _are_joined(self, column: str, about: str) -> bool:
        graph = self._joined
        return column in graph and about in graph and nx.has_path(graph, column, about)

    def _noise_between(self, column: str, about: str) -> tuple[float, float]:
        """Return noise, and its spread, of all tables along the way, as shares of rows."""
        graph = self._measured
        if column not in graph or about not in graph or not nx.has_path(graph, column, about):
            return math.inf, math.inf
        path = nx.shortest_path(graph, column, about, weight='noise')
        edges = [graph.edges[edge] for edge in zip(path, path[1:], strict=False)]
        return (
            math.fsum(edge['noise'] for edge in edges),
            float(np.sqrt(math.fsum(edge['spread'] ** 2 for edge in edges))),
        )
