"""A ledger against a model of it in fractions, over any sequence of calls.

The model knows nothing of quanta, floats or words: amounts go in and out of four numbers. So a
line that is entered or refused wrongly, an amount put aside twice or a delta that is not added up
shows at the step where it happens.
"""

import math
import pickle
from fractions import Fraction

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from sdv_prefair.errors import BudgetError
from sdv_prefair.privacy import Debit, Ledger

RESERVED = 1e-10
# A part of what is left: none, negative, tiny, most, exactly all, more than all.
PARTS = st.sampled_from([Fraction(n, 8) for n in (-8, -1, 0, 1, 3, 7, 8, 9, 16)]) | st.fractions(
    Fraction(-1, 4), Fraction(5, 4), max_denominator=1000
)
DELTAS = st.sampled_from([0.0, RESERVED / 4, RESERVED * 3 / 4, RESERVED, RESERVED * 2])
ALL_NOISES = ['discrete Gaussian', 'exponential', 'rounded Gaussian', 'rounded Gaussian on scores']


class LedgerAndModel(RuleBasedStateMachine):
    """Calls in any order; after each, what the ledger says is what the model says."""

    @initialize(gaussian=st.booleans(), reserves=st.booleans())
    def open(self, gaussian, reserves):
        self.reserved = RESERVED if reserves else 0.0
        self.ledger = Ledger(1.0, 1e-9, reserved_delta=self.reserved, all_gaussian=gaussian)
        self.gaussian, self.budget = gaussian, self.ledger.budget
        self.spent = self.aside = Fraction(0)
        self.lines, self.delta = [], 0.0

    def line(self, noise, rho, delta=0.0):
        return Debit('a step', noise, ('a',), rho, delta, 1.0)

    def is_allowed(self, noise):
        return not self.gaussian or noise.startswith('rounded')

    @property
    def left(self):
        return self.budget - self.spent - self.aside

    @rule(noise=st.sampled_from(ALL_NOISES), part=PARTS, delta=DELTAS)
    def debit(self, noise, part, delta):
        line = self.line(noise, part * self.left, delta)
        fits = 0 < line.rho <= self.left
        pays_delta = self.delta + delta <= self.reserved * (1 + 1e-9)
        if self.is_allowed(noise) and fits and pays_delta:
            self.ledger.debit(line)
            self.enter(line)
        else:
            with pytest.raises(BudgetError):
                self.ledger.debit(line)

    def enter(self, line):
        self.spent, self.delta = self.spent + line.rho, self.delta + line.delta
        self.lines.append(line)

    @rule(noise=st.sampled_from(ALL_NOISES), part=st.fractions(Fraction(1, 100), Fraction(1, 2)))
    def carry_over(self, noise, part):
        lines = [self.line(noise, part * self.left / 2)] * 2
        if not self.left:
            return
        if self.is_allowed(noise):
            self.ledger.carry_over(lines)
            for line in lines:
                self.enter(line)
        else:
            with pytest.raises(BudgetError):
                self.ledger.carry_over(lines)

    @rule(part=PARTS)
    def put_aside(self, part):
        amount = part * self.left
        if 0 <= amount <= self.left:
            self.ledger.put_aside(amount)
            self.aside += amount
        else:
            with pytest.raises(BudgetError):
                self.ledger.put_aside(amount)

    @rule()
    def take_back(self):
        self.ledger.take_back()
        self.aside = Fraction(0)

    @rule(weights=st.lists(st.integers(1, 10**6), min_size=1, max_size=8))
    def share(self, weights):
        """Shares of a whole number of quanta add up to it, and none is negative."""
        quantum = self.ledger._quantum
        total = int(self.left / quantum) * quantum
        shares = self.ledger.shares(total, weights)
        assert sum(shares) == total
        assert min(shares) >= 0
        for share, weight in zip(shares, weights, strict=True):
            assert abs(share - total * Fraction(weight, sum(weights))) <= 2 * quantum

    @rule(name=st.sampled_from(['epsilon', 'delta', 'budget', 'reserved_delta', 'all_gaussian']))
    def promise_more(self, name):
        with pytest.raises(AttributeError):
            setattr(self.ledger, name, 2 if name != 'all_gaussian' else not self.gaussian)

    @rule(forged=st.booleans())
    def save_and_open(self, forged):
        """A sum that was saved beside the lines is not believed."""
        if forged:
            self.ledger._spent = Fraction(0)
        self.ledger = pickle.loads(pickle.dumps(self.ledger))

    @invariant()
    def the_ledger_is_the_model(self):
        if not hasattr(self, 'ledger'):
            return
        assert self.ledger.budget == self.budget
        assert self.ledger.spent == self.spent == sum((d.rho for d in self.ledger.debits), 0)
        assert self.ledger.remaining == self.left >= 0
        assert list(self.ledger.debits) == self.lines
        assert math.fsum(d.delta for d in self.ledger.debits) <= self.reserved * (1 + 1e-9)


test_any_calls = LedgerAndModel.TestCase
