"""Constraints that cannot be kept, and rows that do not keep them."""

import functools

import pandas as pd
from sdv.cag import FixedCombinations, FixedIncrements, Inequality
from sdv.cag._errors import ConstraintNotMetError
from sdv.errors import SamplingError, SynthesizerInputError
from sdv.metadata import Metadata
from sdv.sampling import Condition

from message_catalogue.message import Message
from message_catalogue.own_constraints import (
    Centred,
    Curious,
    Dropping,
    Failing,
    Keyed,
    Learning,
    Misnamed,
    Named,
    Nameless,
    OneVerdict,
    Unknown,
    Unmodelled,
)
from sdv_prefair import PreFairSynthesizer
from sdv_prefair.constraints import PublicCombinations
from sdv_prefair.errors import DomainError, UnfairModelError

NUMBER = {
    'sdtype': 'numerical',
    'range_min': 0,
    'range_max': 9,
    'decimal_places': 0,
    'range_is_nullable': False,
}
OPEN = {'sdtype': 'categorical', 'range_is_nullable': False}
HIGH = NUMBER | {'range_min': 21, 'range_max': 29}
WORD = {'sdtype': 'categorical', 'range_values': ['u', 'v'], 'range_is_nullable': False}
COLUMNS = (
    {'key': {'sdtype': 'id'}}
    | dict.fromkeys(('p', 'a', 'o', 'x', 'y'), NUMBER)
    | {'high': HIGH, 'v': WORD, 'w': WORD}
)
DIGITS = [1, 2, 3, 4, 5, 6, 7, 8]
ROWS = {c: DIGITS for c in ('p', 'a', 'o', 'x', 'y')}
TABLE = pd.DataFrame({
    'key': range(8), **ROWS, 'high': 25, 'v': 'u', 'w': ['u', 'v'] * 4,
})  # fmt: skip


TREE = [
    *(('p', 'x'), ('o', 'y')),
    *(('a', column) for column in ('p', 'o', 'high', 'v', 'w')),
]


def with_constraints(*constraints, columns=COLUMNS, **changes):
    tables = {'t': {'primary_key': 'key', 'columns': columns}}
    roles = {'protected': ['p'], 'admissible': ['a'], 'outcome': ['o']}
    arguments = {'public_ranges': True} | roles | changes
    synthesizer = PreFairSynthesizer(Metadata.load_from_dict({'tables': tables}), **arguments)
    synthesizer.add_constraints(list(constraints))
    return synthesizer


def fit(*constraints, **changes):
    synthesizer = with_constraints(*constraints, **changes)
    synthesizer.fit({'t': TABLE}, check=False)
    return synthesizer


@functools.cache
def combined():
    return fit(few(['v', 'w'], ['u', 'u'], ['u', 'v']))


@functools.cache
def rising():
    return fit(Inequality('x', 'y'))


def few(column_names, *values):
    return PublicCombinations(column_names, values)


ADDED = [
    Message(
        lambda: with_constraints('x < y'),
        SynthesizerInputError,
        "constraints lists 'x < y', which is not a constraint.",
        'Use the classes of sdv.cag.',
    ),
    Message(
        lambda: with_constraints(Unknown()),
        SynthesizerInputError,
        'Unknown is not a constraint that can be enforced privately.',
        "Use one of ['Inequality', 'Range', 'FixedCombinations', 'FixedIncrements', "
        "'OneHotEncoding', 'ProgrammableConstraint'].",
    ),
    Message(
        lambda: with_constraints(Keyed()),
        SynthesizerInputError,
        "Keyed cannot be added: ['key'] are generated, not modelled, so they cannot depend on "
        'other columns.',
        "Leave the constraint out, or give them a statistical sdtype such as 'categorical' in "
        'the metadata.',
    ),
    Message(
        lambda: with_constraints(Learning()),
        SynthesizerInputError,
        "Learning.fit learns ['largest'] from the rows, which are private: that would be outside "
        'the privacy budget.',
        'Pass what is public as parameters of the constraint and leave fit out; to transform '
        'rows, transform each one on its own and set row_wise = True.',
    ),
    Message(
        lambda: with_constraints(Inequality('p', 'o')),
        UnfairModelError,
        "Inequality over ['p', 'o'] cannot be added: with it, constraints tie protected 'p' to "
        "outcome 'o'. The two would depend on each other given any admissible columns, so no "
        'model could be justifiably fair.',
        'Leave the constraint out, or give one of these columns another role.',
    ),
    Message(
        lambda: with_constraints(Inequality('p', 'x'), Inequality('x', 'o')),
        UnfairModelError,
        "Inequality over ['x', 'o'] cannot be added: with it, constraints tie protected 'p' to "
        "outcome 'o' through ['x']. The two would depend on each other given any admissible "
        'columns, so no model could be justifiably fair.',
        'Leave the constraint out, or give one of these columns another role.',
    ),
    Message(
        lambda: with_constraints(Inequality('x', 'y'), structure=TREE),
        UnfairModelError,
        "Inequality over ['x', 'y'] cannot be added: structure is not justifiably fair: the path "
        "y - o connects protected 'y' to outcome 'o' without an admissible column in between.",
        'Connect the two sides only through an admissible column.',
    ),
    Message(
        lambda: with_constraints(Inequality('high', 'x')),
        DomainError,
        "Inequality over ['high', 'x'] cannot hold: with the ranges in the metadata, 'x' is never "
        'large enough.',
        'Correct the ranges.',
    ),
    Message(
        lambda: with_constraints(FixedIncrements('high', 200)),
        DomainError,
        "FixedIncrements cannot hold: no multiple of 200 lies in the declared range of 'high'.",
        'Correct the range or the increment.',
    ),
    Message(
        lambda: few(['v', 'w']),
        SynthesizerInputError,
        'combinations',
        'must list one combination or more.',
    ),
    Message(
        lambda: few(['v', 'w'], ['u']),
        SynthesizerInputError,
        "combinations lists ['u'], which is not one value for each of ['v', 'w'].",
        'Write as many values as there are columns, None for null.',
    ),
    Message(
        lambda: with_constraints(few(['v', 'w'], ['u', 'z'])),
        DomainError,
        'combinations lists "z" for \'w\', which is not in its range_values.',
        'Correct the list or the metadata.',
    ),
    Message(
        lambda: with_constraints(
            few(['v', 'w'], ['u', 1], ['v', '1']), columns=COLUMNS | {'w': OPEN}
        ),
        DomainError,
        "combinations lists values of ['v', 'w'] that look the same in a CSV file, as 1 and '1' "
        "do, or '' and null.",
        'Keep one of them.',
    ),
]

