"""Fits that no release can hold."""

import datetime

import pandas as pd
from dateutil import tz
from rdt.transformers import AnonymizedFaker
from releases import ROLES, TREE, fit, staff_metadata, staff_rows
from sdv.cag import SingleTableProgrammableConstraint

from message_catalogue.message import FOLDER, Message
from sdv_prefair import PreFairSynthesizer, load_release
from sdv_prefair.errors import ReleaseError
from sdv_prefair.transformers import CategoryCodes

PATH = FOLDER / 'unsaved.prefair'
MOMENT = {'sdtype': 'datetime', 'range_min': '2020-01-01', 'range_max': '2021-01-01'}


BYTES = pd.array([b'x'] * 300, dtype='binary[pyarrow]')


class Own(CategoryCodes):
    """A transformer that a user has written."""


class Positive(SingleTableProgrammableConstraint):
    column_names = ('hours',)

    def is_valid(self, data):
        return data['hours'] >= 0


def save_with(column, transformer):
    """Fit with a transformer of the user's choice, and save."""
    metadata = staff_metadata(ssn={'sdtype': 'ssn', 'pii': True})
    table = staff_rows().assign(ssn='0')
    synthesizer = PreFairSynthesizer(metadata, public_ranges=True, **ROLES)
    synthesizer.auto_assign_transformers({'staff': table})
    synthesizer.update_transformers({column: transformer})
    synthesizer.fit({'staff': table})
    synthesizer.save_release(PATH)


def save_constrained():
    synthesizer = PreFairSynthesizer(staff_metadata(), public_ranges=True, **ROLES)
    synthesizer.add_constraints([Positive()])
    synthesizer.fit({'staff': staff_rows()})
    synthesizer.save_release(PATH)


def save(column, description, values):
    """Fit a table with one more column, and save."""
    table = staff_rows().assign(**{column: values})
    fit(table, staff_metadata(**{column: description})).save_release(PATH)


def save_changed():
    synthesizer = fit(structure=TREE, look_for_copies=False)
    vars(synthesizer)['protected'] = ['sex', 'hours']  # past what is read-only
    synthesizer.save_release(PATH)


PLACES = [
    Message(
        lambda: fit().save_release(FOLDER / 'nowhere' / 'x.prefair'),
        FileNotFoundError,
        "There is no folder 'FOLDER/nowhere' to write to.",
        'Make it, or correct the path.',
    ),
    Message(
        lambda: fit().create_release_report(path=FOLDER),
        FileExistsError,
        "'FOLDER' exists and is not a file that could be replaced.",
        'Give the path of a file.',
    ),
    Message(
        lambda: fit().save_release('/proc/x.prefair'),
        OSError,
        "'/proc/x.prefair' cannot be written (No such file or directory).",
        'Free disk space, or correct the path or its permissions.',
    ),
    Message(
        lambda: load_release(FOLDER / 'none.prefair'),
        FileNotFoundError,
        "There is no file 'FOLDER/none.prefair'.",
        'Give the path of one that save_release wrote.',
    ),
]

MESSAGES = [
    *PLACES,
    Message(
        lambda: save_with('sex', Own(['F', 'M'])),
        ReleaseError,
        "Column 'sex': Own cannot be written into a release: it is code.",
        'Use save.',
    ),
    Message(
        lambda: save_with('sex', CategoryCodes(['F', datetime.time(1)])),
        ReleaseError,
        "Column 'sex': A value of type time cannot be written into a release: only strings, "
        'booleans, finite numbers, Decimals, dates and timestamps can.',
        'Use save instead.',
    ),
    Message(
        lambda: save_with('ssn', AnonymizedFaker('company', 'bs')),
        ReleaseError,
        "Column 'ssn' has a transformer, a dtype or a format that a release cannot store.",
        'Use save, or leave the column to its default transformer and fit again.',
    ),
    Message(
        save_constrained,
        ReleaseError,
        'Positive cannot be written into a release: it is code, and a release holds none.',
        'Use save, or leave the constraint out and fit again.',
    ),
    Message(
        lambda: save('more', {'sdtype': 'unknown'}, BYTES),
        ReleaseError,
        "Column 'more': A column of dtype 'binary[pyarrow]' cannot be written into a release.",
        "Convert it to a common dtype before fit, as with astype('string'), or use save.",
    ),
    Message(
        lambda: save('when', MOMENT, pd.Timestamp('2020-05-06', tz=tz.gettz('Europe/Berlin'))),
        ReleaseError,
        "Column 'when': The time zone of type tzfile has no name that a release can store.",
        "Convert the column to one that has, as 'UTC' or 'Europe/Berlin', or use save.",
    ),
    Message(
        lambda: save('more', {'sdtype': 'json'}, 'x'),
        ReleaseError,
        "The sdtype 'json' cannot be in a release: opening it would generate files or data "
        'structures.',
        "Use 'unknown' instead. Change that and fit again, or use save.",
    ),
    Message(
        save_changed,
        ReleaseError,
        'The synthesizer has been changed in a way that a release cannot store.',
        'Construct and fit a new one, or use save.',
    ),
]
