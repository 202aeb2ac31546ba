"""Which pairs to measure: a pair is added if it removes more error than it adds.

The gain of a pair is its error while it is not measured, minus the error that noise
will leave in it, minus what all other tables lose by sharing rho with one more. The sum is
over all two-way marginals, those of outcomes counting for more.

Privacy: a plan is made of released scores and one-way marginals; post-processing.
"""

from collections.abc import Callable, Sequence

import numpy as np

from sdv_prefair.selection._expected_error import ExpectedErrors
from sdv_prefair.selection._graphs import GrowingGraph
from sdv_prefair.selection._shares_by_use import Workload
from sdv_prefair.selection._strategy import Pair
from sdv_prefair.values._arrays import Flags, Floats, Integers

# Of what the others lose so much is charged: later pairs gain from a pair too, which nobody counts.
_DILUTION = 0.4
# The loss of the others is worked out for so many sizes of a new table.
_DILUTIONS = 12


class Plan:
    """The pairs planned so far, and what each further pair would gain.

    Args:
        workload: How much the error of each pair counts.
        pairs: The pairs that may be planned.
        errors: What error noise leaves in these pairs and in columns.
        graph: Where planned pairs are entered.
        pool: All of rho that is spent on tables.
        rows: Rows that one person may have.
    """

    def __init__(
        self,
        workload: Workload,
        pairs: Sequence[Pair],
        errors: ExpectedErrors,
        graph: GrowingGraph,
        pool: float,
        rows: int,
    ):
        self.graph = graph
        self._workload, self._pairs, self._errors = workload, list(pairs), errors
        self._pool, self._rows = pool, rows
        self._places = workload.places(self._pairs)
        self._weights = workload.weights[self._places[:, 0], self._places[:, 1]]
        self._uses = workload.use_of_pairs(self._places)
        self._planned: list[int] = []
        self._count_uses()

    def grow_forest(self, scores: Floats, precision: Floats) -> None:
        """Plan pairs that join components, while they gain; and one for each outcome left alone.

        Args:
            scores: Of each pair, how far it is from independence.
            precision: Of each column, 1/sigma^2 of what scores were measured against.
        """
        self._grow(scores, precision, self.graph.apart)
        for column in filter(self._workload.outcomes.__contains__, self._workload.columns):
            if not self.graph.is_joined(column):
                self._attach(column, scores, precision)

    def grow_chords(
        self, residuals: Floats, precision: Floats, most: int | None = None
    ) -> list[Pair]:
        """Plan any pairs that the graph takes, while they gain, and return them.

        Args:
            residuals: Of each pair, how far it is from the model so far; nan for unknown.
            precision: As for ``grow_forest``.
            most: The largest number of pairs that are planned now; None for any number.
        """
        before = len(self._planned)
        self._grow(residuals, precision, self.graph.maybe, most)
        return [self._pairs[place] for place in self._planned[before:]]

    def expected_error(self, scores: Floats, precision: Floats) -> float:
        """Return the weighted error that the plan is expected to leave in all two-way marginals.

        Pairs that may not be planned are taken for independent. Inside merged codes a table knows
        no more than its columns do.

        Args:
            scores: As for ``grow_forest``.
            precision: As for ``grow_forest``.
        """
        of_columns = self._errors.of_columns(self._precision**-0.5)
        errors = np.hypot(of_columns[:, None], of_columns)
        of_pairs = self._before(scores, precision)
        of_pairs[self._planned] = self._measured_errors()
        first, second = self._places.T
        errors[first, second] = errors[second, first] = of_pairs
        return float((self._workload.weights * errors).sum()) / 2

    def is_better_than(self, other: 'Plan', scores: Floats, precision: Floats) -> bool:
        """Whether the plan promises less error than another.

        Nothing is taken off for the noise in the scores: they are drawn to what they share as far
        as they are noise, so they promise too little as often as too much.

        Args:
            other: The plan it is compared with.
            scores: As for ``grow_forest``.
            precision: As for ``grow_forest``.
        """
        promised = self.expected_error(scores, precision)
        return promised < other.expected_error(scores, precision)

    def open_to(self, ranking: Integers) -> Integers:
        """Return of a ranking of pairs those that the graph takes as it is now."""
        near = ranking[self.graph.maybe(self._places[ranking])]
        taken = [place for place in near if self.graph.takes(self._pairs[place])]
        return np.array(taken, dtype=np.int64)

    def worth_scoring(self, scores: Floats, most: int) -> Integers:
        """Return the pairs that a score seems to justify, best first; those planned left out."""
        gains = self._weights * (scores - self._own_errors())
        gains[self._planned] = -np.inf
        best = np.argsort(-gains, kind='stable')[:most]
        return best[gains[best] > 0]

    def _grow(
        self,
        scores: Floats,
        precision: Floats,
        fits: Callable[[Integers], Flags],
        most: int | None = None,
    ) -> None:
        for _ in range(len(self._pairs) if most is None else most):
            gains = self._gains(scores, precision)
            gains[~(np.isfinite(scores) & fits(self._places))] = -np.inf
            gains[self._planned] = -np.inf
            best = self._best_taken(gains)
            if best is None:
                return
            self._add(best)

    def _best_taken(self, gains: Floats) -> int | None:
        """Return the place of the pair that gains most, of those that the graph takes."""
        for place in np.argsort(-gains, kind='stable'):
            if not gains[place] > 0:
                return None
            if self.graph.takes(self._pairs[place]):
                return int(place)
        return None

    def _attach(self, column: str, scores: Floats, precision: Floats) -> None:
        gains = self._weights * (self._before(scores, precision) - self._own_errors())
        for place in np.argsort(-gains, kind='stable'):
            if column in self._pairs[place] and self.graph.takes(self._pairs[place]):
                self._add(int(place))
                return

    def _add(self, place: int) -> None:
        self._planned.append(place)
        self.graph.add(self._pairs[place])
        self._count_uses()

    def _count_uses(self) -> None:
        """Work out once what all questions about the pairs planned so far need."""
        planned = self._places[self._planned]
        columns, pairs = self._workload.use_of_columns(planned), self._uses[self._planned]
        self._all_uses = float(columns.sum() + pairs.sum())
        share = 2 * self._pool / self._all_uses / self._rows**2
        # 1/sigma^2 of each column in the end: of its one-way, and of its tables' sums.
        self._precision = share * columns
        for axis in (0, 1):
            others = self._workload.sizes[planned[:, 1 - axis]]
            np.add.at(self._precision, planned[:, axis], share * pairs / others)

    def _gains(self, scores: Floats, precision: Floats) -> Floats:
        own = self._weights * (self._before(scores, precision) - self._own_errors())
        gains: Floats = own - _DILUTION * self._dilution()
        return gains

    def _before(self, scores: Floats, precision: Floats) -> Floats:
        """Return the error of each pair as long as it is not measured.

        A score holds the noise of the one-ways it was measured against, instead of that which the
        one-way marginals will have in the end.
        """
        now, end = self._through_columns(precision), self._through_columns(self._precision)
        before = np.sqrt(np.maximum(0.0, np.sign(scores) * scores**2 - now**2) + end**2)
        return np.minimum(before, self._errors.most)

    def _through_columns(self, precision: Floats) -> Floats:
        errors = self._errors.of_columns(precision**-0.5)
        through: Floats = np.hypot(errors[self._places[:, 0]], errors[self._places[:, 1]])
        return through

    def _own_errors(self) -> Floats:
        """Return the error of each pair once it is measured beside those planned."""
        rho = self._pool * self._uses / (self._all_uses + self._uses)
        return self._errors.of_pairs(slice(None), self._sigma(rho))

    def _measured_errors(self) -> Floats:
        """Return the error of each planned pair, that inside merged codes included."""
        planned = np.array(self._planned, dtype=np.int64)
        share = self._pool / self._all_uses
        own = self._errors.of_pairs(planned, self._sigma(share * self._uses[planned]))
        alone = share * self._workload.use_of_columns(self._places[planned])
        merged = self._errors.of_merged(self._sigma(alone))
        first, second = self._places[planned].T
        errors: Floats = own + np.hypot(merged[first], merged[second])
        return np.minimum(errors, self._errors.most)

    def _dilution(self) -> Floats:
        """Return by how much all other errors rise if a pair is measured too."""
        total = self._all_uses
        left = total / (total + self._uses)  # of what each other table would have
        grid = np.linspace(left.min(initial=1.0), 1.0, _DILUTIONS)
        losses = self._errors_at(grid)
        rises: Floats = np.interp(left, grid, losses) - losses[-1]
        return rises

    def _errors_at(self, shares: Floats) -> Floats:
        """Return the weighted error of all that is planned, with so much of the pool each time."""
        planned = np.array(self._planned, dtype=np.int64)
        open_weights = self._workload.open_weights(self._places[planned])
        rho = self._pool * self._uses[planned] / self._all_uses
        errors = [
            self._weights[planned] @ self._errors.of_pairs(planned, self._sigma(share * rho))
            + open_weights @ self._errors.of_columns((share * self._precision) ** -0.5)
            for share in shares
        ]
        return np.array(errors)

    def _sigma(self, rho: Floats) -> Floats:
        sigma: Floats = self._rows / np.sqrt(2 * rho)
        return sigma


def planned_forest(
    new_plan: Callable[[float], Plan],
    pool: float,
    chords_rho: float,
    scores: Floats,
    precision: Floats,
) -> tuple[Plan, bool]:
    """Return the plan of a forest, and whether there is budget to plan chords on top of it.

    A forest competes with independent columns, which need no budget for chords. If it loses, it
    competes once more without chords; if it loses again, nothing is planned.

    Args:
        new_plan: Returns an empty plan that spends so much of rho on tables.
        pool: What is spent on tables if chords are planned.
        chords_rho: What planning chords costs, or adds to the pool if none are planned.
        scores: As for ``grow_forest``.
        precision: As for ``grow_forest``.
    """
    nothing = new_plan(pool + chords_rho)
    for rho, may_grow in ((pool, True), (pool + chords_rho, False)):
        forest = new_plan(rho)
        forest.grow_forest(scores, precision)
        if forest.is_better_than(nothing, scores, precision):
            return forest, may_grow
    return nothing, False
