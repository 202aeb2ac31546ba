"""What ``fit`` and its two steps refuse, and what needs a fit."""

import functools
import warnings

import pandas as pd
from rdt.transformers import FloatFormatter, RegexGenerator, UniformEncoder
from sdv.errors import SamplingError, SynthesizerInputError
from sdv.metadata import Metadata

from message_catalogue.arguments import NO_ROLES, PEOPLE, new
from message_catalogue.message import FOLDER, Message
from sdv_prefair import PreFairSynthesizer
from sdv_prefair.errors import DataFormError, NotFittedError, PrivateDataError, UnfairModelError
from sdv_prefair.transformers import CategoryCodes

FRAME = PEOPLE.frame


def fit(frame):
    new().fit({'people': frame})


def fit_codes(**changes):
    synthesizer = new()
    codes = synthesizer.preprocess(PEOPLE.data)['people']
    synthesizer.fit_processed_data({'people': codes.assign(**changes)})


def fit_key(dtype, values=range(60), **about):
    """Fit a table whose key has this format, in a column of this dtype."""
    described = PEOPLE.metadata.to_dict()
    described['tables']['people']['columns']['key'] |= about
    synthesizer = PreFairSynthesizer(
        Metadata.load_from_dict(described), public_ranges=True, **PEOPLE.roles
    )
    synthesizer.fit({'people': FRAME.assign(key=pd.Series(values).astype(dtype))})
    return synthesizer


@functools.cache
def few_keys():
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return fit_key('str', regex_format='[ab]')


def with_chosen_keys():
    synthesizer = new()
    synthesizer.auto_assign_transformers(PEOPLE.data)
    synthesizer.update_transformers({'key': RegexGenerator('[0-9]{3}')})
    synthesizer.fit(PEOPLE.data)
    return synthesizer


def without_roles():
    synthesizer = new(structure='none', **NO_ROLES)
    synthesizer.fit(PEOPLE.data)
    return synthesizer


def report(**options):
    without_roles().create_release_report(path=FOLDER / 'report.html', **options)


TABLES = [
    Message(
        lambda: new().fit([FRAME]),
        DataFormError,
        'The data',
        "must be a DataFrame, or a dictionary of DataFrames such as {'people': df}.",
    ),
    Message(
        lambda: new().fit({'others': FRAME}),
        DataFormError,
        'The data',
        "must hold the one table 'people' that the metadata describes, not ['others'].",
    ),
    Message(
        lambda: fit(FRAME.head(0)),
        PrivateDataError,
        'The table has no rows.',
        'Give at least one.',
    ),
    Message(
        lambda: fit(FRAME.drop(columns='sex')),
        PrivateDataError,
        "Columns ['sex'] are in the metadata but not in the data.",
        'Add them to the data or take them out of the metadata.',
    ),
    Message(
        lambda: fit(FRAME.assign(extra=1)),
        PrivateDataError,
        "Columns ['extra'] are in the data but not in the metadata.",
        'Add them to the metadata or drop them from the data.',
    ),
    Message(
        lambda: fit(pd.concat([FRAME, FRAME[['sex']]], axis=1)),
        PrivateDataError,
        "Columns ['sex'] appear more than once in the data.",
        'Keep one of each.',
    ),
    Message(
        lambda: fit(FRAME.assign(age=pd.array(['old'] * len(FRAME), 'string'))),
        PrivateDataError,
        "Column 'age' is declared as 'numerical' but its dtype does not match:",
        'convert it with pandas.to_numeric, or change its sdtype in the metadata.',
    ),
    Message(
        lambda: fit(FRAME.assign(hired=1.5)),
        PrivateDataError,
        "Column 'hired' is declared as 'datetime' but its dtype does not match:",
        'convert it with pandas.to_datetime, or change its sdtype in the metadata.',
    ),
]

STEPS = [
    Message(
        lambda: new().fit_processed_data({'people': FRAME}),
        PrivateDataError,
        'There is no preprocessed data yet.',
        'Call preprocess or fit first.',
    ),
    Message(
        lambda: fit_codes(sex='F'),
        PrivateDataError,
        'The preprocessed data',
        "must be rows that preprocess returned, with the codes of ['sex', 'education', 'age', "
        "'wage', 'hired', 'home', 'income'] as they are.",
    ),
    Message(
        lambda: new().update_transformers({'age': FloatFormatter()}),
        SynthesizerInputError,
        "Column 'age' cannot use FloatFormatter: it would learn from the rows outside the "
        'privacy budget.',
        'Use CategoryCodes, NumberBins or DatetimeBins of sdv_prefair.transformers, which take '
        'public values and bounds.',
    ),
    Message(
        lambda: new().update_transformers({'note': UniformEncoder()}),
        SynthesizerInputError,
        "Column 'note' is generated, not learnt, so it needs a transformer that generates "
        'values; UniformEncoder does not.',
        'Use one such as AnonymizedFaker or RegexGenerator of rdt.transformers.',
    ),
    Message(
        lambda: new().update_transformers({'badge': RegexGenerator(cardinality_rule='match')}),
        SynthesizerInputError,
        "Column 'badge' cannot use RegexGenerator with cardinality_rule='match': it would count "
        'how often values repeat in the rows, which is private.',
        "Use cardinality_rule='unique', or None.",
    ),
]


