"""What a fit leaves behind: frozen, so that it changes as a whole or not at all."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, field

import pandas as pd
import sdv.version

from sdv_prefair.constraints.plan import ConstraintPlan
from sdv_prefair.encoding.processor import CodesProcessor
from sdv_prefair.encoding.table import Encoding
from sdv_prefair.fitting.outcome_copies import OutcomeLook
from sdv_prefair.fitting.settings import Settings
from sdv_prefair.model import GraphicalModel
from sdv_prefair.privacy import Debit, Ledger


@dataclass(frozen=True)
class Prepared:
    """What is known before rows are counted: learnt domains, encoders, SDV's processor.

    Attributes:
        settings: What it was prepared with.
        encoding: Turns rows into codes.
        processor: SDV's processor, fitted on public facts; turns codes into rows.
        learning: What learning domains has cost.
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
        """Return the budget of a fit that has paid for learning, and for nothing else."""
        return self.settings.open_ledger(self.learning)


@dataclass(frozen=True)
class Provenance:
    """When a fit was made, and by which versions of SDV."""

    date: str
    sdv_version: str | None
    sdv_enterprise_version: str | None

    @classmethod
    def here_and_now(cls) -> 'Provenance':
        """Return that of a fit that is just finished."""
        return cls(
            datetime.datetime.today().strftime('%Y-%m-%d'),
            getattr(sdv.version, 'community', None),
            getattr(sdv.version, 'enterprise', None),
        )


@dataclass(frozen=True)
class Fitted:
    """A finished fit.

    Privacy: settings are public, ledger and model are what was paid for. It can be shown to
    anybody.

    Attributes:
        prepared: Constraints, encoders and processor.
        ledger: Every access to the rows.
        model: What rows are sampled from.
        names: The names that the user's frame had, if they were not all strings.
        provenance: When and by what it was made.
        looks: What unlabelled columns tell about outcomes, if that was looked at.
    """

    prepared: Prepared
    ledger: Ledger
    model: GraphicalModel
    names: pd.Index = field(default_factory=lambda: pd.Index([]))
    provenance: Provenance = field(default_factory=Provenance.here_and_now)
    looks: tuple[OutcomeLook, ...] = ()

    @property
    def settings(self) -> Settings:
        """What it was fitted with."""
        return self.prepared.settings

    @property
    def plan(self) -> ConstraintPlan:
        """The constraints."""
        return self.prepared.plan

    @property
    def encoding(self) -> Encoding:
        """Turns rows into codes."""
        return self.prepared.encoding
