"""All warnings of the package."""

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
from odd_cells import CELLS, objects
from sdv.cag import FixedCombinations, Inequality
from sdv.errors import RefitWarning
from sdv.metadata import Metadata
from sdv.sampling import Condition

from message_catalogue.arguments import PEOPLE, new
from message_catalogue.command_line import SAMPLE, run
from message_catalogue.constraints import fit
from message_catalogue.domains import words
from message_catalogue.message import FOLDER, Message
from message_catalogue.own_constraints import Named
from message_catalogue.sampling import fitted
from message_catalogue.tables import WIDE, described, wide
from sdv_prefair import (
    DomainWarning,
    FairnessWarning,
    NoiseWarning,
    PreFairSynthesizer,
    PrivacyWarning,
    load_release,
)
from sdv_prefair.datasets._dataset import public_metadata
from sdv_prefair.errors import OwnerWarning, PrivateDataError
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.fitting._cautions import warn_of_far_pairs
from sdv_prefair.selection._resolve import resolve_mechanism
from sdv_prefair.selection._trees import UnconstrainedStrategy


class Few(Named):
    """Turns down all rows but seven."""

    def is_valid(self, data):
        return np.arange(len(data)) < 7


def preprocess_again():
    synthesizer = new()
    synthesizer.fit(PEOPLE.data)
    synthesizer.preprocess(PEOPLE.data)


def fit_again():
    synthesizer = new()
    synthesizer.fit(PEOPLE.data)
    synthesizer.fit(PEOPLE.data)


