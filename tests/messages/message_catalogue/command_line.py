"""What the commands refuse. Each is run twice: here for the error, by its test for the line."""

import contextlib
import functools
import io
import json

import pandas as pd
from people import people
from sdv.metadata import Metadata

from message_catalogue.message import FOLDER, Message
from sdv_prefair import PreFairSynthesizer, Roles, save_metadata
from sdv_prefair.cli._parser import make_parser
from sdv_prefair.counting._csv import UnreadableCsv
from sdv_prefair.errors import BudgetError, ReleaseError

SMALL = people(60, ('sex', 'education', 'age', 'income'))


@functools.cache
def files():
    """Write a table, its metadata and a release of it."""
    folder = FOLDER / 'cli'
    folder.mkdir()
    SMALL.frame.to_csv(folder / 'people.csv', index=False)
    save_metadata(SMALL.metadata, Roles(**SMALL.roles), folder / 'metadata.json')
    save_metadata(SMALL.metadata, Roles(), folder / 'roleless.json')
    (folder / 'broken.csv').write_text('sex,"age\nF,3\n')
    (folder / 'broken.parquet').write_text('no table')
    (folder / 'empty.csv').write_text('')
    (folder / 'binary.csv').write_text('sex\0age\n')
    (folder / 'nameless.csv').write_text(',sex,\n1,F,\n')
    (folder / 'twice.csv').write_text('sex,age,sex\nF,3,M\n')
    (folder / 'headless.csv').write_text('F,school,33,low\nM,school,21,high\n')
    SMALL.frame.to_csv(folder / 'semicolons.csv', index=False, sep=';', decimal=',')
    (folder / 'utf16.csv').write_text('sex,age\nF,3\n', encoding='utf-16')
    (folder / 'rowless.csv').write_text('sex,education,age,income\n')
    (folder / 'renamed.csv').write_text('gender,education,age,income\nF,school,33,low\n')
    (folder / 'page.html').write_text('somebody needs this')
    (folder / 'folder').mkdir()
    (folder / 'folder.html').mkdir()
    write_two_tables(folder / 'two.json')
    synthesizer = PreFairSynthesizer(SMALL.metadata, public_ranges=True, **SMALL.roles)
    synthesizer.fit(SMALL.data)
    synthesizer.save_release(folder / 'model.prefair')
    write_real_numbers(folder / 'real.prefair')
    return folder


def write_real_numbers(path):
    about = {'sdtype': 'numerical', 'range_min': 0.0, 'range_max': 1.0}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': {'share': about}}}})
    synthesizer = PreFairSynthesizer(metadata, structure='none', public_ranges=True)
    synthesizer.fit({'t': pd.DataFrame({'share': [0.25, 0.5]})})
    synthesizer.save_release(path)


def write_two_tables(path):
    table = {'columns': {'x': {'sdtype': 'categorical'}}}
    path.write_text(json.dumps({'tables': {'a': table, 'b': table}}))


def arguments(line):
    return [part.format(f=files()) for part in line.split()]


def run(line):
    """Run a command without the part of ``main`` that turns errors into lines."""
    options = make_parser().parse_args(arguments(line))
    options.run(options, lambda line: None)


class Usage(Exception):
    """What argparse says before it ends the process."""


def parse(line):
    """Parse a line; the last line on standard error becomes an exception."""
    with contextlib.redirect_stderr(io.StringIO()) as shown:
        try:
            make_parser().parse_args(arguments(line))
        except SystemExit as end:
            raise Usage(shown.getvalue().splitlines()[-1]) from end


class Command(Message):
    """A message on standard error.

    Args:
        line: The arguments; {f} stands for the folder of the files.
    """

    def __init__(self, line, kind, wrong, remedy):
        super().__init__(lambda: run(line), kind, wrong, remedy)
        object.__setattr__(self, 'line', line)


