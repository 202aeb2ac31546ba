"""Verifying a release, and whether rows came from it.

What can be checked, and what cannot:

- The file is complete, its ledger adds up and pays for every measurement, and its model satisfies
  every statement. A file cannot prove that its noise was really random.
- Rows that sampling from the release again reproduces, value by value, came from it.
- Rows most, but not all, of which sampling again reproduces were changed after sampling.
- Other rows are tested against the model's marginals. Rows that fail were not sampled from it
  unchanged, except for one table in a thousand. Rows that pass may still come from elsewhere: from
  a similar release, or from somebody who matched its marginals and still made outcomes depend on
  protected columns. So every statement is tested too, for all columns and strata together.
- Generated columns, such as keys and names, cannot be checked unless sampling reproduces them.
"""

import copy
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pandas as pd
from scipy.stats import chi2
from sdv.errors import SamplingError

from sdv_prefair._arrays import Floats, Objects
from sdv_prefair._sdv_versions import by_name
from sdv_prefair.columns import ColumnCodes
from sdv_prefair.columns._dtypes import with_columns
from sdv_prefair.columns._processor import check_columns
from sdv_prefair.errors import PrivateDataError, UnfairModelError
from sdv_prefair.fairness import Independent
from sdv_prefair.fairness._joint_test import LEVEL as STATEMENT_LEVEL
from sdv_prefair.fairness._joint_test import joint_codes
from sdv_prefair.fairness._predicate import markov_graph
from sdv_prefair.fairness._verdicts import UNFAIR, Verdict, judge_rows
from sdv_prefair.fitting._fitted import Fitted
from sdv_prefair.model import GraphicalModel
from sdv_prefair.privacy._accounting import is_too_large
from sdv_prefair.release._twin_record import check_record
from sdv_prefair.release._verified import Check, Verification

if TYPE_CHECKING:
    from sdv_prefair.synthesizer._after_fit import AfterFit

# -- Goodness of fit: whether rows follow a model, judged by its one- and two-way marginals --------
#
# Pearson's chi-square of each marginal against the model's own, with cells in which few rows are
# expected merged, and Bonferroni's correction for the number of marginals. Independent rows of
# the model fail with about the probability of the level, systematic samples hardly ever. A row in a
# cell of probability zero fails at once.

LEVEL = 0.001
"""How often rows of the model itself fail: about once in a thousand tables."""

# The chi-square distribution is accurate if at least this many rows are expected in a cell; with
# ten, tail probabilities at the level are off by at most a third.
_LEAST_EXPECTED = 10
_MOST_CELLS = 10_000_000


@dataclass(frozen=True)
class MarginalTest:
    """The result of the test.

    Attributes:
        tested: The number of marginals with enough rows.
        worst: The columns of the marginal with the worst fit.
        p_value: Its p-value, corrected for the number of marginals.
        impossible: Columns with a combination of values that the model never samples.
    """

    tested: int
    worst: tuple[str, ...]
    p_value: float
    impossible: tuple[tuple[str, ...], ...]

    def is_passed(self, level: float = LEVEL) -> bool:
        """Whether the test does not reject."""
        return not self.impossible and not self.p_value < level


def compare_marginals(model: GraphicalModel, codes: pd.DataFrame) -> MarginalTest:
    """Test rows against all columns and joined pairs of a model.

    Privacy: reads rows that are said to be synthetic, and the model; nothing else.

    Args:
        model: The model.
        codes: Codes of rows; columns that it lacks are left out.
    """
    found: dict[tuple[str, ...], float] = {}
    impossible = []
    for columns in _marginals(model, codes.columns.tolist()):
        shares = model.marginal(columns)
        counts = _count([codes[column].to_numpy() for column in columns], shares.shape)
        if counts[shares.ravel() <= 0].any():
            impossible.append(columns)
        elif (p_value := chi_square(counts, shares.ravel())) is not None:
            found[columns] = p_value
    worst = min(found, key=lambda columns: found[columns], default=())
    p_value = min(1.0, found[worst] * len(found)) if found else 1.0
    return MarginalTest(len(found), worst, p_value, tuple(impossible))


