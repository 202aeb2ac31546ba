"""What a fitted model shows about proxies for protected columns and about predictors of outcomes.

A model may satisfy all its statements and still contain an unintended dependence: through an
admissible column that nearly copies a protected one, everything gets through. Whoever signs a
release should see that. It is read from the model, at no further cost.

Numbers are those of ``fairness/_dependence.py``, from 0 to 1. Noise makes columns look more
dependent than they are, so each comes with a lower bound, ``surely``: what remains after
subtracting chance, noise, and three standard deviations of the noise. About the private rows there
is an upper bound, ``at_most``, too: what the noisy counts of the two columns show, plus three
standard deviations, if they were measured together, and else 1, because the model then shows only
the part of a dependence that passes through other columns.

All admissible columns of a statement are also taken together: two columns can say nothing of a
protected one alone, and everything together. Leaving columns out never makes more of a dependence,
so the lower bound is the best one of a column or of as many columns as fit in memory; the upper
bound is 1 unless all of them were measured in one table.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np
import pandas as pd

from sdv_prefair._notebook import as_html
from sdv_prefair.fairness import Independent, Statements
from sdv_prefair.fairness._dependence import (
    NEARLY_COPIES,
    NOTICEABLE,
    SURELY,
    beyond,
    how_much_tells,
    most_that_can_be_told,
    told_by_chance,
)
from sdv_prefair.fairness._predicate import markov_graph
from sdv_prefair.fitting._fitted import OutcomeLook
from sdv_prefair.model import GraphicalModel
from sdv_prefair.model._junction import marginal
from sdv_prefair.model._measurement import by_columns
from sdv_prefair.model._noise import noise_of_columns, noise_of_pairs

ADMISSIBLE_PROXY = 'admissible column about a protected one'
TOGETHER = 'all admissible columns together about a protected one'
STAND_IN = 'unlabelled column about a protected one'
RESTS_ON = 'neighbour of an outcome about it'
LET_THROUGH = 'protected column about an outcome'
OUTCOME_COPY = 'unlabelled column about an outcome, by a private look'
HEADINGS = {
    ADMISSIBLE_PROXY: 'How well admissible columns predict protected ones',
    TOGETHER: 'How well all admissible columns together predict protected ones',
    STAND_IN: 'Which unlabelled columns are proxies for protected ones',
    RESTS_ON: 'What outcomes depend on in the model',
    LET_THROUGH: 'How well protected columns still predict outcomes, through admissible ones',
    OUTCOME_COPY: 'How well unlabelled columns predict outcomes in the private rows (noisy answer)',
}
"""The questions that are answered, with their headings in a report."""

_ABOUT_ROWS = ADMISSIBLE_PROXY, TOGETHER, STAND_IN
_MOST_CELLS = 100_000
_MOST_NAMED = 5


@dataclass(frozen=True)
class Finding:
    """How well one column, or the combination of several, predicts another.

    Attributes:
        statement: The statement that gives the two their roles.
        part: Which question it answers, a key of ``HEADINGS``.
        column: The predictor, or the combination of several in words.
        about: The column that it predicts.
        tells: How well, from 0 to 1, in the model or according to the noisy score.
        surely: How much of it exceeds chance and noise.
        at_most: How well the column could predict the other in the private rows; NaN if the
            question is about the model.
    """

    statement: Independent
    part: str
    column: str
    about: str
    tells: float
    surely: float
    at_most: float

    @property
    def nearly_copies(self) -> bool:
        """Whether the column certainly nearly determines the other."""
        return self.surely >= NEARLY_COPIES


class FairnessExplanation:
    """Which dependences remain under the statements of a fit; ``print`` it, or use ``to_frame()``.

    Privacy: computed from the released model and from noisy scores that the ledger lists.

    Args:
        findings: The findings, for each question the strongest first.
    """

    def __init__(self, findings: Iterable[Finding]):
        self.findings = tuple(findings)

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each finding, with numbers from 0 to 1."""
        columns = ['statement', 'part', 'column', 'about', 'tells', 'surely', 'at_most']
        rows = [
            (str(f.statement), f.part, f.column, f.about, f.tells, f.surely, f.at_most)
            for f in self.findings
        ]
        return pd.DataFrame(rows, columns=columns)

    def of(self, part: str) -> tuple[Finding, ...]:
        """Return the findings for one question."""
        return tuple(finding for finding in self.findings if finding.part == part)

    def copies_in_words(self) -> str:
        """Return which columns nearly copy others, and of how many more it cannot be told."""
        copies = dict.fromkeys(f.column for f in self.findings if f.nearly_copies)
        told = f'nearly copies: {", ".join(copies)}' if copies else 'none that is certain'
        open_ = sum(not f.nearly_copies and f.at_most >= NEARLY_COPIES for f in self.findings)
        noun = 'pair or combination' if open_ == 1 else 'pairs or combinations'
        return told + (f'; of {open_} {noun} of columns it cannot be told' if open_ else '')

    def __repr__(self) -> str:
        statements = dict.fromkeys(finding.statement for finding in self.findings)
        return '\n\n'.join(map(self._described, statements)) or 'The fit has no fairness guarantee.'

    def _repr_html_(self) -> str:
        return as_html(repr(self))

    def _described(self, statement: Independent) -> str:
        lines = [str(statement), '(0: independent, 1: fully determined; beyond chance and noise)']
        for part, heading in HEADINGS.items():
            own = [finding for finding in self.of(part) if finding.statement == statement]
            if own:
                lines += [f'  {heading}:', *_told(own)]
        return '\n'.join(lines)