SAMPLE = 'sample {f}/model.prefair --rows 3 --out {f}/z.csv'
COMMANDS = [
    Command(
        'sample {f}/model.prefair --rows 3 --out {f}/no/z.csv',
        FileNotFoundError,
        "There is no folder 'FOLDER/cli/no' to write to.",
        'Make it, or correct --out.',
    ),
    Command(
        'domain {f}/none.csv --out {f}/z.json',
        FileNotFoundError,
        "There is no file 'FOLDER/cli/none.csv'.",
        'Correct the path.',
    ),
    Command(
        'domain {f}/metadata.json --out {f}/z.json',
        ValueError,
        "'FOLDER/cli/metadata.json' must be a .csv, .tsv or .parquet file.",
        'A spreadsheet program writes one: save as CSV UTF-8.',
    ),
    Command(
        'domain {f}/broken.csv --out {f}/z.json',
        UnreadableCsv,
        "'FOLDER/cli/broken.csv' cannot be read as CSV.",
        'Save it as UTF-8, with commas between values and a first line of column names; or as '
        'Parquet.',
    ),
    Command(
        'domain {f}/broken.parquet --out {f}/z.json',
        ValueError,
        "'FOLDER/cli/broken.parquet' cannot be read as Parquet.",
        'Write it again, or save it as CSV.',
    ),
    Command(
        'sample {f}/model.prefair --rows 3 --out {f}/z.txt',
        ValueError,
        "--out 'FOLDER/cli/z.txt'",
        'must end in .csv or .parquet.',
    ),
    Command(
        'sample {f}/none --rows 3 --out {f}/z.csv',
        FileNotFoundError,
        "There is no file 'FOLDER/cli/none'.",
        'Give a release that fit wrote.',
    ),
    Command(
        'sample {f}/people.csv --rows 3 --out {f}/z.csv',
        ReleaseError,
        "'FOLDER/cli/people.csv': The file is not a release, or it is truncated.",
        'Give a release that fit wrote; get it again if it was changed in transit.',
    ),
    Command(
        'sample {f}/model.prefair --rows 1000000000000000 --out {f}/z.csv',
        ValueError,
        "The disk of 'FOLDER/cli/z.csv' has no room for so many rows.",
        'Ask for fewer rows, or give a path on a larger disk.',
    ),
    Command(
        SAMPLE + ' --where height=3',
        ValueError,
        "--where 'height=3'",
        "must be COLUMN=VALUE, with one of the columns ['sex', 'education', 'age', 'income'].",
    ),
    Command(
        SAMPLE + ' --where age=old',
        ValueError,
        "--where 'age=old'",
        "must have a number after the '=': the column is numerical.",
    ),
    Command(
        SAMPLE + ' --where age=33 --where age=34',
        ValueError,
        "--where 'age=34' asks for column 'age' a second time.",
        'Ask for it once.',
    ),
    Command(
        SAMPLE + ' --where age=',
        ValueError,
        "--where 'age='",
        "must have a value after the '=': the column is never missing.",
    ),
    Command(
        SAMPLE + ' --where age=1000',
        ValueError,
        "--where 'age=1000'",
        'must have a number from 18 to 99.',
    ),
    Command(
        SAMPLE + ' --where age=33.25',
        ValueError,
        "--where 'age=33.25'",
        'must have a number of at most 0 decimals.',
    ),
    Command(
        'sample {f}/real.prefair --rows 2 --out {f}/z.csv --where share=0.1000000000000000055',
        ValueError,
        "--where 'share=0.1000000000000000055'",
        'must have a number of as many digits as a float has.',
    ),
    Command(
        SAMPLE + ' --where sex=X',
        ValueError,
        "--where 'sex=X'",
        "must ask for one of ['F', 'M'].",
    ),
]


def with_policy(text):
    """Fit with a policy file of this text."""
    path = files() / 'policy.json'
    path.write_text(text, 'utf-8')
    run(f'{FIT} --policy {path}')


FIT = 'fit {f}/people.csv --metadata {f}/metadata.json --out {f}/z.prefair --ranges-are-public'
POLICIES = [
    Message(
        lambda: run(FIT + ' --epsilon 2 --max-epsilon 1.5'),
        BudgetError,
        'This fit is past the policy for people in every table: epsilon 2 of 1.5, with 0 earlier '
        'releases. No row was read.',
        'Lower --epsilon, or ask whoever made the policy.',
    ),
    Message(
        lambda: run(FIT + ' --policy {f}/none.json'),
        FileNotFoundError,
        "There is no file 'FOLDER/cli/none.json'.",
        'Give a JSON file with a policy.',
    ),
    Message(
        lambda: with_policy('{'),
        ValueError,
        "'FOLDER/cli/policy.json' cannot be read.",
        'Give a JSON file, in UTF-8.',
    ),
    Message(
        lambda: with_policy('{"most": 1}'),
        ValueError,
        "'FOLDER/cli/policy.json'",
        'must be a JSON object with some of table, person, year, each an epsilon, and releases, a '
        'list of files or folders.',
    ),
    Message(
        lambda: with_policy('{"year": 0}'),
        ValueError,
        "year (0) in 'FOLDER/cli/policy.json'",
        'must be an epsilon above 0.',
    ),
    Message(
        lambda: with_policy('{"releases": "all"}'),
        ValueError,
        "releases ('all') in 'FOLDER/cli/policy.json'",
        'must be a list of files or folders.',
    ),
    Message(
        lambda: with_policy('{"year": 1, "releases": ["gone"]}'),
        FileNotFoundError,
        "There is no 'FOLDER/cli/gone', which 'FOLDER/cli/policy.json' counts as an earlier "
        'release.',
        'Put it back, or correct the policy.',
    ),
]

USAGE = [
    Message(
        lambda: parse('sample x --out y --rows -3'),
        Usage,
        "sdv-prefair sample: argument --rows: '-3'",
        'must be an integer above 0. See sdv-prefair sample --help.',
    ),
    Message(
        lambda: parse('sample x --out y --rows 99999999999999999999'),
        Usage,
        "sdv-prefair sample: argument --rows: '99999999999999999999'",
        'must be an integer above 0 and at most 1000000000000000. See sdv-prefair sample --help.',
    ),
    Message(
        lambda: parse('demo --epsilon much'),
        Usage,
        "sdv-prefair demo: argument --epsilon: 'much'",
        'must be a number above 0. See sdv-prefair demo --help.',
    ),
    Message(
        lambda: parse('fit x --metadata m --out y --max-guess 50%'),
        Usage,
        "sdv-prefair fit: argument --max-guess: '50%'",
        'must be above 50% and below 100%, as in 55%. See sdv-prefair fit --help.',
    ),
]

MESSAGES = [*COMMANDS, *POLICIES, *USAGE]
