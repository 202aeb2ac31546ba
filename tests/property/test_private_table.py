"""Nothing is answered that is not paid for, and the counts cannot be taken out."""

import copy
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm

from sdv_prefair.counting import count_codes
from sdv_prefair.errors import BudgetError, StructureError
from sdv_prefair.privacy import Ledger, PrivateTable, PrivateValues, Score, SeededEntropy
from sdv_prefair.selection._measuring import PrivateScores, independence_gap

DOMAIN = {'a': 3, 'b': 4, 'c': 2}


def some_counts():
    rng = np.random.default_rng(0)
    codes = {column: rng.integers(0, size, 500) for column, size in DOMAIN.items()}
    return count_codes(codes, DOMAIN, [('a',), ('b',), ('c',), ('a', 'b'), ('b', 'c')])


def make(epsilon=1.0, rows_per_person=1, seed=1):
    return PrivateTable(some_counts(), Ledger(epsilon, 1e-9, rows_per_person), SeededEntropy(seed))


def repeatedly(times, epsilon=1.0, rows_per_person=1):
    """Yield tables with fresh ledgers over the same counts, and one stream of noise."""
    counts, entropy = some_counts(), SeededEntropy(1)
    fresh = Ledger(epsilon, 1e-9, rows_per_person)
    for _ in range(times):
        yield PrivateTable(counts, copy.deepcopy(fresh), entropy)


def uniform_score():
    return independence_gap({c: np.full(size, 500 / size) for c, size in DOMAIN.items()})


QUESTIONS = [
    lambda table, rho: table.measure(('a',), rho, 'step'),
    lambda table, rho: table.choose([('a', 'b'), ('b', 'c')], uniform_score(), rho, 'step'),
    lambda table, rho: table.score([('a', 'b'), ('b', 'c')], uniform_score(), rho, 'step'),
    lambda table, rho: table.measure_groups('b', np.zeros(DOMAIN['b'], dtype=int), rho, 'step'),
]


@pytest.mark.parametrize('ask', QUESTIONS)
def test_every_answer_is_debited_and_refused_beyond_the_budget(ask):
    table = make()
    rho = table.ledger.shares(table.ledger.budget, [2, 1])[0]
    ask(table, rho)
    assert table.ledger.spent == rho
    with pytest.raises(BudgetError, match='step asks for rho'):
        ask(table, rho)
    with pytest.raises(BudgetError):
        ask(table, Fraction(0))
    assert table.ledger.spent == rho


class Watched(SeededEntropy):
    """Noise that notes what had been paid when it was first drawn."""

    def __init__(self, ledger):
        super().__init__(1)
        self.ledger, self.paid = ledger, None

    def read(self, num_bytes):
        self.paid = self.ledger.spent if self.paid is None else self.paid
        return super().read(num_bytes)


def test_a_ledger_of_gaussians_gets_rounded_noise_and_refuses_a_choice_unanswered():
    measure, choose, score, _ = QUESTIONS
    ledger = Ledger(1.0, 1e-9, reserved_delta=5e-10, all_gaussian=True)
    entropy, rho = Watched(ledger), ledger.shares(ledger.budget, [1, 3])[0]
    table = PrivateTable(some_counts(), ledger, entropy)
    values = PrivateValues({'c': {'x': 10**6}}, ledger, entropy)
    with pytest.raises(BudgetError, match='all noise is Gaussian'):
        choose(table, rho)
    assert entropy.paid is None and ledger.spent == 0, 'nothing was drawn and nothing entered'
    measure(table, rho)
    score(table, rho)
    values.frequent('c', rho, 2e-10, 'step')
    kinds = ['rounded Gaussian', 'rounded Gaussian on scores', 'rounded Gaussian, threshold']
    assert [line.mechanism for line in ledger.debits] == kinds