def _marginals(model: GraphicalModel, known: Sequence[str]) -> Iterable[tuple[str, ...]]:
    graph: nx.Graph[str] = markov_graph(model.cliques)
    for columns in [*((column,) for column in model.domain), *graph.edges]:
        cells = np.prod([float(model.domain[column]) for column in columns])
        if set(columns) <= set(known) and cells <= _MOST_CELLS:
            yield columns


def _count(codes: Sequence[np.ndarray], shape: tuple[int, ...]) -> Floats:
    cells = np.ravel_multi_index(tuple(codes), shape)
    counts: Floats = np.bincount(cells, minlength=int(np.prod(shape))).astype(np.float64)
    return counts


def chi_square(counts: Floats, shares: Floats) -> float | None:
    """Return the p-value of counts under these shares; None if there are too few rows.

    Args:
        counts: How many rows each cell has.
        shares: The probability of each cell.
    """
    expected = counts.sum() * shares / shares.sum()
    is_large = expected >= _LEAST_EXPECTED
    if not is_large.any():
        return None
    observed = np.append(counts[is_large], counts[~is_large].sum())
    wanted = np.append(expected[is_large], expected[~is_large].sum())
    if wanted[-1] < _LEAST_EXPECTED:  # the rest is merged with the smallest of the others
        smallest = int(np.argmin(wanted[:-1]))
        for values in (observed, wanted):
            values[smallest] += values[-1]
        observed, wanted = observed[:-1], wanted[:-1]
    if len(wanted) < 2:
        return None
    statistic = float(((observed - wanted) ** 2 / wanted).sum())
    return float(chi2.sf(statistic, len(wanted) - 1))


# -- Rows of a file in the types of the release: a file holds text, or types of its own ------------
#
# A single-precision 0.1 is read from a CSV file as the double 0.1, a day that is stored as the
# integer 20100131 as a string, as is a clock of Paris. What is written decides: a column has the
# release's type if it is written with the same characters after it has been converted, or equals
# what was read.


