"""Replicating the release: sample a table from the model, count it, add noise, and fit again.

A parametric bootstrap. Sampling of rows from a population and of noise for their counts is
repeated with the model in place of the population: the error of replicates with respect to the
model estimates the error of the model with respect to the truth, if its graph is correct. Cliques,
merged codes, standard deviations, shrinkage and the estimator are those of the fit. The selection
of pairs is not repeated: a release contains no scores.

Privacy: post-processing of released values. No row is read and nothing is spent.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.stats import norm
from threadpoolctl import threadpool_limits

from sdv_prefair._arrays import Floats
from sdv_prefair.errors import QueryError
from sdv_prefair.fitting._fitted import Fitted
from sdv_prefair.fitting._pipeline import NEAR_ENOUGH
from sdv_prefair.inference._questions import Apart, Atom, Question, Rank, Ratio, ratios_of
from sdv_prefair.model import Compression, GraphicalModel, Measurement, estimate
from sdv_prefair.model._compression import weigh_again
from sdv_prefair.model._estimation import start_of
from sdv_prefair.model._junction import marginal
from sdv_prefair.model._max_entropy import Factors
from sdv_prefair.model._measurement import minimum_variance_total
from sdv_prefair.model._sampling import AncestralSampler

# -- Confidence intervals for a ratio of two numbers with normal noise, by Fieller's theorem -------
#
# A share, or a mean, is ``N / D`` of a table's counts, and both have noise of a known scale. For
# the true ratio ``R`` the difference ``N - R D`` has mean zero and a variance that is quadratic
# in ``R``; all ``R`` for which it is no further from zero than the level allows form an interval
# between the roots of a quadratic. It has its nominal coverage at any noise scale. If the
# denominator may be zero, anything is possible, and the interval is the whole range.
#
# For the population there is sampling error as well, whose variance is also quadratic in ``R``:
# ``D R (1 - R)`` for a share. Without noise the interval is then Wilson's.
#
# E. C. Fieller (1954), Some problems in interval estimation, JRSS B 16(2). E. B. Wilson (1927),
# Probable inference, the law of succession, and statistical inference, JASA 22. G. Y. Zou and A.
# Donner (2008), Construction of confidence limits about effect measures, Statistics in Medicine
# 27(10), for differences.


class Interval(NamedTuple):
    """An estimate, its standard error, and its confidence interval."""

    estimate: float
    standard_error: float
    lower: float
    upper: float

    def within(self, low: float, high: float) -> 'Interval':
        """Return the interval and the estimate, clipped to the possible values."""
        estimate, lower, upper = (min(max(x, low), high) for x in (self[0], *self[2:]))
        return Interval(estimate, self.standard_error, lower, upper)

    def holding(self, estimate: float) -> 'Interval':
        """Return the interval for another estimate, widened if that lies outside."""
        lower, upper = min(self.lower, estimate), max(self.upper, estimate)
        return Interval(estimate, self.standard_error, lower, upper)

    def widened(self, below: float, above: float, level: float) -> 'Interval':
        """Return the interval widened on either side, with a matching standard error."""
        lower, upper = self.lower - below, self.upper + above
        if below == above == 0:
            return self
        return Interval(self.estimate, (upper - lower) / (2 * quantile_of(level)), lower, upper)


@dataclass(frozen=True)
class Quadratic:
    """The variance of ``N - R D``, as ``constant - 2 R linear + R^2 square``."""

    constant: float
    linear: float
    square: float

    def __add__(self, other: 'Quadratic') -> 'Quadratic':
        return Quadratic(
            self.constant + other.constant, self.linear + other.linear, self.square + other.square
        )

    def at(self, ratio: float) -> float:
        """Return the variance for one ratio."""
        return self.constant - 2 * ratio * self.linear + ratio**2 * self.square


NO_VARIANCE = Quadratic(0.0, 0.0, 0.0)


def variance_of_share(rows: float) -> Quadratic:
    """Return the sampling variance of the numerator of a share of so many rows."""
    return Quadratic(0.0, -rows / 2, -rows)


def quantile_of(level: float) -> float:
    """Return how many standard deviations an interval of that level extends."""
    return float(norm.isf((1 - level) / 2))  # (1 + level) / 2 may round to 1


def ratio_interval(
    numerator: float,
    denominator: float,
    noise: Quadratic,
    chance: Quadratic,
    level: float,
    limits: tuple[float, float],
) -> Interval:
    """Return the interval for a ratio.

    Args:
        numerator: Its estimate.
        denominator: Its estimate.
        noise: The variance of their noise.
        chance: The sampling variance of the rows, for intervals about the population.
        level: Confidence level of the interval.
        limits: Bounds of the possible ratios.
    """
    z, low, high = quantile_of(level), *limits
    if denominator <= 0:
        middle = (low + high) / 2
        return Interval(middle, (high - low) / (2 * z), low, high)
    ratio = min(max(numerator / denominator, low), high)
    # Sampling variance is zero beyond the limits, so a ratio beyond them has that of noise alone.
    spread = math.sqrt(max(0.0, noise.at(ratio)) + max(0.0, chance.at(ratio))) / denominator
    roots = _roots(numerator, denominator, noise + chance, z)
    if roots is None:
        roots = _roots(numerator, denominator, noise, z)
    lower, upper = (low, high) if roots is None else roots
    return Interval(ratio, spread, lower, upper).within(low, high)


def _roots(
    numerator: float, denominator: float, variance: Quadratic, z: float
) -> tuple[float, float] | None:
    """Return the bounds of Fieller's interval; None if it is unbounded."""
    square = denominator**2 - z**2 * variance.square
    linear = numerator * denominator - z**2 * variance.linear
    constant = numerator**2 - z**2 * variance.constant
    discriminant = linear**2 - square * constant
    if square <= 0 or discriminant < 0:
        return None
    root = math.sqrt(discriminant)
    return (linear - root) / square, (linear + root) / square