WRITTEN_BY_USERS = [
    Message(
        lambda: with_constraints(Nameless()),
        SynthesizerInputError,
        'Nameless',
        "must list the columns it reads in an attribute 'column_names': it makes all of them "
        "dependent, and the fairness check must know. The columns are ['key', 'p', 'a', 'o', 'x', "
        "'y', 'high', 'v', 'w'].",
    ),
    Message(
        lambda: with_constraints(Misnamed()),
        SynthesizerInputError,
        'Misnamed',
        "must list the columns it reads in an attribute 'column_names': it makes all of them "
        "dependent, and the fairness check must know. The columns are ['key', 'p', 'a', 'o', 'x', "
        "'y', 'high', 'v', 'w']; ['zip'] are not among them.",
    ),
    Message(
        lambda: with_constraints(Dropping()),
        SynthesizerInputError,
        "Dropping drops ['o'], which it does not name.",
        "List all columns it reads or drops in its attribute 'column_names'.",
    ),
    Message(
        lambda: with_constraints(Unmodelled()),
        SynthesizerInputError,
        "Unmodelled makes ['x'], which cannot be modelled:",
        "give them a statistical sdtype such as 'numerical' in get_updated_metadata.",
    ),
    Message(
        lambda: fit(Centred()),
        SynthesizerInputError,
        'Centred has row_wise = True, but its transform gives a row different values depending on '
        'the other rows.',
        'Transform each row on its own, or remove the attribute to use rejection sampling instead.',
    ),
    Message(
        lambda: fit(Failing()),
        SynthesizerInputError,
        "Failing.transform failed, or did not return the columns ['x', 'y'] with one row per "
        'input row.',
        'Its own message is left out because it may quote rows: try it on made-up rows.',
    ),
    Message(
        lambda: fit(Curious()),
        SynthesizerInputError,
        "Curious.is_valid reads 'o', but Curious is only shown the columns it names: ['x', 'y'].",
        "List all columns it reads in an attribute 'column_names'.",
    ),
]

FITTED = [
    Message(
        lambda: fit(FixedCombinations(['v', 'w']), columns=COLUMNS | {'w': OPEN}, epsilon=0.01),
        DomainError,
        "No combination of ['v', 'w'] stood out from the noise.",
        'List them with sdv_prefair.constraints.PublicCombinations if they are public, or raise '
        'epsilon.',
    ),
    Message(
        lambda: with_constraints(Named()).fit({'t': TABLE}),
        SynthesizerInputError,
        'No row can be made that satisfies all constraints (Named): of 2,000 made-up rows within '
        'the declared ranges none does.',
        'Leave out constraints that contradict each other or the ranges, or pass check=False to '
        'fit all the same.',
    ),
    Message(
        lambda: fit(OneVerdict()),
        SynthesizerInputError,
        'OneVerdict.is_valid must return one True or False for each row.',
        'Compare columns, as in data[low] < data[high].',
    ),
    Message(
        lambda: fit(Named()).sample(20),
        SamplingError,
        'Only 0 of 20 rows satisfied the constraints.',
        "Raise 'max_tries_per_batch' or 'batch_size', or leave out a constraint that the model "
        'rarely satisfies.',
    ),
    Message(
        lambda: rising().validate_constraints({'t': TABLE.assign(y=0)}),
        ConstraintNotMetError,
        "Inequality over ['x', 'y'] is not met for row indices: 0, 1, 2, 3, 4, +3 more.",
        'Leave these rows out, or sample new ones.',
    ),
    Message(
        lambda: rising().sample_from_conditions([Condition({'x': 5, 'y': 3}, 2)]),
        ConstraintNotMetError,
        'Provided conditions are not valid for the given constraints: no row that meets them '
        "satisfies Inequality over ['x', 'y'].",
        'Ask for other values.',
    ),
    Message(
        lambda: combined().sample_from_conditions([Condition({'v': 'v'}, 2)]),
        ValueError,
        "No row can have the values requested for ['v'], because of a PublicCombinations.",
        'Request values that it allows.',
    ),
]

MESSAGES = [*ADDED, *WRITTEN_BY_USERS, *FITTED]