@pytest.mark.parametrize('rows', [1, 3])
@pytest.mark.parametrize('kind', ['measure', 'score'])
def test_rounded_noise_is_what_the_ledger_says_and_not_the_discrete_one(kind, rows):
    """At so large a budget the variance tells: rounding adds a twelfth of a row, or of a unit."""
    ledger = Ledger(30.0, 1e-9, rows, all_gaussian=True)
    rho = ledger.budget / 4
    sigma, counts, entropy = rows / math.sqrt(2 * rho), some_counts(), SeededEntropy(3)
    exact, errors = counts.project(('a', 'b')), []
    score = Score(1, {('a', 'b'): (np.zeros(12, dtype=np.int64),)})
    for _ in range(3000 if kind == 'score' else 300):
        table = PrivateTable(counts, copy.deepcopy(ledger), entropy)
        if kind == 'measure':
            noisy, scale = table.measure(('a', 'b'), rho, 'step')
            errors.extend((noisy - exact).ravel())
        else:
            noisy, scale = table.score([('a', 'b')], score, rho, 'step')
            errors.append(noisy[0] - 500)
        assert scale == pytest.approx(sigma)
    # Three thousand squares tell a variance to 2.6 per cent: five of these are not met by chance.
    variance = sum((2 * k + 1) * 2 * norm.sf((k + 0.5) / sigma) for k in range(40))
    assert np.mean(np.square(errors)) == pytest.approx(variance, rel=0.12)
    assert variance > 1.2 * sigma**2 or rows == 3


@pytest.mark.parametrize('ask', QUESTIONS)
def test_an_answer_is_paid_for_before_its_noise_is_drawn(ask):
    ledger = Ledger(1.0, 1e-9)
    rho, entropy = ledger.shares(ledger.budget, [2, 1])[0], Watched(ledger)
    ask(PrivateTable(some_counts(), ledger, entropy), rho)
    assert entropy.paid == rho == ledger.spent


def test_values_are_paid_for_before_their_noise_is_drawn():
    ledger = Ledger(1.0, 1e-9, reserved_delta=5e-10)
    rho, entropy = ledger.shares(ledger.budget, [2, 1])[0], Watched(ledger)
    values = PrivateValues({'c': {'x': 10**6, 'y': 3}}, ledger, entropy)
    assert list(values.frequent('c', rho, 2e-10, 'step')) == ['x']
    assert entropy.paid == rho == ledger.spent
    assert ledger.debits[0].delta == 2e-10
    with pytest.raises(BudgetError, match='step asks for rho'):
        values.frequent('c', rho, 2e-10, 'step')
    with pytest.raises(TypeError, match='exact counts'):
        copy.copy(values)


def test_undeclared_pairs_cannot_be_read():
    table = make()
    with pytest.raises(StructureError, match='was not declared'):
        table.measure(('a', 'c'), table.ledger.budget / 4, 'step')


@pytest.mark.parametrize(
    'take',
    [
        pickle.dumps,
        copy.copy,
        copy.deepcopy,
        len,
        list,
        lambda table: table['a'],
        lambda table: ('a',) in table,
    ],
)
def test_counts_cannot_be_taken_out(take):
    with pytest.raises(TypeError, match='exact counts'):
        take(make())


def test_what_it_prints_and_holds_in_the_open_is_public():
    table = make()
    assert repr(table) == "PrivateTable(columns=['a', 'b', 'c'])"
    with pytest.raises(TypeError):
        vars(table)
    with pytest.raises(AttributeError):
        table.counts = None


def test_rows_per_person_scale_the_noise():
    one, five = make(), make(rows_per_person=5)
    rho = one.ledger.budget / 2
    assert five.measure(('a',), rho, 's')[1] == pytest.approx(5 * one.measure(('a',), rho, 's')[1])
    rho = one.ledger.remaining
    pairs = [('a', 'b'), ('b', 'c')]
    assert five.score(pairs, uniform_score(), rho, 's')[1] == pytest.approx(
        5 * one.score(pairs, uniform_score(), rho, 's')[1]
    )


def test_selection_spends_its_shares_and_no_more():
    table, releasing = make(), make()
    rho = table.ledger.shares(table.ledger.budget, [1, 1])[0]
    scores = PrivateScores(table, uniform_score(), rho)
    for _ in range(2):
        scores.choose([('a', 'b'), ('b', 'c')], rounds=2)
    assert table.ledger.spent == rho
    PrivateScores(releasing, uniform_score(), rho).release([('a', 'b')])
    assert releasing.ledger.spent == rho


