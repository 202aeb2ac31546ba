"""What the constructor refuses: roles, numbers, names."""

import math

from people import people
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from message_catalogue.message import Message
from sdv_prefair import PreFairSynthesizer, risk
from sdv_prefair.errors import BudgetError, RolesError, StructureError
from sdv_prefair.privacy import PrivacyCurve

PEOPLE = people(60)
CURVE = PrivacyCurve(0.5)
NO_ROLES = {'protected': (), 'admissible': (), 'outcome': ()}


def new(**changes):
    arguments = {'public_ranges': True} | PEOPLE.roles | changes
    return PreFairSynthesizer(PEOPLE.metadata, **arguments)


def only_a_key():
    columns = {'key': {'sdtype': 'id'}}
    tables = {'people': {'primary_key': 'key', 'columns': columns}}
    return Metadata.load_from_dict({'tables': tables})


def described(**column):
    tables = {'people': {'columns': {'age': column}}}
    return PreFairSynthesizer(Metadata.load_from_dict({'tables': tables}))


METADATA = [
    Message(
        lambda: described(sdtype='numerical', range_mim=0),
        SynthesizerInputError,
        "Column 'age' of the metadata has the key 'range_mim', which nothing reads.",
        "Correct it. Did you mean 'range_min'?",
    ),
    Message(
        lambda: described(sdtype='categorial'),
        SynthesizerInputError,
        "Column 'age' of the metadata has the sdtype 'categorial', which SDV does not have.",
        "Correct it. Did you mean 'categorical'?",
    ),
    Message(
        lambda: new(numerical_distributions={'age': 'beta'}),
        TypeError,
        "numerical_distributions is an argument of SDV's copulas.",
        "Leave it out: a fit here learns each column's distribution as counts, within the privacy "
        'budget.',
    ),
    Message(
        lambda: new(protcted=['sex']),
        TypeError,
        "PreFairSynthesizer has no argument 'protcted'.",
        "Did you mean 'protected'?",
    ),
    Message(
        lambda: PreFairSynthesizer(None),
        SynthesizerInputError,
        "metadata (of type NoneType) must be SDV's Metadata.",
        'Load it with FairMetadata.load_from_json(path), or let sdv-prefair domain write a file to '
        'fill in.',
    ),
    Message(
        lambda: PreFairSynthesizer(PEOPLE.data),
        SynthesizerInputError,
        "metadata must be SDV's Metadata, not a DataFrame.",
        'Describe the table first: sdv-prefair domain writes a file to fill in.',
    ),
    Message(
        lambda: PreFairSynthesizer(PEOPLE.metadata.to_dict()),
        SynthesizerInputError,
        "metadata must be SDV's Metadata, not a dictionary.",
        'Use FairMetadata.load_from_dict(metadata), which takes roles too.',
    ),
    Message(
        lambda: PreFairSynthesizer('metadata.json'),
        SynthesizerInputError,
        "metadata must be SDV's Metadata, not a path.",
        'Use FairMetadata.load_from_json(metadata), which reads roles too.',
    ),
    Message(
        lambda: PreFairSynthesizer(PEOPLE.frame),
        SynthesizerInputError,
        "metadata must be SDV's Metadata, not a DataFrame.",
        'Describe the table first: sdv-prefair domain writes a file to fill in.',
    ),
    Message(
        lambda: PreFairSynthesizer((PEOPLE.metadata, None)),
        SynthesizerInputError,
        'metadata is the pair that load_metadata returns.',
        'Take it apart: metadata, roles = load_metadata(path), then '
        'PreFairSynthesizer(metadata, fairness=roles).',
    ),
]

