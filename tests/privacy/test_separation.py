"""No ordinary expression leads from what a step is handed to exact counts.

Cells hold planted numbers. The walk is the step's: whatever a strategy, the extension, an
estimator or a learning step could write with dots and brackets.
"""

import contextlib
import functools
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from reach import reachable

from sdv_prefair import learning
from sdv_prefair.columns._facts import Undeclared
from sdv_prefair.counting import Counts, FrameSource
from sdv_prefair.learning import learn_domains, reserved_delta
from sdv_prefair.privacy import Ledger, PrivateTable, PrivateValues, Score, SystemEntropy
from sdv_prefair.privacy._answers import Answers, ExactScores
from sdv_prefair.roles import Roles
from sdv_prefair.selection._measuring import BUDGETS, PrivateScores
from sdv_prefair.selection._resolve import resolve_mechanism
from sdv_prefair.structure import AdaptiveStrategy, AimStrategy, ExactStrategy

DOMAIN = {'p': 4, 'a': 5, 'o': 3, 'n': 4}
ROLES = Roles(['p'], ['a'], ['o'])
# Noise of some hundred rows: it hits a planted number once in a thousand cells, so that some of
# them in one place are no chance.
HARDLY_ANY, SOME = 0.01, 3


def planted(seed=0):
    """Return counts of all cliques: numbers around a million, so that none is found by chance."""
    rng = np.random.default_rng(seed)
    names = list(DOMAIN)
    cliques = [(c,) for c in names] + [(c, d) for i, c in enumerate(names) for d in names[i + 1 :]]
    sizes = [int(np.prod([DOMAIN[c] for c in clique])) for clique in cliques]
    cells = iter(rng.choice(np.arange(10**6, 2 * 10**6), sum(sizes), replace=False).tolist())
    histograms = (np.array([next(cells) for _ in range(size)]) for size in sizes)
    return Counts(DOMAIN, {q: (None, h) for q, h in zip(cliques, histograms, strict=True)})


def secrets(counts):
    return {cell for clique in counts.cliques for cell in counts.project(clique).ravel().tolist()}


def leaks(start, numbers):
    """Return what is reachable and holds exact counts."""
    return [thing for thing in reachable(start) if _tells(thing, numbers)]


def _tells(thing, numbers):
    if isinstance(thing, Counts | Answers | ExactScores):
        return True
    if isinstance(thing, np.ndarray) and thing.dtype.kind in 'iuf':
        return len(numbers & set(thing.ravel().tolist())) >= SOME
    if isinstance(thing, dict):
        thing = list(thing.values())
    if isinstance(thing, list | tuple | set):
        held = {item for item in thing if isinstance(item, int | float)}
        return len(numbers & held) >= SOME
    return False


class Nosy:
    """A strategy that looks at all it is given, before and after it has asked."""

    def __init__(self, strategy, numbers):
        self._strategy, self._numbers, self.looked = strategy, numbers, 0
        self.name, self.requires_roles = strategy.name, strategy.requires_roles

    def declare(self, columns, roles):
        return self._strategy.declare(columns, roles)

    def select(self, columns, roles, scores):
        self._look([columns, roles, scores])
        tree = self._strategy.select(columns, roles, scores)
        self._look([columns, roles, scores, tree])
        return tree

    def _look(self, given):
        assert not leaks(given, self._numbers)
        assert not [t for t in reachable(given) if isinstance(t, PrivateTable | Ledger)]
        self.looked += 1


class NosyAim(Nosy):
    def chords(self, edges, roles, domain):
        self._look([edges, roles, domain])
        return self._strategy.chords(edges, roles, domain)


@pytest.mark.parametrize(
    ('kind', 'strategy'),
    [(Nosy, AdaptiveStrategy()), (Nosy, ExactStrategy()), (NosyAim, AimStrategy())],
    ids=['adaptive', 'exact', 'aim'],
)
def test_nothing_that_a_strategy_or_an_estimator_gets_leads_to_counts(kind, strategy):
    counts = planted()
    numbers = secrets(counts)
    nosy = kind(strategy, numbers)
    table = PrivateTable(counts, Ledger(HARDLY_ANY, 1e-9), SystemEntropy())
    release = resolve_mechanism(nosy).run(table, ROLES, BUDGETS['tuned'])
    assert nosy.looked >= 2
    assert not leaks(release, numbers)
    assert not leaks(table, numbers), 'which the extension is given'
    assert not leaks(table.ledger, numbers)


