"""The input of a fit besides the rows: arguments, constraints, and the user's choices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
from rdt.transformers import BaseTransformer

from sdv_prefair.columns import ColumnCodes, ColumnDomain, single_table
from sdv_prefair.columns._processor import CodesProcessor
from sdv_prefair.constraints._adding import Promise
from sdv_prefair.constraints._plan import ConstraintPlan
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.learning import reserved_delta
from sdv_prefair.privacy import (
    Debit,
    Entropy,
    Ledger,
    PrivacyCurve,
    Risk,
    SeededEntropy,
    SystemEntropy,
)
from sdv_prefair.privacy._accounting import ROUNDED_NOISES
from sdv_prefair.roles import Roles
from sdv_prefair.selection._measuring import Budget
from sdv_prefair.selection._mechanism import Mechanism, is_all_gaussian

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
