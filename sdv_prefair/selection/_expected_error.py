"""What noise costs: the shares of rho, and the error to expect in every two-way marginal.

A table is measured for the two-way marginals that are computed from it: its own pair or, for a
single column, all pairs of that column that are not measured. With noise of standard deviation
sigma, a table of n cells has an L1 error of about n sigma, so rho is best divided in proportion to
the 2/3 power of the cells times the weight of the pairs that depend on them.

The error of a cell is its noise, of which about three quarters remain after estimation from several
tables; but where independence predicts almost nothing, an estimate, which is never negative, is off
by at most about twice that prediction. So with mean absolute noise x, the L1 error of a table is
the sum over its cells of min(x, 2 times the expected count). The codes of a column are grouped into
a few levels of about equal expected counts, so that a table of any size becomes a small one of
levels, and the sum is computed once, for a range of noise.

Privacy: computed from released one-way marginals, and from amounts in the ledger; post-processing.

=================  =====  =================================================  =======================
constant           value  what it does                                       measured
=================  =====  =================================================  =======================
_LEFT_OF_NOISE     .75    part of the noise that remains after estimation    among other variants,
                                                                             ``docs/results.md``
_MOST_OF_EXPECTED  2      largest error of a cell, in expected counts        not measured
_BESIDE_TABLES     .7     one-way marginals are also estimated by sums of    not measured
                          tables, so they need less than their use suggests
_NOT_WORTH         .02    a table that would get less than this part of its  not measured
                          share is not measured again
_LEVELS, _GRID     16 32  levels of a column, and points of the range of     by the unit tests, with
                          noise                                              sums over all cells
_SHARES            12     points at which the loss of all others is          not measured
                          computed
=================  =====  =================================================  =======================
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType

import numpy as np

from sdv_prefair._arrays import Floats, Integers
from sdv_prefair.counting import Clique
from sdv_prefair.selection._strategy import Pair

_LEFT_OF_NOISE = 0.75
_MEAN_OF_NOISE = _LEFT_OF_NOISE * math.sqrt(2 / math.pi)  # of a standard Gaussian
_MOST_OF_EXPECTED = 2.0
_BESIDE_TABLES = 0.7
_NOT_WORTH = 0.02
_LEVELS, _GRID, _SHARES = 16, 32, 12
_AT_ONCE = 500  # pairs; their tables of levels, times the grid, take 33 MB


@dataclass(frozen=True)
class Workload:
    """All pairs of columns, and how much the error of each counts.

    Attributes:
        domain: Number of codes of every column in a table, rare ones merged.
        codes: Number of codes of every column on its own.
        outcomes: Columns whose pairs have more weight.
        outcome_weight: The factor of that weight.
    """

    domain: Mapping[str, int]
    codes: Mapping[str, int]
    outcomes: Collection[str]
    outcome_weight: float

    @cached_property
    def columns(self) -> list[str]:
        """The columns, in order."""
        return list(self.domain)

    @cached_property
    def sizes(self) -> Floats:
        """Number of codes of every column in a table."""
        return np.array([float(size) for size in self.domain.values()])

    @cached_property
    def weights(self) -> Floats:
        """The weight of every pair, as a matrix with nothing on its diagonal."""
        heavy = np.array([column in self.outcomes for column in self.columns], dtype=bool)
        weights = np.where(heavy[:, None] | heavy, self.outcome_weight, 1.0)
        np.fill_diagonal(weights, 0.0)
        return weights

    def places(self, pairs: Sequence[Pair]) -> Integers:
        """Return the positions of the columns of each pair, one row per pair."""
        at = {column: place for place, column in enumerate(self.columns)}
        return np.array([[at[i], at[j]] for i, j in pairs], dtype=np.int64).reshape(-1, 2)

    def use_of_pairs(self, places: Integers) -> Floats:
        """Return the claim of each pair's table on rho."""
        first, second = places.T
        cells = self.sizes[first] * self.sizes[second]
        claims: Floats = (self.weights[first, second] * cells) ** (2 / 3)
        return claims

    def open_weights(self, places: Integers) -> Floats:
        """Return for each column the weight of its pairs that are not measured as tables."""
        left: Floats = self.weights.sum(axis=1)
        weights = self.weights[places[:, 0], places[:, 1]]
        for axis in (0, 1):
            np.subtract.at(left, places[:, axis], weights)
        return left

    def use_of_columns(self, places: Integers) -> Floats:
        """Return the claim of each one-way on rho, if some pairs are measured as tables."""
        codes = np.array([float(self.codes[column]) for column in self.columns])
        use = np.maximum(self.open_weights(places), 1.0) * codes
        claims: Floats = _BESIDE_TABLES * use ** (2 / 3)
        return claims

    def targets(self, pairs: Sequence[Pair], pool: float) -> dict[Clique, float]:
        """Return the amount of the pool for the table of each pair, and for each one-way.

        Args:
            pairs: The pairs that are measured.
            pool: All of rho that is spent on tables, including one-way marginals.
        """
        places = self.places(pairs)
        claims = np.concatenate([self.use_of_pairs(places), self.use_of_columns(places)])
        cliques: list[Clique] = [*pairs, *((column,) for column in self.columns)]
        return dict(zip(cliques, (pool * claims / claims.sum()).tolist(), strict=True))


