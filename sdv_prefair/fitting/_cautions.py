"""Warnings given while a synthesizer is constructed and fitted."""

import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sdv_prefair._arrays import Floats
from sdv_prefair._users_line import users_line
from sdv_prefair.columns import DatetimeBins, NumberBins
from sdv_prefair.columns._facts import Undeclared
from sdv_prefair.errors import DomainWarning, FairnessWarning, NoiseWarning, PrivacyWarning
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.fitting._explanation import admissible_copies
from sdv_prefair.fitting._fitted import Prepared
from sdv_prefair.model import GraphicalModel
from sdv_prefair.model._noise import lost, noise_of_columns, noise_of_pairs
from sdv_prefair.privacy import Account, Ledger, PrivacyCurve
from sdv_prefair.privacy._curve import guess_in_words
from sdv_prefair.selection._mechanism import Mechanism, PairMechanism
from sdv_prefair.selection._strategy import MOST_PAIRS

_MANY_ROWS = 10  # of one person, for example
# Below the first, noise leaves almost nothing; above the second, hardly any guarantee is left.
SMALL_EPSILON, LARGE_EPSILON = 0.01, 20.0
# A table of a hundred thousand rows may publish one of them from here on.
LARGE_DELTA = 1e-5

RANGES_ARE_TAKEN_AS_PUBLIC = (
    'The ranges in the metadata are treated as public knowledge. If SDV detected them from the '
    'data, they are not: pass public_ranges=False to learn domains within the budget, or '
    'public_ranges=True once they are written by hand.'
)


def warn(category: type[Warning], text: str) -> None:
    """Warn at the line of the user's code that caused it."""
    warnings.warn(text, category, stacklevel=users_line())


def warn_of_ranges() -> None:
    """Warn that nothing says whether the metadata's ranges are public."""
    warn(PrivacyWarning, RANGES_ARE_TAKEN_AS_PUBLIC)


def warn_of_many_rows(sequence_key: Any, curve: PrivacyCurve, epsilon: float, delta: float) -> None:
    """Warn, if persons have several rows by the metadata, that only rows are protected."""
    if sequence_key is not None:
        # The same noise under ten times the change.
        noise = replace(curve, rho=curve.rho * _MANY_ROWS**2, reserved_delta=0.0)
        persons = noise.epsilon_at(delta)
        warn(
            PrivacyWarning,
            f"The metadata's sequence key is '{sequence_key}', so persons have several rows, but "
            f'only single rows are protected: for a person with {_MANY_ROWS} rows epsilon is '
            f'about {persons:.3g}, not {epsilon:g}. To protect persons, pass person_column and '
            'max_rows_per_person.',
        )


def warn_of_seed(seed: int | None) -> None:
    """Warn, if there is a seed, that the noise can be undone."""
    if seed is not None:
        warn(
            PrivacyWarning,
            'seed is given: anyone who knows it can subtract the noise. This fit is not private: '
            'leave seed out before you release anything.',
        )


def warn_of_large_cliques(cliques: Sequence[tuple[str, ...]]) -> None:
    """Warn of sets of columns with too many cells to be measured, if there are any.

    Privacy: which sets these are must depend on domain sizes alone.
    """
    if cliques:
        named = ', '.join(' and '.join(clique) for clique in cliques)
        warn(
            DomainWarning,
            f'Some pairs of columns have too many combinations of values to be measured: {named}. '
            'The model relates such columns through others, or treats them as independent. To '
            'measure these pairs, coarsen the columns: fewer range_values, or a smaller '
            'numeric_bins.',
        )


def warn_of_refit(account: Account, ledger: Ledger) -> None:
    """Warn once that earlier attempts have already spent budget.

    Args:
        account: All attempts so far, at least one of which has spent budget.
        ledger: The budget of the next attempt.
    """
    if account.told_of_refit:
        return
    rho, delta = float(account.spent + ledger.budget), ledger.delta
    epsilon = account.epsilon_with(ledger.budget, ledger.all_gaussian, delta)
    warn(
        PrivacyWarning,
        f'This synthesizer has spent rho = {float(account.spent):.3g} on earlier attempts, and '
        f'budgets add up: with this one it is rho = {rho:.3g}, so epsilon = '
        f'{epsilon:.3g} where delta = {delta:g}, for people who are in every table. '
        'Count all of it, see get_privacy_account(), or give a table of other people.',
    )
    account.told_of_refit = True


def warn_of_seeded_file(is_seeded: bool) -> None:
    """Warn, if the file just opened is of a seeded fit, that it is not private."""
    if is_seeded:
        warn(
            PrivacyWarning,
            'The fit that was opened used a seed: anyone who knows it can subtract the noise. It '
            'is not private: do not release it; fit again without a seed.',
        )


