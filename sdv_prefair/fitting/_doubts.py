"""What released marginals show at no cost: unsuitable ranges, empty columns, proxies, noise.

A mistake in the metadata can lead to a model that keeps every guarantee and is useless, and nobody
may look at the rows to find out why. The noisy marginals often show it.

If a range is too narrow, many rows lie at one of its bounds, because values outside are clipped.
Not every such peak is a mistake: rows may hold a zero or a code such as -1 or 999, and the range
may end there for that reason. A slope is not a peak either: if most rows lie in the first of many
equal bins and fewer in each bin that follows, the range is wide, not narrow.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from sdv_prefair._arrays import Floats
from sdv_prefair.columns import DatetimeBins, NumberBins
from sdv_prefair.columns._facts import Undeclared
from sdv_prefair.errors import DomainWarning, FairnessWarning, NoiseWarning
from sdv_prefair.fitting._cautions import warn
from sdv_prefair.fitting._explanation import admissible_copies
from sdv_prefair.fitting._fitted import Prepared
from sdv_prefair.model import GraphicalModel
from sdv_prefair.model._noise import lost, noise_of_columns, noise_of_pairs

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