@pytest.mark.parametrize('rounds', [0, 1, 3])
def test_a_strategy_that_asks_more_often_than_its_rounds_is_refused_and_pays_nothing(rounds):
    table, pairs = make(), [('a', 'b'), ('b', 'c')]
    rho = table.ledger.shares(table.ledger.budget, [1, 1])[0]
    scores = PrivateScores(table, uniform_score(), rho)
    for _ in range(rounds):
        scores.choose(pairs, rounds)
    spent = table.ledger.spent
    for ask_again in (lambda: scores.choose(pairs, rounds), lambda: scores.release(pairs)):
        with pytest.raises(StructureError, match='asks for more scores'):
            ask_again()
    assert table.ledger.spent == spent == (rho if rounds else 0)


def test_scores_are_released_once_and_instead_of_choices():
    table, pairs = make(), [('a', 'b'), ('b', 'c')]
    rho = table.ledger.shares(table.ledger.budget, [1, 2])[0]
    released, chosen = (PrivateScores(table, uniform_score(), rho) for _ in range(2))
    released.release(pairs)
    chosen.choose(pairs, rounds=2)
    spent = table.ledger.spent
    for ask_again in (released.release, chosen.release, lambda p: released.choose(p, rounds=9)):
        with pytest.raises(StructureError, match='asks for more scores'):
            ask_again(pairs)
    assert table.ledger.spent == spent


def test_regrouping_merges_cells_without_an_answer():
    table = make(epsilon=1e4)
    table.regroup({'b': np.array([0, 0, 1, 1])})
    assert table.domain == {'a': 3, 'b': 2, 'c': 2}
    assert table.ledger.spent == 0
    noisy, sigma = table.measure(('b',), table.ledger.budget, 'step')
    assert sigma < 0.1
    assert noisy.sum() == 500


PAIRS = [('a', 'b'), ('b', 'c')]


@pytest.mark.parametrize('rows', [1, 3])
def test_noise_on_all_scores_is_what_the_proof_asks_for(rows):
    """sigma = k sqrt(r/(2 rho)) for r scores, in the ledger and in what is drawn.

    1,000 draws of each tell sigma to 2.3 per cent: 0.7 and 1.3 times the scale are far outside,
    and so is sigma without the square root of r.
    """
    score, rho, drawn = uniform_score(), make().ledger.budget, []
    claimed = rows * np.sqrt(len(PAIRS) / (2 * float(rho)))
    for table in repeatedly(1000, rows_per_person=rows):
        noisy, sigma = table.score(PAIRS, score, rho, 'step')
        assert sigma == pytest.approx(claimed)
        assert table.ledger.debits[-1].scale == sigma
        drawn.append(np.array(noisy) / score.unit)
    spread = np.std(drawn, axis=0)
    assert spread == pytest.approx(claimed, rel=0.1)
    for wrong in (0.7, 1.3, 1 / np.sqrt(len(PAIRS))):
        assert spread != pytest.approx(claimed * wrong, rel=0.1)


@pytest.mark.parametrize('rows', [1, 4])
def test_a_choice_is_as_blurred_as_a_person_has_rows(rows):
    """P(first)/P(second) = exp(epsilon (q1 - q2) / (2 k)), by 3,000 choices."""
    exact = {pair: some_counts().project(pair) for pair in PAIRS}
    # The first pair is three rows further from its prediction than the second.
    further = exact[PAIRS[0]] + 3 * (np.arange(12).reshape(3, 4) == 0)
    score = Score(1, {PAIRS[0]: (further,), PAIRS[1]: (exact[PAIRS[1]],)})
    chosen = []
    for table in repeatedly(3000, 3.0, rows):
        chosen.append(table.choose(PAIRS, score, table.ledger.budget, 'step') == PAIRS[0])
    odds = np.exp(table.ledger.debits[-1].scale * 3 / (2 * rows))
    assert np.mean(chosen) == pytest.approx(odds / (1 + odds), abs=0.04)


def test_noise_is_for_all_scores_that_are_answered_whatever_their_list_says_of_its_length():
    class Short(list):
        def __len__(self):
            return 1

    (one, two), rho = repeatedly(2), make().ledger.budget
    _, claimed = one.score(PAIRS, uniform_score(), rho, 'step')
    noisy, sigma = two.score(Short(PAIRS), uniform_score(), rho, 'step')
    assert (len(noisy), sigma) == (2, claimed)
