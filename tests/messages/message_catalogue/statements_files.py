"""What is refused of statements in metadata files and on the command line."""

import json

from message_catalogue.arguments import PEOPLE
from message_catalogue.command_line import Usage, parse, run
from message_catalogue.message import FOLDER, Message
from message_catalogue.opening import Opened, edited, members
from sdv_prefair import FairMetadata
from sdv_prefair._metadata_files import load_metadata, save_metadata
from sdv_prefair.errors import RolesError
from sdv_prefair.fairness import Independent, Statements

STATEMENTS = Statements([Independent(['sex'], ['income'])])


def written(change=lambda document: None):
    path = FOLDER / 'statements.json'
    save_metadata(PEOPLE.metadata, STATEMENTS, path, mode='overwrite')
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    return path


def also_role(document):
    for column, role in (('sex', 'protected'), ('education', 'admissible'), ('income', 'outcome')):
        document['tables']['people']['columns'][column]['role'] = role


def holding(*statements):
    """Return a release that holds statements."""

    def change(document):
        document['parameters'] |= {'protected': [], 'admissible': [], 'outcome': []}
        document['parameters']['fairness'] = Statements(statements).as_records()

    return edited(members(), release=change)


ONE = Independent(['sex'], ['paid'], ['grade'])
FIT = 'fit {f}/people.csv --metadata {f}/metadata.json --out {f}/z.prefair'

MESSAGES = [
    Message(
        lambda: load_metadata(written(also_role)),
        RolesError,
        'The metadata gives roles to columns and has fairness statements as well.',
        'Keep one of the two: roles are the short form of one statement.',
    ),
    Message(
        lambda: load_metadata(written(lambda d: d.update(fairness=[{'left': ['sex']}]))),
        RolesError,
        'fairness must be a list of statements such as {"left": ["sex"], "right": ["income"], '
        '"given": ["education"]}.',
        'Correct it; without given, leave that key out.',
    ),
    Message(
        lambda: FairMetadata.load_from_json(written(also_role)),
        RolesError,
        'The metadata gives roles to columns and has fairness statements as well.',
        'Keep one of the two: roles are the short form of one statement.',
    ),
    Message(
        lambda: run(FIT + ' --protected sex --fairness income~sex'),
        RolesError,
        'Give --fairness, or --protected, --admissible and --outcome, which are the short form of '
        'one statement;',
        'not both.',
    ),
    Opened(
        lambda: holding(*[ONE] * 101),
        'fairness of the release must be a list of 1 to 100 statements.',
    ),
    Opened(
        lambda: holding(ONE),
        'fairness of the release holds one statement that roles express.',
    ),
    Message(
        lambda: parse(FIT + ' --fairness income,sex'),
        Usage,
        "sdv-prefair fit: argument --fairness: 'income,sex' must have the form",
        '"outcomes ~ protected | given", such as "income ~ sex, race | education"; leave out | and '
        'what follows if nothing is given. See sdv-prefair fit --help.',
    ),
]