def test_the_noise_of_one_measurement_hides_its_counts():
    table = PrivateTable(planted(), Ledger(HARDLY_ANY, 1e-9), SystemEntropy())
    answer = table.measure(('p', 'a'), table.ledger.budget, 'step')
    assert not leaks([answer, table], secrets(planted()))


PAIR = ('p', 'a')
CALLS = [(), (PAIR,), ('p',), (('p',),), ([PAIR],), ({},), (PAIR, Fraction(1), 'step')]


def unpaid(thing):
    """Yield what the callables of an object answer, whatever they are called with."""
    for name in (name for name in dir(thing) if not name.startswith('__')):
        for call in CALLS:
            with contextlib.suppress(Exception):
                yield getattr(thing, name)(*call)


def test_what_has_no_budget_left_answers_nothing_however_it_is_called():
    counts, ledger = planted(), Ledger(HARDLY_ANY, 1e-9)
    table = PrivateTable(counts, ledger, SystemEntropy())
    table.measure(PAIR, ledger.budget, 'step')
    scores = PrivateScores(table, Score(1, {PAIR: (np.ones(20, dtype=int),)}), Fraction(1, 8))
    values = PrivateValues({'p': dict(enumerate(secrets(counts)))}, ledger, SystemEntropy())
    for sealed in (table, scores, values):
        assert not leaks(list(unpaid(sealed)), secrets(counts))
    assert leaks(list(unpaid(counts)), secrets(counts)), 'the calls would find them'


def test_nothing_that_a_learning_step_gets_leads_to_counts(monkeypatch):
    rng = np.random.default_rng(1)
    values = {f'v{place}': int(n) for place, n in enumerate(rng.integers(3000, 9000, 9))}
    numbers = set(values.values())
    frame = pd.DataFrame({'c': np.repeat(list(values), list(values.values()))})
    frame['n'] = frame['c'].str[1:].astype(int) ** 3
    numbers |= set(frame['n'].value_counts().tolist())
    looked = []

    def look(step):
        @functools.wraps(step)
        def looking(*given):
            looked.append(step.__name__)
            private = [thing for thing in given if not isinstance(thing, np.dtype)]
            assert not leaks(private, numbers)
            return step(*given)

        return looking

    steps = (learning.learn_size, learning.learn_ends, learning.learn_categories)
    for name in (step.__name__ for step in steps):
        step = look(getattr(learning, name))
        monkeypatch.setattr(f'sdv_prefair.learning.{name}', step)
    domains = {'c': Undeclared('categories'), 'n': Undeclared('numbers')}
    ledger = Ledger(1.0, 1e-9, reserved_delta=reserved_delta(domains, 1e-9))
    learn_domains(domains, FrameSource(frame), ledger, SystemEntropy())
    assert looked == ['learn_size', 'learn_ends', 'learn_categories']


# -- the walk would find them --------------------------------------------------------------------


class _InTheOpen:
    def __init__(self, counts):
        self.__counts = counts

    def answer(self):
        return len(self.__counts.cliques)


class _InASlot:
    __slots__ = ('_hidden',)

    def __init__(self, counts):
        self._hidden = {'deep': [(counts.project(('p', 'a')),)]}


def _with_default(cells):
    return lambda held=cells: held.size


@pytest.mark.parametrize(
    'hold',
    [
        _InTheOpen,
        _InASlot,
        lambda counts: _InTheOpen(counts).answer,
        lambda counts: functools.partial(len, counts.project(('a',))),
        lambda counts: _with_default(counts.project(('a',))),
        lambda counts: counts.project(('p', 'a'))[1:2, 3:4],
        lambda counts: {'cells': counts.project(('a',)).tolist()},
    ],
    ids=['mangled name', 'slot', 'bound method', 'partial', 'default', 'view', 'list'],
)
def test_the_walk_finds_counts_that_are_within_reach(hold):
    counts = planted()
    assert leaks(hold(counts), secrets(counts))


def test_only_what_is_said_not_to_be_hidden_leads_to_counts():
    """The closure does, as the module says; so the seal holds nothing elsewhere."""
    counts = planted()
    table = PrivateTable(counts, Ledger(HARDLY_ANY, 1e-9), SystemEntropy())
    scores = PrivateScores(table, None, Fraction(1))
    values = PrivateValues({'c': {'x': 5}}, table.ledger, SystemEntropy())
    for sealed in (table, scores, values):
        assert not leaks(sealed, secrets(counts))
    (cell,) = table._measure.__closure__
    assert isinstance(cell.cell_contents, Answers)
