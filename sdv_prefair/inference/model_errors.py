"""Intervals from replicates, for what no measured table tells."""

from collections.abc import Sequence

import numpy as np

from sdv_prefair.inference.model_answers import (
    Columns,
    Tables,
    answers_of,
    tables_asked_for,
    tables_of_model,
    tables_of_rows,
)
from sdv_prefair.inference.questions import Apart, Atom
from sdv_prefair.inference.ratio_interval import Interval, quantile_of
from sdv_prefair.inference.replication import Replicates
from sdv_prefair.values.arrays import Floats


def model_intervals(
    atoms: Sequence[Atom], replicates: Replicates, level: float, sampling: bool
) -> list[Interval]:
    """Return an interval for each ratio or difference, by how far off replicates are.

    Args:
        atoms: What is asked.
        replicates: Of the fit.
        level: How often intervals are to hold the truth.
        sampling: Whether the truth is the population, in whose place the model stands, or the
            table, in whose place the rows of each replicate do.
    """
    original = replicates.original
    asked = tables_asked_for(atoms, original.domain)
    expected = tables_of_model(original, asked)
    estimates = truth = answers_of(atoms, expected)
    errors = np.empty((len(replicates), len(atoms)))
    for number, model in enumerate(replicates.models):
        if not sampling:
            truth = answers_of(atoms, _of_rows(replicates, number, asked, expected))
        errors[number] = answers_of(atoms, tables_of_model(model, asked)) - truth
    return [
        interval_of_errors(float(estimate), own, level, _limits(atom))
        for atom, estimate, own in zip(atoms, estimates, errors.T, strict=True)
    ]


def interval_of_errors(
    estimate: float, errors: Floats, level: float, limits: tuple[float, float]
) -> Interval:
    """Return an interval from errors that the same estimate had elsewhere.

    Their mean is taken for a bias, and taken off; around that the interval is normal.
    """
    own = errors[np.isfinite(errors)]
    if own.size < 2 or np.isnan(estimate):
        return Interval(estimate, float('nan'), *limits)
    error = float(own.std(ddof=1))
    centre, reach = estimate - float(own.mean()), quantile_of(level) * error
    return Interval(estimate, error, centre - reach, centre + reach).within(*limits)


def _of_rows(
    replicates: Replicates, number: int, asked: Sequence[Columns], expected: Tables
) -> Tables:
    rows, shrink = replicates.rows(number)
    return tables_of_rows(rows, asked, expected, shrink)


def _limits(atom: Atom) -> tuple[float, float]:
    if not isinstance(atom, Apart):
        return atom.limits
    (low, high), (lowest, highest) = atom.first.limits, atom.second.limits
    return low - highest, high - lowest