def in_own_types(
    rows: pd.DataFrame, columns: Mapping[str, ColumnCodes], cells: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Return rows with the release's types, in columns that this leaves as they are written.

    Args:
        rows: The rows, as they were read.
        columns: The codes of the columns of the release.
        cells: The text of each cell, if there is any.
    """
    found = {}
    for column, codes in columns.items():
        if column not in rows or _is_own(rows[column], codes, cells):
            continue
        own = _held(rows[column] if cells is None else cells[column], codes)
        if own is not None:
            found[column] = own
    return with_columns(rows, found)


def _is_own(column: pd.Series, codes: ColumnCodes, cells: pd.DataFrame | None) -> bool:
    """Whether a column has values that the release can show, and none was lost."""
    is_lost = cells is not None and (column.isna() & cells[column.name].notna()).any()
    return bool(codes.is_declared(column).all()) and not is_lost


def as_written(rows: pd.DataFrame) -> Objects:
    """Return the lines of a CSV file of these rows."""
    return np.array(rows.to_csv(index=False, header=False).splitlines(), dtype=object)


def _held(column: pd.Series, codes: ColumnCodes) -> pd.Series | None:
    written = as_written(column.to_frame())
    for as_type in (_as_it_is, _as_flag, _as_integer, _as_number, _as_moment):
        try:
            read = as_type(column, codes.dtype)
            known = read[read.notna()]
            held = pd.Series(codes.hold(known), known.index, name=column.name)
            own = held.reindex(column.index)
        except (ValueError, TypeError, OverflowError, AttributeError):
            continue
        if _is_equal(read, own) or np.array_equal(written, as_written(own.to_frame())):
            return own
    return None


def _is_equal(read: pd.Series, own: pd.Series) -> bool:
    known = own.notna()
    try:
        same = bool((read[known] == own[known]).all())
    except (ValueError, TypeError):
        return False
    return same and bool((read.isna() == own.isna()).all())


def _as_it_is(column: pd.Series, dtype: Any) -> pd.Series:
    return column


def _as_flag(column: pd.Series, dtype: Any) -> pd.Series:
    flags = {'True': True, 'False': False}
    return pd.Series([flags.get(one, one) for one in column], column.index, dtype=object)


def _as_integer(column: pd.Series, dtype: Any) -> pd.Series:
    # Not by map, which would make floats of integers beside nulls.
    whole = [int(one) if isinstance(one, str) else one for one in column]
    return pd.Series(whole, column.index, dtype=object)


def _as_number(column: pd.Series, dtype: Any) -> pd.Series:
    return column.astype(float)


def _as_moment(column: pd.Series, dtype: Any) -> pd.Series:
    if getattr(dtype, 'tz', None) is None:
        return pd.to_datetime(column, format='ISO8601')
    return pd.to_datetime(column, utc=True, format='ISO8601').dt.tz_convert(dtype.tz)


# -- Verifying a release, and whether rows came from it --------------------------------------------

# Sampling again takes as long as sampling; for more rows the test of marginals is enough.
_MOST_REDRAWN = 1_000_000
# If at least this share of rows is reproduced in place, the others count as changed rows.
_MOSTLY = 0.5
# A limit on the difference of two means of n booleans, times the root of n: by Hoeffding's bound,
# it is exceeded with a probability below one in ten million.
_BEYOND_CHANCE = 6.0


def verify_fit(synthesizer: 'AfterFit') -> Verification:
    """Check ledger, delta, noise, fairness and record of a fit, usually one loaded from a file."""
    of_privacy = [_ledger(synthesizer), _delta(synthesizer), _noise(synthesizer)]
    of_fairness = _fairness(synthesizer)
    is_fair = all(check.passed for check in of_fairness)  # else no record can be made of it
    of_record = _record(synthesizer) if is_fair else []
    return Verification([*of_privacy, *of_fairness, *of_record])


def _ledger(synthesizer: 'AfterFit') -> Check:
    ledger = synthesizer.get_privacy_ledger()
    promise, spent = ledger.attrs, float(ledger['rho'].sum())
    told = (
        f'{len(ledger)} lines add up to rho = {spent:.6g}, the whole budget of epsilon = '
        f'{promise["epsilon"]:g} and delta = {promise["delta"]:g}'
    )
    if spent != promise['rho']:
        told = f'its lines add up to rho = {spent:.6g}, not to its budget of {promise["rho"]:.6g}'
    return Check('ledger', spent == promise['rho'], told)


def _delta(synthesizer: 'AfterFit') -> Check:
    delta, rows = synthesizer.get_privacy_ledger().attrs['delta'], synthesizer.fitted.model.total
    about = f'{delta:g}, and one over the number of rows, as measured with noise, is {1 / rows:.2g}'
    if is_too_large(delta, rows):
        return Check('delta', False, f'{about}: publishing a row at random would satisfy it')
    return Check('delta', True, about)


def _noise(synthesizer: 'AfterFit') -> Check:
    if not synthesizer.get_privacy_ledger().attrs['private']:
        return Check('noise', False, 'generated from a known seed, so nothing is private')
    return Check('noise', True, 'no seed was given; that it was random cannot be checked')


def _fairness(synthesizer: 'AfterFit') -> list[Check]:
    settings = synthesizer.fitted.settings
    if not settings.promise.is_fair:
        return [Check('fairness', True, 'none is promised, so none was checked')]
    try:
        synthesizer.verify_fairness()
    except UnfairModelError as error:
        return [Check('fairness', False, str(error))]
    return [Check('fairness', True, str(one)) for one in settings.promise.roles.statements]


def _record(synthesizer: 'AfterFit') -> list[Check]:
    carried = synthesizer.carried_record
    return [] if carried is None else [check_record(carried, synthesizer.get_record())]


def verify_table(
    synthesizer: 'AfterFit',
    rows: pd.DataFrame,
    as_read: Callable[[pd.DataFrame], pd.DataFrame] | None = None,
) -> Verification:
    """Check columns, values and distribution of rows that are said to come from a fit.

    Privacy: reads rows that are said to be synthetic. The results contain names of columns, numbers
    of rows and p-values.

    Args:
        synthesizer: The fit.
        rows: The rows, with the types of the metadata.
        as_read: Writes and reads sampled rows as these rows were written and read; by default they
            were not. What a file does to a value is then no difference.
    """
    fitted = synthesizer.fitted
    columns = _columns(fitted, rows)
    if not columns.passed:
        return Verification([columns])
    origin, own = _redrawn(synthesizer, rows, as_read or _rows_as_they_are)
    rows = in_own_types(rows, fitted.encoding.transformers) if own is None else own
    values = _values(fitted, rows)
    if not values.passed:
        return Verification([columns, values])
    found = [columns, values, *_constraints(fitted, rows)]
    if not all(check.passed for check in found):
        return Verification(found)
    if origin is not None:
        return Verification([*found, origin])
    tested = [_distribution(fitted, rows)]
    if fitted.settings.promise.is_fair:
        tested += _independence(fitted, rows)
    return Verification([*found, *tested])


def _rows_as_they_are(rows: pd.DataFrame) -> pd.DataFrame:
    return rows


def _columns(fitted: Fitted, rows: pd.DataFrame) -> Check:
    (described,) = fitted.plan.original_metadata.tables.values()
    try:
        check_columns(rows, described.columns)
    except PrivateDataError as error:
        return Check('columns', False, ' '.join(error.errors))
    if rows.empty:
        return Check('columns', False, 'there are no rows')
    return Check('columns', True, f'the {rows.shape[1]} columns of the release; {len(rows):,} rows')


def _values(fitted: Fitted, rows: pd.DataFrame) -> Check:
    own = {c: codes for c, codes in fitted.encoding.transformers.items() if c in rows}
    outside = {
        column: int((~codes.is_declared(rows[column])).sum()) for column, codes in own.items()
    }
    found = [f"{count:,} of '{column}'" for column, count in outside.items() if count]
    if found:
        told = f'outside the domain of the release: {", ".join(found)}'
        return Check('values', False, told)
    told = f'all within the domain of the release, in {len(own)} columns'
    unseen = [column for column in rows if column not in own]
    return Check('values', True, told + f'; not checked: {unseen}' * bool(unseen))


def _constraints(fitted: Fitted, rows: pd.DataFrame) -> list[Check]:
    """Return whether the rows satisfy the constraints, if there are any."""
    rules = [*fitted.plan.rejections, *(link.rule for link in fitted.plan.chain)]
    try:
        found = fitted.plan.broken_rules(rows)
    except (TypeError, ValueError, AttributeError, OverflowError):
        # Columns that a constraint replaces have no codes, so they have not been checked yet.
        return [Check('constraints', False, 'values of their columns are of another type')]
    broken = [
        f'{type(rule.constraint).__name__} over {list(rule.columns)} is not met in '
        f'{int((~holds).sum()):,} rows'
        for rule, holds in found
    ]
    names = ', '.join(type(rule.constraint).__name__ for rule in rules)
    told = '; '.join(broken) or f'all rows satisfy {names}'
    return [Check('constraints', not broken, told)] * bool(rules)


def _redrawn(
    synthesizer: 'AfterFit',
    rows: pd.DataFrame,
    as_read: Callable[[pd.DataFrame], pd.DataFrame],
) -> tuple[Check | None, pd.DataFrame | None]:
    """Return whether sampling reproduces the rows, and the sampled rows if it does.

    There is no check if they are entirely different.
    """
    if len(rows) > _MOST_REDRAWN:
        return None, None
    # Including those that constraints replace, which have no codes of their own.
    learnt = [c for c in synthesizer.fitted.plan.original_domains if c in rows]
    told = as_written(rows[learnt])
    for independent in (False, True):
        again = _draw(synthesizer, len(rows), independent)
        if again is None:
            continue
        read = as_read(again)
        drawn = as_written(read[learnt])
        how = ' with independent rows' if independent else ''
        when = f'when {len(rows):,} are sampled{how}'
        if np.array_equal(told, drawn):
            words = f'exactly the rows that the release returns {when}'
            return Check('origin', True, words + _but_generated(rows, read)), again
        if _was_changed(told, drawn):
            same = int((told == drawn).sum())
            words = (
                f'{same:,} rows are those that the release returns {when}; the others were changed'
            )
            return Check('origin', False, words), None
    return None, None


def _but_generated(rows: pd.DataFrame, again: pd.DataFrame) -> str:
    """Return which columns sampling did not reproduce, in words."""
    columns = [c for c in rows if not np.array_equal(as_written(rows[[c]]), as_written(again[[c]]))]
    told = f', except for {columns}, which are generated: who filled them in is not known'
    return told * bool(columns)


def _was_changed(told: np.ndarray, drawn: np.ndarray) -> bool:
    """Whether most rows equal the sampled ones in the same place, and not by chance.

    Other rows match only by chance, and then just as often when shifted by one place.
    """
    if len(told) != len(drawn):  # a cell with a line break in it
        return False
    in_place, by_chance = (told == drawn).mean(), (told == np.roll(drawn, 1)).mean()
    return bool(in_place >= _MOSTLY and in_place - by_chance >= _BEYOND_CHANCE / len(told) ** 0.5)


def _draw(synthesizer: 'AfterFit', num_rows: int, independent: bool) -> pd.DataFrame | None:
    twin = copy.deepcopy(synthesizer)
    twin.reset_sampling()
    name = twin.fitted.settings.table_name
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')  # raised when rows are sampled for use
            sampled = twin.sample(num_rows, independent_rows=independent)
    except SamplingError:  # such as more rows than keys: not reproducible
        return None
    drawn: pd.DataFrame = by_name(sampled, name)[name]
    return drawn


def _distribution(fitted: Fitted, rows: pd.DataFrame) -> Check:
    touched = {column for columns in fitted.plan.tied for column in columns}
    own = fitted.encoding.transformers
    codes = pd.DataFrame({
        column: codes.encode(rows[column]).astype(np.int64)
        for column, codes in own.items()
        if column in rows and column not in touched
    })
    test = compare_marginals(fitted.model, codes)
    return Check('distribution', test.is_passed(), _in_words(test))


def _independence(fitted: Fitted, rows: pd.DataFrame) -> list[Check]:
    """Return for each statement whether the rows contradict it, by the joint test."""
    touched = {column for columns in fitted.plan.tied for column in columns}
    own = {c: v for c, v in fitted.encoding.transformers.items() if c not in touched}
    statements = fitted.settings.promise.roles.statements
    named = {c for one in statements for c in one.columns()}
    codes = pd.DataFrame({
        # By exact value where a constraint has changed the meaning of codes.
        c: own[c].encode(rows[c]) if c in own else pd.factorize(rows[c], use_na_sentinel=False)[0]
        for c in sorted(named)
    })
    return [_judged(one, codes, STATEMENT_LEVEL / len(statements)) for one in statements]


def _judged(statement: Independent, codes: pd.DataFrame, level: float) -> Check:
    found = judge_statement(statement, codes, level)
    if found.kind == UNFAIR:
        told = f'NOT so that {statement}: {found}; in the model there is no gap'
    else:
        told = f'nothing speaks against it that {statement}: {found}'
    return Check('independence', found.kind != UNFAIR, told)


def judge_statement(
    statement: Independent, codes: pd.DataFrame, level: float = STATEMENT_LEVEL
) -> Verdict:
    """Return the verdict about a statement, by the codes of rows.

    Args:
        statement: The statement.
        codes: The codes of the rows, with all columns that it names.
        level: The probability of a wrong verdict.
    """
    left, right, given = (
        joint_codes([codes[column].to_numpy() for column in columns])
        if columns
        else np.zeros(len(codes), dtype=np.int64)
        for columns in (statement.left, statement.right, statement.given)
    )
    return judge_rows(left, right, given, level=level, with_mean=False)


def _in_words(test: MarginalTest) -> str:
    if test.impossible:
        together = ' and '.join(test.impossible[0])
        return f'NOT that of the model: values of {together} that are never sampled'
    if not test.tested:
        return 'there are too few rows, or too few columns, to tell'
    fits = 'compatible with the model' if test.is_passed() else 'NOT that of the model'
    return (
        f'{fits} in {test.tested} marginals; the worst is {", ".join(test.worst)}, p = '
        f'{test.p_value:.2g} for all together, at the level {LEVEL:g}'
    )
