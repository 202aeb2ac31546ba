"""What ``structure=`` and ``fair_spanning_tree`` refuse, and strategies that ask for too much."""

from people import people

from message_catalogue.arguments import PEOPLE, new
from message_catalogue.message import Message
from sdv_prefair import PreFairSynthesizer, Roles
from sdv_prefair.errors import BudgetError, StructureError, UnfairModelError
from sdv_prefair.selection._strategy import usable_pairs
from sdv_prefair.selection._trees import FixedStrategy
from sdv_prefair.structure import (
    AimStrategy,
    FairTree,
    MwemStrategy,
    PlannedStrategy,
    PrivBayesStrategy,
    fair_spanning_tree,
)
from sdv_prefair.structure import resolve_strategy as strategy

STAR = [('education', c) for c in ('sex', 'age', 'wage', 'hired', 'home', 'income')]
SMALL = people(60, ('sex', 'education', 'income'))
ROLES = Roles(['p'], ['a'], ['o'])


class Own:
    """A strategy that a user has written, to be spoilt."""

    name, requires_roles = 'own', True

    def declare(self, columns, roles):
        return usable_pairs(columns, roles)


class Unfair(Own):
    def declare(self, columns, roles):
        return [('sex', 'income'), ('sex', 'education')]

    def select(self, columns, roles, scores):
        return FairTree(self.declare(columns, roles))


class Undeclared(Own):
    def select(self, columns, roles, scores):
        return FairTree([scores.choose([('sex', 'income')], 1)])


class Spender(Own):
    def __init__(self, times, then_releases=False):
        self.times, self.then_releases = times, then_releases

    def select(self, columns, roles, scores):
        for _ in range(self.times):
            scores.choose(self.declare(columns, roles), 1)
        if self.then_releases:
            scores.release(self.declare(columns, roles))
        return FairTree([('sex', 'education'), ('education', 'income')])


class BreaksItsPromise(Spender):
    all_gaussian = True


class OwnMechanism:
    """A mechanism that a user has written, which spends so many times what there is."""

    name, requires_roles, shape = 'own', True, 'any'

    def __init__(self, *times):
        self.times = times

    def declare(self, domain, roles):
        return [(column,) for column in domain]

    def run(self, table, roles, budget, progress=None):
        for times in self.times:
            table.measure(('sex',), times * table.ledger.remaining, 'measure one-ways')


def fit(**changes):
    arguments = {'public_ranges': True} | SMALL.roles | changes
    synthesizer = PreFairSynthesizer(SMALL.metadata, **arguments)
    synthesizer.fit(SMALL.data)
    return synthesizer


def verify_turned_round():
    synthesizer = fit(structure='adaptive')
    synthesizer._model.nodes.reverse()
    synthesizer.verify_fairness()


GIVEN = [
    Message(
        lambda: new(structure='forest'),
        StructureError,
        "structure ('forest')",
        "must be one of 'planned', 'adaptive', 'greedy', 'exact', 'aim', 'privbayes', 'mwem', "
        "'none', a list of column pairs that form a tree, or a strategy object with name, "
        'requires_roles, declare and select.',
    ),
    Message(
        lambda: new(structure=PEOPLE.frame),
        StructureError,
        'structure (of type DataFrame)',
        "must be one of 'planned', 'adaptive', 'greedy', 'exact', 'aim', 'privbayes', 'mwem', "
        "'none', a list of column pairs that form a tree, or a strategy object with name, "
        'requires_roles, declare and select.',
    ),
    Message(
        lambda: new(structure=['sex']),
        StructureError,
        "structure lists 'sex', which is not a pair of columns.",
        "Write ('a', 'b') for each edge of the tree.",
    ),
    Message(
        lambda: FixedStrategy(3),
        StructureError,
        'structure (3)',
        'must be a list of column pairs.',
    ),
    Message(
        lambda: new(structure=[*STAR, ('zip', 'sex')]),
        StructureError,
        "structure names columns that are not modelled: ['zip'].",
        "The tree must connect exactly these columns: ['sex', 'education', 'age', 'wage', "
        "'hired', 'home', 'income'].",
    ),
    Message(
        lambda: new(structure=[*STAR, ('sex', 'age')]),
        StructureError,
        "structure is not a tree: the pair 'sex', 'age' closes a cycle.",
        'Remove one pair of that cycle.',
    ),
    Message(
        lambda: new(structure=STAR[1:]),
        StructureError,
        "structure does not connect ['education', 'age', 'wage', 'hired', 'home', 'income'] to "
        "'sex'.",
        'Add the missing pairs: a tree over 7 columns has 6.',
    ),
    Message(
        lambda: new(structure=[*STAR[:-1], ('sex', 'income')]),
        UnfairModelError,
        "structure is not justifiably fair: the path sex - income connects protected 'sex' to "
        "outcome 'income' without an admissible column in between.",
        'Connect the two sides only through an admissible column.',
    ),
]

