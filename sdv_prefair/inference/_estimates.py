"""Answers with intervals: from measured tables where possible, otherwise from replicates."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import t

from sdv_prefair._arrays import Flags, Floats
from sdv_prefair.columns._dtypes import plain_number
from sdv_prefair.errors import QueryError, shown
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.fitting._fitted import Fitted
from sdv_prefair.inference._query import Asked, Query, Share, read_query
from sdv_prefair.inference._questions import (
    Apart,
    Atom,
    Line,
    Question,
    Rank,
    RanksApart,
    Ratio,
    atoms_of,
    ratios_of,
    shown_codes,
    shown_columns,
    take_apart,
)
from sdv_prefair.inference._replication import (
    NO_VARIANCE,
    Interval,
    Quadratic,
    Replicates,
    Tables,
    answers_of,
    difference,
    model_intervals,
    moment,
    quantile_of,
    ratio_interval,
    tables_asked_for,
    tables_of_model,
    variance_of_share,
)
from sdv_prefair.model import GraphicalModel, Measurement
from sdv_prefair.model._measurement import by_columns
from sdv_prefair.model._sampling import broadcast_to, sum_to

# -- Counts as measured: sums of noisy cells, unbiased and with known noise ------------------------
#
# A model fits all tables at once, keeps counts positive and shrinks noisy tables towards
# independence. This makes it better overall, but biased in single cells where noise is large. The
# measurements are not biased: a sum over cells of a noisy table is the true sum plus normal noise,
# whatever the rest of the model is like. So for everything that a measured table can answer,
# intervals are computed from its noisy counts.
#
# Privacy: post-processing of released values.

Vectors = Mapping[str, Floats]
Table = tuple[tuple[str, ...], tuple[int, ...]]
"""A measured table, by its columns and its shape: one column may also be measured in groups."""


@dataclass(frozen=True)
class Form:
    """A weighted sum of noisy cells.

    Attributes:
        value: The sum.
        weights: The weights of the cells, for each table involved.
        variances: The variances of the noise of these tables.
    """

    value: float
    weights: Mapping[Table, Floats]
    variances: Mapping[Table, Floats]

    @cached_property
    def variance(self) -> float:
        """The variance of the noise of the sum."""
        return self.covariance(self)

    def covariance(self, other: 'Form') -> float:
        """Return the covariance of the noise of two sums."""
        shared = self.weights.keys() & other.weights.keys()
        products = ((self.weights[t] * other.weights[t] * self.variances[t]).sum() for t in shared)
        return float(sum(products))


class MeasuredCounts:
    """All measurements, which answer queries for sums of counts.

    A query is a product of vectors, one for each of some columns with a number for each
    code: the sum over all rows of the product of the numbers of their codes.

    Args:
        model: Contains the measurements.
        shown: For each column, which codes can be shown. Rows are assumed to have no others.
    """

    def __init__(self, model: GraphicalModel, shown: Mapping[str, Flags]):
        self._model, self._shown = model, shown
        self._tables = list(by_columns(model.measurements).values())

    @cached_property
    def total(self) -> Form | None:
        """The number of rows, estimated from all measurements."""
        return self._of_groups({})

    def form(self, vectors: Vectors) -> Form | None:
        """Return the sum as measured; None if it was not."""
        vectors = self._telling(vectors)
        if not vectors:
            return self.total
        if len(vectors) == 1:
            ((column, vector),) = vectors.items()
            codes = self._codes_apart(column, vector)
            if codes is not None:
                return _sum_of([codes], {column: np.where(self._shown[column], vector, 0.0)})
        grouped = {c: self._by_group(c, vector) for c, vector in vectors.items()}
        found = {c: least for c, (least, most) in grouped.items() if np.array_equal(least, most)}
        return self._of_groups(found) if len(found) == len(grouped) else None

    def form_beside(self, vectors: Vectors, columns: Collection[str]) -> Form | None:
        """Return the sum from tables with some more columns; None if they cannot answer it.

        These tables are not the only source, so part of their error is known.
        """
        grouped = {c: self._by_group(c, v) for c, v in self._telling(vectors).items()}
        if not all(np.array_equal(least, most) for least, most in grouped.values()):
            return None
        return self._of_groups({c: ends[0] for c, ends in grouped.items()}, columns)

    def bounds(self, vectors: Vectors) -> tuple[Form, Form] | None:
        """Return lower and upper bounds of the sum, for nonnegative numbers.

        For a group of merged codes only the number of rows with any of them was measured, jointly
        with other columns.
        """
        vectors = self._telling(vectors)
        if any((vector < 0).any() for vector in vectors.values()):
            return None
        grouped = {c: self._by_group(c, vector) for c, vector in vectors.items()}
        least = self._of_groups({c: ends[0] for c, ends in grouped.items()})
        most = self._of_groups({c: ends[1] for c, ends in grouped.items()})
        return None if least is None or most is None else (least, most)

    def tells_codes_apart(self, vectors: Vectors) -> bool:
        """Whether the sum is over some but not all codes of a merged group."""
        ends = [self._by_group(c, vector) for c, vector in self._telling(vectors).items()]
        return not all(np.array_equal(least, most) for least, most in ends)

    def _telling(self, vectors: Vectors) -> dict[str, Floats]:
        """Return the vectors without those that are 1 for all codes that can be shown."""
        return {c: v for c, v in vectors.items() if (v[self._shown[c]] != 1).any()}

    def _codes_apart(self, column: str, vector: Floats) -> Measurement | None:
        """Return the measurement over codes, if the vector distinguishes merged codes."""
        compression = self._model.compressions.get(column)
        least, most = self._by_group(column, vector)
        if compression is None or np.array_equal(least, most):
            return None
        return compression.measured

    def _by_group(self, column: str, vector: Floats) -> tuple[Floats, Floats]:
        """Return the least and the largest number of each group."""
        compression = self._model.compressions.get(column)
        if compression is None:
            return vector, vector
        shown = self._shown[column]
        least = np.full(compression.num_groups, np.inf)
        most = np.full(compression.num_groups, -np.inf)
        np.minimum.at(least, compression.group_of[shown], vector[shown])
        np.maximum.at(most, compression.group_of[shown], vector[shown])
        empty = most < least
        return np.where(empty, 0.0, least), np.where(empty, 0.0, most)

    def _of_groups(self, vectors: Vectors, beside: Collection[str] = ()) -> Form | None:
        needed = {*vectors, *beside}
        holders = [t for t in self._tables if needed <= set(t.columns)]
        return _sum_of(holders, vectors) if holders else None


def _sum_of(tables: Sequence[Measurement], vectors: Vectors) -> Form:
    """Return the sum, averaged over tables by inverse variance in every cell."""
    columns = tuple(vectors)
    product: Floats = reduce(np.multiply.outer, vectors.values(), np.ones(()))
    precisions = [1 / sum_to(t.variance, t.columns, columns) for t in tables]
    whole = sum(precisions, np.zeros(product.shape))
    value, weights = 0.0, {}
    for table, precision in zip(tables, precisions, strict=True):
        share = product * precision / whole
        spread = np.broadcast_to(broadcast_to(share, columns, table.columns), table.values.shape)
        weights[table.columns, table.values.shape] = spread
        value += float((spread * table.values).sum())
    variances = {(t.columns, t.values.shape): t.variance for t in tables}
    return Form(value, weights, variances)


# -- Intervals from measurements, for ratios that a measured table answers -------------------------


MEASURED, BOUNDED = 'measured', 'bounded'
"""The basis of an interval: a measured table, or bounds from one."""

Found = tuple[Interval, str]


class _Ends(NamedTuple):
    """Intervals of two numbers that bound the requested one."""

    least: Interval
    most: Interval

    def minus(self, other: '_Ends') -> '_Ends':
        """Return bounds on the difference: bounds add up, noise partly cancels."""
        return _Ends(difference(self.least, other.most), difference(self.most, other.least))

    def joined(self, level: float) -> Found:
        """Return one interval that contains both."""
        least, most = self
        if least == most:
            return least, MEASURED
        middle = (least.estimate + most.estimate) / 2
        error = (most.upper - least.lower) / (2 * quantile_of(level))
        return Interval(middle, error, least.lower, most.upper), BOUNDED


# A variance that is zero up to rounding, relative to another.
_NOTHING = 1e-9


class MeasuredAnswers:
    """Answers from noisy tables.

    Args:
        counts: The noisy tables.
        tables: The model's joint distributions, for the sampling error.
        total: Number of rows.
        level: Confidence level of the intervals.
        sampling: Whether they are for the population that the rows were sampled from, or for the
            table itself.
    """

    def __init__(
        self, counts: MeasuredCounts, tables: Tables, total: float, level: float, sampling: bool
    ):
        self._counts, self._tables, self._total = counts, tables, total
        self._level, self._sampling = level, sampling

    def find(self, atom: Atom) -> Found | None:
        """Return the interval and its basis; None if no measured table answers the query."""
        if isinstance(atom, Apart):
            first, second = self._ends(atom.first), self._ends(atom.second)
            ends = None if first is None or second is None else first.minus(second)
        else:
            ends = self._ends(atom)
        return None if ends is None else ends.joined(self._level)

    def _ends(self, ratio: Ratio) -> _Ends | None:
        below = self._counts.form(ratio.below)
        if below is None:
            return None
        forms = [(bound, self._counts.form(bound.above)) for bound in ratio.bounds()]
        if ratio.is_share and forms[0][1] is None:
            bounds = self._counts.bounds(ratio.above) or (None, None)
            forms = [(ratio, form) for form in bounds]
        least, most = (
            None if above is None else self._interval(bound, above, below) for bound, above in forms
        )
        return None if least is None or most is None else _Ends(least, most)

    def _interval(self, ratio: Ratio, above: Form, below: Form) -> Interval:
        numerator, noise = self._adjusted(ratio, above, below)
        chance = self._chance(ratio) if self._sampling else NO_VARIANCE
        return ratio_interval(numerator, below.value, noise, chance, self._level, ratio.limits)

    def _adjusted(self, ratio: Ratio, above: Form, below: Form) -> tuple[float, Quadratic]:
        """Return the numerator, minus the predictable part of its noise, and the remaining noise.

        The tables of the numerator also have a count of the denominator's rows, which others
        measure more precisely: its error is correlated with that of the numerator.
        """
        shared = above.covariance(below)
        noise = Quadratic(above.variance, shared, below.variance)
        own = None
        if not self._counts.tells_codes_apart(ratio.above):
            own = self._counts.form_beside(ratio.below, ratio.above)
        if own is None:
            return above.value, noise
        with_below = own.covariance(below)
        off = own.variance - 2 * with_below + below.variance
        if off <= _NOTHING * own.variance:
            return above.value, noise
        along = above.covariance(own) - shared
        slope = along / off
        left = Quadratic(
            max(0.0, above.variance - slope * along),
            shared - slope * (with_below - below.variance),
            below.variance,
        )
        return above.value - slope * (own.value - below.value), left

    def _chance(self, ratio: Ratio) -> Quadratic:
        """Return the sampling variance of the rows, by the model's own shares."""
        rows = self._total * moment(ratio, ratio.below, self._tables)
        if ratio.is_share:
            return variance_of_share(rows)
        squares = {c: vector * ratio.above[c] for c, vector in ratio.above.items()}
        above, square = (
            self._total * moment(ratio, vectors, self._tables) for vectors in (ratio.above, squares)
        )
        return Quadratic(square, above, rows)


