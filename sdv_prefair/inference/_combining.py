"""Combining rules: one estimate and its interval, from the same analysis of several tables."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import t

from sdv_prefair.errors import QueryError
from sdv_prefair.inference._estimates import checked_level


class Combined(NamedTuple):
    """The combined result of several synthetic tables."""

    estimate: float
    standard_error: float
    lower: float
    upper: float
    degrees_of_freedom: float


def combine(
    estimates: Sequence[float], variances: Sequence[float], level: float = 0.95
) -> Combined:
    """Combine estimates from several tables that ``sample_replicates`` returned.

    With ``q`` and ``u`` an estimate and its variance by the usual formula for independent rows,
    ``b`` the variance of the estimates from table to table and ``m`` their number, the variance
    is ``T = (1 + 1/m) b - mean(u)``: the sampling error of the synthetic rows, which is part of
    ``b``, is subtracted. If that is not positive, as can happen by chance with few tables, it is
    replaced by ``mean(u)``, which is too large unless tables are far smaller than the private one.

    T. E. Raghunathan, J. P. Reiter and D. B. Rubin (2003), Multiple imputation for statistical
    disclosure limitation, Journal of Official Statistics 19(1); J. P. Reiter (2002), Satisfying
    disclosure restrictions with synthetic data sets, ibid. 18(4), for negative estimates.

    Privacy: post-processing of synthetic tables.

    Args:
        estimates: The estimate from each table, at least two.
        variances: Its variance by the formula for independent rows, from each table.
        level: Confidence level of the intervals.
    """
    level = checked_level(level)
    q, u = np.asarray(estimates, dtype=np.float64), np.asarray(variances, dtype=np.float64)
    if q.ndim != 1 or q.shape != u.shape or q.size < 2:
        raise QueryError(
            'estimates and variances must be lists of the same length, two at least: one of each '
            'for every table.'
        )
    if not np.isfinite([q, u]).all() or (u < 0).any():
        raise QueryError('estimates must be finite, and variances must not be negative.')
    between, within = (1 + 1 / q.size) * float(q.var(ddof=1)), float(u.mean())
    variance = between - within
    freedom = float(q.size - 1)
    if variance > 0:
        freedom *= (1 - within / between) ** 2
    else:
        variance = within
    # Below one degree of freedom the interval is useless and the approximation meaningless.
    freedom = max(freedom, 1.0)
    error, centre = math.sqrt(variance), float(q.mean())
    reach = float(t.isf((1 - level) / 2, freedom)) * error
    return Combined(centre, error, centre - reach, centre + reach, freedom)
