"""The result of a fit: frozen, so that it is replaced as a whole or not at all."""

import datetime
import math
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import sdv.version
from rdt.transformers import BaseTransformer

from sdv_prefair._arrays import Floats
from sdv_prefair.columns import ColumnCodes, ColumnDomain, single_table
from sdv_prefair.columns._processor import CodesProcessor, Encoding
from sdv_prefair.constraints._adding import Promise
from sdv_prefair.constraints._plan import ConstraintPlan
from sdv_prefair.counting import Clique, is_measurable
from sdv_prefair.fairness._dependence import (
    NEARLY_COPIES,
    SURELY,
    beyond,
    most_that_can_be_told,
    told_by_chance,
)
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.learning import reserved_delta
from sdv_prefair.model import GraphicalModel, Measurement, one_way_model
from sdv_prefair.model._measurement import by_columns
from sdv_prefair.privacy import (
    Debit,
    Entropy,
    Ledger,
    PrivacyCurve,
    PrivateTable,
    Risk,
    SeededEntropy,
    SystemEntropy,
)
from sdv_prefair.privacy._accounting import LOOK_FOR_COPIES, ROUNDED_NOISES
from sdv_prefair.roles import Roles
from sdv_prefair.selection._measuring import Budget, independence_gap
from sdv_prefair.selection._mechanism import Mechanism, is_all_gaussian
from sdv_prefair.selection._strategy import Pair

# -- The input of a fit besides the rows: arguments, constraints, and the user's choices -----------

# Stages of a fit, so that a seed does not generate the same noise twice.
LEARNING, MEASURING, LOOKING = 0, 1, 2


@dataclass(frozen=True)
class Settings:
    """Everything that determines a fit apart from the rows and the noise. All of it is public.

    Attributes:
        asked: Privacy budget: epsilon, or the risk that is acceptable.
        delta: What is added to the bound that epsilon sets on probabilities.
        max_rows_per_person: The number of rows one person may have.
        seed: If given, makes the noise reproducible.
        numeric_bins: Number of bins of a column with a wide range.
        discretization: ``'private'`` for bins that follow the data, ``'uniform'`` for equal-width
            ones.
        spikes: Values that get a bin of their own, by column.
        enforce_rounding: Whether numbers are rounded to the declared decimals.
        budget: How rho is divided among the steps.
        estimator: Which estimator is used.
        promise: Statements, mechanism, and whether ranges are public.
        plan: The constraints.
        chosen: Transformers that the user chose for modelled columns.
        generators: Generators of columns that are not modelled, where they must be carried over.
        processor: SDV's processor as the user left it. It is copied, never changed.
        look_for_copies: Whether to search, within the budget, for unlabelled copies of outcomes.
    """

    asked: float | Risk
    delta: float
    max_rows_per_person: int
    seed: int | None
    numeric_bins: int
    discretization: str
    spikes: Mapping[str, Sequence[Any]]
    enforce_rounding: bool
    budget: Budget
    estimator: str
    promise: Promise
    plan: ConstraintPlan
    chosen: Mapping[str, ColumnCodes]
    generators: Mapping[str, BaseTransformer]
    processor: CodesProcessor
    look_for_copies: bool = True

    @property
    def epsilon(self) -> float:
        """The privacy budget of a fit; if a risk was asked for, that which keeps to it."""
        return self._epsilon_if(self._is_gaussian)

    def _epsilon_if(self, all_gaussian: bool) -> float:
        if not isinstance(self.asked, Risk):
            return self.asked
        reserved = reserved_delta(self.to_learn, self.delta)
        return self.asked.epsilon_at(self.delta, all_gaussian, reserved)

    @property
    def _is_gaussian(self) -> bool:
        return is_all_gaussian(self.mechanism)

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism, which chooses the graph of the model."""
        return self.promise.mechanism

    @property
    def roles(self) -> Statements:
        """The statements about the modelled columns: their roles, or others."""
        # A plan that leaves no roles is refused when it is made.
        return self.promise.roles_after(self.plan) or Roles()

    @property
    def looks_for_copies(self) -> bool:
        """Whether a fit searches for copies of outcomes: if requested, and if it is to be fair."""
        return self.look_for_copies and self.promise.is_fair

    @property
    def table_name(self) -> str:
        """The name of the table."""
        (name,) = self.plan.original_metadata.tables
        return str(name)

    @property
    def columns(self) -> Mapping[str, dict[str, Any]]:
        """The metadata of the table's columns, without constraints."""
        columns: Mapping[str, dict[str, Any]] = single_table(self.plan.original_metadata).columns
        return columns

    @property
    def unchosen(self) -> dict[str, ColumnDomain]:
        """The modelled columns for which the user chose no transformer."""
        return {c: d for c, d in self.plan.domains.items() if c not in self.chosen}

    @property
    def to_learn(self) -> dict[str, ColumnDomain]:
        """The domains, public or to be learnt, including those that constraints need."""
        return self.unchosen | self.plan.domains_to_learn

    @property
    def to_look_at(self) -> list[str]:
        """The columns whose bins may follow the data: those that constraints do not change."""
        tied = self.plan.consumed | set(self.plan.edges(self.numeric_bins))
        original = self.plan.original_domains
        return [c for c in self.unchosen if c in original and c not in tied]

    def for_table(self, dtypes: pd.Series) -> 'Settings':
        """Return the settings with the constraints prepared for a table of these dtypes."""
        return replace(self, plan=self.plan.fit(dtypes)) if self.plan.tied else self

    def open_ledger(self, learning: Sequence[Debit] = ()) -> Ledger:
        """Return the ledger of one fit, in which at most learning has been paid for.

        How its lines will be added up is decided here, from public facts, before a row is read.

        Args:
            learning: The lines of learning that was done before; if written by another version, or
                for another mechanism, they may have other noise.
        """
        gaussian = self._is_gaussian and all(d.mechanism in ROUNDED_NOISES for d in learning)
        ledger = Ledger(
            self._epsilon_if(gaussian),
            self.delta,
            self.max_rows_per_person,
            reserved_delta(self.to_learn, self.delta),
            seeded=self.seed is not None,
            all_gaussian=gaussian,
        )
        ledger.carry_over(learning)
        return ledger

    @property
    def curve(self) -> PrivacyCurve:
        """What can be learnt about a person from a fit with these settings."""
        return PrivacyCurve.of(self.open_ledger())

    def entropy(self, stage: int) -> Entropy:
        """Return the source of randomness of a stage."""
        return SystemEntropy() if self.seed is None else SeededEntropy((self.seed, stage))


