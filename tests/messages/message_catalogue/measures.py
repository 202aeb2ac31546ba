"""Metrics, the fairness report, metadata files and datasets."""

import json

import pandas as pd
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from message_catalogue.arguments import PEOPLE
from message_catalogue.message import FOLDER, Message
from sdv_prefair import Roles, load_metadata, save_metadata
from sdv_prefair.datasets import load_adult
from sdv_prefair.errors import RolesError
from sdv_prefair.metrics import (
    DemographicParity,
    FairnessReport,
)

FRAME, METADATA = PEOPLE.frame, PEOPLE.metadata
ROLES = Roles(['sex'], ['education'], ['income'])
MANY = pd.DataFrame({'x': range(200), 'y': [str(i) for i in range(200)]})


def parity(frame=FRAME, metadata=METADATA, metric=DemographicParity, **changes):
    names = {'protected': ['sex'], 'outcome': 'income'} | changes
    return metric.compute(frame, FRAME, metadata, **names)


def role_of_sex(role):
    path = FOLDER / f'{role}.json'
    document = METADATA.to_dict()
    document['tables']['people']['columns']['sex']['role'] = role
    path.write_text(json.dumps(document))
    return path


def two_tables():
    tables = {name: {'columns': {'x': {'sdtype': 'numerical'}}} for name in ('one', 'two')}
    return Metadata.load_from_dict({'tables': tables})


def a_table():
    path = FOLDER / 'rows.csv'
    path.write_text('sex\nF\n')
    return path


def written(text):
    path = FOLDER / 'metadata.json'
    path.write_text(text, encoding='utf-8')
    return path


METRICS = [
    Message(
        lambda: FairnessReport(ROLES, synthesizer='people.prefair'),
        SynthesizerInputError,
        "synthesizer ('people.prefair') must be a fitted PreFairSynthesizer or an opened release.",
        'Open a file with PreFairSynthesizer.load_release.',
    ),
    Message(
        lambda: parity(outcome=['income', 'home']),
        RolesError,
        "outcome (['income', 'home'])",
        'must be one column to predict.',
    ),
    Message(
        lambda: DemographicParity.compute(MANY, MANY, protected='x', outcome='y'),
        RolesError,
        "outcome ('y') must have at most 100 values to be predicted by a classifier.",
        'Bin its values first.',
    ),
    Message(
        lambda: parity(FRAME.assign(income=[n % 2 for n in range(len(FRAME))])),
        RolesError,
        "outcome ('income') must have values in the synthetic table that occur in the real one "
        'too.',
        'Give it the same dtype in both.',
    ),
    Message(
        lambda: DemographicParity.compute(None, FRAME, protected='sex', outcome='income'),
        SynthesizerInputError,
        'DemographicParity compares with the real rows.',
        'Pass them as real_data.',
    ),
    Message(
        lambda: parity(positive='rich'),
        SynthesizerInputError,
        "positive ('rich')",
        "must be a value that the outcome 'income' has in the real table, and of its type.",
    ),
    Message(
        lambda: parity(confidence=95),
        SynthesizerInputError,
        'confidence (95)',
        'must be between 0 and 1.',
    ),
    Message(
        lambda: parity(model='oracle'),
        SynthesizerInputError,
        "model ('oracle')",
        "must be one of ['linear', 'forest', 'mlp'] or a scikit-learn classifier.",
    ),
    Message(
        lambda: parity(admissible=['education']),
        SynthesizerInputError,
        'DemographicParity has no admissible columns.',
        'Use ConditionalDemographicParity.',
    ),
    Message(
        lambda: parity(protected=['email']),
        RolesError,
        "protected (['email'])",
        "must name columns of the table that are modelled. Not among them: ['email']. They are "
        "['sex', 'education', 'age', 'wage', 'hired', 'home', 'income'].",
    ),
    Message(
        lambda: parity(FRAME.drop(columns='age')),
        ValueError,
        "real_data has no columns ['age'], which the metadata describes.",
        'Add them, or take them out of the metadata.',
    ),
    Message(
        lambda: parity(FRAME.assign(hired='soon')),
        ValueError,
        "Column 'hired' holds values other than timestamps in its datetime_format ('%d/%m/%Y').",
        'Correct the column, or the format in the metadata.',
    ),
    Message(
        lambda: parity(FRAME.assign(age='old')),
        ValueError,
        "Column 'age' holds values other than numbers.",
        "Convert it with pandas.to_numeric, or give it the sdtype 'categorical' in the metadata.",
    ),
    Message(
        lambda: parity({'one': FRAME, 'two': FRAME}),
        ValueError,
        'table_name',
        "must be one of ['one', 'two'].",
    ),
    Message(
        lambda: parity(FRAME.iloc[:0]),
        ValueError,
        'real_data has no rows.',
        'Pass a table with rows.',
    ),
    Message(
        lambda: parity(MANY.set_axis([0, 1], axis=1), None, protected=0, outcome=1),
        ValueError,
        'real_data has columns whose names are not strings.',
        'Rename them.',
    ),
    Message(
        lambda: FairnessReport(Roles()),
        RolesError,
        'roles',
        'must name protected, admissible and outcome columns: without them there is no fairness '
        'to report on.',
    ),
    Message(
        lambda: FairnessReport(ROLES, positive={'wage': 1}),
        RolesError,
        "positive (['wage'])",
        'must be given for outcome columns only.',
    ),
]

FILES = [
    Message(
        lambda: load_metadata(role_of_sex('guarded')),
        RolesError,
        "The role of column 'sex' ('guarded') must be one of ['protected', 'admissible', "
        "'outcome'].",
        'Correct it in the file, or remove the key for a column without a role.',
    ),
    Message(
        lambda: load_metadata(written('{"tables": {},\n }')),
        ValueError,
        "'FOLDER/metadata.json' is not valid JSON at line 2, column 2: Expecting property name "
        'enclosed in double quotes.',
        'Look for an extra or missing comma or quotation mark.',
    ),
    Message(
        lambda: load_metadata(a_table()),
        ValueError,
        "'FOLDER/rows.csv' is a table, not metadata.",
        'Swap the two files, or give the JSON file of the metadata here.',
    ),
    Message(
        lambda: load_metadata(written('[]')),
        ValueError,
        "'FOLDER/metadata.json' is not SDV metadata in JSON.",
        "Give a file that save_metadata or SDV's save_to_json wrote.",
    ),
    Message(
        lambda: load_metadata(FOLDER / 'none.json'),
        ValueError,
        "There is no file 'FOLDER/none.json'.",
        'Give the path of a metadata file.',
    ),
    Message(
        lambda: save_metadata(two_tables(), Roles(), FOLDER / 'two.json'),
        RolesError,
        'The metadata',
        'must have exactly one table: roles are for one table.',
    ),
    Message(
        lambda: save_metadata(METADATA, Roles(['zip'], ['age'], ['home']), FOLDER / 'zip.json'),
        RolesError,
        "The roles name columns that the metadata does not have: ['zip'].",
        'Correct the names, or add the columns to the metadata.',
    ),
    Message(
        lambda: load_adult(FOLDER),
        FileNotFoundError,
        "'adult_raw.csv.gz' is neither in 'FOLDER/adult' nor in 'FOLDER'.",
        "Give the folder that holds 'adult/adult_raw.csv.gz'.",
    ),
]

MESSAGES = [*METRICS, *FILES]
