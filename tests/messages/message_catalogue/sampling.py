"""Conditions that no row can meet, and the model by itself."""

import functools

import numpy as np
from sdv.errors import SynthesizerInputError
from sdv.sampling import Condition

from message_catalogue.arguments import PEOPLE, new
from message_catalogue.message import FOLDER, Message
from sdv_prefair.model import Measurement, estimate, one_way_model
from sdv_prefair.model._sampling import CliqueTable, condition
from sdv_prefair.synthesizer._written_rows import write_parts
from sdv_prefair.transformers import CategoryCodes

DOMAIN = {'a': 2, 'b': 3}
ONE = Measurement(('a',), np.ones(2), 1.0)


@functools.cache
def fitted():
    synthesizer = new()
    synthesizer.fit(PEOPLE.data)
    return synthesizer


@functools.cache
def with_numbered_groups():
    synthesizer = new()
    synthesizer.fit({'people': PEOPLE.frame.assign(group=range(len(PEOPLE.frame)))})
    return synthesizer


@functools.cache
def model():
    return estimate([ONE], DOMAIN)


ROWS = [
    Message(
        lambda: fitted().sample_from_conditions([Condition({'sex': ['F', 'M']}, num_rows=2)]),
        ValueError,
        "The columns ['sex'] were requested with several values in one condition.",
        'Give each value a condition of its own, or the rows as a DataFrameCondition.',
    ),
    Message(
        lambda: fitted().sample(3, independent_rows='yes'),
        SynthesizerInputError,
        "independent_rows ('yes')",
        'must be one of True, False.',
    ),
    Message(
        lambda: fitted().sample_to(FOLDER / 'rows.xlsx', 3),
        ValueError,
        "'FOLDER/rows.xlsx'",
        'must end in .csv, .csv.gz or .parquet.',
    ),
    Message(
        lambda: write_parts([], FOLDER / 'rows.parquet', 1, {'size': CategoryCodes([1, 'one'])}),
        ValueError,
        "Column 'size' holds values of several types,",
        'which a column of a Parquet file cannot hold. Write a .csv file instead.',
    ),
]

CONDITIONS = [
    Message(
        lambda: fitted().sample_remaining_columns(PEOPLE.frame[['sex', 'sex']].head(3)),
        ValueError,
        "The columns ['sex'] are given more than once.",
        'Give each of them once.',
    ),
    Message(
        lambda: fitted().sample_from_conditions([Condition({'sex': 'martian'}, 3)]),
        ValueError,
        "Column 'sex' was requested with a value outside its domain.",
        'Request one within the declared range, or one of the learnt values, written as the '
        'column writes it: with its type, decimals and format.',
    ),
    Message(
        lambda: fitted().sample_remaining_columns(PEOPLE.frame[['age']] + 1000),
        ValueError,
        "Column 'age' was requested with a value outside its domain.",
        'Request one within the declared range, or one of the learnt values, written as the '
        'column writes it: with its type, decimals and format.',
    ),
]

MADE_UP = [
    Message(
        lambda: with_numbered_groups().sample_from_conditions([Condition({'group': 2.5}, 2)]),
        ValueError,
        "Column 'group' was requested with a value that its dtype cannot hold.",
        "Request one that a column of dtype 'int64' can have.",
    ),
]

MODEL = [
    Message(
        lambda: estimate([ONE], DOMAIN, estimator='magic'),
        ValueError,
        "estimator ('magic')",
        "must be 'auto' or 'mbi'.",
    ),
    Message(
        lambda: estimate([ONE], DOMAIN, [('a', 'zip')]),
        ValueError,
        "cliques name columns that domain does not have: ['zip'].",
        'Add them to domain, or leave them out.',
    ),
    Message(
        lambda: estimate([Measurement(('a', 'b'), np.ones((2, 3)), 1.0)], DOMAIN, [('a',)]),
        ValueError,
        "The measurement of ['a', 'b'] is not covered by any clique.",
        'Add a clique that contains these columns.',
    ),
    Message(
        lambda: estimate([Measurement(('a',), np.ones(5), 1.0)], DOMAIN),
        ValueError,
        "The measurement of ['a'] has shape (5,).",
        'It must have as many cells along each axis as domain has codes.',
    ),
    Message(
        lambda: model().marginal(['a', 'zip']),
        ValueError,
        "['a', 'zip'] must be columns of the model, each once.",
        "It has ['a', 'b'].",
    ),
    Message(
        lambda: model().sample(3, {'a': 7}),
        ValueError,
        "The evidence on 'a'",
        'must be one of its codes, 0 to 1.',
    ),
    Message(
        lambda: condition([CliqueTable(('a',), (), None, np.array([1.0, 0.0]))], {'a': 1}),
        ValueError,
        "The evidence on ['a'] has probability zero under the model.",
        'Condition on fewer columns, or on other values.',
    ),
    Message(
        lambda: Measurement(('a',), np.ones((2, 2)), 1.0),
        ValueError,
        'values of shape (2, 2)',
        "must have one axis for each of the columns ['a'], and no column may be named twice.",
    ),
    Message(
        lambda: Measurement(('a',), [np.nan], 1.0),
        ValueError,
        "values of the measurement of ['a']",
        'must be finite numbers.',
    ),
    Message(
        lambda: Measurement(('a',), [1, 2], 0),
        ValueError,
        "stddev of the measurement of ['a']",
        'must be positive numbers.',
    ),
    Message(
        lambda: one_way_model([Measurement(('a', 'b'), np.ones((2, 3)), 1.0)]),
        ValueError,
        'one_way_model takes measurements of one column each.',
        "Leave out that of ('a', 'b').",
    ),
]

MESSAGES = [*ROWS, *CONDITIONS, *MADE_UP, *MODEL]
