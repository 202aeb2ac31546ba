"""How rho is divided among tables, the error that each share leaves, and one-way marginals."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from types import MappingProxyType
from typing import TypeVar

import numpy as np

from sdv_prefair._arrays import Floats, HiddenCode, Integers
from sdv_prefair.counting import Clique
from sdv_prefair.errors import BudgetError, StructureError, shown
from sdv_prefair.model import Compression, Measurement, compress_rare_codes
from sdv_prefair.model._compression import RARE, weigh_again
from sdv_prefair.model._measurement import by_columns
from sdv_prefair.privacy import PrivateTable, Score
from sdv_prefair.privacy._accounting import MEASURE_ONE_WAYS, SELECT_TREE
from sdv_prefair.privacy._private_table import HiddenCodes
from sdv_prefair.selection._strategy import Pair

# -- The score of a pair of columns, in fixed point, and private access to it ----------------------

AnyClique = TypeVar('AnyClique', bound=Clique)

_COUNT_BITS = 10
_LARGEST_BITS = 58


def independence_gap(
    expected: Mapping[str, np.ndarray], discount: Mapping[Pair, float] = MappingProxyType({})
) -> Score:
    """Return q(i, j): the L1 distance of the true 2-way counts from what independence predicts.

    Paper: q_ij = ||M_ij(D) - Mbar_ij||, line 4 of Algorithm 1 and line 2 of Algorithm 2.
    Privacy: made of released values; the counts are read by a ``PrivateTable`` alone.

    Args:
        expected: The one-way model: expected counts of each column, all of one total.
        discount: What to take off a pair's score, in rows; pairs not named lose nothing.
    """
    share_bits = _bits_beside(max(float(values.sum()) for values in expected.values()))
    rows = {c: _fixed_point(v, _COUNT_BITS) for c, v in expected.items()}
    shares = {c: _fixed_point(v / v.sum(), share_bits) for c, v in expected.items()}
    predictions: dict[Clique, tuple[Integers, ...]] = {
        (i, j): (rows[i], shares[j]) for i, j in permutations(expected, 2)
    }
    unit = 2 ** (_COUNT_BITS + share_bits)
    return Score(unit, predictions, _in_units(discount, unit))


def model_gap(expected: Mapping[AnyClique, Floats], discount: Mapping[AnyClique, float]) -> Score:
    """Return the L1 distance of the true counts of cliques from what a released model predicts.

    Nothing, ``()``, can be chosen as well, for a score of zero: a clique is worth measuring if
    it is further from the model than its discount.

    Privacy: made of released values; the counts are read by a ``PrivateTable`` alone.

    Args:
        expected: The model's counts of each clique that may be chosen.
        discount: What to take off a clique's score, in rows; those not named lose nothing.
    """
    bits = _bits_beside(max((float(table.sum()) for table in expected.values()), default=1.0))
    predictions: dict[Clique, tuple[Integers, ...]] = {
        clique: (_fixed_point(table, bits).ravel(),) for clique, table in expected.items()
    }
    return Score(2**bits, predictions, _in_units(discount, 2**bits))


def noisy_scores(
    table: PrivateTable,
    pairs: Sequence[Pair],
    score: Score,
    rho: Fraction,
    step: str,
    most: Floats,
) -> Floats:
    """Return the scores of pairs in rows, drawn to what they share as far as the rest is noise.

    Privacy: spends rho on all scores at once; the rest is post-processing.

    Args:
        table: Answers and debits.
        pairs: The pairs.
        score: The score of a pair.
        rho: What the answers cost.
        step: The step in the ledger.
        most: The largest score that each pair can have.
    """
    answers, sigma = table.score(pairs, score, rho, step)
    noisy = np.array([float(answer) for answer in answers]) / score.unit
    return drawn_to_share(noisy, sigma, most)


def drawn_to_share(values: Floats, sigma: float, most: Floats) -> Floats:
    """Return noisy values, each moved to one share of its limit, as far as the rest is noise.

    A value is taken for a draw around that share, with a spread in proportion to its limit. The
    mean of all would make pairs of columns that are nearly constant seem to hold what they cannot.
    If few of very many values are large, their spread is small, and shrinkage would erase those
    few. So none is lowered by more than the largest noise that so many values are expected to have
    (limited translation, Efron and Morris 1972).

    Args:
        values: With Gaussian noise.
        sigma: The standard deviation of the noise.
        most: How large each can be.
    """
    squares = float(most @ most) or 1.0
    share = max(0.0, float(values @ most) / squares)
    rest = values - share * most
    spread = max(0.0, float(rest @ rest) - len(values) * sigma**2) / squares * most**2
    kept: Floats = spread / (spread + sigma**2)
    largest_noise = sigma * math.sqrt(2 * math.log(max(2, len(values))))
    moved = np.maximum(rest * kept, rest - largest_noise)
    drawn: Floats = np.minimum(share * most + moved, most)
    return drawn


def _bits_beside(total: float) -> int:
    """Return how many bits of fraction are left beside counts of this total."""
    bits = min(22, _LARGEST_BITS - _COUNT_BITS - math.ceil(math.log2(max(1.0, total))))
    if bits < 1:
        raise BudgetError(
            'The counts, or the noise on them, are too large to score in 64-bit fixed point. '
            'Raise epsilon, or fit a sample of the rows.'
        )
    return bits


def _fixed_point(values: Floats, bits: int) -> Integers:
    return np.rint(values * 2.0**bits).astype(np.int64)


def _in_units(discount: Mapping[AnyClique, float], unit: int) -> dict[Clique, int]:
    return {clique: round(Fraction(rows) * unit) for clique, rows in discount.items()}


class PrivateScores:
    """Lets a strategy see scores only through a mechanism, within the selection budget.

    The table is in no attribute, so a strategy cannot ask it anything else.

    Args:
        table: Answers and debits.
        score: The score of a pair.
        rho: The selection budget.
        oversized: Declared pairs that were not counted, as they are too large to measure.
    """

    __slots__ = ('_choose', '_oversized', '_release')

    def __init__(
        self,
        table: PrivateTable,
        score: Score,
        rho: Fraction,
        oversized: Iterable[Pair] = (),
    ):
        left = [rho]  # whole until the first choice says how many there are to be

        def choose(candidates: Sequence[Pair], rounds: int) -> Pair:
            if left == [rho]:
                left[:] = table.ledger.shares(rho, [1] * rounds)
            _check_any(left)
            return table.choose(candidates, score, left.pop(), SELECT_TREE)

        def release(pairs: Sequence[Pair]) -> dict[Pair, float]:
            _check_any(left if left == [rho] else [])
            noisy, _ = table.score(pairs, score, left.pop(), SELECT_TREE)
            return {pair: value / score.unit for pair, value in zip(pairs, noisy, strict=True)}

        self._choose, self._release = choose, release
        self._oversized = frozenset(oversized)

    def measurable(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Return those of the pairs that are not too large to measure."""
        return [pair for pair in pairs if pair not in self._oversized]

    def choose(self, candidates: Sequence[Pair], rounds: int) -> Pair:
        """Choose a pair by the exponential mechanism, with one of ``rounds`` equal shares."""
        # Without any left the table refuses, and names the pair.
        return self._choose(self.measurable(candidates) or candidates, rounds)

    def release(self, pairs: Sequence[Pair]) -> dict[Pair, float]:
        """Return noisy scores of all pairs, in rows, for the whole selection budget."""
        return self._release(self.measurable(pairs))


