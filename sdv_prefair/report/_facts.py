"""The input of a release report: everything a fitted synthesizer may show to anyone."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import networkx as nx
import pandas as pd

import sdv_prefair
from sdv_prefair.columns import single_table
from sdv_prefair.constraints._plan import ConstraintPlan
from sdv_prefair.fairness._predicate import markov_graph
from sdv_prefair.fairness._statements import Independent, Statements
from sdv_prefair.fitting._explanation import FairnessExplanation
from sdv_prefair.fitting._fitted import Fitted
from sdv_prefair.fitting._verification import tied_columns
from sdv_prefair.inference import Replicates, Share, estimate_query, replicate
from sdv_prefair.model import GraphicalModel
from sdv_prefair.privacy import PrivacyCurve
from sdv_prefair.privacy._ledger_words import LEARN_DOMAINS
from sdv_prefair.report._column_values import values_of
from sdv_prefair.report._group_gaps import GroupGap, group_gaps
from sdv_prefair.roles import UNLABELLED

_REPLICATES = 20

if TYPE_CHECKING:
    from sdv_prefair.synthesizer import PreFairSynthesizer


@dataclass(frozen=True)
class Column:
    """One column of the released table, or one that the model uses in place of others.

    Attributes:
        name: Its name.
        role: Its role.
        kind: Its sdtype.
        source: Where its values come from, in words.
        is_learnt: Whether its values were learnt within the budget.
        labels: A text for each code, if it is modelled.
        other: The code without a value to show, which is never sampled.
        shown: The values of a column that is not binned.
        limits: The range of a number or a date, in words.
        nullable: Whether it can be missing; None if it is not modelled.
    """

    name: str
    role: str
    kind: str
    source: str
    is_learnt: bool
    labels: tuple[str, ...] = ()
    other: int | None = None
    shown: tuple[str, ...] = ()
    limits: str | None = None
    nullable: bool | None = None


@dataclass(frozen=True)
class Facts:
    """Public arguments, the ledger, and the model estimated from noisy measurements.

    Privacy: nothing else, so a report of these facts alone is covered by the guarantee.

    Attributes:
        table_name: Name of the table.
        fitted_on: Day of the fit.
        fitted_with: Versions of the software.
        parameters: Arguments of the synthesizer.
        structure: Name of the selection structure.
        roles: The roles, or statements, as given.
        modelled_roles: The same for the model's columns, some of which constraints may create.
        is_fair: Whether fairness was promised, and every statement held when checked just now.
        ledger: The ledger, with its footer.
        account: All attempts to fit.
        curve: What can be learnt about a person, from this fit.
        whole_curve: The same, from all attempts.
        graph: The model's graph with roles.
        ties: The edges between the table's own columns, from the model and the constraints.
        columns: All columns.
        constraints: The constraints in words.
        model: The fitted model.
        explanation: What the model shows about proxies.
        intervals: For each modelled column the shares of its values, each with a 95 % confidence
            interval for that of the private table.
        gaps: Differences between groups that a fair model still has, with intervals.
    """

    table_name: str
    fitted_on: str
    fitted_with: str
    parameters: dict[str, Any]
    structure: str
    roles: Statements
    modelled_roles: Statements
    is_fair: bool
    ledger: pd.DataFrame
    account: pd.DataFrame
    curve: PrivacyCurve
    whole_curve: PrivacyCurve
    graph: nx.Graph
    ties: nx.Graph
    columns: tuple[Column, ...]
    constraints: tuple[str, ...]
    model: GraphicalModel
    explanation: FairnessExplanation
    intervals: Mapping[str, pd.DataFrame]
    gaps: tuple[GroupGap, ...]

    @property
    def promise(self) -> dict:
        """The footer of the ledger: the guarantee in numbers."""
        return self.ledger.attrs

    @property
    def is_private(self) -> bool:
        """Whether the noise was not seeded."""
        return self.promise['private']

    @property
    def spent_elsewhere(self) -> bool:
        """Whether other attempts have also spent budget on the table."""
        return self.promise['rho_all_attempts'] > self.promise['rho']

    @property
    def modelled(self) -> tuple[Column, ...]:
        """The columns that the model has."""
        return tuple(column for column in self.columns if column.labels)

    @property
    def assumed_public(self) -> tuple[str, ...]:
        """The modelled columns whose values were taken as public."""
        return tuple(column.name for column in self.modelled if not column.is_learnt)

    @property
    def beside_outcomes(self) -> tuple[str, ...]:
        """Columns without a role that a path around the conditioning set connects to an outcome."""
        near = {c for statement in self.roles.statements for c in self._beside(statement)}
        return tuple(c.name for c in self.modelled if c.name in near and c.role == UNLABELLED)

    def _beside(self, statement: Independent) -> set[str]:
        ties = self.ties.copy()
        ties.remove_nodes_from(statement.given)
        return {
            column
            for outcome in filter(ties.has_node, statement.right)
            for column in nx.node_connected_component(ties, outcome)
        }


def gather(synthesizer: 'PreFairSynthesizer') -> Facts:
    """Return what a fitted synthesizer may show.

    Raises:
        NotFittedError: If it is not fitted.
        UnfairModelError: If it promises fairness, and its model is not fair.
    """
    ledger = synthesizer.get_privacy_ledger()
    fitted = synthesizer.fitted
    promises_fairness = fitted.settings.promise.is_fair
    # Computed once, and only if needed.
    replicates = cache(lambda: replicate(fitted, _REPLICATES, seed=0))
    return Facts(
        table_name=fitted.settings.table_name,
        fitted_on=fitted.provenance.date,
        fitted_with=f'sdv-prefair {sdv_prefair.__version__}, SDV {fitted.provenance.sdv_version}',
        parameters=synthesizer.get_parameters(),
        structure=fitted.settings.mechanism.name,
        roles=synthesizer.get_roles(),
        modelled_roles=synthesizer.get_roles('modified'),
        is_fair=promises_fairness and synthesizer.verify_fairness(),
        ledger=ledger,
        account=synthesizer.get_privacy_account(),
        curve=synthesizer.privacy_curve(),
        whole_curve=synthesizer.privacy_curve(all_attempts=True),
        graph=synthesizer.get_fair_graph(),
        ties=markov_graph(tied_columns(fitted.model, fitted.plan)),
        columns=_columns(synthesizer, ledger),
        constraints=_constraints(fitted.plan),
        model=fitted.model,
        explanation=synthesizer.explain_fairness(),
        intervals={c: _shares(fitted, c, replicates) for c in fitted.model.domain},
        gaps=group_gaps(fitted, replicates) if promises_fairness else (),
    )


def _shares(fitted: Fitted, column: str, replicates: Callable[[], Replicates]) -> pd.DataFrame:
    # Replicates only for columns that a third-party mechanism has not measured on their own.
    return estimate_query(fitted, Share(column), replicates, sampling=False)


def _columns(synthesizer: 'PreFairSynthesizer', ledger: pd.DataFrame) -> tuple[Column, ...]:
    roles = synthesizer.get_roles('modified')
    fitted = synthesizer.fitted
    transformers = fitted.encoding.transformers
    described = single_table(fitted.plan.metadata).columns
    learnt = {
        name for names in ledger.loc[ledger['step'] == LEARN_DOMAINS, 'columns'] for name in names
    }
    chosen = set(fitted.settings.chosen)
    names = [*transformers, *(name for name in described if name not in transformers)]
    return tuple(
        Column(
            name=str(name),
            role=roles.of(name),
            kind=str(described.get(name, {}).get('sdtype', 'made by a constraint')),
            source=_source(name, learnt, chosen, transformers, synthesizer.person_column),
            is_learnt=name in learnt,
            labels=tuple(transformers[name].labels()) if name in transformers else (),
            other=transformers[name].hidden_code if name in transformers else None,
            **values_of(transformers.get(name)),
        )
        for name in names
    )


def _source(name: str, learnt: set, chosen: set, modelled: dict, person: str | None) -> str:
    if name == person:
        return 'identifies persons; generated, not modelled'
    if name not in modelled:
        return 'generated; nothing is learnt from its values'
    if name in chosen:
        return 'values taken as public: a transformer was given for it'
    if name in learnt:
        return 'values learnt within the budget, as far as noise allowed'
    return 'values taken as public'


def _constraints(plan: ConstraintPlan) -> tuple[str, ...]:
    rules = [link.rule for link in plan.chain] + list(plan.rejections)
    return tuple(
        f'{type(rule.constraint).__name__} over {", ".join(map(str, rule.columns))}'
        for rule in rules
    )
