"""Warnings given while a synthesizer is constructed and fitted."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sdv_prefair._users_line import users_line
from sdv_prefair.errors import DomainWarning, FairnessWarning, NoiseWarning, PrivacyWarning
from sdv_prefair.fairness._statements import Statements
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