def _check_any(shares: Sequence[Fraction]) -> None:
    if not shares:
        raise StructureError(
            'The structure asks for more scores than the selection budget pays for. Its select() '
            'may call scores.choose() no more often than the rounds of its first call say, or '
            'scores.release() once and nothing before or after.'
        )


# -- How rho is divided among tables, the error that each share leaves, and one-way marginals ------


@dataclass(frozen=True)
class Budget:
    """How rho is divided.

    Attributes:
        one_way: Share of the one-way marginals.
        selection: Share of the selection; two-way marginals get the rest, and what a structure does
            not use.
        cells_exponent: A marginal of n cells gets a part proportional to n to this power.
            2/3 minimises the summed L1 noise; 0 gives equal parts.
        discount_noise: Whether a pair's score is lowered by the error that its measurement will
            leave, so that a table that noise would swamp is not chosen for its size.
        shrink: Whether tables that are mostly noise are shrunk towards independence.
    """

    one_way: Fraction
    selection: Fraction
    cells_exponent: float
    discount_noise: bool
    shrink: bool


BUDGETS = {
    'paper': Budget(Fraction(1, 3), Fraction(1, 3), 0.0, False, False),
    # Departs: chosen by simulation on Adult, COMPAS and Census KDD, so a guess elsewhere.
    'tuned': Budget(Fraction(45, 100), Fraction(10, 100), 2 / 3, True, True),
}


