"""The one object from which every figure of a page and of its record is computed, once.

Privacy: public arguments, the ledger, and the model estimated from noisy measurements. Nothing
else, so what is made of these alone is covered by the guarantee; ``measured`` is the exception,
which is asked for, and marked as not private.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import networkx as nx
import numpy as np
import pandas as pd
import plotly.graph_objects as go

import sdv_prefair
from sdv_prefair.columns import single_table
from sdv_prefair.fairness._dependence import NOTICEABLE
from sdv_prefair.fairness._predicate import broken_statements, markov_graph
from sdv_prefair.fairness._statements import Independent, Statements
from sdv_prefair.fitting._explanation import (
    HEADINGS,
    OUTCOME_COPY,
    FairnessExplanation,
    Finding,
    rest_in_words,
)
from sdv_prefair.fitting._verification import tied_columns
from sdv_prefair.inference import Replicates, Share, estimate_query, replicate
from sdv_prefair.model._noise import Noise, noise_of_columns, noise_of_pairs
from sdv_prefair.plots import plot_fair_graph, plot_ledger
from sdv_prefair.plots._charts import Bar, plot_shares
from sdv_prefair.plots._fair_graph import heading_of
from sdv_prefair.plots._style import SEQUENCE, plain_text
from sdv_prefair.privacy import PrivacyCurve
from sdv_prefair.privacy._accounting import LEARN_DOMAINS, MEASURE_TWO_WAYS, is_too_large
from sdv_prefair.privacy._curve import (
    DELTA_TOO_LARGE,
    Attack,
    Strength,
    attacks,
    delta_in_words,
    guess_in_words,
    members_in_words,
    strength_of,
)
from sdv_prefair.report._columns import Column, ShownShare, values_of
from sdv_prefair.report._effects import FEWEST_ROWS, GroupGap, group_gaps, use_in_words
from sdv_prefair.report._particulars import Files, Particulars
from sdv_prefair.report._words import counted, listed, percent, short
from sdv_prefair.roles import UNLABELLED, Roles
from sdv_prefair.selection._catalogue import ANY_RULE, GIVEN, GIVEN_IN_WORDS, STRUCTURES

if TYPE_CHECKING:
    from sdv_prefair.report._measured import Measured
    from sdv_prefair.synthesizer import PreFairSynthesizer

_REPLICATES = 20
_MOST_SHARES, _MOST_NAMED = 12, 5


class Step(NamedTuple):
    """What a step of the fit has spent."""

    step: str
    mechanism: str
    lines: int
    rho: float
    share: float


class Facts:
    """What a page may say about a fit; each figure is computed when it is first asked for.

    Args:
        synthesizer: A fitted synthesizer.
        told: What only people know.
        files: The files that are released.
        measured: Results computed on the real table, for a copy that stays internal.

    Raises:
        NotFittedError: If it is not fitted.
        UnfairModelError: If it promises fairness, and its model is not fair.
    """

    most_shares, noticeable, fewest_rows_of_groups = _MOST_SHARES, NOTICEABLE, FEWEST_ROWS

    def __init__(
        self,
        synthesizer: 'PreFairSynthesizer',
        told: Particulars | None = None,
        files: Files | None = None,
        measured: 'Measured | None' = None,
    ):
        self.ledger: pd.DataFrame = synthesizer.get_privacy_ledger()
        self.promise: dict[Any, Any] = dict(self.ledger.attrs)
        self._synthesizer, self._fitted = synthesizer, synthesizer.fitted
        settings = self._fitted.settings
        self.is_fair: bool = settings.promise.is_fair and synthesizer.verify_fairness()
        self.roles: Statements = synthesizer.get_roles()
        self.table_name: str = settings.table_name
        self.fitted_on: str = self._fitted.provenance.date
        self.structure: str = settings.mechanism.name
        self.told, self.files = told or Particulars(), files or Files()
        self.told.check_columns(self.roles.admissible)
        self.measured = measured

    # -------------------------------------------------------------- the fit
    @property
    def fitted_with(self) -> str:
        """The versions of the software."""
        return f'{self.made_by}, SDV {self._fitted.provenance.sdv_version}'

    @property
    def made_by(self) -> str:
        """This software, which makes page and record."""
        return f'sdv-prefair {sdv_prefair.__version__}'

    @cached_property
    def _parameters(self) -> dict[str, Any]:
        return self._synthesizer.get_parameters()

    @property
    def person_column(self) -> str | None:
        """The column that identifies persons."""
        return self._synthesizer.person_column

    @property
    def budget(self) -> str:
        """How the budget was allocated."""
        return str(self._parameters['budget'])

    @property
    def num_rows(self) -> float:
        """The number of rows in the model, estimated from noisy counts."""
        return self._fitted.model.total

    @cached_property
    def account(self) -> pd.DataFrame:
        """All attempts to fit."""
        return self._synthesizer.get_privacy_account()

    @property
    def spent_elsewhere(self) -> bool:
        """Whether other attempts have also spent budget on the table."""
        return bool(self.promise['rho_all_attempts'] > self.promise['rho'])

    @cached_property
    def constraints(self) -> tuple[str, ...]:
        """The constraints in words."""
        plan = self._fitted.plan
        rules = [link.rule for link in plan.chain] + list(plan.rejections)
        return tuple(
            f'{type(rule.constraint).__name__} over {", ".join(map(str, rule.columns))}'
            for rule in rules
        )

    # -------------------------------------------------------------- privacy
    @property
    def is_private(self) -> bool:
        """Whether the noise was not seeded."""
        return bool(self.promise['private'])

    @cached_property
    def curve(self) -> PrivacyCurve:
        """What can be learnt about a person, from this fit."""
        return self._synthesizer.privacy_curve()

    @cached_property
    def strength(self) -> Strength:
        """The guarantee for anyone who is in the table of every attempt, in a word."""
        if is_too_large(self.promise['delta_all_attempts'], self.num_rows):
            return DELTA_TOO_LARGE
        return strength_of(self._synthesizer.privacy_curve(all_attempts=True))

    @property
    def promise_in_short(self) -> str:
        """Epsilon and delta with what they promise together."""
        epsilon, delta = short(self.promise['epsilon']), short(self.promise['delta'])
        return f'epsilon = {epsilon}, delta = {delta}: {self.strength.words}'

    @property
    def has_small_delta(self) -> bool:
        """Whether delta is well below one over the number of rows."""
        return not is_too_large(100 * self.promise['delta'], self.num_rows)

    @cached_property
    def guess(self) -> float:
        """How often a guess about somebody's membership is right at most."""
        return self.curve.guess()

    @cached_property
    def attacks(self) -> list[Attack]:
        """Bounds for the attacks that regulators ask about."""
        return attacks(self.curve)

    @property
    def guess_in_words(self) -> str:
        """The risk of a guess."""
        return guess_in_words(self.curve)

    @property
    def members_in_words(self) -> str:
        """The risk of a test for members."""
        return members_in_words(self.curve)

    @property
    def delta_in_words(self) -> str:
        """What epsilon and delta mean together."""
        return delta_in_words(self.curve, self.promise['epsilon'], self.promise['delta'])

    @cached_property
    def units(self) -> list[tuple[str, float | None]]:
        """The epsilon for other units of privacy; None if there is no promise."""
        rows, promise = self.promise['max_rows_per_person'], self.promise
        unit = counted(rows, 'row')
        return [
            (f'adding or removing {unit} of a person (this release)', promise['epsilon']),
            (f'replacing {unit} of a person by others', promise['epsilon_if_replace_one']),
            (f'adding or removing twice as many, {2 * rows} rows',
             promise['epsilon_if_twice_the_rows']),
        ]  # fmt: skip

    @cached_property
    def steps(self) -> list[Step]:
        """What each step has spent."""
        total = float(self.ledger['rho'].sum())
        grouped = self.ledger.groupby(['step', 'mechanism'], sort=False)
        found = [
            Step(
                str(step),
                str(mechanism),
                len(lines),
                lines['rho'].sum(),
                lines['rho'].sum() / total,
            )
            for (step, mechanism), lines in grouped
        ]
        return [*found, Step('all', '', len(self.ledger), total, 1.0)]

    @property
    def steps_in_words(self) -> str:
        """The picture of the ledger in words."""
        shares = [f'{step.step} {percent(step.share, 0)}' for step in self.steps[:-1]]
        return f'Bars of the budget by step: {"; ".join(shares)}.'

    @property
    def has_pairs_measured_twice(self) -> bool:
        """Whether a pair was measured more than once."""
        is_pair = self.ledger['step'] == MEASURE_TWO_WAYS
        return bool(self.ledger.loc[is_pair, 'columns'].duplicated().any())

    @property
    def drawing_of_ledger(self) -> go.Figure:
        """The budget by step."""
        names = self.ledger['columns'].map(lambda names: tuple(map(plain_text, names)))
        figure = plot_ledger(self.ledger.assign(columns=names), title='')
        return figure.update_layout(title=None, colorway=SEQUENCE, height=340)

    # -------------------------------------------------------------- columns
    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """All columns."""
        transformers = self._fitted.encoding.transformers
        described = single_table(self._fitted.plan.metadata).columns
        roles = self._synthesizer.get_roles('modified')
        learning = self.ledger.loc[self.ledger['step'] == LEARN_DOMAINS, 'columns']
        learnt = {name for names in learning for name in names}
        names = [*transformers, *(name for name in described if name not in transformers)]
        return tuple(
            Column(
                name=str(name),
                role=roles.of(name),
                kind=str(described.get(name, {}).get('sdtype', 'made by a constraint')),
                source=self._source(name, name in learnt),
                is_learnt=name in learnt,
                labels=tuple(transformers[name].labels()) if name in transformers else (),
                other=transformers[name].hidden_code if name in transformers else None,
                **values_of(transformers.get(name)),
            )
            for name in names
        )

    def _source(self, name: str, is_learnt: bool) -> str:
        if name == self.person_column:
            return 'identifies persons; generated, not modelled'
        if name not in self._fitted.encoding.transformers:
            return 'generated; nothing is learnt from its values'
        if name in self._fitted.settings.chosen:
            return 'values taken as public: a transformer was given for it'
        if is_learnt:
            return 'values learnt within the budget, as far as noise allowed'
        return 'values taken as public'

    @cached_property
    def modelled(self) -> tuple[Column, ...]:
        """The columns that the model has."""
        return tuple(column for column in self.columns if column.labels)

    @cached_property
    def assumed_public(self) -> tuple[str, ...]:
        """The modelled columns whose values were taken as public."""
        return tuple(column.name for column in self.modelled if not column.is_learnt)

    @property
    def has_undeclared_ranges(self) -> bool:
        """Whether values were taken as public that nobody has declared to be."""
        return bool(self._parameters['public_ranges'] is None and self.assumed_public)

    # -------------------------------------------------------------- noise
    @cached_property
    def noise_of_columns(self) -> dict[str, Noise]:
        """The noise of each column."""
        return noise_of_columns(self._fitted.model)

    @cached_property
    def noise_of_pairs(self) -> list[Noise]:
        """The noise of each pair that was measured."""
        return noise_of_pairs(self._fitted.model)

    @cached_property
    def swamped(self) -> list[Noise]:
        """The marginals that noise swamps."""
        measured = [*self.noise_of_columns.values(), *self.noise_of_pairs]
        return [noise for noise in measured if noise.is_lost]

    @property
    def swamped_in_words(self) -> str:
        """How many these are."""
        columns = sum(len(noise.columns) == 1 for noise in self.swamped)
        numbers = {'column': columns, 'pair': len(self.swamped) - columns}
        return listed(counted(number, name) for name, number in numbers.items() if number)

    @cached_property
    def _replicates(self) -> Callable[[], Replicates]:
        return cache(lambda: replicate(self._fitted, _REPLICATES, seed=0))

    @cached_property
    def intervals(self) -> Mapping[str, pd.DataFrame]:
        """The shares of each column's values, with 95 % intervals for those of the private table.

        Replicates are needed only where a third-party mechanism has not measured a column.
        """
        return {
            column: estimate_query(self._fitted, Share(column), self._replicates, sampling=False)
            for column in self._fitted.model.domain
        }

    @cache  # noqa: B019
    def shares(self, column: Column) -> list[ShownShare]:
        """Return the shares of a column's values that are shown."""
        found = self.intervals[column.name]
        off = np.maximum(found['upper'] - found['estimate'], found['estimate'] - found['lower'])
        labels = [column.labels[code] for code in column.codes]
        return [
            ShownShare(label, float(share), float(most))
            for label, share, most in zip(labels, found['estimate'], off, strict=True)
        ]

    def drawing_of_shares(self, column: Column) -> go.Figure:
        """Return the shares of a column in the model as bars with their intervals."""
        shares, found = self._fitted.model.marginal(column.name), self.intervals[column.name]
        bars = [
            Bar(column.labels[code], float(shares[code]), float(low), float(high))
            for code, low, high in zip(column.codes, found['lower'], found['upper'], strict=True)
        ]
        is_binned = column.kind in {'numerical', 'datetime'}
        return plot_shares(bars, column.role, is_binned=is_binned)

    def shares_in_words(self, column: Column) -> str:
        """Return the largest shares in words."""
        shares = self._fitted.model.marginal(column.name)
        largest = [
            f'{column.labels[code]} {percent(shares[code])}'
            for code in np.argsort(-shares)[:_MOST_NAMED]
        ]
        told = '; '.join(largest)
        return f'Bars of the shares of {column.name} in the model. The largest: {told}.'

    # -------------------------------------------------------------- the graph
    @cached_property
    def graph(self) -> 'nx.Graph[Any]':
        """The model's graph with roles."""
        return self._synthesizer.get_fair_graph()

    @cached_property
    def ties(self) -> 'nx.Graph[Any]':
        """The edges between the table's own columns, from the model and the constraints."""
        return markov_graph(tied_columns(self._fitted.model, self._fitted.plan))

    @cached_property
    def is_forest(self) -> bool:
        """Whether there is at most one path between two columns."""
        return bool(nx.is_forest(self.ties))

    @property
    def edges(self) -> list[tuple[Any, Any, dict[str, Any]]]:
        """The edges of the model with their attributes."""
        return list(self.graph.edges(data=True))

    @property
    def has_edges_beyond_tree(self) -> bool:
        """Whether edges were added to a tree."""
        return any(about.get('beyond_tree') for *_, about in self.edges)

    @property
    def is_tree_given(self) -> bool:
        """Whether whoever made the fit gave the tree."""
        return self.structure == GIVEN

    @property
    def how_chosen(self) -> str:
        """How the graph was chosen."""
        if self.is_tree_given:
            return GIVEN_IN_WORDS
        return STRUCTURES.get(self.structure, f'found by the structure {self.structure}')

    @property
    def was_restrained(self) -> bool:
        """Whether edges that would break a statement were left out, and the words do not say so."""
        return self.is_fair and self.structure in ANY_RULE

    @property
    def drawing_of_graph(self) -> go.Figure:
        """The graph in lanes."""
        roles = self._synthesizer.get_roles('modified')
        title = f'{plain_text(self.table_name)}: {heading_of(self.graph, roles)}'
        return plot_fair_graph(self.graph, title, roles)

    @property
    def graph_in_words(self) -> str:
        """The graph in words."""
        roles = [f'{name} is {about["role"]}' for name, about in self.graph.nodes(data=True)]
        edges = [f'{one} with {other}' for one, other in self.graph.edges]
        return f'Graph of the model. {"; ".join(roles)}. Edges: {"; ".join(edges)}.'

    # -------------------------------------------------------------- fairness
    @property
    def has_roles(self) -> bool:
        """Whether anything was to be fair."""
        return bool(self.roles)

    @property
    def has_one_statement(self) -> bool:
        """Whether roles make the only statement, that of justifiable fairness."""
        return isinstance(self.roles, Roles)

    @property
    def conditions_on_anything(self) -> bool:
        """Whether a statement has a conditioning set."""
        return any(statement.given for statement in self.roles.statements)

    @property
    def notion(self) -> str:
        """What is kept, in two words."""
        if self.has_one_statement:
            return 'Justifiably fair'
        if self.conditions_on_anything:
            return f'{counted(len(self.roles.statements), "statement")} kept'
        return 'Demographic parity'

    @property
    def num_compared(self) -> int:
        """How many pairs of a protected column and an outcome there are."""
        return sum(len(one.left) * len(one.right) for one in self.roles.statements)

    @property
    def broken(self) -> list[tuple[str, list[Any]]]:
        """The statements that do not hold, each with a path that breaks it; one of the roles'."""
        found = broken_statements(list(self.ties.edges), self.roles)
        shown = found[:1] if self.has_one_statement else found
        return [(str(statement), list(path)) for statement, path in shown]

    def path(self, left: str, right: str) -> list[str]:
        """Return the shortest path between two columns; empty if there is none."""
        if not {left, right} <= set(self.ties) or not nx.has_path(self.ties, left, right):
            return []
        return [str(name) for name in nx.shortest_path(self.ties, left, right)]

    def components(self, statement: Independent) -> list[dict[str, list[str]]]:
        """Return which columns stay connected without a statement's conditioning set."""
        place = {column: position for position, column in enumerate(self.ties)}
        parts = nx.connected_components(self._without(statement))
        found = [sorted(part, key=lambda column: place[column]) for part in parts]
        return [
            {side: names for side, names in self._sides(columns, statement) if names}
            for columns in sorted(found, key=lambda columns: place[columns[0]])
        ]

    def _sides(self, columns: list[str], statement: Independent) -> Iterator[tuple[str, list[str]]]:
        named = {'protected': statement.left, 'outcome': statement.right}
        for side, of in named.items():
            yield side, [column for column in columns if column in of]
        both = {*statement.left, *statement.right}
        yield 'unlabelled', [column for column in columns if column not in both]

    def _without(self, statement: Independent) -> 'nx.Graph[Any]':
        ties = self.ties.copy()
        ties.remove_nodes_from(statement.given)
        return ties

    @property
    def beside_outcomes(self) -> tuple[str, ...]:
        """Columns without a role that a path around the conditioning set connects to an outcome."""
        near: set[str] = set()
        for statement in self.roles.statements:
            ties = self._without(statement)
            for outcome in filter(ties.has_node, statement.right):
                near |= nx.node_connected_component(ties, outcome)
        return tuple(c.name for c in self.modelled if c.name in near and c.role == UNLABELLED)

    @cached_property
    def use(self) -> list[str]:
        """What the rows are good for: which reasons have an effect in them."""
        if not self.is_fair:
            return []
        return use_in_words(self.roles.statements, self.ties, self._fitted.model)

    @cached_property
    def explanation(self) -> FairnessExplanation:
        """What the model shows about proxies."""
        return self._synthesizer.explain_fairness()

    @property
    def proxies(self) -> list[tuple[str, list[Finding], list[str]]]:
        """For each question on proxies: its heading, what is noticeable, and the rest in words."""
        asked = ((heading, self.explanation.of(part)) for part, heading in HEADINGS.items())
        return [
            (heading, [one for one in found if one.surely >= NOTICEABLE], rest_in_words(found))
            for heading, found in asked
            if found
        ]

    @property
    def looked_for_copies(self) -> bool:
        """Whether a noisy score tells of copies of outcomes."""
        return bool(self.explanation.of(OUTCOME_COPY))

    @property
    def outcome_copies(self) -> list[str]:
        """Columns without a role that nearly copy an outcome, by a noisy score."""
        looks = self.explanation.of(OUTCOME_COPY)
        return list(dict.fromkeys(look.column for look in looks if look.nearly_copies))

    @cached_property
    def gaps(self) -> tuple[GroupGap, ...]:
        """Differences between groups that a fair model still has, with intervals."""
        promised = self._fitted.settings.promise.is_fair
        return group_gaps(self._fitted, self._replicates) if promised else ()
