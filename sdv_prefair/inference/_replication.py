"""Replicating the release: sample a table from the model, count it, add noise, and fit again.

A parametric bootstrap. Sampling of rows from a population and of noise for their counts is
repeated with the model in place of the population: the error of replicates with respect to the
model estimates the error of the model with respect to the truth, if its graph is correct. Cliques,
merged codes, standard deviations, shrinkage and the estimator are those of the fit. The selection
of pairs is not repeated: a release contains no scores.

Privacy: post-processing of released values. No row is read and nothing is spent.
"""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from threadpoolctl import threadpool_limits

from sdv_prefair._arrays import Floats
from sdv_prefair.fitting._fitted import Fitted
from sdv_prefair.fitting._released_model import NEAR_ENOUGH
from sdv_prefair.model import Compression, GraphicalModel, Measurement, estimate
from sdv_prefair.model._compression import weigh_again
from sdv_prefair.model._estimation import start_of
from sdv_prefair.model._junction import marginal
from sdv_prefair.model._max_entropy import Factors
from sdv_prefair.model._sampling import AncestralSampler
from sdv_prefair.model._totals import minimum_variance_total

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