def warn_of_seeded_sample() -> None:
    """Warn that sampled rows are not private, because the fit was seeded."""
    warn(
        PrivacyWarning,
        'These rows come from a fit that used a seed, so they are not private. Do not release '
        'them; fit again without a seed.',
    )


def warn_of_values(columns: Sequence[str]) -> None:
    """Warn of columns in which most rows hold undeclared values, if there are any.

    Privacy: which columns these are must depend on released values alone.
    """
    if columns:
        warn(
            DomainWarning,
            f'Most rows of {list(columns)} hold values that range_values does not list, judging '
            'by the noisy marginals; they will come back as missing or as listed values. Correct '
            'the metadata, including spelling and case, and fit again, which spends budget again.',
        )


def warn_of_readers(columns: Sequence[str]) -> None:
    """Warn about columns whose values pandas would merge when reading a CSV file, if any.

    This is not an error: the values differ in the file, and 'NA' may well mean North America.
    """
    if columns:
        warn(
            DomainWarning,
            f'Values of {list(columns)} differ as text, but pandas treats some of them as equal '
            "when it reads a CSV file, such as 'NA' and null, '01' and '1', or integers above 2^53 "
            'beside nulls. Read such files with dtype=str, keep_default_na=False and na_values='
            "[''].",
        )


def warn_of_copies(pairs: Sequence[tuple[str, str]]) -> None:
    """Warn of columns without a role that nearly copy outcomes, if there are any.

    Privacy: which columns these are must depend on released values alone.
    """
    if pairs:
        named = ', '.join(f'{column} of {outcome}' for column, outcome in pairs)
        warn(
            FairnessWarning,
            'Columns without a role are near copies of outcomes, judging by noisy scores: '
            f'{named}. No statement covers them, so they may still show the group difference that '
            'the outcomes no longer show. Make them outcomes too, or drop them, and fit again, '
            'which spends budget again.',
        )


def warn_of_forced(sentences: Sequence[str]) -> None:
    """Warn of independences that the statements together force and none of them states."""
    told, more = '; '.join(sentences[:3]), len(sentences) - 3
    warn(
        FairnessWarning,
        'Together, the statements force more than each of them says: '
        f'{told}{f"; and {more} more" if more > 0 else ""}. If that is more than you want to '
        'promise, leave one of them out; sdv_prefair.fairness.forced says why.',
    )


def warn_of_unlabelled(beside: Sequence[tuple[str, str]]) -> None:
    """Warn of outcomes adjacent to columns that no statement names, if there are any.

    Privacy: which columns these are must depend on the released cliques alone.
    """
    if beside:
        named = ', '.join(f'{outcome!r} is adjacent to {other!r}' for outcome, other in beside)
        warn(
            FairnessWarning,
            f'An outcome is adjacent to a column without a role: {named}. The guarantee is about '
            'the synthetic table; if such a column is a proxy for a protected one, a model '
            'trained on the table can be unfair to real people. Give it a role, or use '
            "unlabelled='apart'.",
        )


def warn_of_one_reading(columns: Sequence[str]) -> None:
    """Warn of columns whose bins cannot follow the data, if there are any.

    Privacy: these are columns of numbers and timestamps with public ranges, whatever their values.
    """
    if columns:
        warn(
            DomainWarning,
            f'A reader can be read only once, so bins cannot be learnt for {list(columns)} before '
            'they are counted, and wide ranges get bins of equal width. Pass something that can '
            "be read again, such as files, a dataset or a table; or set discretization='uniform'.",
        )


def warn_of_budget(epsilon: float, delta: float, curve: PrivacyCurve) -> None:
    """Warn of a budget that protects nobody, or that leaves nothing but noise."""
    if delta > LARGE_DELTA:
        warn(
            PrivacyWarning,
            f'delta ({delta:g}) is above {LARGE_DELTA:g}: from one over the number of rows on, '
            'publishing a row at random would satisfy it. Choose it well below that, for example '
            '1e-9, which costs little.',
        )
    if epsilon > LARGE_EPSILON:
        warn(
            PrivacyWarning,
            f'epsilon ({epsilon:g}) is above {LARGE_EPSILON:g}. {guess_in_words(curve)} Use '
            '10 at most for what is handed out, or keep the result with the rows.',
        )
    elif epsilon < SMALL_EPSILON:
        warn(
            NoiseWarning,
            f'epsilon ({epsilon:g}) is below {SMALL_EPSILON:g}: noise swamps everything unless '
            'there are millions of rows. See sdv-prefair plan for what is left of each column, '
            'and use a larger epsilon if that is too little.',
        )