class Spent:
    """The rho of every table that was measured, in all its measurements together.

    Args:
        rho: What has been spent on each table so far.
    """

    def __init__(self, rho: Mapping[Clique, Fraction] = MappingProxyType({})):
        self._rho = dict(rho)

    def add(self, clique: Clique, rho: Fraction) -> None:
        """Add one measurement."""
        self._rho[clique] = self._rho.get(clique, Fraction(0)) + rho

    @property
    def total(self) -> Fraction:
        """The total spent on tables."""
        return sum(self._rho.values(), Fraction(0))

    def lacking(self, targets: Mapping[Clique, float], rest: Fraction) -> dict[Clique, float]:
        """Return what tables still lack of their targets, omitting those that lack very little.

        Args:
            targets: What each table is to have in total.
            rest: The budget left for all of them.
        """
        lacking = {t: max(0.0, rho - float(self._rho.get(t, 0))) for t, rho in targets.items()}
        whole = sum(lacking.values())
        scale = float(rest) / whole if whole > 0 else 0.0
        worth = {t: rho for t, rho in lacking.items() if rho * scale > _NOT_WORTH * targets[t]}
        return worth or dict(targets)

    def precision(self, domain: Mapping[str, int], rows: int) -> Floats:
        """Return 1/sigma^2 for each column so far, from its one-way and from its tables' sums.

        Args:
            domain: Number of codes of every column.
            rows: Rows that one person may have.
        """
        precision = dict.fromkeys(domain, 0.0)
        for clique, rho in self._rho.items():
            cells = math.prod(domain[column] for column in clique)
            for column in clique:
                precision[column] += 2 * float(rho) / rows**2 * domain[column] / cells
        return np.array(list(precision.values()))