def _told(findings: Sequence[Finding]) -> list[str]:
    lines = [
        f'    {finding.column} predicts {finding.about}: {finding.surely:.2f}'
        + (', nearly a copy' if finding.nearly_copies else '')
        + (f'; {could_be(finding.at_most)}' if finding.at_most >= NOTICEABLE else '')
        for finding in findings
        if finding.surely >= NOTICEABLE
    ]
    return lines + [f'    {line}' for line in rest_in_words(findings)]


def could_be(at_most: float) -> str:
    """Return an upper bound in words."""
    return f'could be as high as {at_most:.2f}'


def rest_in_words(findings: Sequence[Finding]) -> list[str]:
    """Return what to say of the findings that are not certainly noticeable.

    Privacy: post-processing of released values.

    Args:
        findings: All findings for one question.
    """
    rest = [finding for finding in findings if finding.surely < NOTICEABLE]
    open_ = [finding for finding in rest if finding.at_most >= NOTICEABLE]
    below = len(rest) - len(open_)
    noun = 'combination' if findings and findings[0].part == TOGETHER else 'pair'
    lines = [f'{below} {noun}{"s" * (below > 1)} of columns: below {NOTICEABLE}'] * (below > 0)
    for at_most in sorted({round(finding.at_most, 1) for finding in open_}, reverse=True):
        named = [f for f in open_ if round(f.at_most, 1) == at_most]
        pairs = ', '.join(f'{f.column} about {f.about}' for f in named[:_MOST_NAMED])
        more = f' and {len(named) - _MOST_NAMED} more' if len(named) > _MOST_NAMED else ''
        highest = max(f.at_most for f in named)
        lines.append(f'cannot be told, {could_be(highest)}: {pairs}{more}')
    return lines


def explain(
    model: GraphicalModel, roles: Statements, looks: Sequence[OutcomeLook] = ()
) -> list[Finding]:
    """Return the findings, statement by statement. Post-processing of released values.

    Args:
        model: The fitted model.
        roles: The statements about its columns.
        looks: Noisy scores of unlabelled columns against outcomes.
    """
    reader = _Reader(model)
    shown = [
        finding
        for statement in roles.statements
        for part, pairs in _questions(model, roles, statement)
        for finding in sorted(
            (reader.finding(statement, part, *pair) for pair in pairs),
            key=lambda finding: -finding.tells,
        )
    ]
    return shown + [
        Finding(
            statement, OUTCOME_COPY, look.column, look.outcome, look.tells, look.surely, math.nan
        )  # fmt: skip
        for statement in roles.statements
        for look in sorted(looks, key=lambda look: -look.tells)
        if look.outcome in statement.right
    ]


