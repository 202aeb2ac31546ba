"""What ``fit_table`` says of paths, and of tables that other libraries hold."""

import pyarrow as pa
from people import people

import sdv_prefair
from message_catalogue.message import FOLDER, Message
from sdv_prefair import PreFairSynthesizer
from sdv_prefair.counting._spark import check_package
from sdv_prefair.counting._tables import delta_stream
from sdv_prefair.errors import PrivateDataError

SMALL = people(60, ('sex', 'education', 'income'))


def fit(*paths):
    synthesizer = PreFairSynthesizer(SMALL.metadata, public_ranges=True, **SMALL.roles)
    synthesizer.fit_table(paths[0] if len(paths) == 1 else list(paths))


def csv(name, content=None):
    path = FOLDER / name
    path.write_bytes(SMALL.frame.to_csv(index=False).encode() if content is None else content)
    return path


class ProtocolError(Exception):
    """What deltalake raises of tables that Arrow's datasets cannot read."""


class TableWithDeletionVectors:
    """As deltalake's, where the library itself may be absent."""

    def to_pyarrow_dataset(self):
        raise ProtocolError

    def scan(self):
        raise AssertionError('not to be read')


class SessionWithoutPackage:
    """As Spark's, whose workers have been asked for the package and do not have it."""

    def range(self, *_):
        return self

    def mapInArrow(self, *_):
        return self

    def toArrow(self):
        return pa.table({'version': pa.array([None], pa.string()), 'missing': ['sdv_prefair']})


MESSAGES = [
    Message(
        lambda: check_package(SessionWithoutPackage()),
        PrivateDataError,
        "Spark's workers read decimals, dates in text, local times and constraints with this "
        'package, but they cannot import sdv_prefair.',
        f'Install sdv-prefair {sdv_prefair.__version__} on them, or rename its wheel to .zip and '
        'ship it with sparkContext.addPyFile(zip) or spark.addArtifact(zip, pyfile=True); or cast '
        'such columns to double, or to UTC.',
    ),
    Message(
        lambda: fit(csv('both.csv'), FOLDER / 'both.parquet'),
        PrivateDataError,
        'The paths lead to CSV files and to others, but a table has files of one kind.',
        'Give only CSV files, or only Parquet files and folders of them.',
    ),
    Message(
        lambda: fit('s3://bucket/*.parquet'),
        PrivateDataError,
        "'s3://bucket/*.parquet' is a pattern in a URI, which cannot be searched.",
        'List the paths, or give the folder.',
    ),
    Message(
        lambda: fit(FOLDER / 'nothing-*.csv'),
        PrivateDataError,
        "No path matches 'FOLDER/nothing-*.csv'.",
        'Correct the pattern.',
    ),
    Message(
        lambda: fit('s3://bucket/x.csv'),
        PrivateDataError,
        "'s3://bucket/x.csv' is a URI, and CSV files are read from local paths.",
        'Copy the file, or save it as Parquet.',
    ),
    Message(
        lambda: fit(csv('once.csv'), csv('once.csv')),
        PrivateDataError,
        "'FOLDER/once.csv' names a file that is already listed, so its rows would count twice.",
        'List every file once.',
    ),
    Message(
        lambda: fit(csv('no_line.csv', b'')),
        PrivateDataError,
        "'FOLDER/no_line.csv' is empty.",
        'Give a file with a first line of column names, and rows below it.',
    ),
    Message(
        lambda: delta_stream(TableWithDeletionVectors(), 'person'),
        PrivateDataError,
        'The Delta table has deletion vectors or renamed columns, which deltalake reads in no '
        'certain order, but with person_column the first rows of each person count.',
        'Rewrite the table without them (REORG TABLE ... APPLY (PURGE)), or pass it as a Spark '
        'DataFrame.',
    ),
]
