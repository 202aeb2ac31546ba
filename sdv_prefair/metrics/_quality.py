"""How close a synthetic table is to the real one: marginals of codes, numbers value by value.

Marginals are those of integer codes: `sdv_prefair.metrics._codes` says how numbers and dates are
binned from the metadata's ranges. Keys and personal identifiers are left out.

A model that bins numbers preserves the bins' shares, and a metric that uses the same bins finds
nothing wrong. So numbers and dates are compared unbinned as well: their distribution functions, and
single values that many rows share, such as zero in a column of capital gains. Null is not a number
and ignored there; `describe_numbers` gives its share.

Paper: "Data quality" of the experiments.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy.stats import ks_2samp
from sdmetrics.goal import Goal
from sklearn.base import BaseEstimator

from sdv_prefair._arrays import Floats, Integers
from sdv_prefair.metrics._codes import NUM_BINS, SINGLE_VALUES, Codes, as_numbers, encode
from sdv_prefair.metrics._downstream import only_outcome, predict_real, with_known
from sdv_prefair.metrics._tables import TableMetric, Tables

FREQUENT = 10
"""How many of the most frequent values of each table are compared by default."""


def total_variation(real: Floats | Integers, synthetic: Floats | Integers) -> float:
    """Return the total variation distance between two tables of counts, each normalised."""
    real, synthetic = np.asarray(real, dtype=float), np.asarray(synthetic, dtype=float)
    return float(np.abs(real / real.sum() - synthetic / synthetic.sum()).sum() / 2)


def corrected_cramers_v(counts: Floats | Integers) -> float:
    """Return Cramer's V of a two-way table of counts, with Bergsma's bias correction.

    Written out because SciPy's ``association`` has no correction. Rows and columns without any
    count are left out; a table with one row or column has no association.
    """
    counts = np.asarray(counts, dtype=float)
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    total, (rows, columns) = counts.sum(), counts.shape
    if min(rows, columns) < 2 or total < 2:
        return 0.0
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / total
    phi_squared = ((counts - expected) ** 2 / expected).sum() / total
    excess = max(0.0, phi_squared - (rows - 1) * (columns - 1) / (total - 1))
    size = min(side - (side - 1) ** 2 / (total - 1) for side in (rows, columns))
    return float(np.sqrt(min(1.0, excess / (size - 1)))) if size > 1 else 0.0


class _MarginalDistance(TableMetric):
    """The mean over marginals of a distance between the real and the synthetic one."""

    ways = 2

    @staticmethod
    def _distance(real: Integers, synthetic: Integers) -> float:
        return total_variation(real, synthetic)

    @classmethod
    def measure(
        cls,
        tables: Tables,
        *,
        num_bins: int | None = NUM_BINS,
        single_values: int = SINGLE_VALUES,
    ) -> dict[str, Any]:
        """Compute the mean distance and the distance of every marginal.

        Args:
            tables: Both tables; ``compute_breakdown`` reads them.
            num_bins: Bins of a number or a date; ``None`` keeps every value apart.
            single_values: Numbers that can take at most so many values are not binned.

        Returns:
            ``score``, and ``marginals``: the distance of each, under its tuple of columns.
        """
        names, frames = list(tables.columns), [tables.real, tables.synthetic]
        codes = encode(frames, tables.columns, names, num_bins, single_values)
        sizes = {name: 1 + max(int(part[name].max(initial=0)) for part in codes) for name in names}
        distances = {
            columns: cls._distance(*(_count(part, columns, sizes) for part in codes))
            for columns in combinations(names, cls.ways)
        }
        score = float(np.mean(list(distances.values()))) if distances else float('nan')
        return {'score': score, 'marginals': distances}


def _count(codes: Codes, columns: Sequence[str], sizes: Mapping[str, int]) -> Integers:
    shape = tuple(sizes[name] for name in columns)
    cell = np.ravel_multi_index(tuple(codes[name] for name in columns), shape)
    return np.bincount(cell, minlength=int(np.prod(shape))).reshape(shape)


class OneWayTotalVariation(_MarginalDistance):
    """Mean total variation distance of the one-way marginals; zero is best."""

    ways = 1


class TwoWayTotalVariation(_MarginalDistance):
    """Mean total variation distance of the two-way marginals; zero is best."""


class AverageCorrelationDifference(_MarginalDistance):
    """ACD: mean absolute difference of the pairs' bias-corrected Cramer's V; zero is best."""

    @staticmethod
    def _distance(real: Integers, synthetic: Integers) -> float:
        return abs(corrected_cramers_v(real) - corrected_cramers_v(synthetic))


class DownstreamAccuracy(TableMetric):
    """Accuracy on real rows of a classifier trained on synthetic ones; one is best."""

    goal = Goal.MAXIMIZE

    @classmethod
    def measure(
        cls,
        tables: Tables,
        *,
        outcome: str | Sequence[str],
        model: str | BaseEstimator = 'linear',
        seed: int | None = None,
    ) -> dict[str, Any]:
        """Train on synthetic rows, predict real ones.

        Args:
            tables: Both tables; ``compute_breakdown`` reads them.
            outcome: The column to predict.
            model: ``'linear'``, ``'forest'``, ``'mlp'`` or a scikit-learn classifier.
            seed: Seed of the training.

        Returns:
            ``score``, and ``majority``: the accuracy of always predicting the most frequent real
            outcome, which a useful classifier exceeds.
        """
        outcome = only_outcome(outcome, tables)
        tables = with_known(outcome, tables)
        label = tables.real[outcome].to_numpy(dtype=object)
        prediction = predict_real(tables, outcome, model, seed)
        majority = tables.real[outcome].value_counts(normalize=True).max()
        return {'score': float((prediction == label).mean()), 'majority': float(majority)}


def kolmogorov_smirnov(real: pd.Series, synthetic: pd.Series) -> float:
    """Return the largest difference of the distribution functions; NaN if one has no value.

    It equals 1 - ``KSComplement`` of SDMetrics, without its p-value, and also handles dates that
    the two tables store in different units.
    """
    one, other = known_numbers(real), known_numbers(synthetic)
    if not (len(one) and len(other)):
        return np.nan
    with np.errstate(divide='ignore'):  # about the p-value for few values, which is not used
        return float(ks_2samp(one, other, method='asymp').statistic)


def known_numbers(column: pd.Series) -> Floats:
    """Return the numbers of a column without its nulls, dates in seconds."""
    numbers = as_numbers(column)
    return numbers[~np.isnan(numbers)]


def frequent_values(
    real: pd.Series, synthetic: pd.Series, frequent: int = FREQUENT
) -> pd.DataFrame:
    """Return the shares of the most frequent numbers of either column, the most frequent first.

    Args:
        real: The real column.
        synthetic: The synthetic column.
        frequent: How many values of each are taken.

    Returns:
        The shares among values that are not null, ``real`` and ``synthetic``; the index holds the
        values, dates in seconds.
    """
    numbers = [pd.Series(known_numbers(column)) for column in (real, synthetic)]
    shares = [column.value_counts(normalize=True) for column in numbers]
    names = shares[0].index[:frequent].union(shares[1].index[:frequent], sort=False)
    found = pd.DataFrame({
        source: share.reindex(names, fill_value=0.0).to_numpy(dtype=float)
        for source, share in zip(('real', 'synthetic'), shares, strict=True)
    }, index=names)  # fmt: skip
    return found.sort_values(['real', 'synthetic'], ascending=False, kind='stable')


def _frequent_difference(real: pd.Series, synthetic: pd.Series, frequent: int) -> float:
    if real.isna().all() or synthetic.isna().all():
        return np.nan
    shares = frequent_values(real, synthetic, frequent)
    return float((shares['real'] - shares['synthetic']).abs().max())


class _ColumnDistance(TableMetric):
    """The mean over numbers and dates of a distance between the real and the synthetic column."""

    _distance: ClassVar[Callable[..., float]]

    @classmethod
    def measure(cls, tables: Tables, *, frequent: int = FREQUENT) -> dict[str, Any]:
        """Compute the mean distance and the distance of every numerical and datetime column.

        Args:
            tables: Both tables; ``compute_breakdown`` reads them.
            frequent: How many of the most frequent values of each table are compared, by
                `FrequentValueDifference`.

        Returns:
            ``score``, and ``marginals``: the distance of each column, under a tuple of its name.
            NaN means that a table has no value in the column, which the mean leaves out.
        """
        distances = {
            (name,): cls._distance(tables.real[name], tables.synthetic[name], frequent)
            for name in tables.numbers_and_dates
        }
        known = [distance for distance in distances.values() if not np.isnan(distance)]
        return {'score': float(np.mean(known)) if known else np.nan, 'marginals': distances}


class KolmogorovSmirnovDistance(_ColumnDistance):
    """Mean largest difference of the distribution functions of numbers and dates; zero is best."""

    _distance = staticmethod(lambda real, synthetic, _: kolmogorov_smirnov(real, synthetic))


class FrequentValueDifference(_ColumnDistance):
    """Mean over numbers and dates of the largest difference in the share of one value.

    Looks at the most frequent values of either table, ten of each unless ``frequent`` says
    otherwise: spikes that are lost, and spikes that were never there. Zero is best.
    """

    _distance = staticmethod(_frequent_difference)
