"""What ``fit`` and its two steps refuse, and what needs a fit."""

import pandas as pd
from rdt.transformers import FloatFormatter, UniformEncoder
from sdv.errors import SynthesizerInputError

from message_catalogue.arguments import NO_ROLES, PEOPLE, new
from message_catalogue.message import FOLDER, Message
from sdv_prefair.errors import NotFittedError, PrivateDataError, UnfairModelError
from sdv_prefair.transformers import CategoryCodes

FRAME = PEOPLE.frame


def fit(frame):
    new().fit({'people': frame})


def fit_codes(**changes):
    synthesizer = new()
    codes = synthesizer.preprocess(PEOPLE.data)['people']
    synthesizer.fit_processed_data({'people': codes.assign(**changes)})


def without_roles():
    synthesizer = new(structure='none', **NO_ROLES)
    synthesizer.fit(PEOPLE.data)
    return synthesizer


def report(**options):
    without_roles().create_release_report(path=FOLDER / 'report.html', **options)


TABLES = [
    Message(
        lambda: new().fit(FRAME),
        PrivateDataError,
        'The data',
        "must be a dictionary of DataFrames, as in {'people': df}.",
    ),
    Message(
        lambda: new().fit({'others': FRAME}),
        PrivateDataError,
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
        "Columns ['sex'] stand more than once in the data.",
        'Keep one of each.',
    ),
    Message(
        lambda: fit(FRAME.assign(age=pd.array(['old'] * len(FRAME), 'string'))),
        PrivateDataError,
        "Column 'age' is declared as 'numerical' but its dtype holds something else:",
        'convert it with pandas.to_numeric, or change its sdtype in the metadata.',
    ),
    Message(
        lambda: fit(FRAME.assign(hired=1.5)),
        PrivateDataError,
        "Column 'hired' is declared as 'datetime' but its dtype holds something else:",
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
        "Rows are fair by the codes of the model, but values of ['sex'] do not tell their codes, "
        'so what is shown need not be fair.',
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
        'Name protected, admissible and outcome columns when you make one.',
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

MESSAGES = [*TABLES, *STEPS, *AFTER_A_FIT]
