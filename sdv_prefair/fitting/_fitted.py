"""The result of a fit: frozen, so that it is replaced as a whole or not at all."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, field

import pandas as pd
import sdv.version

from sdv_prefair.columns._processor import CodesProcessor, Encoding
from sdv_prefair.constraints._plan import ConstraintPlan
from sdv_prefair.fitting._outcome_copies import OutcomeLook
from sdv_prefair.fitting._settings import Settings
from sdv_prefair.model import GraphicalModel
from sdv_prefair.privacy import Debit, Ledger


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