ROLES = [
    Message(
        lambda: new(**NO_ROLES),
        RolesError,
        'protected, admissible and outcome must each name at least one column, for example '
        "protected=['sex'], admissible=['education'], outcome=['income'].",
        "For a private synthesizer without a fairness guarantee ask for structure='planned', or "
        "for a tree with structure='none'.",
    ),
    Message(
        lambda: new(protected=['zip']),
        RolesError,
        "protected names the column 'zip', which is not in the metadata.",
        "Correct the name: its columns are ['key', 'email', 'sex', 'education', 'age', 'wage', "
        "'hired', 'home', 'income', 'badge', 'group', 'note'].",
    ),
    Message(
        lambda: new(protected=['email']),
        RolesError,
        "protected names the column 'email', which is not modelled: keys, ids, personal (pii) "
        "and 'unknown' columns are generated, not learnt, so they carry no dependence.",
        "Take it out of the list, or give it a statistical sdtype such as 'categorical' in the "
        'metadata.',
    ),
    Message(
        lambda: new(outcome='income'),
        RolesError,
        "outcome ('income') must be a list of column names.",
        "Write outcome=['income'].",
    ),
    Message(
        lambda: new(outcome=3),
        RolesError,
        'outcome (3)',
        'must be a list of column names.',
    ),
    Message(
        lambda: new(outcome=[['income']]),
        RolesError,
        "outcome ([['income']])",
        'must be one list of column names, without lists in it.',
    ),
    Message(
        lambda: new(protected=['sex', 'sex']),
        RolesError,
        "protected names a column more than once: ['sex'].",
        'Name it once.',
    ),
    Message(
        lambda: new(protected=['income']),
        RolesError,
        "protected and outcome both name ['income']. A column has at most one role:",
        'take it out of one of the lists.',
    ),
    Message(
        lambda: new(protected=[], admissible=[]),
        RolesError,
        'protected and admissible must name at least one column.',
        'Justifiable fairness needs protected, admissible and outcome columns; use '
        "structure='none' without any roles for a plain private synthesizer.",
    ),
]

NUMBERS = [
    Message(
        lambda: new(epsilon=0),
        BudgetError,
        'epsilon (0)',
        'must be a finite number above 0, for example 1.0.',
    ),
    Message(
        lambda: new(epsilon=math.nan),
        BudgetError,
        'epsilon (nan)',
        'must be a finite number above 0, for example 1.0.',
    ),
    Message(
        lambda: new(epsilon=PEOPLE.frame),
        BudgetError,
        'epsilon (of type DataFrame)',
        'must be a finite number above 0, for example 1.0.',
    ),
    Message(
        lambda: new(delta=1),
        BudgetError,
        'delta (1)',
        'must be between 0 and 1, both excluded; choose it well below one over the number of '
        'people, for example 1e-9.',
    ),
    Message(
        lambda: new(epsilon=1e300),
        BudgetError,
        'epsilon (1e+300)',
        'must be between 1e-30 and 1e+09.',
    ),
    Message(
        lambda: new(delta=1e-300),
        BudgetError,
        'delta (1e-300)',
        'must be at least 1e-30 and below 0.1; choose it well below one over the number of people, '
        'for example 1e-9.',
    ),
    Message(
        lambda: new(delta=0.1),
        BudgetError,
        'delta (0.1)',
        'must be at least 1e-30 and below 0.1; choose it well below one over the number of people, '
        'for example 1e-9.',
    ),
    Message(
        lambda: CURVE.guess(prior=1.0),
        BudgetError,
        'prior (1.0)',
        'must be between 0 and 1, both excluded, for example 0.5.',
    ),
    Message(
        lambda: risk(guess=0.55, advantage=0.1),
        BudgetError,
        'risk needs one of guess, advantage, or true_positives together with false_positives.',
        'Pass one, for example risk(guess=0.55).',
    ),
    Message(
        lambda: risk(guess=0.4),
        BudgetError,
        'guess (0.4)',
        'must be above 0.5 and below 1.',
    ),
    Message(
        lambda: new(epsilon=risk(advantage=1e-10)),
        BudgetError,
        'risk(advantage=1e-10) is so small that delta (1e-09) alone allows as much.',
        'Ask for a larger risk, or for a smaller delta.',
    ),
    Message(
        lambda: CURVE.delta_at(math.inf),
        BudgetError,
        'epsilon (inf)',
        'must be a finite number.',
    ),
    Message(
        lambda: new(delta=1e-6).plan(1_000_000),
        BudgetError,
        'delta (1e-06) must be below one over the number of rows, 1,000,000: publishing a row at '
        'random would satisfy it.',
        'Choose a much smaller one, for example 1e-9.',
    ),
    Message(
        lambda: new(max_rows_per_person=10**10),
        SynthesizerInputError,
        'max_rows_per_person (10000000000)',
        'must be at most 1000000000.',
    ),
    Message(
        lambda: new(discretization='quantiles'),
        SynthesizerInputError,
        "discretization ('quantiles')",
        "must be one of 'private', 'uniform'.",
    ),
    Message(
        lambda: new(spikes=['wage']),
        SynthesizerInputError,
        'spikes',
        "must be a dictionary from columns to lists of values, as in {'gain': [0]}.",
    ),
    Message(
        lambda: new(spikes={'sex': ['F']}),
        SynthesizerInputError,
        "spikes names 'sex', which is not a modelled numerical or datetime column.",
        'Correct the name, or take it out.',
    ),
    Message(
        lambda: new(spikes={'wage': 0}),
        SynthesizerInputError,
        "spikes of 'wage'",
        "must be a list of values, as in {'wage': [0]}.",
    ),
    Message(
        lambda: new(spikes={'wage': ['none']}),
        SynthesizerInputError,
        "spikes of 'wage': a spike",
        'must be a number.',
    ),
    Message(
        lambda: new(spikes={'wage': [-1]}),
        SynthesizerInputError,
        "spikes of 'wage' lists -1, which is outside the range that the metadata declares.",
        'Take it out, or widen the range.',
    ),
    Message(
        lambda: new(numeric_bins=2.5),
        SynthesizerInputError,
        'numeric_bins (2.5)',
        'must be an integer of at least 2.',
    ),
    Message(
        lambda: new(max_rows_per_person=0),
        SynthesizerInputError,
        'max_rows_per_person (0)',
        'must be an integer of at least 1.',
    ),
    Message(
        lambda: new(seed=-1),
        SynthesizerInputError,
        'seed (-1)',
        'must be an integer of at least 0.',
    ),
]