def edge_strengths(model: GraphicalModel, edges: Iterable[tuple[str, str]]) -> list[float]:
    """Return how well columns of each edge certainly predict each other: the number of a finding.

    Privacy: post-processing of released values.

    Args:
        model: The fitted model.
        edges: Pairs of its columns.
    """
    reader = _Reader(model)
    return [max(reader.told([one], other)[1], reader.told([other], one)[1]) for one, other in edges]


def admissible_copies(model: GraphicalModel, roles: Statements) -> list[tuple[str, str]]:
    """Return admissible columns, or their combination, and the protected one they nearly copy."""
    reader = _Reader(model)
    asked = {
        left: dict.fromkeys(s.given for s in roles.statements if left in s.left)
        for left in roles.protected
    }
    copies: list[tuple[tuple[str, ...], str]] = []
    for left, groups in asked.items():
        alone = dict.fromkeys((column,) for given in groups for column in given)
        # A combination is named if none of its columns is a copy by itself.
        for columns in [*alone, *(given for given in groups if len(given) > 1)]:
            known = any({*found} <= {*columns} for found, about in copies if about == left)
            if not known and reader.told(columns, left)[1] >= NEARLY_COPIES:
                copies.append((columns, left))
    return [(combination_of(columns), left) for columns, left in copies]


def combination_of(columns: Sequence[str]) -> str:
    """Return the name of a column, or of several taken together."""
    if len(columns) == 1:
        return columns[0]
    more = f' and {len(columns) - _MOST_NAMED} more' if len(columns) > _MOST_NAMED else ''
    return f'the combination of {", ".join(columns[:_MOST_NAMED])}{more}'


def _questions(
    model: GraphicalModel, roles: Statements, statement: Independent
) -> Iterator[tuple[str, list[tuple[tuple[str, ...], str]]]]:
    left, right, graph = statement.left, statement.right, markov_graph(model.cliques)
    unlabelled = roles.unlabelled(model.domain)
    yield ADMISSIBLE_PROXY, [((given,), one) for given in statement.given for one in left]
    yield TOGETHER, [(statement.given, one) for one in left if len(statement.given) > 1]
    yield STAND_IN, [((column,), one) for column in unlabelled for one in left]
    yield (
        RESTS_ON,
        [((column,), one) for one in right if one in graph for column in sorted(graph[one])],
    )
    yield LET_THROUGH, [((one,), other) for one in left for other in right]


