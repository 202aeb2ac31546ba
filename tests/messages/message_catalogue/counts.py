"""What ``fit_counts`` and ``count_queries`` refuse."""

import sys

import numpy as np
import pandas as pd
from sdv.errors import SynthesizerInputError

from message_catalogue.message import Message
from message_catalogue.tables import constrained, small
from sdv_prefair.errors import BudgetError, DomainError, PrivateDataError

SEX = ('sex',)
PAIR = ('sex', 'education')


def histograms(rows=60):
    """Return histograms of rows that are all alike."""
    sizes = {'sex': 3, 'education': 4, 'income': 3}
    cliques = [('sex',), ('education',), ('income',), PAIR, ('education', 'income')]
    counts = {clique: np.zeros([sizes[column] for column in clique], int) for clique in cliques}
    for histogram in counts.values():
        histogram.flat[0] = rows
    return counts


def fit(changes):
    small().fit_counts(histograms() | changes)


def cells(**columns):
    return {SEX: pd.DataFrame(columns)}


def without_ibis():
    """Ask for queries where ibis cannot be imported, as where it was not installed."""
    installed, sys.modules['ibis'] = sys.modules['ibis'], None
    try:
        small().count_queries()
    finally:
        sys.modules['ibis'] = installed


def without(clique):
    return {key: histogram for key, histogram in histograms().items() if key != clique}


GIVEN = [
    Message(
        lambda: small().fit_counts([60]),
        PrivateDataError,
        'The counts',
        "must be a dictionary from column names to histograms, as in {('age',): array, ('age', "
        "'sex'): array}.",
    ),
    Message(
        lambda: fit({('education', 'sex'): np.zeros((4, 3))}),
        PrivateDataError,
        'The counts hold a clique twice.',
        'Give each set of columns once.',
    ),
    Message(
        lambda: small().fit_counts(without(SEX)),
        PrivateDataError,
        "The counts of [['sex']] are missing.",
        'count_queries() returns a query for each histogram that is needed.',
    ),
    Message(
        lambda: fit({('sex', 'income'): np.zeros((3, 3))}),
        PrivateDataError,
        "The counts of [['sex', 'income']] are not needed, so they",
        'must not be given: the model may read the histograms of count_queries() only.',
    ),
    Message(
        lambda: fit(cells(sex=[0], number=[60])),
        PrivateDataError,
        "The counts of ['sex']",
        "must have the columns ['sex', 'count'] and no others.",
    ),
    Message(
        lambda: fit(cells(sex=[8], count=[60])),
        PrivateDataError,
        "The counts of ['sex'] have codes of 'sex' that do not exist:",
        'they go from 0 to 2.',
    ),
    Message(
        lambda: fit({SEX: [60, 0]}),
        PrivateDataError,
        "The counts of ['sex']",
        'must have the shape (3,), a cell for each code.',
    ),
    Message(
        lambda: fit({SEX: [59.5, 0.5, 0]}),
        PrivateDataError,
        "The counts of ['sex']",
        'must be integers, 0 or more, and so must codes.',
    ),
    Message(
        lambda: fit({SEX: [59, 1, 0]}),
        PrivateDataError,
        "The counts of ['sex', 'education'] do not add up to those of 'sex':",
        'run all queries again, on one snapshot of the table.',
    ),
    Message(
        lambda: small().fit_counts({c: 0 * h for c, h in histograms().items()}),
        PrivateDataError,
        'The table has no rows.',
        'Give at least one.',
    ),
]

TOO_MANY = [
    Message(
        lambda: small().fit_counts(histograms(rows=2**50)),
        BudgetError,
        'The counts, or the noise on them, are too large to score in 64-bit fixed point.',
        'Raise epsilon, or fit a sample of the rows.',
    ),
]

ASKED = [
    Message(
        lambda: small(public_ranges=False).fit_counts({}),
        DomainError,
        "fit_counts needs the ranges of all columns, but those of ['sex', 'education', 'income'] "
        'are not public.',
        'Declare range_values, or range_min and range_max, in the metadata.',
    ),
    Message(
        lambda: constrained().count_queries(),
        DomainError,
        'count_queries cannot write constraints as SQL.',
        'Use fit_table, or leave out the constraints.',
    ),
    Message(
        lambda: small().count_queries('oracle'),
        SynthesizerInputError,
        "count_queries cannot write SQL for 'oracle'.",
        "Choose one of ['athena', 'bigquery', 'clickhouse', 'databricks', 'duckdb', 'impala', "
        "'mysql', 'postgres', 'snowflake', 'sqlite', 'trino'], or let fit_table read the rows.",
    ),
    Message(
        without_ibis,
        SynthesizerInputError,
        'count_queries needs ibis:',
        "install it with pip install 'sdv-prefair[sql]'.",
    ),
]

MESSAGES = [*GIVEN, *TOO_MANY, *ASKED]
