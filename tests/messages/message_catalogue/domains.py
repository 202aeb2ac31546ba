"""What the metadata may not say of a column, and transformers that are made by hand."""

from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
from sdv.cag import FixedIncrements
from sdv.metadata import Metadata

from message_catalogue.message import Message
from sdv_prefair import PreFairSynthesizer
from sdv_prefair.columns._facts import Undeclared
from sdv_prefair.domain import public_domain
from sdv_prefair.errors import DomainError
from sdv_prefair.transformers import (
    CategoryCodes,
    DatetimeBins,
    NumberBins,
    transformer_for,
)


def described(**column):
    """Make a synthesizer for a table of one column."""
    tables = {'people': {'columns': {'x': column}}}
    metadata = Metadata.load_from_dict({'tables': tables})
    return PreFairSynthesizer(metadata, structure='none', public_ranges=True)


def public(**column):
    tables = {'people': {'columns': {'x': column}}}
    return public_domain(Metadata.load_from_dict({'tables': tables}), True)


def words(values, **more):
    return described(sdtype='categorical', range_values=values, **more)


def named(other, **more):
    """Make a synthesizer for a table of one column whose values have to be learnt."""
    columns = {'x': {'sdtype': 'categorical', **more}}
    metadata = Metadata.load_from_dict({'tables': {'people': {'columns': columns}}})
    return PreFairSynthesizer(metadata, structure='none', public_ranges=True, other=other)


def number(low, high, **more):
    return described(sdtype='numerical', range_min=low, range_max=high, **more)


def moment(low, high, written=None):
    return described(sdtype='datetime', datetime_format=written, range_min=low, range_max=high)


def two_tables():
    column = {'columns': {'x': {'sdtype': 'numerical'}}}
    return Metadata.load_from_dict({'tables': {'one': column, 'two': column}})