class OneValue(CategoryCodes):
    """Shows the same value for all codes."""

    def decode(self, codes, generator):
        return super().decode([0] * len(codes), generator)


def shows_one_value():
    synthesizer = new()
    synthesizer.fit(PEOPLE.data)
    synthesizer.fitted.encoding.transformers['sex'] = OneValue(['F', 'M'])
    return synthesizer


AFTER_A_FIT = [
    Message(
        lambda: shows_one_value().verify_fairness(),
        UnfairModelError,
        "Rows are fair in terms of the model's codes, but values of ['sex'] do not determine "
        'their codes, so the values shown need not be fair.',
        'Do not release it; fit again.',
    ),
    Message(
        lambda: new().get_privacy_ledger(),
        NotFittedError,
        'This synthesizer has not been fitted.',
        'Call fit first.',
    ),
    Message(
        lambda: without_roles().verify_fairness(),
        UnfairModelError,
        'This synthesizer has no roles: there is nothing to verify.',
        'Name protected, admissible and outcome columns when you construct one.',
    ),
    Message(
        lambda: report(real_data='report.html'),
        SynthesizerInputError,
        'real_data must be a dictionary of DataFrames, or None.',
        'To say where to write, use path=.',
    ),
    Message(
        lambda: report(show_real_numbers=True),
        SynthesizerInputError,
        'show_real_numbers',
        'needs real_data, the table that the numbers are computed on.',
    ),
    Message(
        lambda: report(compare_with_mst=True),
        SynthesizerInputError,
        'compare_with_mst fits plain MST to the real table and shows numbers that are not private.',
        'Ask for them: show_real_numbers=True, and give real_data.',
    ),
]

KEYS = [
    Message(
        lambda: fit_key('datetime64[ns]'),
        PrivateDataError,
        "Column 'key' is an id, which dtype 'datetime64[ns]' cannot hold.",
        'Convert it to text.',
    ),
    Message(
        lambda: fit_key('str', regex_format='a{0}'),
        PrivateDataError,
        "Column 'key' has a regex_format that generates no text.",
        'Correct it in the metadata.',
    ),
    Message(
        lambda: fit_key('int64', regex_format='K[0-9]{3}'),
        PrivateDataError,
        "Column 'key' holds numbers, but its regex_format generates characters other than digits.",
        'Convert the column to text, or correct the regex_format in the metadata.',
    ),
    Message(
        lambda: fit_key('int8', regex_format='[1-9][0-9]{2}'),
        PrivateDataError,
        "Column 'key' has a regex_format of up to 3 digits, which its dtype cannot hold.",
        'Convert the column to text or a wider dtype, or allow fewer digits.',
    ),
    Message(
        lambda: fit_key('int64', regex_format='[0-9]{3,4}'),
        PrivateDataError,
        "Column 'key' is a key that holds numbers, but its regex_format allows leading zeros, so "
        'two keys may be the same number.',
        'Convert the column to text, or begin with [1-9].',
    ),
    Message(
        lambda: fit_key('int64', regex_format='[1-9]{1,2}[0-9]{1,2}'),
        PrivateDataError,
        "Column 'key' is a key that holds numbers, but its regex_format generates some of them in "
        'two ways.',
        'Convert the column to text, or write it with one part of varying length, as '
        '[1-9][0-9]{0,5}.',
    ),
    Message(
        lambda: fit_key('int8').sample(200),
        SamplingError,
        "Column 'key' is a key, and its dtype and format allow only 128 keys, fewer than 200 rows.",
        'Sample fewer rows, call reset_sampling to start again, or fit with a wider format or '
        'dtype.',
    ),
    Message(
        lambda: with_chosen_keys().sample_to(FOLDER / 'rows.csv', 9, rows_at_a_time=3),
        SamplingError,
        "Column 'key' is a key, but its transformer may make a value twice in rows that are "
        'sampled in parts.',
        "Use one with cardinality_rule='unique', or none of your own.",
    ),
    Message(
        lambda: few_keys().sample(3),
        UserWarning,
        "The regex for 'key' can only generate 2 unique values.",
        'Additional values may not exactly follow the provided regex.',
    ),
]

MESSAGES = [*TABLES, *STEPS, *AFTER_A_FIT, *KEYS]