def resolve_budget(budget: str) -> Budget:
    """Return the named division of rho."""
    if isinstance(budget, str) and budget in BUDGETS:
        return BUDGETS[budget]
    raise BudgetError(f"budget ({shown(budget)}) must be 'tuned' or 'paper'.")


def measure(
    table: PrivateTable,
    cliques: Sequence[tuple[str, ...]],
    rho: Fraction,
    budget: Budget,
    step: str,
) -> list[Measurement]:
    """Measure marginals, each with a share of rho by its number of cells.

    Privacy: spends rho.
    """
    weights = [weight(table.domain, clique, budget) for clique in cliques]
    measurements = []
    for clique, share in zip(cliques, table.ledger.shares(rho, weights), strict=True):
        values, sigma = table.measure(tuple(clique), share, step)
        measurements.append(Measurement(tuple(clique), values.astype(np.float64), sigma))
    return measurements


def first_shares(
    table: PrivateTable, budget: Budget, cliques: Sequence[Clique]
) -> tuple[Fraction, Fraction]:
    """Return the budgets of one-way marginals and of the selection, which needs cliques."""
    shares = [budget.one_way, budget.selection, 1 - budget.one_way - budget.selection]
    one_way, selection, _ = table.ledger.shares(
        table.ledger.remaining, shares if cliques else [1, 0, 0]
    )
    return one_way, selection


def weight(domain: Mapping[str, int], clique: tuple[str, ...], budget: Budget) -> float:
    """Return the weight by which a marginal gets its share."""
    weight: float = math.prod(domain[column] for column in clique) ** budget.cells_exponent
    return weight


def expected_noise(rho: float, max_rows_per_person: int) -> float:
    """Return the mean absolute noise of a cell of a marginal measured with ``rho``."""
    return math.sqrt(2 / math.pi) * max_rows_per_person / math.sqrt(2 * rho)


def expected_errors(
    pairs: list[Pair],
    expected: Mapping[str, np.ndarray],
    rho: Fraction,
    max_rows_per_person: int,
    budget: Budget,
) -> dict[Pair, float]:
    """Return the L1 error to expect in each pair's table once it is measured and estimated.

    The error of a cell is its noise; but where independence predicts almost nothing, the error of
    the estimate, which is never negative, is about that prediction at most. The other edges of the
    tree are not known yet, so they are assumed to be average pairs.

    Privacy: a function of released values, so within a pair it is a constant.

    Args:
        pairs: The pairs that may be chosen.
        expected: The one-way model: expected counts of each column, all of one total.
        rho: The budget of all two-way measurements together.
        max_rows_per_person: How many rows one person may have.
        budget: The weights by which rho is divided.
    """
    domain = {column: counts.size for column, counts in expected.items()}
    weight_of = {pair: weight(domain, pair, budget) for pair in pairs}
    others = (len(domain) - 2) * math.fsum(weight_of.values()) / max(1, len(weight_of))
    errors = {}
    for first, second in pairs:
        own = weight_of[first, second]
        noise = expected_noise(float(rho) * own / (own + others), max_rows_per_person)
        shares = expected[second] / expected[second].sum()
        errors[first, second] = _capped_sum(expected[first], shares, noise)
    return errors


def _capped_sum(rows: np.ndarray, shares: np.ndarray, most: float) -> float:
    """Return the sum of ``min(most, row * share)`` over all cells, without building the table."""
    shares = np.sort(shares)
    below = np.concatenate([[0.0], np.cumsum(shares)])
    with np.errstate(divide='ignore'):
        place = np.searchsorted(shares, most / rows)
    return float((rows * below[place] + most * (shares.size - place)).sum())


# More standard deviations than this are not attributed to noise.
_CLEAR = 5.0