NAMES = [
    Message(
        lambda: new(budget='half'),
        BudgetError,
        "budget ('half')",
        "must be 'tuned' or 'paper'.",
    ),
    Message(
        lambda: new(budget=PEOPLE.frame),
        BudgetError,
        'budget (of type DataFrame)',
        "must be 'tuned' or 'paper'.",
    ),
    Message(
        lambda: new(estimator='magic'),
        SynthesizerInputError,
        "estimator ('magic')",
        "must be one of 'auto', 'mbi'.",
    ),
    Message(
        lambda: new(public_ranges='yes'),
        SynthesizerInputError,
        "public_ranges ('yes')",
        'must be one of None, True, False.',
    ),
    Message(
        lambda: new(verbose='loud'),
        SynthesizerInputError,
        "verbose ('loud')",
        'must be one of True, False.',
    ),
    Message(
        lambda: new().get_roles('newest'),
        SynthesizerInputError,
        "version ('newest')",
        "must be one of 'original', 'modified'.",
    ),
    Message(
        lambda: new(person_column='nobody'),
        SynthesizerInputError,
        "person_column ('nobody') is not a column of the metadata.",
        'Name the key or id column that identifies persons, or leave it out.',
    ),
    Message(
        lambda: new(person_column=['key']),
        SynthesizerInputError,
        "person_column (['key']) is not a column of the metadata.",
        'Name the key or id column that identifies persons, or leave it out.',
    ),
    Message(
        lambda: new(person_column='age'),
        SynthesizerInputError,
        "person_column ('age') would be modelled.",
        "Declare it as a key or with sdtype 'id' in the metadata: who a row belongs to is never "
        'learnt.',
    ),
    Message(
        lambda: PreFairSynthesizer(only_a_key(), structure='none'),
        StructureError,
        'The metadata has no column to model: all are keys, ids, personal (pii) or unknown.',
        "Give one a statistical sdtype such as 'categorical'.",
    ),
]

READ_ONLY = [
    Message(
        lambda: setattr(new(), 'epsilon', 9.0),
        AttributeError,
        'epsilon cannot be changed after construction.',
        'Construct a new PreFairSynthesizer with the epsilon that you want.',
    ),
]

MESSAGES = [*METADATA, *ROLES, *NUMBERS, *NAMES, *READ_ONLY]
