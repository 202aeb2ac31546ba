"""Rows and pages that do not go with a release, and what is said on a page to sign."""

from message_catalogue.command_line import Command, files
from message_catalogue.message import Message
from sdv_prefair import load_release
from sdv_prefair.errors import SynthesizerInputError, VerificationError
from sdv_prefair.report._particulars import ABOUT


def signed(**particulars):
    """Write a report, with something on its signing page."""
    folder = files()
    synthesizer = load_release(folder / 'model.prefair')
    synthesizer.create_release_report(path=folder / 'signed.html', **particulars)


MESSAGES = [
    Command(
        'report {f}/model.prefair --synthetic {f}/renamed.csv --out {f}/z.html',
        VerificationError,
        "columns: Columns ['sex'] are in the metadata but not in the data. Add them to the data or "
        "take them out of the metadata. Columns ['gender'] are in the data but not in the "
        'metadata. Add them to the metadata or drop them from the data.',
        'Do not use it before whoever made it has explained this.',
    ),
    Command(
        'verify {f}/model.prefair --report {f}/none.html',
        FileNotFoundError,
        "There is no file 'FOLDER/cli/none.html'.",
        'Give a report that report wrote.',
    ),
    Command(
        'verify {f}/model.prefair --report {f}/page.html',
        ValueError,
        "'FOLDER/cli/page.html' names no SHA-256 of a release.",
        'Give a report that report wrote.',
    ),
    Command(
        'verify {f}/none.prefair',
        FileNotFoundError,
        "There is no file 'FOLDER/cli/none.prefair'.",
        'Give a release that fit wrote.',
    ),
    Message(
        lambda: signed(purpose=['teaching']),
        SynthesizerInputError,
        "purpose (['teaching'])",
        'must be a text of at most 2000 letters.',
    ),
    Message(
        lambda: signed(about='teaching'),
        SynthesizerInputError,
        "about ('teaching')",
        "must be a dictionary of texts, such as {'purpose': 'teaching'}.",
    ),
    Message(
        lambda: signed(about={'colour': 'red'}),
        SynthesizerInputError,
        "about has unknown keys: ['colour'].",
        f'Use some of {", ".join(ABOUT)}.',
    ),
    Message(
        lambda: signed(about={'published': 'soon'}),
        SynthesizerInputError,
        "published ('soon')",
        'must be a date, such as 2026-11-30.',
    ),
    Message(
        lambda: signed(about={'curator_type': 'a club'}),
        SynthesizerInputError,
        "curator_type ('a club')",
        'must be one of Government, Industry, Nonprofit.',
    ),
    Message(
        lambda: signed(about={'admissible': {'sex': 'why not'}}),
        SynthesizerInputError,
        "about gives reasons for ['sex'], which are not admissible columns.",
        'Give them for admissible columns only.',
    ),
    Message(
        lambda: signed(purpose='teaching', about={'purpose': 'research'}),
        SynthesizerInputError,
        'purpose is given in about and on its own.',
        'Give it once.',
    ),
    Command(
        'report {f}/model.prefair --about {f}/none.yaml --out {f}/z.html',
        FileNotFoundError,
        "There is no file 'FOLDER/cli/none.yaml'.",
        'Give a YAML or JSON file of texts.',
    ),
    Command(
        'report {f}/model.prefair --about {f}/model.prefair --out {f}/z.html',
        ValueError,
        "'FOLDER/cli/model.prefair' cannot be read.",
        'Give a YAML or JSON file of texts, in UTF-8.',
    ),
    Command(
        'report {f}/model.prefair --about {f}/people.csv --out {f}/z.html',
        ValueError,
        "'FOLDER/cli/people.csv' must hold texts by name,",
        'such as legal_basis: consent.',
    ),
    Message(
        lambda: signed(synthetic_file=files() / 'none.csv'),
        FileNotFoundError,
        "There is no file 'FOLDER/cli/none.csv'.",
        'Give the file of synthetic rows.',
    ),
]