def difference(first: Interval, second: Interval) -> Interval:
    """Return the interval for the difference of two independent estimates.

    Each bound combines the distances of the estimates from their own bounds, on the relevant sides.
    """
    apart = first.estimate - second.estimate
    below = math.hypot(first.estimate - first.lower, second.upper - second.estimate)
    above = math.hypot(first.upper - first.estimate, second.estimate - second.lower)
    error = math.hypot(first.standard_error, second.standard_error)
    return Interval(apart, error, apart - below, apart + above)


# -- Replicating the release: sample a table from the model, count it, add noise, and fit again ----

# At most this many rows per replicate; deviations of their counts are scaled to the table's size.
_MOST_ROWS = 1 << 18
_CORES = 2

Rows = dict[str, np.ndarray]
Progress = Callable[[int], None]


@dataclass(frozen=True)
class Replicates:
    """Bootstrap replicates of a fit.

    Attributes:
        original: The fitted model, in the role of the truth.
        models: One for each replicate.
        seeds: The seed of the rows of each.
    """

    original: GraphicalModel
    models: tuple[GraphicalModel, ...]
    seeds: tuple[np.random.SeedSequence, ...]

    def __len__(self) -> int:
        return len(self.models)

    def rows(self, number: int) -> tuple[Rows, float]:
        """Return the codes that a replicate was counted from, and the scale of their deviations.

        Deviations of shares of these rows, times that number, are those of a table as large as
        the estimated one.
        """
        drawn = _draw(self.original, np.random.default_rng(self.seeds[number]))
        return drawn.codes, 1 / drawn.stretch


