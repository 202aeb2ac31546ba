"""Intervals from replicates, for queries that no measured table answers."""

import math
from collections.abc import Sequence

import numpy as np

from sdv_prefair._arrays import Floats
from sdv_prefair.inference._model_answers import (
    Columns,
    Tables,
    answer_of,
    answers_of,
    moment,
    tables_asked_for,
    tables_of_model,
    tables_of_rows,
)
from sdv_prefair.inference._questions import Apart, Atom
from sdv_prefair.inference._ratio_interval import Interval, quantile_of
from sdv_prefair.inference._replication import Replicates

# Differences below this are rounding errors.
_NOTHING = 1e-9


def model_intervals(
    atoms: Sequence[Atom], replicates: Replicates, level: float, sampling: bool
) -> list[Interval]:
    """Return an interval for each ratio or difference, from the errors of replicates.

    Args:
        atoms: The queries.
        replicates: Replicates of the fit.
        level: Confidence level of the intervals.
        sampling: Whether the truth is the population, represented by the model, or the
            table, represented by the rows of each replicate.
    """
    original = replicates.original
    asked = tables_asked_for(atoms, original.domain)
    expected = tables_of_model(original, asked)
    estimates = truth = answers_of(atoms, expected)
    answers = np.array([answers_of(atoms, tables_of_model(m, asked)) for m in replicates.models])
    errors = answers - truth
    if not sampling:
        for number in range(len(replicates)):
            truth = answers_of(atoms, _of_rows(replicates, number, asked, expected))
            errors[number] = answers[number] - truth
    intervals = []
    for place, atom in enumerate(atoms):
        estimate, limits = float(estimates[place]), _limits(atom)
        if _is_untold(atom, answers[:, place]):
            intervals.append(Interval(estimate, math.nan, *limits))
            continue
        least = _one_row(atom, expected, original.total)
        interval = interval_of_errors(estimate, errors[:, place], level, limits, least)
        room = _room_in_bins(atom, expected)
        intervals.append(interval.widened(*room, level).within(*limits))
    return intervals


def interval_of_errors(
    estimate: float,
    errors: Floats,
    level: float,
    limits: tuple[float, float],
    least: float = 0.0,
) -> Interval:
    """Return a normal interval from the errors of the same estimate in replicates.

    Their root mean square is used, bias included. Most bias arises at the boundary of the possible
    values. Subtracting an estimate of it had lower coverage in simulations, and so had quantiles of
    errors.

    Args:
        estimate: The estimate.
        errors: The errors.
        level: Confidence level of the intervals.
        limits: Bounds of the possible values.
        least: The smallest error to assume.
    """
    own = errors[np.isfinite(errors)]
    if own.size < 2 or np.isnan(estimate):
        return Interval(estimate, float('nan'), *limits)
    error = math.hypot(float(own.std(ddof=1)), float(own.mean()), least)
    reach = quantile_of(level) * error
    return Interval(estimate, error, estimate - reach, estimate + reach).within(*limits)


def _is_untold(atom: Atom, answers: Floats) -> bool:
    """Whether the model treats the groups as independent of the compared column.

    Then there is no difference in any replicate, which says nothing about the table: it was not
    measured, and anything is possible.
    """
    return isinstance(atom, Apart) and bool(np.nanmax(np.abs(answers), initial=0.0) < _NOTHING)


def _room_in_bins(atom: Atom, tables: Tables) -> tuple[float, float]:
    """Return how much an answer may vary with the positions of rows within bins."""
    if isinstance(atom, Apart):
        first, second = (_room_in_bins(side, tables) for side in (atom.first, atom.second))
        return first[0] + second[1], first[1] + second[0]
    answer = answer_of(atom, tables)
    if atom.ends is None or math.isnan(answer):
        return 0.0, 0.0
    least, most = (answer_of(bound, tables) for bound in atom.bounds())
    return answer - least, most - answer


def _one_row(atom: Atom, tables: Tables, total: float) -> float:
    """Return the effect of one row more or less on a share.

    A cell that is empty in the model is empty in every replicate, and may still have a row.
    """
    if isinstance(atom, Apart):
        return math.hypot(*(_one_row(side, tables, total) for side in (atom.first, atom.second)))
    rows = total * moment(atom, atom.below, tables)
    return 1 / max(rows, 1.0) if atom.is_share else 0.0


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