METADATA = [
    Message(
        lambda: public(sdtype='categorical', missing_values='NA'),
        DomainError,
        "Column 'x' of the metadata: missing_values ('NA') must be a list of texts, as in ['NA', "
        "'?'].",
        'Numbers such as -9 are values: make them null before a fit.',
    ),
    Message(
        lambda: public(sdtype='categorical', range_values=['NA', 'b'], missing_values=['NA']),
        DomainError,
        "Column 'x' of the metadata: missing_values lists 'NA', and so does range_values.",
        'Leave it out of one of them.',
    ),
    Message(
        lambda: words(['a', '']),
        DomainError,
        "Column 'x' of the metadata: range_values lists '', which looks like null in a CSV file.",
        'Leave it out, so that it counts as null, or set range_is_nullable to False if it stands '
        'for null.',
    ),
    Message(
        lambda: words([1, '1']),
        DomainError,
        "Column 'x' of the metadata: range_values lists 1 and '1', which look the same in a CSV "
        'file or are equal.',
        'Keep one of them, and convert the column.',
    ),
    Message(
        lambda: words([['a']]),
        DomainError,
        "Column 'x' of the metadata: range_values",
        'must be single values such as strings.',
    ),
    Message(
        lambda: CategoryCodes(['a', None]),
        DomainError,
        'range_values must not contain null.',
        'Use range_is_nullable.',
    ),
    Message(
        lambda: words(['a', 'a']),
        DomainError,
        "Column 'x' of the metadata: range_values must not repeat a value.",
        'List every value once.',
    ),
    Message(
        lambda: public(sdtype='categorical', range_groups=0),
        DomainError,
        "Column 'x' of the metadata: range_groups (0)",
        "must be lists of values by groups, as in {'north': ['Oslo', 'Malmo'], 'south': ['Rome']}, "
        'or a number of characters, 1 or more, that values of a group have in common at their '
        'beginning.',
    ),
    Message(
        lambda: public(sdtype='categorical', range_values=['a'], range_groups={'g': ['a', 'b']}),
        DomainError,
        "Column 'x' of the metadata: range_groups lists 'b' twice, or though "
        'range_values does not have it.',
        'List every declared value once at most.',
    ),
    Message(
        lambda: public(sdtype='categorical', range_values=['a'], regex_format='[a-z]'),
        DomainError,
        "Column 'x' of the metadata: regex_format and rare_sdtype say how to make up values that "
        'are too rare to be learnt, but range_values or range_groups list all values.',
        'Leave one of them out.',
    ),
    Message(
        lambda: public(sdtype='categorical', rare_sdtype='city', regex_format='[a-z]'),
        DomainError,
        "Column 'x' of the metadata: rare_sdtype says how to make up rare values, and so does "
        'regex_format, alone or with range_groups as a number.',
        'Leave one of them out.',
    ),
    Message(
        lambda: public(sdtype='categorical', rare_sdtype='json'),
        DomainError,
        "Column 'x' of the metadata: rare_sdtype ('json') must be the sdtype of texts that can be "
        'made up.',
        "Use 'city', 'postcode', 'email', 'company' or another that docs/choosing.md lists.",
    ),
    Message(
        lambda: public(sdtype='categorical', regex_format='a.b'),
        DomainError,
        "Column 'x' of the metadata: regex_format ('a.b') must be a regular expression of "
        'letters, digits, classes, repetitions, groups and alternatives, for strings of 1 to 1000 '
        'letters.',
        'Use one such as [0-9]{5}.',
    ),
    Message(
        lambda: CategoryCodes(['a'], groups=[0, 1]),
        DomainError,
        'groups',
        'must be one integer for every value, or none at all.',
    ),
    Message(
        lambda: public(sdtype='categorical', range_values=[]),
        DomainError,
        "Column 'x' of the metadata: range_values must be a list of one or more values.",
        'List them, or remove the key to have the values learnt privately.',
    ),
    Message(
        lambda: public(sdtype='boolean', range_is_nullable='no'),
        DomainError,
        "Column 'x' of the metadata: range_is_nullable",
        'must be True or False.',
    ),
    Message(
        lambda: NumberBins(2, 1),
        DomainError,
        'range_min must not be above range_max.',
        'Swap or correct them.',
    ),
    Message(
        lambda: number(-1e308, 1e308),
        DomainError,
        "Column 'x' of the metadata: range_max - range_min is too large for a float.",
        'Narrow the range.',
    ),
    Message(
        lambda: number(0.1, 0.2, decimal_places=0),
        DomainError,
        "Column 'x' of the metadata: no number with 0 decimal places lies between range_min and "
        'range_max.',
        'Widen the range or raise decimal_places.',
    ),
    Message(
        lambda: NumberBins('a', 1),
        DomainError,
        'range_min',
        'must be a number.',
    ),
    Message(
        lambda: number(0, np.inf),
        DomainError,
        "Column 'x' of the metadata: range_max must be finite.",
        'Declare a bound that no value can exceed.',
    ),
    Message(
        lambda: NumberBins(0, 1, decimal_places=-1),
        DomainError,
        'decimal_places',
        'must be an integer, 0 or more.',
    ),
    Message(
        lambda: moment('2020-01-01', '2021-01-01T00:00:00+00:00'),
        DomainError,
        "Column 'x' of the metadata: range_min and range_max",
        'must both name an offset, or neither.',
    ),
    Message(
        lambda: DatetimeBins('2021-01-01', '2020-01-01'),
        DomainError,
        'range_min must not be after range_max.',
        'Swap or correct them.',
    ),
    Message(
        lambda: DatetimeBins('01/02/2020', '2021-01-01', '%Y-%m-%d'),
        DomainError,
        "range_min must be in the format '%Y-%m-%d'.",
        'Correct it or the datetime_format.',
    ),
    Message(
        lambda: DatetimeBins('soon', 'later'),
        DomainError,
        'range_min must be written as 2024-01-31.',
        'Correct it or the datetime_format.',
    ),
    Message(
        lambda: public_domain(two_tables(), True),
        DomainError,
        'The metadata',
        'must have exactly one table.',
    ),
]