def replicate(
    fitted: Fitted, number: int, seed: int | None = None, progress: Progress | None = None
) -> Replicates:
    """Compute replicates of a fit.

    The same seed gives the same replicates, on any number of cores.

    Privacy: post-processing of released values.

    Args:
        fitted: The fit.
        number: How many.
        seed: Makes them reproducible.
        progress: Called after each replicate with the number of finished ones.
    """
    seeds = tuple(np.random.SeedSequence(seed).spawn(number))
    models = []
    # Set once around all threads: the solvers' own limits would restore each other's.
    with threadpool_limits(1, user_api='blas'), ThreadPoolExecutor(_CORES) as pool:
        start = start_of(fitted.model, fitted.settings.budget.shrink, NEAR_ENOUGH)
        for model in pool.map(lambda own: _refit(fitted, own, start), seeds):
            models.append(model)
            if progress is not None:
                progress(len(models))
    return Replicates(fitted.model, tuple(models), seeds)


@dataclass(frozen=True)
class _Drawn:
    """Rows of one replicate: groups as sampled, codes, and the scale of count deviations."""

    groups: Rows
    codes: Rows
    num_rows: int
    stretch: float

    def counts(self, columns: Sequence[str], expected: Floats) -> Floats:
        """Return counts of groups, with deviations as in a table of full size."""
        groups = [self.groups[column] for column in columns]
        places = np.ravel_multi_index(groups, expected.shape)
        return self._stretched(places, expected)

    def counts_of_codes(self, column: str, expected: Floats) -> Floats:
        """Return the same over the codes of one column."""
        return self._stretched(self.codes[column], expected)

    def _stretched(self, places: np.ndarray, expected: Floats) -> Floats:
        counts = np.bincount(places, minlength=expected.size).reshape(expected.shape)
        whole = self.num_rows * self.stretch**2
        stray: Floats = (counts - self.num_rows * expected) * self.stretch
        return whole * expected + stray


def _draw(model: GraphicalModel, rng: np.random.Generator) -> _Drawn:
    whole = max(1, round(model.total))
    num_rows = min(whole, _MOST_ROWS)
    groups = AncestralSampler(model.nodes).draw(num_rows, rng, independent_rows=True)
    codes = {
        column: model.compressions[column].expand(drawn, rng)
        if column in model.compressions
        else drawn
        for column, drawn in groups.items()
    }
    return _Drawn(groups, codes, num_rows, math.sqrt(whole / num_rows))


def _refit(fitted: Fitted, seed: np.random.SeedSequence, start: Factors | None) -> GraphicalModel:
    model, settings = fitted.model, fitted.settings
    rng = np.random.default_rng(seed)
    drawn = _draw(model, rng)
    measurements = [
        _noisy(m, drawn.counts(m.columns, marginal(model.nodes, m.columns)), rng)
        for m in model.measurements
    ]
    total = minimum_variance_total(measurements)
    hidden = fitted.encoding.hidden_codes
    compressions = {
        column: _weighed_again(column, model, drawn, hidden.get(column, {}).get('other'), rng)
        for column in model.compressions
    }
    groups = {c: model.domain[c] for c in model.domain}
    groups |= {c: compression.num_groups for c, compression in compressions.items()}
    again = estimate(
        measurements,
        groups,
        model.cliques,
        total=total,
        estimator='mbi' if model.estimator == 'mbi' else 'auto',
        compressions=compressions,
        shrink=settings.budget.shrink,
        stationarity=NEAR_ENOUGH,
        start=start,
    )
    again.measurements = []  # as large as the model, and never used
    return again


def _noisy(measurement: Measurement, counts: Floats, rng: np.random.Generator) -> Measurement:
    """Return counts with noise of the same scale.

    Several measurements of a table were averaged, so values are not integers; nor are these.
    """
    noise = rng.normal(0.0, 1.0, counts.shape) * measurement.stddev
    return Measurement(measurement.columns, counts + noise, measurement.stddev)


