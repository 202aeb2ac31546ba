"""How close numbers and dates are, value by value, without bins that could hide differences.

A model that bins numbers preserves the bins' shares, and a metric that uses the same bins finds
nothing wrong. These metrics use the values themselves: their distribution function, and single
values that many rows share, such as zero in a column of capital gains.

Null is not a number. Both metrics ignore it; `sdv_prefair.metrics._described` gives its share.
"""

import numpy as np
import pandas as pd
from scipy.stats import ks_2samp
from sdmetrics.goal import Goal
from sdmetrics.single_table.base import SingleTableMetric

from sdv_prefair.metrics._codes import as_numbers
from sdv_prefair.metrics._table_pair import Tables, read_tables

FREQUENT = 10
"""How many of the most frequent values of each table are compared by default."""


def numbers_and_dates(tables: Tables) -> list[str]:
    """Return the columns that these metrics compare."""
    return [
        c for c, about in tables.columns.items() if about['sdtype'] in {'numerical', 'datetime'}
    ]


def kolmogorov_smirnov(real: pd.Series, synthetic: pd.Series) -> float:
    """Return the largest difference of the distribution functions; NaN if one has no value.

    It equals 1 - ``KSComplement`` of SDMetrics, without its p-value, and also handles dates that
    the two tables store in different units.
    """
    known = [known_numbers(column) for column in (real, synthetic)]
    if not all(map(len, known)):
        return np.nan
    with np.errstate(divide='ignore'):  # about the p-value for few values, which is not used
        return float(ks_2samp(*known, method='asymp').statistic)


def known_numbers(column: pd.Series) -> np.ndarray:
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


class _ColumnDistance(SingleTableMetric):
    """The mean over numbers and dates of a distance between the real and the synthetic column."""

    goal = Goal.MINIMIZE
    min_value = 0.0
    max_value = 1.0

    @staticmethod
    def _distance(real: pd.Series, synthetic: pd.Series) -> float:
        return kolmogorov_smirnov(real, synthetic)

    @classmethod
    def compute_breakdown(
        cls, real_data, synthetic_data, metadata=None, table_name=None, **options
    ) -> dict:
        """Compute the mean distance and the distance of every numerical and datetime column.

        Args:
            real_data: The real rows.
            synthetic_data: The synthetic rows; any number of them.
            metadata: SDV ``Metadata``, its ``dict``, or ``None``.
            table_name: Which table, where there are several.
            options: Further options of the metric.

        Returns:
            ``score``, and ``marginals``: the distance of each column, under a tuple of its name.
            NaN means that a table has no value in the column, which the mean leaves out.
        """
        tables = read_tables(real_data, synthetic_data, metadata, table_name)
        distances = {
            (name,): cls._distance(tables.real[name], tables.synthetic[name], **options)
            for name in numbers_and_dates(tables)
        }
        known = [distance for distance in distances.values() if not np.isnan(distance)]
        return {'score': float(np.mean(known)) if known else np.nan, 'marginals': distances}

    @classmethod
    def compute(cls, real_data, synthetic_data, metadata=None, table_name=None, **options) -> float:
        """Return the mean alone; arguments as in ``compute_breakdown``."""
        breakdown = cls.compute_breakdown(
            real_data, synthetic_data, metadata, table_name, **options
        )
        return breakdown['score']


class KolmogorovSmirnovDistance(_ColumnDistance):
    """Mean largest difference of the distribution functions of numbers and dates; zero is best."""

    name = 'KolmogorovSmirnovDistance'


class FrequentValueDifference(_ColumnDistance):
    """Mean over numbers and dates of the largest difference in the share of one value.

    Looks at the most frequent values of either table, ten of each unless ``frequent`` says
    otherwise: spikes that are lost, and spikes that were never there. Zero is best.
    """

    name = 'FrequentValueDifference'

    @staticmethod
    def _distance(real: pd.Series, synthetic: pd.Series, frequent: int = FREQUENT) -> float:
        if real.isna().all() or synthetic.isna().all():
            return np.nan
        shares = frequent_values(real, synthetic, frequent)
        return float((shares['real'] - shares['synthetic']).abs().max())