def warn_of_far_pairs(mechanism: Mechanism, domain: Mapping[str, int], roles: Statements) -> None:
    """Warn if a table is so wide that pairs of distant columns are left out.

    Privacy: depends on public facts alone.
    """
    if not isinstance(mechanism, PairMechanism):
        return
    allowed = len(mechanism.rule.declare(list(domain), roles))
    if allowed > MOST_PAIRS:
        warn(
            DomainWarning,
            f'The table has {allowed:,} pairs of columns, of which {MOST_PAIRS:,} are looked at: '
            'those with roles, and those of columns near each other. Put columns that belong '
            'together next to each other in the metadata, or give the pairs that matter as '
            'structure.',
        )


# -- What released marginals show at no cost: unsuitable ranges, empty columns, proxies, noise -----
#
# A mistake in the metadata can lead to a model that keeps every guarantee and is useless, and
# nobody may look at the rows to find out why. The noisy marginals often show it.
#
# If a range is too narrow, many rows lie at one of its bounds, because values outside are clipped.
# Not every such peak is a mistake: rows may hold a zero or a code such as -1 or 999, and the range
# may end there for that reason. A slope is not a peak either: if most rows lie in the first of many
# equal bins and fewer in each bin that follows, the range is wide, not narrow.


_MOST = 0.5
_NEARLY_ALL = 0.98
# From this share of rows with values that were not learnt, there is a warning.
_TO_BE_SAID = 0.01
# The bin next to a peak holds at most this fraction of it.
_BESIDE_A_PILE = 0.1
# With fewer values, such as grades from 1 to 5, many rows at a bound are no surprise.
_ENOUGH_BINS = 10
# A bin narrower than this fraction of its numbers holds a single number.
_ONE_NUMBER = 1e-12

Bins = NumberBins | DatetimeBins


def warn_of_doubts(
    model: GraphicalModel, prepared: Prepared, mostly_outside: Collection[str]
) -> None:
    """Warn of whatever the model's marginals make doubtful. Post-processing of released values.

    Args:
        model: The fitted model.
        prepared: The encoders and the constraints.
        mostly_outside: Columns most of whose rows hold values outside the domain.
    """
    binned = dict(_clear_bins(model, prepared))
    piled = [c for c, (bins, shares) in binned.items() if is_piled(bins, shares)]
    _warn_of_ends(piled)
    one_bin = [c for c, (bins, shares) in binned.items() if is_in_one_bin(bins, shares)]
    _warn_of_one_bin([c for c in one_bin if c not in piled])
    _warn_of_rare_values(_rare_shares(model, prepared))
    _warn_of_missing(_mostly_missing(model, prepared, mostly_outside))
    if prepared.settings.promise.is_fair:
        _warn_of_proxies(admissible_copies(model, prepared.settings.roles))
    swamped = [noise.columns for noise in lost(model)]
    columns = [names[0] for names in swamped if len(names) == 1]
    pairs = len(swamped) - len(columns)
    _warn_of_noise(columns, pairs, len(noise_of_pairs(model)))


def _warn_of_rare_values(shares: Mapping[str, float]) -> None:
    """Warn if many rows hold values that were too rare to be learnt.

    Privacy: shares must be computed from released values alone.

    Args:
        shares: The approximate share of such rows, by column.
    """
    if shares:
        told = ', '.join(f"{share:.0%} of '{column}'" for column, share in shares.items())
        warn(
            DomainWarning,
            f'Values that are too rare to be learnt make up about {told}, judging by the noisy '
            'marginals; they come back as one value (argument other) or made up (rare_sdtype or '
            'regex_format in the argument domain). Declare range_values if they are public, or '
            'raise epsilon, and fit again, which spends budget again.',
        )


def _warn_of_ends(columns: Sequence[str]) -> None:
    """Warn of columns most of whose rows lie at a bound of their range, if there are any.

    Privacy: which columns these are must depend on released values alone.
    """
    if columns:
        warn(
            DomainWarning,
            f'Most rows of {list(columns)} are at a bound of their range, judging by the noisy '
            'marginals; values outside were clipped to it. If the range is too narrow, correct '
            'range_min and range_max, and fit again, which spends budget again.',
        )


def _warn_of_one_bin(columns: Sequence[str]) -> None:
    """Warn of columns nearly all of whose rows lie in one bin, if there are any.

    Privacy: which columns these are must depend on released values alone.
    """
    if columns:
        warn(
            DomainWarning,
            f'One bin holds nearly all rows of {list(columns)}, judging by the noisy marginals: '
            'their distribution within it is lost. Narrow range_min and range_max, use '
            "discretization='private', or give edges with NumberBins or DatetimeBins, and fit "
            'again, which spends budget again.',
        )


def _warn_of_missing(columns: Sequence[str]) -> None:
    """Warn of columns most of whose values are missing, if there are any.

    Privacy: which columns these are must depend on released values alone.
    """
    if columns:
        warn(
            DomainWarning,
            f'Most rows of {list(columns)} are missing, judging by the noisy marginals; values '
            'that cannot be parsed count as missing. If that is wrong, correct their sdtype, '
            'datetime_format or dtype, and fit again, which spends budget again.',
        )


