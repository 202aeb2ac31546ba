"""Checks of an untrusted ledger: each line must cost what its noise costs.

A file cannot prove that its noise was random. But its noise must agree with its budget: scales
follow from amounts, and measurements are no more precise than the lines paid for.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations

import numpy as np

from sdv_prefair.errors import ReleaseError
from sdv_prefair.fairness._predicate import markov_graph
from sdv_prefair.model import GraphicalModel, Measurement
from sdv_prefair.privacy import Ledger
from sdv_prefair.privacy._accounting import (
    BEFORE_MEASURING,
    DISCRETIZE,
    EXPONENTIAL,
    MEASURING_NOISES,
    NOISES,
    ROUNDED_NOISES,
    SCORING_NOISES,
    STEPS,
    THRESHOLDS,
    Debit,
)

# Scales are floating-point square roots of exact amounts.
_ROUNDING = 1e-9


def check_lines(lines: Iterable[Debit], max_rows_per_person: int, own_steps: bool = False) -> None:
    """Raise unless every line is of a known kind, with the noise that its rho requires.

    Args:
        lines: The lines.
        max_rows_per_person: How many rows one person may have.
        own_steps: Whether a third-party mechanism may have named its own steps.
    """
    elsewhere = NOISES if own_steps else ()
    for line in lines:
        if line.mechanism not in STEPS.get(line.step, elsewhere):
            raise ReleaseError('A line of the ledger of the release is of an unknown kind.')
        if (line.delta > 0) != (line.mechanism in THRESHOLDS):
            raise ReleaseError(
                'In the ledger of the release thresholds must cost some of delta, and nothing else '
                'may.'
            )
        # A line of scores has at least one score, of two columns; `check_scores` is stricter.
        scores = math.ceil(len(line.columns) / 2) if line.mechanism in SCORING_NOISES else 1
        _check_scale(line, max_rows_per_person**2 * scores)


def check_noises(lines: Iterable[Debit], all_gaussian: bool) -> None:
    """Raise unless lines composed as one Gaussian mechanism are rounded Gaussians."""
    if all_gaussian and any(line.mechanism not in ROUNDED_NOISES for line in lines):
        raise ReleaseError(
            'The ledger of the release composes its lines in a way that their noise does not allow.'
        )


def check_scores(lines: Iterable[Debit], num_pairs: int, max_rows_per_person: int) -> None:
    """Raise unless noise on scores is enough for so many of them."""
    for line in lines:
        if line.mechanism in SCORING_NOISES:
            _check_scale(line, max_rows_per_person**2 * num_pairs)


def _check_scale(line: Debit, sensitivity_squared: int) -> None:
    """Raise if noise is smaller, or a choice more precise, than the line pays for.

    rho is D^2/(2 sigma^2) for a Gaussian, epsilon^2/8 for a choice.
    """
    rho, squared = float(line.rho), line.scale * line.scale
    if line.mechanism == EXPONENTIAL:
        enough = squared <= 8 * rho * (1 + _ROUNDING)
    else:
        enough = 2 * rho * squared >= sensitivity_squared * (1 - _ROUNDING)
    if not enough:
        raise ReleaseError(
            'A line of the ledger of the release has less noise than its rho requires.'
        )


def check_measurements(measurements: Sequence[Measurement], ledger: Ledger) -> None:
    """Raise unless lines on the same columns paid for the claimed precision of each measurement.

    Precision is the sum of 1/sigma^2: two lines may pay for one measurement, and one line pays for
    one measurement only. Merging codes makes cells less precise, never more.
    """
    paid: dict[frozenset[str], float] = defaultdict(float)
    claimed: dict[frozenset[str], float] = defaultdict(float)
    for line in ledger.debits:
        if line.mechanism in MEASURING_NOISES and line.step not in BEFORE_MEASURING:
            paid[frozenset(line.columns)] += 1 / (line.scale * line.scale)
    for measurement in measurements:
        claimed[frozenset(measurement.columns)] += float(1 / np.min(measurement.variance))
    if any(not exact <= paid[columns] * (1 + _ROUNDING) for columns, exact in claimed.items()):
        raise ReleaseError(
            'A measurement of the release claims to be more precise than the ledger pays for.'
        )


def check_measured(model: GraphicalModel) -> None:
    """Raise unless every column and every pair that the model connects was measured."""
    measured = {
        frozenset(columns)
        for measurement in model.measurements
        for size in (1, 2)
        for columns in combinations(measurement.columns, size)
    }
    tied = [*((column,) for column in model.domain), *markov_graph(model.cliques).edges]
    if not measured.issuperset(map(frozenset, tied)):
        raise ReleaseError(
            'The model of the release connects columns that were never measured together.'
        )


def check_learning(
    learnt: Iterable[str], learning: Sequence[Debit], after: Sequence[Debit] = ()
) -> None:
    """Raise unless something was paid for every domain that is not public.

    Args:
        learnt: The columns whose domains are not public.
        learning: The lines that encoders depend on, which fits of the same codes carry over.
        after: The lines after them.
    """
    paid = {column for line in learning for column in line.columns}
    is_told = all(line.step in BEFORE_MEASURING for line in learning)
    if not paid.issuperset(learnt) or not is_told or any(s.step in BEFORE_MEASURING for s in after):
        raise ReleaseError('The release has learnt a domain that its ledger does not pay for.')


def check_shapes(
    shaped: Collection[str], binned: Collection[str], learning: Sequence[Debit]
) -> None:
    """Raise unless histograms were paid for every column with data-dependent bins.

    Args:
        shaped: These columns.
        binned: All binned columns; there are no histograms for others.
        learning: The lines that encoders depend on.
    """
    looks = [line for line in learning if line.step == DISCRETIZE]
    looked_at = {column for line in looks for column in line.columns}
    if not looked_at.issuperset(shaped) or not looked_at.issubset(binned):
        raise ReleaseError('The release has bins of a column that its ledger does not pay for.')
