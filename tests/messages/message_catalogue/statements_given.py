"""What ``fairness=`` and ``unlabelled=`` refuse, and what they warn of."""

from people import people
from sdv.errors import SynthesizerInputError

from message_catalogue.arguments import NO_ROLES, new
from message_catalogue.message import Message
from sdv_prefair import FairnessWarning, PreFairSynthesizer
from sdv_prefair.errors import RolesError, StructureError, UnfairModelError
from sdv_prefair.fairness import (
    Independent,
    demographic_parity,
    equalized_odds,
    justifiable,
    sufficiency,
)
from sdv_prefair.privacy._accounting import MEASURE_ONE_WAYS
from sdv_prefair.selection._measuring import measure
from sdv_prefair.selection._mechanism import Release
from sdv_prefair.structure import AdaptiveStrategy

COLUMNS = ('sex', 'education', 'home', 'income')
SMALL = people(60, COLUMNS)
PARITY = demographic_parity(['sex'], ['income'])
BOTH = equalized_odds(['sex'], ['home'], ['income']) + sufficiency(['sex'], ['home'], ['income'])
PATH = [('sex', 'education'), ('education', 'income'), ('income', 'home')]
PER_OUTCOME = justifiable(['sex'], {'income': ['education'], 'home': ['income']})


class Careless:
    """A mechanism that joins columns it has not declared."""

    name, requires_roles, shape = 'careless', True, 'any'

    def declare(self, domain, roles):
        return [(column,) for column in domain]

    def run(self, table, roles, budget, progress=None):
        single = [(column,) for column in table.domain]
        measured = measure(table, single, table.ledger.remaining, budget, MEASURE_ONE_WAYS)
        return Release(measured, [('income', 'home')])


def stated(**changes):
    return new(**NO_ROLES | changes)


def small(**changes):
    return PreFairSynthesizer(SMALL.metadata, **{'public_ranges': True} | changes)


STATEMENTS = [
    Message(
        lambda: new(fairness=PARITY),
        RolesError,
        'fairness is given together with protected, admissible and outcome, which are short for '
        'one statement.',
        'Use one of the two: justifiable(protected, admissible, outcome) turns the lists into a '
        'statement.',
    ),
    Message(
        lambda: stated(fairness='parity'),
        RolesError,
        "fairness ('parity')",
        'must be a list of Independent statements, for example '
        "[Independent(['sex'], ['income'], given=['education'])].",
    ),
    Message(
        lambda: stated(fairness=[('sex', 'income')]),
        RolesError,
        "fairness (('sex', 'income'))",
        'must be a list of Independent statements, for example '
        "[Independent(['sex'], ['income'], given=['education'])].",
    ),
    Message(
        lambda: stated(fairness=demographic_parity(['sex'], ['zip'])),
        RolesError,
        "fairness names the column 'zip', which is not in the metadata.",
        "Correct the name: its columns are ['key', 'email', 'sex', 'education', 'age', 'wage', "
        "'hired', 'home', 'income', 'badge', 'group', 'note'].",
    ),
    Message(
        lambda: stated(fairness=demographic_parity(['email'], ['income'])),
        RolesError,
        "fairness names the column 'email', which is not modelled: keys, ids, personal (pii) "
        "and 'unknown' columns are generated, not learnt, so they carry no dependence.",
        "Take it out of the list, or give it a statistical sdtype such as 'categorical' in the "
        'metadata.',
    ),
    Message(
        lambda: Independent([], ['income']),
        RolesError,
        'left must name at least one column.',
        'A statement says that two groups of columns are independent: '
        "Independent(['sex'], ['income']).",
    ),
    Message(
        lambda: justifiable(['sex'], [], ['income']),
        RolesError,
        'admissible must name at least one column for justifiable fairness.',
        'If nothing justifies a dependence, use demographic_parity(protected, outcome).',
    ),
    Message(
        lambda: justifiable(['sex'], {'income': ['education']}, ['income']),
        RolesError,
        'outcome is given twice: admissible is a dictionary, whose keys are the outcomes.',
        'Leave outcome out.',
    ),
    Message(
        lambda: stated(fairness=BOTH),
        FairnessWarning,
        'Together, the statements force more than each of them says: home is independent of sex '
        'outright, not only given income; income is independent of sex outright, not only given '
        'home.',
        'If that is more than you want to promise, leave one of them out; '
        'sdv_prefair.fairness.forced says why.',
    ),
]

GIVEN_TREES = [
    Message(
        lambda: small(fairness=PER_OUTCOME, structure=[*PATH[:2], ('education', 'home')]),
        UnfairModelError,
        'structure violates the statement that home is independent of sex given income: the path '
        'sex - education - home connects its two sides and bypasses its conditioning set.',
        'Remove one pair of that path.',
    ),
    Message(
        lambda: small(fairness=PER_OUTCOME, structure=PATH[:2]),
        StructureError,
        "structure leaves 'home' and 'income' in two components that no statement separates.",
        'Add pairs until no two components can be connected.',
    ),
]

UNLABELLED = [
    Message(
        lambda: new(unlabelled='near'),
        SynthesizerInputError,
        "unlabelled ('near')",
        "must be one of None, 'apart', 'free'.",
    ),
    Message(
        lambda: AdaptiveStrategy(unlabelled='near'),
        StructureError,
        "unlabelled ('near')",
        "must be 'apart' or 'free'.",
    ),
    Message(
        lambda: new(structure='greedy', unlabelled='free'),
        StructureError,
        "structure='greedy' keeps outcomes apart from columns without a role, so it cannot be used "
        "with unlabelled='free'.",
        "Use structure='adaptive', or leave unlabelled out.",
    ),
    Message(
        lambda: small(**SMALL.roles, structure=PATH, unlabelled='apart'),
        StructureError,
        "structure may connect the outcome 'income' to 'home', which no statement names and "
        "unlabelled='apart' keeps separate.",
        "Give the column a role, or use unlabelled='free'.",
    ),
    Message(
        lambda: small(**SMALL.roles, structure=Careless(), unlabelled='apart').fit(SMALL.data),
        UnfairModelError,
        "The model connects the outcome 'income' to 'home', which no statement names.",
        "Do not release it; fit again with another structure, or without unlabelled='apart'.",
    ),
    Message(
        lambda: small(**SMALL.roles, structure=PATH).fit(SMALL.data),
        FairnessWarning,
        "An outcome is adjacent to a column without a role: 'income' is adjacent to 'home'. The "
        'guarantee is about the synthetic table; if such a column is a proxy for a protected one, '
        'a model trained on the table can be unfair to real people.',
        "Give it a role, or use unlabelled='apart'.",
    ),
]

MESSAGES = [*STATEMENTS, *GIVEN_TREES, *UNLABELLED]