class _Reader:
    """Computes from a model how well columns predict each other, and the noise between them.

    Privacy: post-processing of released values.
    """

    def __init__(self, model: GraphicalModel):
        self._model = model
        self._joined = markov_graph(model.cliques)
        self._columns_noise = noise_of_columns(model)
        self._measured: nx.Graph[str] = nx.Graph()
        for noise in noise_of_pairs(model):
            spread = math.sqrt(noise.cells) * noise.sigma / max(model.total, 1.0)
            for edge in markov_graph([noise.columns]).edges:
                known = self._measured.get_edge_data(*edge, {'noise': math.inf})
                if 2 * noise.misplaced < known['noise']:
                    self._measured.add_edge(*edge, noise=2 * noise.misplaced, spread=spread)

    def finding(
        self, statement: Independent, part: str, columns: Sequence[str], about: str
    ) -> Finding:
        """Return how well columns together predict another, with bounds."""
        tells, surely = self.told(columns, about)
        at_most = math.nan
        if part in _ABOUT_ROWS:
            at_most = max(tells, self._at_most(columns, about))
        return Finding(statement, part, combination_of(columns), about, tells, surely, at_most)

    def _at_most(self, columns: Sequence[str], about: str) -> float:
        """Return how well columns together could predict another in the private rows.

        With a the true departures from independence and n the noise, |a + n| >= |a| + sign(a) n,
        and the sum of sign(a) n is normal. So the measured distance is below the true one by more
        than three standard deviations once in a thousand times.
        """
        bounds = [1.0]
        wanted, total = {*columns, about}, max(self._model.total, 1.0)
        most = most_that_can_be_told(marginal(self._model.nodes, [about]))
        merged = sum(self._merged_share(column) for column in wanted)
        for measured in by_columns(self._model.measurements).values():
            if not wanted <= set(measured.columns) or most <= 0:
                continue
            others = tuple(axis for axis, c in enumerate(measured.columns) if c not in wanted)
            counts = measured.values.sum(axis=others)
            place = [c for c in measured.columns if c in wanted].index(about)
            shares = np.moveaxis(counts, place, -1).reshape(-1, counts.shape[place]) / total
            product = np.multiply.outer(shares.sum(axis=1), shares.sum(axis=0))
            distance = float(np.abs(shares - product).sum())
            spread = math.sqrt(float(measured.variance.sum())) / total
            bounds.append((distance + SURELY * spread + 2 * merged) / most)
        return min(bounds)

    def _merged_share(self, column: str) -> float:
        """Return the share of rows whose values were measured as a group only."""
        known = self._columns_noise.get(column)
        return known.merged_share if known else 0.0

    def told(self, columns: Sequence[str], about: str) -> tuple[float, float]:
        """Return how well columns together predict another, and a lower bound allowing for noise.

        Of many columns, the best ones are taken together whose table fits in memory.
        """
        if len(columns) == 1:
            return self._told_by(columns, about)
        alone = {column: self._told_by([column], about) for column in columns}
        taken: list[str] = []
        cells = self._model.domain[about]
        for column in sorted(columns, key=lambda column: -alone[column][0]):
            if (
                self._are_joined(column, about)
                and cells * self._model.domain[column] <= _MOST_CELLS
            ):
                taken.append(column)
                cells *= self._model.domain[column]
        found = [*alone.values(), self._told_by(taken, about)]
        return max(tells for tells, _ in found), max(surely for _, surely in found)

    def _told_by(self, columns: Sequence[str], about: str) -> tuple[float, float]:
        joined = [column for column in columns if self._are_joined(column, about)]
        if not joined:
            return 0.0, 0.0
        table = marginal(self._model.nodes, [*joined, about])
        table = table.reshape(-1, table.shape[-1])
        shares = table / table.sum()
        first, second = shares.sum(axis=1), shares.sum(axis=0)
        most = most_that_can_be_told(second)
        noise, spread = self._noise_between(joined, about)
        if most <= 0 or not math.isfinite(noise):
            return 0.0, 0.0
        total = max(self._model.total, 1.0)
        tells = how_much_tells(table)
        by_chance = (noise + told_by_chance(first, second, total) / total) / most
        return tells, beyond(tells - SURELY * spread / most, by_chance)

    def _are_joined(self, column: str, about: str) -> bool:
        graph = self._joined
        return column in graph and about in graph and nx.has_path(graph, column, about)

    def _noise_between(self, columns: Sequence[str], about: str) -> tuple[float, float]:
        """Return the noise of all marginals along the paths, and its spread, as shares of rows."""
        graph = self._measured
        passed: set[tuple[str, str]] = set()
        for column in columns:
            if column not in graph or about not in graph or not nx.has_path(graph, column, about):
                return math.inf, math.inf
            path = nx.shortest_path(graph, column, about, weight='noise')
            passed |= {(min(edge), max(edge)) for edge in zip(path, path[1:], strict=False)}
        edges = [graph.edges[edge] for edge in passed]
        return (
            math.fsum(edge['noise'] for edge in edges),
            float(np.sqrt(math.fsum(edge['spread'] ** 2 for edge in edges))),
        )