# -- Answers with intervals: from measured tables where possible, otherwise from replicates --------


MODEL, FAIR_MODEL = 'model', 'fair model'
"""The basis of an interval without a measured table: the model, or one constrained to be fair."""
_FROM_STRONG_TO_WEAK = (MEASURED, BOUNDED, MODEL, FAIR_MODEL)


def estimate_query(
    fitted: Fitted,
    query: Query | Asked,
    replicates: Callable[[], Replicates],
    level: float = 0.95,
    sampling: bool = True,
    in_the_fair_table: bool = False,
) -> pd.DataFrame:
    """Answer a query, with an interval for every number.

    Privacy: post-processing of released values.

    Args:
        fitted: The fit.
        query: A query, columns, or a string.
        replicates: Returns replicates of the fit; called if some line needs them.
        level: Confidence level of the intervals.
        sampling: Whether the truth is the population that the rows were sampled from, or the
            private table.
        in_the_fair_table: Whether to answer for the fair model what was left out of it on purpose.

    Returns:
        A line for each number, identified by the index, with ``estimate``, ``standard_error``,
        ``lower``, ``upper`` and ``basis``.

    Raises:
        QueryError: If the query asks for what was left out without saying so.
    """
    level = checked_level(level)
    columns, model = shown_columns(fitted.encoding), fitted.model
    names, lines = take_apart(_as_query(query, list(columns)), columns)
    questions = [question for _, question in lines]
    tables = tables_of_model(model, tables_asked_for(questions, model.domain))
    counts = MeasuredCounts(model, shown_codes(columns))
    measured = MeasuredAnswers(counts, tables, model.total, level, sampling)
    atoms = [atom for question in questions for atom in atoms_of(question)]
    found = {id(atom): measured.find(atom) for atom in atoms}
    others = [atom for atom in atoms if found[id(atom)] is None]
    if not in_the_fair_table:
        _refuse_left_out(others, fitted.settings.roles)
    if others:
        intervals = model_intervals(others, replicates(), level, sampling)
        for atom, interval in zip(others, intervals, strict=True):
            found[id(atom)] = interval, _basis(atom, fitted.settings.roles)
    known = {atom: answer for atom, answer in found.items() if answer is not None}
    answers = [_put_together(question, known, level) for question in questions]
    return _as_frame(names, lines, answers, answers_of(questions, tables).tolist())


