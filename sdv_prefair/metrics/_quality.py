"""How close a synthetic table is to the real one, by the paper's quality measures.

Marginals are those of integer codes: `sdv_prefair.metrics._codes` says how numbers and dates are
binned from the metadata's ranges. Keys and personal identifiers are left out.

Paper: "Data quality" of the experiments.
"""

from itertools import combinations

import numpy as np
from sdmetrics.goal import Goal
from sdmetrics.single_table.base import SingleTableMetric

from sdv_prefair.metrics._codes import NUM_BINS, SINGLE_VALUES, encode
from sdv_prefair.metrics._downstream import only_outcome, predict_real, with_known
from sdv_prefair.metrics._table_pair import read_tables


def total_variation(real: np.ndarray, synthetic: np.ndarray) -> float:
    """Return the total variation distance between two tables of counts, each normalised."""
    real, synthetic = np.asarray(real, dtype=float), np.asarray(synthetic, dtype=float)
    return float(np.abs(real / real.sum() - synthetic / synthetic.sum()).sum() / 2)


def corrected_cramers_v(counts: np.ndarray) -> float:
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


class _MarginalDistance(SingleTableMetric):
    """The mean over marginals of a distance between the real and the synthetic one."""

    goal = Goal.MINIMIZE
    min_value = 0.0
    max_value = 1.0
    ways = 2

    @staticmethod
    def _distance(real: np.ndarray, synthetic: np.ndarray) -> float:
        return total_variation(real, synthetic)

    @classmethod
    def compute_breakdown(
        cls,
        real_data,
        synthetic_data,
        metadata=None,
        table_name=None,
        *,
        num_bins: int | None = NUM_BINS,
        single_values: int = SINGLE_VALUES,
    ) -> dict:
        """Compute the mean distance and the distance of every marginal.

        Args:
            real_data: The real rows.
            synthetic_data: The synthetic rows; any number of them.
            metadata: SDV ``Metadata``, its ``dict``, or ``None``.
            table_name: Which table, where there are several.
            num_bins: Bins of a number or a date; ``None`` keeps every value apart.
            single_values: Numbers that can take at most so many values are not binned.

        Returns:
            ``score``, and ``marginals``: the distance of each, under its tuple of columns.
        """
        tables = read_tables(real_data, synthetic_data, metadata, table_name)
        names = list(tables.columns)
        codes = encode(
            [tables.real, tables.synthetic], tables.columns, names, num_bins, single_values
        )
        sizes = {name: 1 + max(int(part[name].max(initial=0)) for part in codes) for name in names}
        distances = {
            columns: cls._distance(*(_count(part, columns, sizes) for part in codes))
            for columns in combinations(names, cls.ways)
        }
        score = float(np.mean(list(distances.values()))) if distances else float('nan')
        return {'score': score, 'marginals': distances}

    @classmethod
    def compute(cls, real_data, synthetic_data, metadata=None, table_name=None, **options) -> float:
        """Return the mean alone; arguments as in ``compute_breakdown``."""
        breakdown = cls.compute_breakdown(
            real_data, synthetic_data, metadata, table_name, **options
        )
        return breakdown['score']


def _count(codes: dict[str, np.ndarray], columns: tuple[str, ...], sizes: dict) -> np.ndarray:
    shape = tuple(sizes[name] for name in columns)
    cell = np.ravel_multi_index([codes[name] for name in columns], shape)
    return np.bincount(cell, minlength=np.prod(shape)).reshape(shape)


class OneWayTotalVariation(_MarginalDistance):
    """Mean total variation distance of the one-way marginals; zero is best."""

    name = 'OneWayTotalVariation'
    ways = 1


class TwoWayTotalVariation(_MarginalDistance):
    """Mean total variation distance of the two-way marginals; zero is best."""

    name = 'TwoWayTotalVariation'


class AverageCorrelationDifference(_MarginalDistance):
    """ACD: mean absolute difference of the pairs' bias-corrected Cramer's V; zero is best."""

    name = 'AverageCorrelationDifference'

    @staticmethod
    def _distance(real: np.ndarray, synthetic: np.ndarray) -> float:
        return abs(corrected_cramers_v(real) - corrected_cramers_v(synthetic))


class DownstreamAccuracy(SingleTableMetric):
    """Accuracy on real rows of a classifier trained on synthetic ones; one is best."""

    name = 'DownstreamAccuracy'
    goal = Goal.MAXIMIZE
    min_value = 0.0
    max_value = 1.0

    @classmethod
    def compute_breakdown(
        cls,
        real_data,
        synthetic_data,
        metadata=None,
        table_name=None,
        *,
        outcome: str,
        model='linear',
        seed: int | None = None,
    ) -> dict:
        """Train on synthetic rows, predict real ones.

        Args:
            real_data: The rows to predict.
            synthetic_data: The rows to train on.
            metadata: SDV ``Metadata``, its ``dict``, or ``None``.
            table_name: Which table, where there are several.
            outcome: The column to predict.
            model: ``'linear'``, ``'forest'``, ``'mlp'`` or a scikit-learn classifier.
            seed: Seed of the training.

        Returns:
            ``score``, and ``majority``: the accuracy of always predicting the most frequent real
            outcome, which a useful classifier exceeds.
        """
        tables = read_tables(real_data, synthetic_data, metadata, table_name)
        outcome = only_outcome(outcome, tables)
        tables = with_known(outcome, tables)
        label = tables.real[outcome].to_numpy(dtype=object)
        prediction = predict_real(tables, outcome, model, seed)
        majority = tables.real[outcome].value_counts(normalize=True).max()
        return {'score': float((prediction == label).mean()), 'majority': float(majority)}

    @classmethod
    def compute(cls, real_data, synthetic_data, metadata=None, table_name=None, **options) -> float:
        """Return the accuracy alone; arguments as in ``compute_breakdown``."""
        breakdown = cls.compute_breakdown(
            real_data, synthetic_data, metadata, table_name, **options
        )
        return breakdown['score']