def fit_decimals(high, *constraints):
    """Fit a column of decimals that hold one digit before the point."""
    column = pd.array([1], dtype=pd.ArrowDtype(pa.decimal128(3, 2)))
    synthesizer = number(0, high)
    synthesizer.add_constraints(list(constraints))
    synthesizer.fit({'people': pd.DataFrame({'x': column})})


def fit_chosen(*transformers):
    """Fit a column of text with a transformer that the user chose."""
    synthesizer, table = words(['a', 'b']), {'people': pd.DataFrame({'x': ['a', 'b']})}
    synthesizer.auto_assign_transformers(table)
    for transformer in transformers:
        synthesizer.update_transformers({'x': transformer})
    synthesizer.fit(table)


DTYPES = [
    Message(
        lambda: fit_decimals(high=4e9),
        DomainError,
        "Column 'x': a column of dtype 'decimal128(3, 2)[pyarrow]' cannot hold any value of the "
        'range.',
        'Convert the column, or correct the range.',
    ),
    Message(
        lambda: fit_decimals(4e9, FixedIncrements('x', 1)),
        DomainError,
        "Column 'x': dtype 'decimal128(3, 2)[pyarrow]' cannot hold what the metadata declares.",
        'Convert the column or correct its sdtype.',
    ),
    Message(
        lambda: fit_chosen(CategoryCodes(['a', ''])),
        DomainError,
        "Values of ['x'] would not determine their codes: two codes may look the same in a table "
        'or in a CSV file.',
        'Give these columns other transformers, whose values differ as text, or other dtypes.',
    ),
    Message(
        lambda: words(['a']).fit({'people': pd.DataFrame({'x': [1, 2]})}),
        DomainError,
        "Column 'x': a column of dtype 'int64' cannot hold the declared values.",
        "Declare range_values of the column's own type, numbers or strings.",
    ),
]

OTHERS = [
    Message(
        lambda: named('rest', regex_format='[a-z]').fit({'people': pd.DataFrame({'x': [1, 2]})}),
        DomainError,
        "Column 'x': range_groups, regex_format and rare_sdtype are about texts, and a column of "
        "dtype 'int64' holds none.",
        'Convert the column to text, or leave them out.',
    ),
    Message(
        lambda: named(3),
        DomainError,
        'other (3) must be a string, or a dictionary from columns to values, as in',
        "{'country': 'elsewhere'}.",
    ),
    Message(
        lambda: named({'y': 'rest'}),
        DomainError,
        "other names 'y', which is not a modelled categorical or ordinal column.",
        'Correct the name, or take it out.',
    ),
    Message(
        lambda: named({'x': ['rest']}),
        DomainError,
        "other of 'x' must be a single value such as a string or a number.",
        'Name one, or leave the column out.',
    ),
    Message(
        lambda: named({'x': 'a'}, range_values=['a', 'b']),
        DomainError,
        "Column 'x': other ('a') must look different from null and from every value of "
        'range_values.',
        'Name a value that the column does not have.',
    ),
    Message(
        lambda: named({'x': 'rest'}).fit({'people': pd.DataFrame({'x': [1, 2]})}),
        DomainError,
        "Column 'x': other ('rest') does not fit into a column of dtype 'int64'.",
        'Give a value of its type, or leave the column out.',
    ),
]