def _weighed_again(
    column: str,
    model: GraphicalModel,
    drawn: _Drawn,
    other: int | None,
    rng: np.random.Generator,
) -> Compression:
    """Return the weights of merged codes from another measurement of the codes."""
    compression = model.compressions[column]
    if compression.measured is None:
        return compression
    if other is not None and other >= compression.num_codes:
        other = None
    counts = drawn.counts_of_codes(column, model.marginal(column))
    measured = _noisy(compression.measured, counts, rng)
    return replace(weigh_again(compression, measured, other), measured=None)


# -- Queries answered from a distribution: that of a model, or that of rows ------------------------


_MOST_CELLS = 1 << 22

Columns = tuple[str, ...]
Tables = Mapping[Columns, Floats]
"""The joint distribution of some columns, over codes."""


def tables_asked_for(questions: Iterable[Question], domain: Mapping[str, int]) -> list[Columns]:
    """Return the sets of columns whose joint distribution is needed.

    Raises:
        QueryError: If one of them has too many cells.
    """
    asked = {ratio.columns for question in questions for ratio in ratios_of(question)}
    if any(math.prod(domain[c] for c in columns) > _MOST_CELLS for columns in asked):
        raise QueryError(
            'The query names columns whose values have too many combinations. Name fewer columns.'
        )
    return sorted(asked)


def tables_of_model(model: GraphicalModel, asked: Sequence[Columns]) -> dict[Columns, Floats]:
    """Return the joint distributions of a model."""
    return {columns: model.marginal(columns) if columns else np.ones(()) for columns in asked}


def tables_of_rows(
    rows: Rows, asked: Sequence[Columns], expected: Tables, shrink: float
) -> dict[Columns, Floats]:
    """Return the joint distributions of rows.

    Args:
        rows: Their codes.
        asked: The columns of each.
        expected: The expected distributions.
        shrink: The factor for deviations from them.
    """
    tables = {}
    for columns in asked:
        shape = expected[columns].shape
        if not columns:
            tables[columns] = expected[columns]
            continue
        places = np.ravel_multi_index([rows[c] for c in columns], shape)
        counts = np.bincount(places, minlength=math.prod(shape)).reshape(shape)
        stray = counts / len(places) - expected[columns]
        tables[columns] = expected[columns] + shrink * stray
    return tables


def answer_of(question: Question, tables: Tables) -> float:
    """Return the answer; nan if there are no rows."""
    if isinstance(question, Ratio):
        return _ratio(question, tables)
    if isinstance(question, Rank):
        return _rank(question, tables)
    return answer_of(question.first, tables) - answer_of(question.second, tables)


def answers_of(questions: Sequence[Question], tables: Tables) -> Floats:
    """Return the answers to all questions."""
    return np.array([answer_of(question, tables) for question in questions], dtype=np.float64)


def moment(ratio: Ratio, vectors: Mapping[str, Floats], tables: Tables) -> float:
    """Return the mean of the product of vectors, over all rows."""
    table = tables[ratio.columns]
    for axis in reversed(range(table.ndim)):
        vector = vectors.get(ratio.columns[axis])
        table = table.sum(axis=axis) if vector is None else table @ vector
    return float(table)


def _ratio(ratio: Ratio, tables: Tables) -> float:
    below = moment(ratio, ratio.below, tables)
    return moment(ratio, ratio.above, tables) / below if below > 0 else math.nan


def _rank(rank: Rank, tables: Tables) -> float:
    reached = np.array([_ratio(ratio, tables) for ratio in rank.up_to])
    if np.isnan(reached).any():
        return math.nan
    place = min(int(np.searchsorted(reached, rank.share - 1e-12)), reached.size - 1)
    before = reached[place - 1] if place else 0.0
    inside = (rank.share - before) / max(reached[place] - before, 1e-300)
    span = rank.upper[place] - rank.lower[place]
    return float(rank.lower[place] + span * min(max(inside, 0.0), 1.0))


# -- Intervals from replicates, for queries that no measured table answers -------------------------

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