def saved_with_seed():
    """Return the path of a seeded fit."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer = new(seed=1)
        synthesizer.fit(PEOPLE.data)
        synthesizer.save_release(FOLDER / 'seeded.prefair')
    return FOLDER / 'seeded.prefair'


def sample_with_seed():
    path = saved_with_seed()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer = load_release(path)
    synthesizer.sample(3)


def learn_no_combination():
    warnings.filterwarnings('ignore', message='Nothing in column')
    fit(FixedCombinations(['v', 'w']), epsilon=0.01)


def sample_too_few():
    warnings.simplefilter('ignore', NoiseWarning)
    fit(Few()).sample(40, max_tries_per_batch=1)


def declare_other_values():
    (table,) = PEOPLE.data.values()
    lower = table.assign(sex=table['sex'].str.lower())
    new(epsilon=100.0).fit({'people': lower}, check=False)


def look_first(**changed):
    (table,) = PEOPLE.data.values()
    new(epsilon=100.0).fit({'people': table.assign(**changed)})


def name_a_sequence_key():
    columns = {'who': {'sdtype': 'id'}, 'sex': {'sdtype': 'boolean'}}
    table = {'columns': columns, 'sequence_key': 'who'}
    metadata = Metadata.load_from_dict({'tables': {'t': table}})
    PreFairSynthesizer(metadata, epsilon=5.0, structure='none', public_ranges=True)


def fit_two_wide_columns():
    described(a=wide('a'), b=wide('b')).fit_table(WIDE)


def fit_four_hundred_columns():
    """Only the warning of it: the fit would take long."""
    columns = dict.fromkeys((f'c{n}' for n in range(400)), 2)
    warn_of_far_pairs(resolve_mechanism(UnconstrainedStrategy()), columns, Statements())


def declare_what_pandas_guesses():
    words(['NA', 'EU']).fit({'people': pd.DataFrame({'x': ['NA', 'EU']})})


def fit_a_reader():
    column = {'sdtype': 'numerical', 'range_min': 0, 'range_max': 1000, 'decimal_places': 0}
    metadata = public_metadata('t', {'x': column})
    table = pa.table({'x': list(range(1000)) * 5})
    made = PreFairSynthesizer(metadata, epsilon=100.0, public_ranges=True, structure='none')
    made.fit_table(table.to_reader())


def learn_a_tail():
    """Fit a column with many values of a few rows beside one with two values."""
    rows = 8000
    column = {'sdtype': 'categorical'}
    metadata = public_metadata('people', {'sex': column, 'street': column})
    streets = [f'street {row}' if row % 4 == 0 else 'square' for row in range(rows)]
    frame = pd.DataFrame({'sex': ['f', 'm'] * (rows // 2), 'street': streets})
    synthesizer = PreFairSynthesizer(metadata, 10.0, structure='none', public_ranges=False)
    synthesizer.fit({'people': frame})
    return synthesizer


def know_a_rare_value():
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer = learn_a_tail()
    synthesizer.sample_remaining_columns(pd.DataFrame({'street': ['square', 'street 8']}))


def fit_numbers(values, low, high, epsilon=100.0, discretization='private', **about):
    """Fit one column of numbers whose range is declared, in whole numbers that may be missing."""
    column = {'sdtype': 'numerical', 'range_min': low, 'range_max': high, 'decimal_places': 0}
    metadata = public_metadata('t', {'x': column | about})
    table = pd.DataFrame({'x': values})
    given = {'epsilon': epsilon, 'discretization': discretization, 'structure': 'none'}
    PreFairSynthesizer(metadata, public_ranges=True, **given).fit({'t': table})


def fit_binary(frame, **roles):
    """Fit columns of zeros and ones, as texts."""
    binary = {'sdtype': 'categorical', 'range_values': ['0', '1'], 'range_is_nullable': False}
    metadata = public_metadata('t', dict.fromkeys(frame, binary))
    made = PreFairSynthesizer(metadata, epsilon=100.0, public_ranges=True, **roles)
    made.fit({'t': pd.DataFrame(frame).astype(str)})


def admit_a_copy():
    sex = np.arange(2000) % 2
    roles = {'protected': ['sex'], 'admissible': ['title'], 'outcome': ['paid']}
    fit_binary({'sex': sex, 'title': sex, 'paid': (np.arange(2000) // 2) % 2}, **roles)


def leave_out_a_copy():
    rows = np.arange(2000)
    sex, grade, paid = rows % 2, (rows // 2) % 2, (rows // 4) % 2
    roles = {'protected': ['sex'], 'admissible': ['grade'], 'outcome': ['paid']}
    fit_binary({'sex': sex, 'grade': grade, 'paid': paid, 'wage': paid}, **roles)


MESSAGES = [
    Message(
        fit_four_hundred_columns,
        DomainWarning,
        'The table has 79,800 pairs of columns, of which 50,000 are looked at: those with roles, '
        'and those of columns near each other.',
        'Put columns that belong together next to each other in the metadata, or give the pairs '
        'that matter as structure.',
    ),
    Message(
        leave_out_a_copy,
        FairnessWarning,
        'Columns without a role are near copies of outcomes, judging by noisy scores: wage of '
        'paid. No statement covers them, so they may still show the group difference that the '
        'outcomes no longer show.',
        'Make them outcomes too, or drop them, and fit again, which spends budget again.',
    ),
    Message(
        admit_a_copy,
        FairnessWarning,
        'Admissible columns are near copies of protected ones in the model: title of sex. They '
        'let nearly everything through, although every statement holds.',
        'Unless that is intended, remove their role and fit again, which spends budget again; see '
        'explain_fairness().',
    ),
    Message(
        lambda: fit_numbers(np.arange(1000), 20, 120),
        DomainWarning,
        "Most rows of ['x'] are at a bound of their range, judging by the noisy marginals; values "
        'outside were clipped to it.',
        'If the range is too narrow, correct range_min and range_max, and fit again, which spends '
        'budget again.',
    ),
    Message(
        lambda: fit_numbers(np.arange(1000), 0, 1_000_000, discretization='uniform'),
        DomainWarning,
        "One bin holds nearly all rows of ['x'], judging by the noisy marginals: their "
        'distribution within it is lost.',
        "Narrow range_min and range_max, use discretization='private', or give edges with "
        'NumberBins or DatetimeBins, and fit again, which spends budget again.',
    ),
    Message(
        lambda: fit_numbers(np.where(np.arange(1000) % 7, np.nan, np.arange(1000) % 100), 0, 100),
        DomainWarning,
        "Most rows of ['x'] are missing, judging by the noisy marginals; values that cannot be "
        'parsed count as missing.',
        'If that is wrong, correct their sdtype, datetime_format or dtype, and fit again, which '
        'spends budget again.',
    ),
    Message(
        lambda: fit_numbers(np.arange(50), 0, 50, epsilon=0.1),
        NoiseWarning,
        "Noise swamps the columns ['x'] at this epsilon: do not read anything into them.",
        'Fit more rows, fewer columns or fewer bins, or raise epsilon; the release report shows '
        'all that was measured.',
    ),
    Message(
        fit_a_reader,
        DomainWarning,
        "A reader can be read only once, so bins cannot be learnt for ['x'] before they are "
        'counted, and wide ranges get bins of equal width.',
        'Pass something that can be read again, such as files, a dataset or a table; or set '
        "discretization='uniform'.",
    ),
    Message(
        fit_two_wide_columns,
        DomainWarning,
        'Some pairs of columns have too many combinations of values to be measured: a and b. The '
        'model relates such columns through others, or treats them as independent.',
        'To measure these pairs, coarsen the columns: fewer range_values, or a smaller '
        'numeric_bins.',
    ),
    Message(
        declare_what_pandas_guesses,
        DomainWarning,
        "Values of ['x'] differ as text, but pandas treats some of them as equal when it reads a "
        "CSV file, such as 'NA' and null, '01' and '1', or integers above 2^53 beside nulls.",
        "Read such files with dtype=str, keep_default_na=False and na_values=[''].",
    ),
    Message(
        learn_a_tail,
        DomainWarning,
        "Values that are too rare to be learnt make up about 25% of 'street', judging by the noisy "
        'marginals; they come back as one value (argument other) or made up (rare_sdtype or '
        'regex_format in the argument domain).',
        'Declare range_values if they are public, or raise epsilon, and fit again, which spends '
        'budget again.',
    ),
    Message(
        know_a_rare_value,
        DomainWarning,
        "Some of the values given for ['street'] were not learnt: they are too rare, or outside "
        'the learnt range. Their rows are sampled as for all rare values together, as for the '
        'nearest or another learnt value, or as if nothing were given.',
        'If they are public, declare them in the metadata and fit again, which spends budget '
        'again.',
    ),
    Message(
        declare_other_values,
        DomainWarning,
        "Most rows of ['sex'] hold values that range_values does not list, judging by the noisy "
        'marginals; they will come back as missing or as listed values.',
        'Correct the metadata, including spelling and case, and fit again, which spends budget '
        'again.',
    ),
    Message(
        lambda: new(public_ranges=None),
        PrivacyWarning,
        'The ranges in the metadata are treated as public knowledge. If SDV detected them from '
        'the data, they are not:',
        'pass public_ranges=False to learn domains within the budget, or public_ranges=True once '
        'they are written by hand.',
    ),
    Message(
        lambda: run('fit {f}/people.csv --metadata {f}/metadata.json --out {f}/z.prefair'),
        PrivacyWarning,
        'The ranges in the metadata are treated as public knowledge. If SDV detected them from '
        'the data, they are not:',
        'pass --learn-ranges, or --ranges-are-public once they are written by hand.',
    ),
    Message(
        lambda: run(
            'fit {f}/people.csv --metadata {f}/metadata.json --out {f}/z.prefair '
            '--ranges-are-public --epsilon 21'
        ),
        PrivacyWarning,
        'epsilon (21) is above 20. A guess at even odds whether someone is in the table is right '
        'at most 92.7 % of the time; a coin toss, 50 %.',
        'Use 10 at most for what is handed out, or keep the result with the rows.',
    ),
    Message(
        lambda: run(SAMPLE + ' --quiet --where sex=F --where income=low'),
        FairnessWarning,
        "Conditions on ['income', 'sex'] tie protected columns to outcomes past the admissible "
        'ones (sex - income), so the fairness guarantee does not cover these rows.',
        'To stay covered, condition on columns of one side only, or on admissible ones.',
    ),
    Message(
        lambda: new(epsilon=50),
        PrivacyWarning,
        'epsilon (50) is above 20. A guess at even odds whether someone is in the table is right '
        'at most 99.8 % of the time; a coin toss, 50 %.',
        'Use 10 at most for what is handed out, or keep the result with the rows.',
    ),
    Message(
        lambda: new(delta=1e-4),
        PrivacyWarning,
        'delta (0.0001) is above 1e-05: from one over the number of rows on, publishing a row at '
        'random would satisfy it.',
        'Choose it well below that, for example 1e-9, which costs little.',
    ),
    Message(
        lambda: new(epsilon=0.001),
        NoiseWarning,
        'epsilon (0.001) is below 0.01: noise swamps everything unless there are millions of rows.',
        'See sdv-prefair plan for what is left of each column, and use a larger epsilon if that is '
        'too little.',
    ),
    Message(
        lambda: new(seed=1).fit(PEOPLE.data),
        PrivacyWarning,
        'seed is given: anyone who knows it can subtract the noise. This fit is not private:',
        'leave seed out before you release anything.',
    ),
    Message(
        fit_again,
        PrivacyWarning,
        'This synthesizer has spent rho = 0.0166 on earlier attempts, and budgets add up: with '
        'this one it is rho = 0.0331, so epsilon = 1.44 where delta = 1e-09, for people who are '
        'in every table.',
        'Count all of it, see get_privacy_account(), or give a table of other people.',
    ),
    Message(
        lambda: load_release(saved_with_seed()),
        PrivacyWarning,
        'The fit that was opened used a seed: anyone who knows it can subtract the noise.',
        'It is not private: do not release it; fit again without a seed.',
    ),
    Message(
        sample_with_seed,
        PrivacyWarning,
        'These rows come from a fit that used a seed, so they are not private.',
        'Do not release them; fit again without a seed.',
    ),
    Message(
        lambda: new(public_ranges=False, epsilon=0.01).fit(PEOPLE.data),
        PrivacyWarning,
        "Nothing in column 'age' stood out from the noise, so its domain could not be learnt "
        'within the budget.',
        'Declare range_min and range_max in the metadata if they are public, or raise epsilon.',
    ),
    Message(
        learn_no_combination,
        PrivacyWarning,
        "No combination of ['v', 'w'] stood out from the noise: all combinations of their "
        'declared values are allowed.',
        'List those that may occur with sdv_prefair.constraints.PublicCombinations if they are '
        'public, or raise epsilon.',
    ),
    Message(
        lambda: fitted().sample_from_conditions([Condition({'sex': 'F', 'income': 'high'}, 2)]),
        FairnessWarning,
        "Conditions on ['income', 'sex'] tie protected columns to outcomes past the admissible "
        'ones (sex - income), so the fairness guarantee does not cover these rows.',
        'To stay covered, condition on columns of one side only, or on admissible ones.',
    ),
    Message(
        lambda: fit().add_constraints([Inequality('x', 'y')]),
        RefitWarning,
        'For these constraints to take effect,',
        "please refit the synthesizer using 'fit'.",
    ),
    Message(
        preprocess_again,
        RefitWarning,
        'This model has already been fitted.',
        "To use the new preprocessed data, please refit the model using 'fit' or "
        "'fit_processed_data'.",
    ),
    Message(
        sample_too_few,
        UserWarning,
        'Only 7 of 40 rows satisfied the constraints.',
        "Raise 'max_tries_per_batch' or 'batch_size', or leave out a constraint that the model "
        'rarely satisfies.',
    ),
    Message(
        lambda: look_first(sex=['X', *(['F'] * (len(PEOPLE.data['people']) - 1))]),
        OwnerWarning,
        'NOT PRIVATE: computed on the real rows, for those who may see them. Do not publish it. '
        f'Of {len(PEOPLE.data["people"])} rows looked at: '
        'sex: 1 rows have a value that range_values does not list.',
        'check() says what a fit does with them and what to do; check=False leaves this out.',
    ),
    Message(
        lambda: look_first(
            sex=objects([CELLS['unruly'], *(['F'] * (len(PEOPLE.data['people']) - 1))])
        ),
        OwnerWarning,
        'NOT PRIVATE: computed on the real rows, for those who may see them. Do not publish it. '
        'The rows could not be looked at before the fit: some cell cannot be compared or printed.',
        'The fit goes on without; check=False leaves this out.',
    ),
    Message(
        lambda: look_first(sex='X'),
        PrivateDataError,
        'NOT PRIVATE, for the owner of the rows only: columns would be lost, so nothing was spent. '
        "check=False, or --unchecked, fits all the same. Column 'sex': its rows have a value that "
        'range_values does not list.',
        'A fit redistributes them over all values. List all values that can occur, or name other=.',
    ),
    Message(
        name_a_sequence_key,
        PrivacyWarning,
        "The metadata's sequence key is 'who', so persons have several rows, but only single rows "
        'are protected: for a person with 10 rows epsilon is about 80.5, not 5.',
        'To protect persons, pass person_column and max_rows_per_person.',
    ),
]