def _as_query(query: Query | Asked, columns: Sequence[str]) -> Query:
    if isinstance(query, str):
        return read_query(query, columns)
    return query if isinstance(query, Query) else Share(query)


def checked_level(level: float) -> float:
    """Return a confidence level as a float; raise unless it is valid."""
    level = plain_number(level)
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
        raise QueryError(f'level ({shown(level)}) must be between 0 and 1, as 0.95.')
    return level


def _basis(atom: Atom, roles: Statements) -> str:
    """Return the basis of replicates: for protected and outcome columns, the fair model."""
    columns = {column for ratio in ratios_of(atom) for column in ratio.columns}
    crosses = columns.intersection(roles.protected) and columns.intersection(roles.outcome)
    return FAIR_MODEL if crosses else MODEL


def _refuse_left_out(atoms: Collection[Atom], roles: Statements) -> None:
    """Raise if an answer would be about a dependence that the model leaves out on purpose."""
    for atom in atoms:
        if _basis(atom, roles) == FAIR_MODEL:
            columns = {column for ratio in ratios_of(atom) for column in ratio.columns}
            outcome = sorted(columns.intersection(roles.outcome))
            protected = sorted(columns.intersection(roles.protected))
            raise QueryError(
                f'The query asks how {outcome} depends on {protected}. The model leaves that out '
                'on purpose, apart from what admissible columns explain, so it does not say how '
                'it is in the private table. For the fair table, ask with in_the_fair_table=True, '
                'or --in-the-fair-table.'
            )