WRITTEN_BY_USERS = [
    Message(
        lambda: fit(structure=Unfair()),
        UnfairModelError,
        'The model is not justifiably fair: sex - income connects a protected column and an '
        'outcome with no admissible column between them.',
        "Do not release it; fit again with another structure, such as 'adaptive'.",
    ),
    Message(
        verify_turned_round,
        UnfairModelError,
        'The tables that rows are sampled from do not form a junction tree, so the fairness of '
        'the model cannot be checked.',
        'Do not release it; fit again.',
    ),
    Message(
        lambda: fit(structure=Undeclared()),
        StructureError,
        "The histogram of ['sex', 'income'] was not declared, so it was not counted.",
        'A structure may read only the pairs that its declare() returns and that can be measured.',
    ),
    Message(
        lambda: fit(structure=Spender(2)),
        StructureError,
        'The structure asks for more scores than the selection budget pays for.',
        'Its select() may call scores.choose() no more often than the rounds of its first call '
        'say, or scores.release() once and nothing before or after.',
    ),
    Message(
        lambda: fit(structure=Spender(1, then_releases=True)),
        StructureError,
        'The structure asks for more scores than the selection budget pays for.',
        'Its select() may call scores.choose() no more often than the rounds of its first call '
        'say, or scores.release() once and nothing before or after.',
    ),
    Message(
        lambda: fit(structure=BreaksItsPromise(1)),
        BudgetError,
        'select the tree asks for exponential noise, but the mechanism declares all_gaussian, a '
        'promise that all noise is Gaussian.',
        'Remove the declaration, or use only measure and score.',
    ),
    Message(
        lambda: fit(structure=OwnMechanism(2, 1)),
        BudgetError,
        'measure one-ways asks for rho = 0.0299 but only 0.015 of 0.015 is left.',
        'Ask for less, or raise epsilon.',
    ),
    Message(
        lambda: fit(structure=OwnMechanism(1, 0)),
        BudgetError,
        'measure one-ways was given none of the privacy budget.',
        'Raise epsilon or delta, or model fewer columns.',
    ),
]

TOO_SMALL_A_BUDGET = [
    Message(
        lambda: fit(epsilon=1e-20, delta=1e-30, structure='adaptive'),
        BudgetError,
        'epsilon (1e-20) and delta (1e-30) are too small to calibrate noise.',
        'Raise one of them.',
    ),
    Message(
        lambda: fit(epsilon=1e-18, delta=2e-18),
        BudgetError,
        'The privacy budget is too small to calibrate noise.',
        'Raise epsilon.',
    ),
]