# -- Private scores of how well unlabelled columns predict outcomes --------------------------------
#
# A column without a role that copies an outcome is not separated from protected columns. It
# carries the whole difference between groups into the synthetic table, next to an outcome that is
# fair, and every check passes: for example ``is_recid`` and ``two_year_recid`` in COMPAS. The
# model cannot show it, because the two are never joined. So a small part of the budget is spent
# on scores of these pairs: the distance of each pair from the product of its released one-way
# marginals.
#
# A part of the budget is set aside for the scores; the mechanism, whichever it is, runs first and
# spends the rest. Its one-way marginals then predict what independent columns would show.


LOOK_SHARE = Fraction(1, 100)
"""The share of the scores in the budget that is left after learning domains and bins."""

# E|X| of a standard normal X.
_MEAN_SIZE = math.sqrt(2 / math.pi)


@dataclass(frozen=True)
class OutcomeLook:
    """How well an unlabelled column predicts an outcome, according to a noisy score.

    Attributes:
        column: The column.
        outcome: The outcome.
        tells: How well it predicts the outcome, from 0 to 1.
        surely: How much of that exceeds chance and noise.
    """

    column: str
    outcome: str
    tells: float
    surely: float

    @property
    def nearly_copies(self) -> bool:
        """Whether the column certainly nearly determines the outcome."""
        return self.surely >= NEARLY_COPIES


def pairs_to_look_at(domain: Mapping[str, int], roles: Statements) -> list[Pair]:
    """Return all pairs of an unlabelled column and an outcome that are small enough to count.

    Args:
        domain: Number of codes of every column.
        roles: The statements.
    """
    place = {column: number for number, column in enumerate(domain)}
    pairs = [(u, o) for u in roles.unlabelled(domain) for o in roles.outcome]
    ordered = [(a, b) if place[a] < place[b] else (b, a) for a, b in pairs]
    return [pair for pair in ordered if is_measurable(pair, domain)]


@contextmanager
def look_put_aside(
    table: PrivateTable, pairs: Collection[Clique]
) -> Generator[Fraction, None, None]:
    """Set the scores' part of the budget aside while a mechanism spends all that is left.

    Privacy: nothing is answered, and the amount that can be spent does not grow.
    """
    ledger = table.ledger
    share = LOOK_SHARE if pairs else Fraction(0)
    rho, _ = ledger.shares(ledger.remaining, [share, 1 - share])
    ledger.put_aside(rho)
    try:
        yield rho
    finally:
        ledger.take_back()


def look_for_copies(
    table: PrivateTable,
    pairs: Sequence[Clique],
    roles: Statements,
    released: Sequence[Measurement],
    rho: Fraction,
) -> tuple[OutcomeLook, ...]:
    """Score pairs of unlabelled and outcome columns by their distance from independence.

    Privacy: spends rho on all scores together, see ``PrivateTable.score``; the predictions come
    from released values, and the rest is post-processing.

    Args:
        table: Answers queries and debits the ledger; its codes may have been merged.
        pairs: The pairs to score.
        roles: The statements, which say which of their columns are outcomes.
        released: What the mechanism has measured.
        rho: The cost of the scores.
    """
    if not pairs:
        return ()
    one_ways = _OneWays(table.domain, sorted({c for pair in pairs for c in pair}), released)
    score = independence_gap(one_ways.expected)
    answers, sigma = table.score(pairs, score, rho, LOOK_FOR_COPIES)
    return tuple(
        _judged(pair, answer / score.unit, sigma, roles, one_ways)
        for pair, answer in zip(pairs, answers, strict=True)
    )