def _put_together(question: Question, found: Mapping[int, Found], level: float) -> Found:
    if isinstance(question, Rank):
        return _rank(question, found, level)
    if not isinstance(question, RanksApart):
        return found[id(question)]
    first, second = (_rank(rank, found, level) for rank in (question.first, question.second))
    return difference(first[0], second[0]), _weakest([first[1], second[1]])


def _rank(rank: Rank, found: Mapping[int, Found], level: float) -> Found:
    """Return between which codes a share is reached, given the intervals of the shares."""
    shares = [found[id(ratio)][0] for ratio in rank.up_to]
    last = len(shares) - 1
    may_pass = (place for place, share in enumerate(shares) if share.upper >= rank.share)
    must_pass = (place for place, share in enumerate(shares) if share.lower >= rank.share)
    lower = float(rank.lower[next(may_pass, last)])
    upper = float(rank.upper[next(must_pass, last)])
    error = (upper - lower) / (2 * quantile_of(level))
    basis = _weakest([found[id(ratio)][1] for ratio in rank.up_to])
    return Interval((lower + upper) / 2, error, lower, upper), basis


def _weakest(bases: Collection[str]) -> str:
    return max(bases, key=_FROM_STRONG_TO_WEAK.index)


def _as_frame(
    names: list[str], lines: Sequence[Line], answers: Sequence[Found], estimates: Sequence[float]
) -> pd.DataFrame:
    """Return the answers; intervals contain the model's own estimates, widened if necessary."""
    rows = []
    for (interval, basis), estimate in zip(answers, estimates, strict=True):
        held = interval if np.isnan(estimate) else interval.holding(estimate)
        rows.append((*held, basis))
    labels = [labels for labels, _ in lines]
    index: pd.Index = pd.RangeIndex(len(labels))
    if len(names) == 1:
        index = pd.Index([label for (label,) in labels], name=names[0])
    elif names:
        index = pd.MultiIndex.from_tuples(labels, names=names)
    return pd.DataFrame(rows, index, [*Interval._fields, 'basis'])


# -- Combining rules: one estimate and its interval, from the same analysis of several tables ------


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