TRANSFORMERS = [
    Message(
        lambda: NumberBins(0, 1, bins=0),
        DomainError,
        'bins',
        'must be an integer, 1 or more.',
    ),
    Message(
        lambda: NumberBins(0.2, 0.8, dtype=np.dtype('int64')),
        DomainError,
        'no integer lies between low and high.',
        'Widen the range.',
    ),
    Message(
        lambda: CategoryCodes([], other=False),
        DomainError,
        'values',
        'must not be empty without an "other" code.',
    ),
    Message(
        lambda: CategoryCodes(['a'], weights=[-1]),
        DomainError,
        'weights',
        'must be one number, 0 or more, for every declared value.',
    ),
    Message(
        lambda: CategoryCodes([1, True], dtype='category'),
        DomainError,
        'a category dtype cannot hold the declared values: pandas treats some of them as equal, '
        'such as 1 and True.',
        'Declare range_values of one type.',
    ),
    Message(
        lambda: CategoryCodes(['a'], dtype=np.dtype('int64')),
        DomainError,
        "a column of dtype 'int64' cannot hold the declared values.",
        "Declare range_values of the column's own type, numbers or strings.",
    ),
    Message(
        lambda: CategoryCodes(['a']).fit(pd.DataFrame({'x': [1]}), 'x'),
        DomainError,
        "Column 'x': a column of dtype 'int64' cannot hold the declared values.",
        "Declare range_values of the column's own type, numbers or strings.",
    ),
    Message(
        lambda: DatetimeBins(pd.Timestamp('1999'), pd.Timestamp('2020'), '%m', dtype='object'),
        DomainError,
        "timestamps from range_min to range_max cannot be distinguished in the format '%m' and "
        "the dtype 'object'.",
        'Use a format that includes everything, such as the year and AM or PM, or narrow the '
        'range to what the format can express.',
    ),
    Message(
        lambda: DatetimeBins('2020-01-01', '2021-01-01').decode([99], None),
        ValueError,
        'codes',
        'must be integers from 0 to 32.',
    ),
    Message(
        lambda: transformer_for(Undeclared('numbers'), 9),
        DomainError,
        'the domain is not declared:',
        'learn it before it is encoded.',
    ),
]

SHAPES = [
    Message(partial(NumberBins, 0, 9, **shape), DomainError, *texts)
    for shape, *texts in [
        ({'weights': [1]}, 'finer and weights need edges.', 'Pass edges too.'),
        ({'edges': [1], 'weights': [1, -1]}, 'weights', 'must be finite numbers, 0 or more.'),
        (
            {'edges': [1], 'weights': [1]},
            'weights',
            'must be one more than there are edges and finer cuts.',
        ),
        (
            {'edges': [0], 'weights': [1, 1]},
            'edges',
            'must be above the lower end of the range and within it.',
        ),
        ({'edges': [2, 1], 'weights': [1, 1, 1]}, 'edges', 'must be increasing.'),
        ({'edges': [2], 'finer': [2]}, 'finer', 'must not repeat edges.'),
    ]
]


def given(domain, **column):
    """Make a synthesizer for a table of one column, with facts beside its metadata."""
    tables = {'people': {'columns': {'x': {'sdtype': 'numerical'} | column}}}
    metadata = Metadata.load_from_dict({'tables': tables})
    return PreFairSynthesizer(metadata, structure='none', public_ranges=True, domain=domain)


GIVEN = [
    Message(
        lambda: given([1]),
        DomainError,
        'domain ([1])',
        "must be a dictionary from columns to facts, as in {'age': {'range_min': 0, 'range_max': "
        '99}}, or the path of a metadata file.',
    ),
    Message(
        lambda: given({'x': {'lowest': 1}}),
        DomainError,
        "domain gives ['lowest'] for 'x', which are not known keys.",
        "Use ['sdtype', 'datetime_format', 'regex_format', 'rare_sdtype', "
        "'missing_values', 'range_min', "
        "'range_max', 'range_values', 'range_is_nullable', 'decimal_places', 'high_cardinality', "
        "'range_groups'].",
    ),
    Message(
        lambda: given({'y': {'range_min': 1}}),
        DomainError,
        "domain names ['y'], which the metadata does not have.",
        "Correct the names: its columns are ['x'].",
    ),
    Message(
        lambda: given({'x': {'range_min': 1}}, range_min=0),
        DomainError,
        "domain and metadata contradict each other: range_min of 'x' is 1 in one and 0 in the "
        'other.',
        'Correct one of them.',
    ),
    Message(
        lambda: given(
            {'x': {'high_cardinality': True}}, sdtype='categorical', range_values=['a', 'b']
        ),
        DomainError,
        "domain and metadata contradict each other: 'x' has range_values and high_cardinality.",
        'Leave one of them out.',
    ),
]

MESSAGES = [*METADATA, *DTYPES, *OTHERS, *TRANSFORMERS, *SHAPES, *GIVEN]
