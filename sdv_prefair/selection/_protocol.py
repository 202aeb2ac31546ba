"""The interface of a mechanism. Each mechanism is one file next to this one.

A mechanism declares which histograms it may read, before any is counted. Then it runs on a private
table, which it may query in any way, paying for every answer. It returns a list of noisy
measurements and the cliques of a model. Nothing else in the package depends on the mechanism.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, runtime_checkable

import numpy as np

from sdv_prefair.counts import Clique
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.model import (
    Compression,
    GraphicalModel,
    Measurement,
    compress_rare_codes,
    estimate,
)
from sdv_prefair.privacy import PrivateTable
from sdv_prefair.privacy._private_table import HiddenCodes
from sdv_prefair.selection._measuring import Budget

# How far off cells may be, in units of noise and sampling error: at 3 % of these, the squared error
# of a model is a thousandth larger than necessary.
NEAR_ENOUGH = 0.03

Progress = Callable[[str], None]

Shape = Literal['tree', 'connected', 'any']


def quiet(step: str) -> None:
    """Report no progress."""


@dataclass(frozen=True)
class Release:
    """The result of a mechanism: released values and public facts, and nothing private.

    Attributes:
        measurements: The noisy marginals, of cliques of any size.
        cliques: The cliques of the model, without single columns.
        compressions: How codes were merged, for each column whose codes were.
        mostly_outside: Columns in which most rows, according to the noisy marginal, hold values
            outside the domain.
    """

    measurements: Sequence[Measurement]
    cliques: Sequence[Clique]
    compressions: Mapping[str, Compression] = field(default_factory=dict)
    mostly_outside: Sequence[str] = ()


@runtime_checkable
class Mechanism(Protocol):
    """One way from counts to noisy measurements.

    A mechanism that uses only ``measure`` and ``score`` may declare so: if it has an attribute
    ``all_gaussian`` that is True, the whole fit is one Gaussian mechanism, with less noise for the
    same guarantee, and ``choose`` and ``split`` are refused.
    """

    @property
    def name(self) -> str:
        """Its name in reports and in ``structure=``."""

    @property
    def requires_roles(self) -> bool:
        """Whether it guarantees fairness, for which it needs roles."""

    @property
    def shape(self) -> Shape:
        """The kind of graph it can return, which is checked when a release is opened.

        ``'tree'`` for spanning trees, or forests where pairs are too large to measure;
        ``'connected'`` if there may be more edges than a tree has; ``'any'`` if the graph need not
        be connected.
        """

    def declare(self, domain: Mapping[str, int], roles: Statements) -> list[Clique]:
        """Return the cliques whose histograms may be read, including single columns.

        Args:
            domain: Number of codes of every column.
            roles: The roles of the columns.
        """

    def run(
        self, table: PrivateTable, roles: Statements, budget: Budget, progress: Progress = quiet
    ) -> Release:
        """Measure and choose, and return what is released.

        Privacy: spends all that is left in the table's ledger, through the table alone.

        Args:
            table: Answers queries and debits the ledger.
            roles: The roles of the table's columns.
            budget: How what is left in the ledger is divided.
            progress: Called with the name of each step.
        """


def is_all_gaussian(mechanism: Mechanism) -> bool:
    """Whether the mechanism declares, before anything is read, that all its noise is Gaussian."""
    return getattr(mechanism, 'all_gaussian', False) is True


def fold_hidden(release: Release, domain: Mapping[str, int], hidden_codes: HiddenCodes) -> Release:
    """Return a release in which codes without a value to show are never sampled.

    A mechanism that merges no codes has measured hidden codes like any others. If these were
    sampled, they would be decoded as values of other codes, and given those values, columns that
    the model separates would depend on each other.

    Privacy: post-processing of released values.

    Args:
        release: What a mechanism returned.
        domain: Number of codes of every column, before any were merged.
        hidden_codes: As in ``PrivateTable``.
    """
    alone = {m.columns[0]: m for m in release.measurements if len(m.columns) == 1}
    folded = {
        column: compress_rare_codes(
            alone.get(column, Measurement((column,), np.ones(domain[column]), 1.0)),
            threshold=-np.inf,
            **hidden,
        )
        for column, hidden in hidden_codes.items()
        if column not in release.compressions
    }
    measurements = list(release.measurements)
    for place, measurement in enumerate(measurements):
        for axis, column in enumerate(measurement.columns):
            if column in folded:
                measurements[place] = folded[column].compress(measurements[place], axis)
    return replace(
        release, measurements=measurements, compressions={**release.compressions, **folded}
    )


def estimate_release(
    release: Release, domain: Mapping[str, int], estimator: str, budget: Budget
) -> GraphicalModel:
    """Estimate the model of a release. Post-processing of released values.

    Args:
        release: What the mechanism returned.
        domain: Number of codes of every column, before any were merged.
        estimator: As in ``model.estimate``.
        budget: Says whether tables that are mostly noise are shrunk.
    """
    merged = {column: c.num_groups for column, c in release.compressions.items()}
    return estimate(
        release.measurements,
        dict(domain) | merged,
        release.cliques,
        estimator=estimator,
        compressions=release.compressions,
        shrink=budget.shrink,
        stationarity=NEAR_ENOUGH,
    )


def too_large(mechanism: Mechanism, domain: Mapping[str, int], roles: Statements) -> list[Clique]:
    """Return the pairs that would be declared if they had fewer cells.

    Larger cliques are not listed, because a table has far too many.
    """
    declared = set(mechanism.declare(domain, roles))
    wished = mechanism.declare(dict.fromkeys(domain, 1), roles)
    return [clique for clique in wished if len(clique) == 2 and clique not in declared]