class _OneWays:
    """The one-way distributions and their noise, as far as a mechanism has measured them.

    A user's own mechanism may have measured codes other than the table's present ones, or no single
    columns. Such columns are taken as uniform with unbounded noise, so that nothing counts as
    certain.

    Privacy: post-processing of released values.
    """

    def __init__(
        self, domain: Mapping[str, int], columns: Sequence[str], released: Sequence[Measurement]
    ):
        single = [
            m
            for m in by_columns([m for m in released if len(m.columns) == 1]).values()
            if m.columns[0] in columns and m.values.size == domain[m.columns[0]]
        ]
        self.total, known = one_way_model(single)
        even = {c: np.full(domain[c], self.total / domain[c]) for c in columns}
        self.expected: dict[str, Floats] = even | known
        self.noise = dict.fromkeys(columns, math.inf) | {
            m.columns[0]: _MEAN_SIZE * float(np.sqrt(m.variance).sum()) for m in single
        }


def _judged(
    pair: Clique, distance: float, sigma: float, roles: Statements, one_ways: _OneWays
) -> OutcomeLook:
    """Return how well one pair's column predicts its outcome; distance and sigma are in rows."""
    column, outcome = sorted(pair, key=lambda name: name in roles.outcome)
    total, (first, second) = one_ways.total, (one_ways.expected[c] for c in (column, outcome))
    shares = first / first.sum(), second / second.sum()
    most = total * most_that_can_be_told(shares[1])
    if most <= 0:
        return OutcomeLook(column, outcome, 0.0, 0.0)
    tells = min(1.0, max(0.0, distance / most))
    noise = one_ways.noise[column] + one_ways.noise[outcome]
    by_chance = (noise + told_by_chance(*shares, total)) / most
    surely = beyond(min(1.0, distance / most - SURELY * sigma / most), by_chance)
    return OutcomeLook(column, outcome, tells, min(tells, surely))


# -- The result of a fit: frozen, so that it is replaced as a whole or not at all ------------------


@dataclass(frozen=True)
class Prepared:
    """What is known before rows are counted: learnt domains, encoders, SDV's processor.

    Attributes:
        settings: The settings it was prepared with.
        encoding: Turns rows into codes.
        processor: SDV's processor, fitted on public facts; turns codes into rows.
        learning: The ledger lines of learning domains and choosing bins.
    """

    settings: Settings
    encoding: Encoding
    processor: CodesProcessor
    learning: Sequence[Debit]

    @property
    def plan(self) -> ConstraintPlan:
        """The constraints, prepared for the table's dtypes."""
        return self.settings.plan

    def open_ledger(self) -> Ledger:
        """Return the ledger of a fit that has paid for learning and nothing else."""
        return self.settings.open_ledger(self.learning)


@dataclass(frozen=True)
class Provenance:
    """When a fit was made, and with which versions of SDV."""

    date: str
    sdv_version: str | None
    sdv_enterprise_version: str | None

    @classmethod
    def here_and_now(cls) -> 'Provenance':
        """Return the provenance of a fit that has just finished."""
        return cls(
            datetime.datetime.today().strftime('%Y-%m-%d'),
            getattr(sdv.version, 'community', None),
            getattr(sdv.version, 'enterprise', None),
        )


@dataclass(frozen=True)
class Fitted:
    """A finished fit.

    Privacy: the settings are public; the ledger and the model were paid for. It can be shown to
    anyone.

    Attributes:
        prepared: Constraints, encoders and processor.
        ledger: Every access to the rows.
        model: The model that rows are sampled from.
        names: The column names of the user's frame, if they were not all strings.
        provenance: When it was made, and with which versions.
        looks: How well unlabelled columns predict outcomes, if that was scored.
    """

    prepared: Prepared
    ledger: Ledger
    model: GraphicalModel
    names: pd.Index = field(default_factory=lambda: pd.Index([]))
    provenance: Provenance = field(default_factory=Provenance.here_and_now)
    looks: tuple[OutcomeLook, ...] = ()

    @property
    def settings(self) -> Settings:
        """The settings of the fit."""
        return self.prepared.settings

    @property
    def plan(self) -> ConstraintPlan:
        """The constraints."""
        return self.prepared.plan

    @property
    def encoding(self) -> Encoding:
        """Turns rows into codes."""
        return self.prepared.encoding