def _warn_of_proxies(pairs: Sequence[tuple[str, str]]) -> None:
    """Warn of admissible columns that nearly copy protected ones, if there are any.

    Privacy: which columns these are must depend on released values alone.
    """
    if pairs:
        named = ', '.join(f'{admissible} of {protected}' for admissible, protected in pairs)
        warn(
            FairnessWarning,
            f'Admissible columns are near copies of protected ones in the model: {named}. They '
            'let nearly everything through, although every statement holds. Unless that is '
            'intended, remove their role and fit again, which spends budget again; see '
            'explain_fairness().',
        )


def _warn_of_noise(columns: Sequence[str], pairs: int, measured: int) -> None:
    """Warn if noise swamps single columns, or half of the larger marginals.

    Privacy: all of this must depend on released values alone.

    Args:
        columns: The columns whose one-way marginals are swamped.
        pairs: How many marginals of two columns or more are swamped.
        measured: How many of these were measured.
    """
    told = [f'the columns {list(columns)}'] if columns else []
    if pairs and (columns or 2 * pairs >= measured):
        told.append(f'{pairs} of {measured} measured pairs')
    if told:
        warn(
            NoiseWarning,
            f'Noise swamps {" and ".join(told)} at this epsilon: do not read anything into them. '
            'Fit more rows, fewer columns or fewer bins, or raise epsilon; the release report '
            'shows all that was measured.',
        )


def _rare_shares(model: GraphicalModel, prepared: Prepared) -> dict[str, float]:
    """Return the share of rows whose values were not learnt, for columns with many such rows."""
    own, shares = prepared.plan.original_domains, {}
    for column in _clear_columns(model, prepared):
        codes = prepared.encoding.transformers[column]
        if isinstance(own[column], Undeclared) and codes.shows_other:
            shares[column] = float(model.marginal(column)[codes.other_code])
    return {column: share for column, share in shares.items() if share >= _TO_BE_SAID}


def is_piled(bins: Bins, shares: Floats) -> bool:
    """Whether most rows lie at a bound of the range that is not a meaningful value itself.

    Args:
        bins: The bins.
        shares: The share of rows in each, without missing values.
    """
    if len(shares) < _ENOUGH_BINS:
        return False
    ends = [(bins.low, shares[0], shares[1]), (bins.high, shares[-1], shares[-2])]
    return any(
        at > _MOST and beside < _BESIDE_A_PILE * at and not _means_something(end)
        for end, at, beside in ends
    )


def is_in_one_bin(bins: Bins, shares: Floats) -> bool:
    """Whether nearly all rows lie in one of several bins, and that bin is not a single value."""
    largest = int(np.argmax(shares))
    if len(shares) < 2 or shares[largest] < _NEARLY_ALL:
        return False
    first, last = (float(end[largest]) for end in bins.line.ends())
    return last - first > _ONE_NUMBER * max(abs(first), abs(last))


def _clear_bins(
    model: GraphicalModel, prepared: Prepared
) -> Iterator[tuple[str, tuple[Bins, Floats]]]:
    """Yield columns with declared ranges that noise does not swamp, and their shares of values."""
    own = prepared.plan.original_domains
    for column in _clear_columns(model, prepared):
        if isinstance(own[column], Undeclared):
            continue  # a learnt range is not a mistake in the metadata
        bins = prepared.encoding.transformers[column]
        if isinstance(bins, Bins):
            of_values = model.marginal(column)[: len(bins.line)]
            if of_values.sum() > 0:
                yield column, (bins, of_values / of_values.sum())


def _clear_columns(model: GraphicalModel, prepared: Prepared) -> list[str]:
    own = prepared.plan.original_domains
    noise = noise_of_columns(model)
    return [column for column in noise if column in own and not noise[column].is_lost]


def _mostly_missing(
    model: GraphicalModel, prepared: Prepared, mostly_outside: Collection[str]
) -> list[str]:
    """Return columns of nulls. In a binned column, a value outside the domain counts as a null."""
    found = []
    for column in _clear_columns(model, prepared):
        codes = prepared.encoding.transformers[column]
        if column in mostly_outside:
            is_empty = isinstance(codes, Bins)
        else:
            null = codes.null_code
            is_empty = null is not None and bool(model.marginal(column)[null] > _MOST)
        if is_empty:
            found.append(column)
    return found


def _means_something(end: object) -> bool:
    """Whether a bound of a range is a number that rows hold for a reason, such as 0, -1 or 999."""
    if not isinstance(end, int | float) or float(end) != int(end):
        return False
    digits = str(abs(int(end)))
    return digits in {'0', '1'} or set(digits) == {'9'}
