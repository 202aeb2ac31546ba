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
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from sdv.errors import SamplingError

from sdv_prefair._sdv_versions import by_name
from sdv_prefair.columns._processor import check_columns
from sdv_prefair.errors import PrivateDataError, UnfairModelError
from sdv_prefair.fairness import Independent
from sdv_prefair.fairness._joint_test import LEVEL as STATEMENT_LEVEL
from sdv_prefair.fairness._joint_test import joint_codes
from sdv_prefair.fairness._verdicts import UNFAIR, Verdict, judge_rows
from sdv_prefair.fitting._fitted import Fitted
from sdv_prefair.privacy._accounting import is_too_large
from sdv_prefair.release._marginal_test import LEVEL, MarginalTest, compare_marginals
from sdv_prefair.release._own_types import as_written, in_own_types
from sdv_prefair.release._twin_record import check_record
from sdv_prefair.release._verified import Check, Verification

if TYPE_CHECKING:
    from sdv_prefair.synthesizer._after_fit import AfterFit

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
    origin, own = _redrawn(synthesizer, rows, as_read or _as_it_is)
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


def _as_it_is(rows: pd.DataFrame) -> pd.DataFrame:
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