@dataclass(frozen=True)
class OneWays:
    """The one-way marginals once rare codes are merged.

    Attributes:
        measurements: A measurement of each column, in groups of codes.
        compressions: How the codes of each column were merged.
        mostly_outside: Columns in which most rows hold values outside the domain.
        over_codes: The measurements before codes were merged.
    """

    measurements: list[Measurement]
    compressions: dict[str, Compression]
    mostly_outside: list[str]
    over_codes: list[Measurement]

    def with_more(self, more: list[Measurement], hidden: HiddenCodes) -> 'OneWays':
        """Return the same with further measurements over codes; groups stay the same."""
        over_codes = list(by_columns([*self.over_codes, *more]).values())
        compressions = {
            (c := m.columns[0]): weigh_again(
                self.compressions[c], m, hidden.get(c, HiddenCode()).get('other')
            )
            for m in over_codes
        }
        merged = [compressions[m.columns[0]].compress(m) for m in over_codes]
        return OneWays(merged, compressions, self.mostly_outside, over_codes)

    def merged_codes(self, over_codes: Mapping[str, Floats]) -> dict[str, Floats]:
        """Return the expected counts of the codes that tables hold as one, by column.

        Args:
            over_codes: The expected counts of all codes.
        """
        return {
            column: over_codes[column][np.bincount(c.group_of)[c.group_of] > 1]
            for column, c in self.compressions.items()
            if not c.is_identity
        }

    def merged_further(
        self, columns: Iterable[str], hidden: HiddenCodes
    ) -> tuple['OneWays', dict[str, Integers]]:
        """Merge, in some columns, the groups that are rare according to all measurements.

        Args:
            columns: Columns that are in no table.
            hidden: As for ``PrivateTable``.

        Returns:
            The one-way marginals, and for each column that changes, the new group of every group.
        """
        compressions, again = dict(self.compressions), {}
        for m in self.over_codes:
            c = m.columns[0]
            new = compressions[c].rare_groups_merged(m) if c in set(columns) else None
            if new is not None:
                other = hidden.get(c, HiddenCode()).get('other')
                coarser = compressions[c].coarser(new)
                again[c], compressions[c] = new, weigh_again(coarser, m, other)
        merged = [compressions[m.columns[0]].compress(m) for m in self.over_codes]
        return OneWays(merged, compressions, self.mostly_outside, self.over_codes), again


def measure_one_ways(
    table: PrivateTable, rho: Fraction, budget: Budget, rare: float = RARE
) -> OneWays:
    """Measure all one-way marginals, and merge in the table the codes that noise would swamp.

    Privacy: spends rho. Which codes are merged depends on the noisy marginals alone.

    Args:
        table: Answers queries and debits the ledger.
        rho: The cost of all of them together.
        budget: The weights by which rho is divided.
        rare: Standard deviations below which a code is merged with others.
    """
    measured = measure(table, [(c,) for c in table.domain], rho, budget, MEASURE_ONE_WAYS)
    return merge_codes(table, measured, rare)


def measured_again(table: PrivateTable, first: list[Measurement], budget: Budget) -> OneWays:
    """Measure all one-way marginals again, and merge codes according to both measurements.

    Privacy: spends all that is left.

    Args:
        table: Answers queries and debits the ledger.
        first: The first measurements, over codes.
        budget: The weights by which rho is divided.
    """
    columns, rho = [(c,) for c in table.domain], table.ledger.remaining
    again = measure(table, columns, rho, budget, MEASURE_ONE_WAYS)
    return merge_codes(table, list(by_columns([*first, *again]).values()))


def merge_codes(table: PrivateTable, measured: list[Measurement], rare: float = RARE) -> OneWays:
    """Merge in the table the codes that noise would swamp.

    Privacy: depends on released marginals alone; nothing is answered.

    Args:
        table: The table in which codes are merged.
        measured: Measurements of all columns, over codes.
        rare: As in ``measure_one_ways``.
    """
    hidden, groups = table.hidden_codes, table.public_groups
    compressions = {
        (c := m.columns[0]): compress_rare_codes(
            m, rare, public_groups=groups.get(c), **hidden.get(c, HiddenCode())
        )
        for m in measured
    }
    table.regroup(
        {column: c.group_of for column, c in compressions.items()},
        {
            column: (c.hidden, c.shares)
            for column, c in compressions.items()
            if c.hidden is not None and c.shares is not None
        },
    )
    return OneWays(
        [compressions[m.columns[0]].compress(m) for m in measured],
        compressions,
        [m.columns[0] for m in measured if _is_mostly_outside(m, hidden)],
        measured,
    )


def _is_mostly_outside(measurement: Measurement, hidden_codes: HiddenCodes) -> bool:
    other = hidden_codes.get(measurement.columns[0], HiddenCode()).get('other')
    if other is None:
        return False
    clear_of_noise = _CLEAR * np.max(measurement.stddev)
    return bool(measurement.values[other] > max(clear_of_noise, measurement.values.sum() / 2))