class ExpectedErrors:
    """The expected L1 error of columns and pairs, as functions of the noise of a cell.

    Args:
        expected: The expected counts of each column in a table, all of one total.
        over_codes: The same for columns on their own, of which no codes are merged.
        places: The positions of the columns of each pair that will be queried.
        merged: The part of ``over_codes`` that tables hold as one code, for columns with such a
            part.
    """

    def __init__(
        self,
        expected: Mapping[str, Floats],
        over_codes: Mapping[str, Floats],
        places: Integers,
        merged: Mapping[str, Floats] = MappingProxyType({}),
    ):
        total = max(float(counts.sum()) for counts in expected.values())
        self.most = _MOST_OF_EXPECTED * total  # no error is larger
        self._caps = np.geomspace(1e-3, max(10.0, 2 * total), _GRID)
        levels = [_levels(counts) for counts in expected.values()]
        alone = [_levels(over_codes[column]) for column in expected]
        self._of_columns = np.stack([_capped(*level, self._caps) for level in alone])
        inside = [_levels(merged.get(column, np.zeros(1))) for column in expected]
        self._of_merged = np.stack([_capped(*level, self._caps) for level in inside])
        self._of_pairs = _curves(levels, places, total, self._caps)

    def of_columns(self, sigma: Floats) -> Floats:
        """Return the error of every column, given the standard deviation of the noise on each."""
        return self._read(self._of_columns, sigma)

    def of_merged(self, sigma: Floats) -> Floats:
        """Return the error inside the merged codes of every column, which no table reduces."""
        return self._read(self._of_merged, sigma)

    def of_pairs(self, which: Integers | slice, sigma: Floats) -> Floats:
        """Return the error of some of the pairs, given the noise on each."""
        return self._read(self._of_pairs[which], sigma)

    def _read(self, curves: Floats, sigma: Floats) -> Floats:
        """Interpolate in the logarithm of the noise; below the grid, errors are noise alone."""
        low, step = math.log(self._caps[0]), math.log(self._caps[1] / self._caps[0])
        at = (np.log(_MEAN_OF_NOISE * sigma / _MOST_OF_EXPECTED) - low) / step
        inside = np.clip(at, 0, _GRID - 1.001)
        left = inside.astype(np.int64)
        right_part, row = inside - left, np.arange(len(left))
        value = curves[row, left] * (1 - right_part) + curves[row, left + 1] * right_part
        errors: Floats = _MOST_OF_EXPECTED * value * np.exp(np.minimum(0.0, at) * step)
        return errors


def _levels(counts: Floats) -> tuple[Floats, Floats]:
    """Return the mean count and the number of codes of a few levels; empty levels have none."""
    order = np.log(np.maximum(counts, max(1e-300, 1e-9 * counts.max())))
    spread = max(float(np.ptp(order)), 1e-12)
    level = np.minimum((order - order.min()) / spread * _LEVELS, _LEVELS - 1).astype(np.int64)
    codes = np.bincount(level, minlength=_LEVELS).astype(np.float64)
    sums = np.bincount(level, weights=counts, minlength=_LEVELS)
    return sums / np.maximum(codes, 1.0), codes


def _capped(values: Floats, number: Floats, caps: Floats) -> Floats:
    """Return the sum of min(value, cap) for each cap."""
    sums: Floats = np.minimum(values[..., None], caps).swapaxes(-1, -2) @ number[..., None]
    return sums[..., 0]


def _curves(
    levels: list[tuple[Floats, Floats]], places: Integers, total: float, caps: Floats
) -> Floats:
    means = np.stack([mean for mean, _ in levels])
    codes = np.stack([number for _, number in levels])
    curves = np.empty((len(places), caps.size))
    for start in range(0, len(places), _AT_ONCE):
        first, second = places[start : start + _AT_ONCE].T
        cells = len(first), _LEVELS * _LEVELS
        values = (means[first][:, :, None] * (means[second] / total)[:, None, :]).reshape(cells)
        number = (codes[first][:, :, None] * codes[second][:, None, :]).reshape(cells)
        curves[start : start + _AT_ONCE] = _capped(values, number, caps)
    return curves


