"""What the commands refuse to read, and where they refuse to write."""

from message_catalogue.command_line import Command
from sdv_prefair.counting._csv import UnreadableCsv
from sdv_prefair.errors import RolesError

TABLES = [
    Command(
        'domain {f}/empty.csv --out {f}/z.json',
        UnreadableCsv,
        "'FOLDER/cli/empty.csv' is empty.",
        'Give a file with a first line of column names, and rows below it.',
    ),
    Command(
        'domain {f}/nameless.csv --out {f}/z.json',
        UnreadableCsv,
        "Column 3 of 'FOLDER/cli/nameless.csv' has no name in the first line.",
        'Give the file a first line that names every column once.',
    ),
    Command(
        'domain {f}/twice.csv --out {f}/z.json',
        UnreadableCsv,
        "Columns 1, 3 of 'FOLDER/cli/twice.csv' have a name that is there twice.",
        'Give the file a first line that names every column once.',
    ),
    Command(
        'domain {f}/headless.csv --out {f}/z.json',
        UnreadableCsv,
        "Columns 2, 3 of 'FOLDER/cli/headless.csv' have what looks like a value in the first line, "
        'which must hold the names, as these become public: a number, a date, or what is in later '
        'rows too.',
        'Add a line of names; or, if these are names, change them or pass --header.',
    ),
    Command(
        'fit {f}/headless.csv --metadata {f}/metadata.json --ranges-are-public --out {f}/z.prefair',
        UnreadableCsv,
        "The first line of 'FOLDER/cli/headless.csv' must hold the column names, but of the "
        "metadata's columns ['sex', 'education', 'age', 'income'] are not there.",
        'Add such a line, or correct the names.',
    ),
    Command(
        'domain {f}/semicolons.csv --out {f}/z.json',
        UnreadableCsv,
        "The first line of 'FOLDER/cli/semicolons.csv' has semicolons where commas must be.",
        'Save the file with commas between cells and points in numbers, or as Parquet.',
    ),
    Command(
        'fit {f}/semicolons.csv --metadata {f}/metadata.json --ranges-are-public --out '
        '{f}/z.prefair',
        UnreadableCsv,
        "The first line of 'FOLDER/cli/semicolons.csv' has semicolons where commas must be.",
        'Save the file with commas between cells and points in numbers, or as Parquet.',
    ),
    Command(
        'check {f}/utf16.csv --metadata {f}/metadata.json',
        UnreadableCsv,
        "'FOLDER/cli/utf16.csv' cannot be read as CSV.",
        'Save it as UTF-8, with commas between values and a first line of column names; or as '
        'Parquet.',
    ),
    Command(
        'domain {f}/binary.csv --out {f}/z.json',
        UnreadableCsv,
        "'FOLDER/cli/binary.csv' cannot be read as CSV.",
        'Save it as UTF-8, with commas between values and a first line of column names; or as '
        'Parquet.',
    ),
    Command(
        'domain {f}/folder --out {f}/z.json',
        ValueError,
        "The folder 'FOLDER/cli/folder' holds no Parquet files.",
        'Give a folder of these, or a file.',
    ),
    Command(
        'roles {f}/people.csv --metadata {f}/roleless.json --protected sex',
        RolesError,
        'roles compares columns with protected and outcome ones.',
        'Name at least one of each, in the metadata file or by --protected and --outcome; '
        'admissible ones can wait.',
    ),
    Command(
        'roles {f}/people.csv --metadata {f}/roleless.json --protected sex --outcome wage',
        RolesError,
        "outcome names ['wage'], which are not modelled columns of the metadata.",
        "Correct the names: these are ['sex', 'education', 'age', 'income'].",
    ),
    Command(
        'evaluate {f}/people.csv --real {f}/people.csv --metadata {f}/roleless.json',
        RolesError,
        'evaluate needs roles.',
        'Write them into the metadata file, or give --protected, --admissible and --outcome.',
    ),
    Command(
        'evaluate {f}/renamed.csv --real {f}/people.csv --metadata {f}/metadata.json',
        ValueError,
        "'FOLDER/cli/renamed.csv' lacks the columns ['sex'] of the metadata.",
        'Add them, or correct the names.',
    ),
    Command(
        'evaluate {f}/people.csv --real {f}/rowless.csv --metadata {f}/metadata.json',
        ValueError,
        "'FOLDER/cli/rowless.csv' has no rows.",
        'Give a table with rows.',
    ),
    Command(
        'fit {f}/people.csv --metadata {f}/two.json --out {f}/z.prefair',
        ValueError,
        "'FOLDER/cli/two.json' must describe one table, not 2.",
        'Give each table a file, and fit one table at a time.',
    ),
    Command(
        'fit {f}/people.csv --metadata {f}/roleless.json --out {f}/z.prefair',
        RolesError,
        'fit needs roles.',
        'Write "role" keys into the metadata file, or give --protected, --admissible and '
        '--outcome; or --structure planned for no fairness.',
    ),
    Command(
        'fit {f}/people.csv --metadata {f}/metadata.json --numeric-bins 999999 --out {f}/z.prefair',
        ValueError,
        '--numeric-bins must be at most 131072,',
        'which a release can hold.',
    ),
]

OUTPUTS = [
    Command(
        'sample {f}/model.prefair --rows 3 --escape-formulas --out {f}/z.parquet',
        ValueError,
        '--escape-formulas is for CSV files.',
        'Leave it out, or write to x.csv.',
    ),
    Command(
        'report {f}/model.prefair --real {f}/page.html --out {f}/page.html',
        ValueError,
        "--out 'FOLDER/cli/page.html' is a file that the command reads.",
        'Give another, which may be replaced.',
    ),
    Command(
        'report {f}/model.prefair --out {f}/folder.html',
        ValueError,
        "--out 'FOLDER/cli/folder.html' exists and is not a file.",
        'Give the path of a file.',
    ),
    Command(
        'domain {f}/people.csv --out {f}/metadata.json',
        ValueError,
        "--out 'FOLDER/cli/metadata.json' is there already, and may hold your work.",
        'Give another, or remove it.',
    ),
    Command(
        'sample {f}/model.prefair --rows 3 --out /proc/z.csv',
        PermissionError,
        "Nothing can be written to the folder '/proc'.",
        'Correct --out, or the rights to it.',
    ),
    Command(
        'demo --out {f}/people.csv/demo',
        ValueError,
        "--out 'FOLDER/cli/people.csv' is a file.",
        'Give a folder to write to.',
    ),
]

MESSAGES = [*TABLES, *OUTPUTS]
