"""Queries that the model cannot answer, and results that cannot be combined."""

import functools

import numpy as np

from message_catalogue.arguments import PEOPLE, new
from message_catalogue.message import Message
from message_catalogue.sampling import fitted
from sdv_prefair.errors import QueryError
from sdv_prefair.inference import Difference, Mean, Quantile, Share, combine

UNREADABLE = 'The query cannot be read.'
FORMS = (
    'Write it as "income", "sex, income", "income by sex", "income=high by sex", "mean of age by '
    'sex", "quantile 0.9 of age" or "difference in income by sex".'
)
SAME_COLUMN = 'A share must be of one column at least, and of none that is a condition, too.'


@functools.cache
def replicated():
    synthesizer = new()
    synthesizer.fit(PEOPLE.data)
    synthesizer.replicates(2, seed=0, progress=False)
    return synthesizer


def ask(query, **options):
    return lambda: fitted().estimate(query, **options)


def statistic(function):
    return lambda: replicated().estimate_statistic(function, 5, progress=False)


class _Growing:
    """A statistic with one number more for each table."""

    def __init__(self):
        self.calls = 0

    def __call__(self, table):
        self.calls += 1
        return np.zeros(self.calls)


NAMES = [
    Message(
        ask('difference in income by sex'),
        QueryError,
        "The query asks how ['income'] depends on ['sex']. The model leaves that out on purpose, "
        'apart from what admissible columns explain, so it does not say how it is in the private '
        'table.',
        'For the fair table, ask with in_the_fair_table=True, or --in-the-fair-table.',
    ),
    Message(
        ask(['sex', 'planet']),
        QueryError,
        "The model does not have the columns ['planet']: it is of ['sex', 'education', 'age', "
        "'wage', 'hired', 'home', 'income'].",
        'Ask for these; for columns that constraints make or that are made up, use '
        'estimate_statistic.',
    ),
    Message(
        ask(Share({'sex': 'martian'})),
        QueryError,
        "The query asks for a value that column 'sex' cannot show.",
        'Ask for one of its domain, written as the column writes it, or for a bin as estimate '
        'shows it.',
    ),
    Message(
        ask(Mean('sex')),
        QueryError,
        "Column 'sex' holds no numbers: it has no mean and no quantile.",
        'Ask for its shares, or for a column of numbers.',
    ),
    Message(
        ask(['age', 'wage', 'hired']),
        QueryError,
        'The answer would have more than 20,000 lines.',
        'Name fewer columns, or give values for some of them.',
    ),
    Message(
        ask(Share({'sex': 'F'}, given={
            'age': 30, 'wage': 20.0, 'hired': '01/01/2010', 'home': 'own', 'education': 'college',
            'income': 'low',
        })),
        QueryError,
        'The query names columns whose values have too many combinations.',
        'Name fewer columns.',
    ),
]  # fmt: skip

QUERIES = [
    Message(
        lambda: Share([['sex']]),
        QueryError,
        "of ([['sex']])",
        'must be a column, a list of different columns, or a dictionary from columns to values.',
    ),
    Message(
        lambda: Share('sex', given='sex'),
        QueryError,
        SAME_COLUMN,
        'Name other columns in of or in given.',
    ),
    Message(
        lambda: Mean('age', given='age'),
        QueryError,
        'column',
        'must be the name of a column that is not also a condition.',
    ),
    Message(
        lambda: Quantile('age', 1),
        QueryError,
        'share (1) of a quantile',
        'must be between 0 and 1.',
    ),
    Message(
        lambda: Difference('income', 'sex'),
        QueryError,
        'A difference',
        'must be of a Share, a Mean or a Quantile.',
    ),
    Message(
        lambda: Difference(Share('income'), {'sex': 'F'}),
        QueryError,
        "between ({'sex': 'F'})",
        'must be a column, or a dictionary from one column to two values.',
    ),
    Message(
        ask(Difference(Share('income'), {'sex': ('F', 'F')})),
        QueryError,
        "Both groups of a difference are one value of 'sex', or in one bin.",
        'Name two that the model distinguishes.',
    ),
    Message(
        ask(Difference(Share('sex'), 'sex')),
        QueryError,
        "A difference between values of 'sex'",
        'must be of something that does not name that column. Take it out of the share, the mean '
        'or the quantile.',
    ),
    Message(
        ask('sex', level=95),
        QueryError,
        'level (95)',
        'must be between 0 and 1, as 0.95.',
    ),
    *(
        Message(ask(text), QueryError, UNREADABLE, FORMS)
        for text in ('', 'difference in income', 'mean of age, wage', 'quantile 0.1.2 of age')
    ),
]

RESULTS = [
    Message(
        lambda: combine([1.0], [1.0]),
        QueryError,
        'estimates and variances',
        'must be lists of the same length, two at least: one of each for every table.',
    ),
    Message(
        lambda: combine([1.0, np.nan], [1.0, 1.0]),
        QueryError,
        'estimates',
        'must be finite, and variances must not be negative.',
    ),
    Message(
        statistic(5),
        QueryError,
        'function (5)',
        'must take a table and return a number, or several as an array, a Series or a dictionary.',
    ),
    Message(
        statistic(lambda table: 'many'),
        QueryError,
        'The function',
        'must return a number, or several as an array, a Series or a dictionary.',
    ),
    Message(
        statistic(_Growing()),
        QueryError,
        'The function',
        'must return equally many numbers for every table.',
    ),
]

PICTURES = [
    Message(
        lambda: fitted().compare_plot(PEOPLE.data, PEOPLE.data, ['sex', 'email']),
        QueryError,
        "columns (['sex', 'email'])",
        "must be a modelled column, or a list of two: these are ['sex', 'education', 'age', "
        "'wage', 'hired', 'home', 'income'].",
    ),
]

MESSAGES = [*NAMES, *QUERIES, *RESULTS, *PICTURES]