class SharedErrors:
    """The errors of all two-way marginals, if some pairs are measured and share a pool of rho.

    Args:
        workload: How much the error of each pair counts.
        places: The positions of the columns of the pairs that may be measured.
        noise: The error that noise leaves in these pairs and in columns.
        pool: All of rho that is spent on tables and one-way marginals.
        rows: Rows that one person may have.
    """

    def __init__(
        self, workload: Workload, places: Integers, noise: ExpectedErrors, pool: float, rows: int
    ):
        self.workload, self.places = workload, places
        self.weights: Floats = workload.weights[places[:, 0], places[:, 1]]
        self.measured: list[int] = []
        self._noise, self._pool, self._rows = noise, pool, rows
        self._uses = workload.use_of_pairs(places)
        self._count_uses()

    def measure(self, place: int) -> None:
        """Measure one more pair."""
        self.measured.append(place)
        self._count_uses()

    def if_not_measured(self, scores: Floats, precision: Floats) -> Floats:
        """Return the error of each pair as long as it is not measured.

        A score contains the noise of the one-way marginals that it was computed from; this is
        replaced by the noise that they will have in the end.

        Args:
            scores: The distance of each pair from independence, or from a model.
            precision: For each column, 1/sigma^2 of the one-way marginal behind the scores.
        """
        now, end = self._through_columns(precision), self._through_columns(self._precision)
        before = np.sqrt(np.maximum(0.0, np.sign(scores) * scores**2 - now**2) + end**2)
        return np.minimum(before, self._noise.most)

    def if_measured(self) -> Floats:
        """Return the error of each pair if it is measured beside the others."""
        rho = self._pool * self._uses / (self._all_uses + self._uses)
        return self._noise.of_pairs(slice(None), self._sigma(rho))

    def loss_of_others(self) -> Floats:
        """Return, for each pair, by how much all other errors rise if it is measured too."""
        total = self._all_uses
        left = total / (total + self._uses)  # of what each other table would have
        grid = np.linspace(left.min(initial=1.0), 1.0, _SHARES)
        losses = self._errors_at(grid)
        rises: Floats = np.interp(left, grid, losses) - losses[-1]
        return rises

    def total(self, scores: Floats, precision: Floats) -> float:
        """Return the weighted error that is expected in all two-way marginals.

        Pairs that may not be measured are assumed to be independent. Inside merged codes, a table
        says no more than the one-way marginals of its columns.

        Args:
            scores: As for ``if_not_measured``.
            precision: As for ``if_not_measured``.
        """
        of_columns = self._noise.of_columns(self._precision**-0.5)
        errors = np.hypot(of_columns[:, None], of_columns)
        of_pairs = self.if_not_measured(scores, precision)
        of_pairs[self.measured] = self._measured_errors()
        first, second = self.places.T
        errors[first, second] = errors[second, first] = of_pairs
        return float((self.workload.weights * errors).sum()) / 2

    def _count_uses(self) -> None:
        """Compute once what every question about the pairs measured so far needs."""
        measured = self.places[self.measured]
        columns, pairs = self.workload.use_of_columns(measured), self._uses[self.measured]
        self._all_uses = float(columns.sum() + pairs.sum())
        share = 2 * self._pool / self._all_uses / self._rows**2
        # 1/sigma^2 of each column in the end: of its one-way, and of its tables' sums.
        self._precision = share * columns
        for axis in (0, 1):
            others = self.workload.sizes[measured[:, 1 - axis]]
            np.add.at(self._precision, measured[:, axis], share * pairs / others)

    def _through_columns(self, precision: Floats) -> Floats:
        errors = self._noise.of_columns(precision**-0.5)
        through: Floats = np.hypot(errors[self.places[:, 0]], errors[self.places[:, 1]])
        return through

    def _measured_errors(self) -> Floats:
        """Return the error of each measured pair, including that inside merged codes."""
        measured = np.array(self.measured, dtype=np.int64)
        share = self._pool / self._all_uses
        own = self._noise.of_pairs(measured, self._sigma(share * self._uses[measured]))
        alone = share * self.workload.use_of_columns(self.places[measured])
        merged = self._noise.of_merged(self._sigma(alone))
        first, second = self.places[measured].T
        errors: Floats = own + np.hypot(merged[first], merged[second])
        return np.minimum(errors, self._noise.most)

    def _errors_at(self, shares: Floats) -> Floats:
        """Return the weighted error of all that is measured, for each share of the pool."""
        measured = np.array(self.measured, dtype=np.int64)
        open_weights = self.workload.open_weights(self.places[measured])
        rho = self._pool * self._uses[measured] / self._all_uses
        errors = [
            self.weights[measured] @ self._noise.of_pairs(measured, self._sigma(share * rho))
            + open_weights @ self._noise.of_columns((share * self._precision) ** -0.5)
            for share in shares
        ]
        return np.array(errors)

    def _sigma(self, rho: Floats) -> Floats:
        sigma: Floats = self._rows / np.sqrt(2 * rho)
        return sigma