PROBLEM = [
    Message(
        lambda: fair_spanning_tree({('p', 'a'): 1, ('a', 'p'): 2}, ROLES),
        StructureError,
        "weights gives the pair 'a', 'p' twice, in both orders, with different weights.",
        'Keep one of the two.',
    ),
    Message(
        lambda: fair_spanning_tree({'pa': 1}, ROLES),
        StructureError,
        "weights has the key 'pa'.",
        'Keys must be pairs of two columns.',
    ),
    Message(
        lambda: fair_spanning_tree({('p', 'p'): 1}, ROLES),
        StructureError,
        "weights has the key ('p', 'p'), a column paired with itself.",
        'Leave it out.',
    ),
    Message(
        lambda: fair_spanning_tree({('p', 'a'): 'much'}, ROLES),
        StructureError,
        "weights[('p', 'a')]",
        'must be a finite number.',
    ),
    Message(
        lambda: fair_spanning_tree({}, ROLES, columns=['p', 'a']),
        StructureError,
        "weights or roles name ['o'], which is not in columns.",
        'Add it to columns, or take it out of the weights and roles.',
    ),
    Message(
        lambda: fair_spanning_tree({}, ROLES, columns=['p', 'a', 'o', 'o']),
        StructureError,
        "columns names ['o'] more than once.",
        'Name each column once.',
    ),
    Message(
        lambda: fair_spanning_tree({}, ROLES, 'greedy', time_limit=3),
        StructureError,
        "time_limit is for strategy='exact'; 'greedy' does not search.",
        'Leave it out.',
    ),
    Message(
        lambda: fair_spanning_tree({}, ROLES, time_limit=0),
        StructureError,
        'time_limit (0)',
        'must be a number of seconds above 0, or None.',
    ),
    Message(
        lambda: AimStrategy(max_cells=-1),
        StructureError,
        'max_cells (-1)',
        'must be an integer above 0, for example 50_000.',
    ),
    Message(
        lambda: PrivBayesStrategy(max_cells=0),
        StructureError,
        'max_cells (0)',
        'must be an integer above 0, for example 20_000.',
    ),
    Message(
        lambda: MwemStrategy(rounds=2.5),
        StructureError,
        'rounds (2.5)',
        'must be an integer above 0, for example 20.',
    ),
    Message(
        lambda: MwemStrategy('greedy'),
        StructureError,
        "rule ('greedy')",
        'must be a strategy object, for example GreedyStrategy().',
    ),
    Message(
        lambda: PrivBayesStrategy(theta=0),
        StructureError,
        'theta (0)',
        'must be a number above 0, for example 4.',
    ),
    Message(
        lambda: AimStrategy('adaptive'),
        StructureError,
        "tree ('adaptive')",
        'must be a strategy object, for example GreedyStrategy().',
    ),
    Message(
        lambda: PlannedStrategy('greedy'),
        StructureError,
        "rule ('greedy')",
        'must be a strategy object, for example GreedyStrategy().',
    ),
    Message(
        lambda: PlannedStrategy(outcome_weight=0),
        StructureError,
        'outcome_weight (0)',
        'must be a number above 0, for example 4.',
    ),
    Message(
        lambda: PlannedStrategy(look=2),
        StructureError,
        'look (2)',
        'must be a number between 0 and 1.',
    ),
    Message(
        lambda: PlannedStrategy(one_way=0.9, scores=0.2),
        StructureError,
        'one_way, scores and residuals must be less than 1 together: the rest is for the tables.',
        'Lower one of them.',
    ),
    Message(
        lambda: PlannedStrategy(max_cells=0),
        StructureError,
        'max_cells (0)',
        'must be an integer above 0, for example 50_000.',
    ),
    Message(
        lambda: strategy('exact').select(['p', 'o'], ROLES, None),
        StructureError,
        'There is no fair spanning tree: protected and outcome columns are modelled, but no '
        'admissible one.',
        'Give a modelled column the role admissible.',
    ),
    Message(
        lambda: strategy('greedy').select(['p', 'o'], ROLES, None),
        StructureError,
        'There is no fair spanning tree: protected and outcome columns are modelled, but no '
        'admissible one.',
        'Give a modelled column the role admissible.',
    ),
]

MESSAGES = [*GIVEN, *WRITTEN_BY_USERS, *TOO_SMALL_A_BUDGET, *PROBLEM]
