"""The real PrivTree, run through all its outcomes: their exact probabilities and privacy loss.

Noise is not drawn. Each time the function compares a count plus noise with the bar, the outcome is
taken from a script, and the exact probability that noise would have brought it about is noted.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.privacy.privtree import noise_scale, split_intervals

EPSILON = Fraction(1, 2)
ROUNDED_UP = float(EPSILON) * (1 + 1e-9)


class Undrawn:
    """Noise whose comparison follows a script."""

    def __init__(self, script, scale):
        self._script, self._ratio = list(script), math.exp(-1 / float(scale))
        self.log_probability = 0.0

    def __radd__(self, count):
        self._count = count
        return self

    def __gt__(self, bar):
        if not self._script:
            raise StopIteration
        exceeds = self._script.pop(0)
        self.log_probability += self._log_chance(bar - self._count, exceeds)
        return exceeds

    def _log_chance(self, missing, exceeds):
        """Return log P(X > missing), or of the opposite, for the discrete Laplace."""
        tail = (missing + 1 if missing >= 0 else -missing) * math.log(self._ratio)
        tail -= math.log1p(self._ratio)
        return tail if exceeds == (missing >= 0) else math.log1p(-math.exp(tail))


def outcomes(cells, bar, scale):
    """Return the log-probability of every set of intervals that the function can return."""
    complete, waiting = {}, [()]
    while waiting:
        script = waiting.pop()
        noise = Undrawn(script, scale)
        try:
            starts = split_intervals(np.array(cells), bar, scale, lambda noise=noise: noise)
            complete[tuple(starts)] = noise.log_probability
        except StopIteration:
            waiting += [(*script, True), (*script, False)]
    return complete


def by_definition(cells, bar, scale):
    """Return the same by the paper: split if max(c - depth delta, bar - delta) + noise > bar."""
    decay = math.ceil(float(scale) * math.log(2))
    ratio = math.exp(-1 / float(scale))
    tail = [ratio**k / (1 + ratio) for k in range(10_000)]  # P(X >= k) for k >= 1

    def splits(count, depth):
        needed = bar + 1 - max(count - depth * decay, bar - decay)
        return tail[needed] if needed >= 1 else 1 - tail[1 - needed]

    def law(start, end, depth):
        if end - start == 1:
            return {(start,): 1.0}
        chance, middle = splits(sum(cells[start:end]), depth), (start + end) // 2
        halves = law(start, middle, depth + 1), law(middle, end, depth + 1)
        both = itertools.product(*(half.items() for half in halves))
        return {(start,): 1 - chance} | {a + b: chance * p * q for (a, p), (b, q) in both}

    return law(0, len(cells), 0)


@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=8),
    st.integers(0, 30),
    st.sampled_from([Fraction(1, 3), Fraction(2), Fraction(13, 2), Fraction(20)]),
)
def test_outcomes_have_the_probabilities_of_the_papers_definition(cells, bar, scale):
    real, defined = outcomes(cells, bar, scale), by_definition(cells, bar, scale)
    assert real.keys() == defined.keys()
    for starts, log_probability in real.items():
        assert math.exp(log_probability) == pytest.approx(defined[starts], rel=1e-9, abs=1e-15)


def loss(cells, place, bar, scale, rows=1):
    """Return the worst log-ratio of any outcome, with and without some rows in one cell."""
    more = [count + rows * (here == place) for here, count in enumerate(cells)]
    one, two = outcomes(cells, bar, scale), outcomes(more, bar, scale)
    assert math.fsum(map(math.exp, one.values())) == pytest.approx(1.0)
    return max(abs(one[starts] - two[starts]) for starts in one)


# Depth four: nothing but floor and decay keep four splits in a row from costing 4/lambda, which is
# more than epsilon = 3/lambda.
EMPTY, BAR = [0] * 16, 12


def full(count, place=0):
    return [count * (here == place) for here in range(16)]


@pytest.mark.parametrize('rows', [1, 3])
@pytest.mark.parametrize(
    'cells',
    [EMPTY, full(BAR - 1), full(BAR), full(BAR + 3), full(40), [5, 0, 1, 0, 9, 2, 0, 0] * 2],
    ids=['empty', 'below the bar', 'at the bar', 'above it', 'far above', 'spread'],
)
def test_no_outcome_tells_more_than_epsilon(cells, rows):
    assert loss(cells, 0, BAR, noise_scale(EPSILON, rows), rows) <= ROUNDED_UP


def test_the_claim_is_not_idle():
    """With a third of the noise some table breaks it."""
    scale = noise_scale(EPSILON, 1) / 3
    tables = (EMPTY, full(BAR - 1), full(BAR), full(40))
    assert max(loss(cells, 0, BAR, scale) for cells in tables) > 1.2 * EPSILON
