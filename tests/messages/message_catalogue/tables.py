"""What ``fit_table`` refuses, and what databases cannot count."""

from datetime import date

import ibis
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from people import people
from sdv.cag import Inequality
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata
from shrinking import CLIQUES, COLUMNS, shrinking_table

from message_catalogue.message import FOLDER, Message
from sdv_prefair import PreFairSynthesizer
from sdv_prefair.columns._grids import FineCells
from sdv_prefair.counting import Accumulator
from sdv_prefair.counting._arrow import check_clocks
from sdv_prefair.counting._databases import DatabaseStream
from sdv_prefair.counting._expressions import code_expression, exact_form
from sdv_prefair.counting._snapshots import check_one_state
from sdv_prefair.counting._sql import SqlSource
from sdv_prefair.domain import Datetimes
from sdv_prefair.errors import DomainError, PrivateDataError, StructureError
from sdv_prefair.structure import FixedStrategy
from sdv_prefair.transformers import DatetimeBins, NumberBins

SMALL = people(60, ('sex', 'education', 'income'))
ARROW = pa.table({
    'sex': ['F', 'M'] * 30,
    'education': ['school', 'college'] * 30,
    'income': ['low', 'high'] * 30,
})
NUMBER = {'sdtype': 'numerical', 'range_min': 0, 'range_max': 9}
WIDE = pa.table({'a': ['a1'], 'b': ['b1']})
OPEN = {'sdtype': 'categorical', 'range_is_nullable': False}
TIMES = ibis.table({'odd': 'time'}, name='t')['odd']
BERLIN = ibis.table({'odd': "timestamp('Europe/Berlin', 6)"}, name='t')['odd']
WORDS = ibis.table({'odd': 'string'}, name='t')['odd']
TEXTS = ibis.table({'word': 'string'}, name='t')['word']
MOMENT = {'sdtype': 'datetime', 'range_min': '2020-01-01', 'range_max': '2021-01-01'}


def small(**changes):
    return PreFairSynthesizer(SMALL.metadata, **({'public_ranges': True} | SMALL.roles | changes))


def described(structure='none', **columns):
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    return PreFairSynthesizer(metadata, structure=structure, public_ranges=True)


class UnfairPath(FixedStrategy):
    """A tree that is given, and no roles to be fair to."""

    requires_roles = False

    def __init__(self):
        super().__init__([('a', 'b')])


def wide(name):
    return {'sdtype': 'categorical', 'range_values': [f'{name}{i}' for i in range(4000)]}


def fit_two_files():
    folder = FOLDER / 'files'
    folder.mkdir(exist_ok=True)
    pq.write_table(ARROW, folder / 'one.parquet')
    pq.write_table(ARROW.drop_columns('sex'), folder / 'two.parquet')
    small().fit_table(folder)


def folder_of_types():
    folder = FOLDER / 'types'
    folder.mkdir(exist_ok=True)
    pq.write_table(ARROW, folder / 'one.parquet')
    numbers = ARROW.set_column(0, 'sex', pa.array([1] * 60))
    pq.write_table(numbers, folder / 'two.parquet')
    return folder


def delta_table():
    folder = FOLDER / 'delta'
    (folder / '_delta_log').mkdir(parents=True, exist_ok=True)
    pq.write_table(ARROW, folder / 'one.parquet')
    return folder


def fit_no_parquet():
    path = FOLDER / 'text.parquet'
    path.write_text('no table')
    small().fit_table(path)


def breaking_reader():
    def batches():
        yield from ARROW.to_batches()
        raise ValueError('it quotes rows')

    return pa.RecordBatchReader.from_batches(ARROW.schema, batches())


def fit_database(column, array):
    table = ibis.memtable(pa.table({'odd': array}))
    described(odd=column).fit_table(table, rows_stay=True)


def constrained():
    synthesizer = described(low=NUMBER, high=NUMBER)
    synthesizer.add_constraints([Inequality('low', 'high')])
    return synthesizer


def fit_constrained_database():
    table = ibis.memtable(pa.table({'low': [1.0], 'high': [2.0]}))
    constrained().fit_table(table, rows_stay=True)


def read_list():
    table = ibis.memtable(pa.table({'odd': [['a']]}))
    DatabaseStream(table, table.schema().to_pyarrow()).read(['odd'])


def moments_in_sqlite():
    database = ibis.sqlite.connect()
    database.raw_sql('CREATE TABLE t (odd TIMESTAMP)')
    described(odd=MOMENT).fit_table(database.table('t'), rows_stay=True)


def shrinking(cliques):
    """Return a table of which every query sees another part."""
    source = SqlSource(shrinking_table(), {})
    encoders = dict.fromkeys(COLUMNS, NumberBins(0, 1, decimal_places=0))
    return source.count(encoders, cliques)


READ = [
    Message(
        lambda: check_clocks(
            pa.schema([('seen', pa.timestamp('us', 'UTC'))]),
            {'seen': Datetimes('2020-01-01', '2021-01-01')},
        ),
        PrivateDataError,
        "Column 'seen' holds instants, and each session shows them by its own clock, but "
        'range_min and range_max name no offset.',
        'Write them with one, as in 2024-01-31 00:00:00+00:00, or cast the column to a timestamp '
        'without time zone (in Spark TIMESTAMP_NTZ).',
    ),
    Message(
        lambda: small().fit_table(SMALL.frame),
        PrivateDataError,
        'fit_table cannot read a DataFrame.',
        'Give the path of a Parquet or CSV file, a list of these or a folder, an Arrow reader, '
        'dataset or table, a DuckDB relation, a polars, Dask or Spark DataFrame, a Ray dataset, a '
        'Delta or Iceberg table, or an ibis table. A pandas DataFrame goes to fit, as in '
        "fit({'table': df}).",
    ),
    Message(
        lambda: small().fit_table(ARROW.slice(0, 0)),
        PrivateDataError,
        'The table has no rows.',
        'Give at least one.',
    ),
    Message(
        lambda: small().fit_table(ARROW.drop_columns('sex')),
        PrivateDataError,
        "Columns ['sex'] are in the metadata but not in the data.",
        'Add them to the data or take them out of the metadata.',
    ),
    Message(
        fit_two_files,
        PrivateDataError,
        "Column 'sex' is in some files of the table but not in all.",
        'Write all files with the same columns.',
    ),
    Message(
        lambda: small().fit_table(folder_of_types()),
        PrivateDataError,
        "Column 'sex' has types that differ between the files of the table: int64, string.",
        'Write all files with the same types.',
    ),
    Message(
        lambda: small().fit_table(ds.dataset(folder_of_types())),
        PrivateDataError,
        "Column 'sex' has types that differ between the files of the table: int64, string.",
        'Write all files with the same types.',
    ),
    Message(
        lambda: small().fit_table(delta_table()),
        PrivateDataError,
        "'FOLDER/delta' belongs to a table of Delta Lake, whose files hold deleted and outdated "
        'rows too.',
        'Let its own reader choose the rows, as in fit_table(DeltaTable(path)).',
    ),
    Message(
        fit_no_parquet,
        PrivateDataError,
        'The table could not be opened (ArrowInvalid), so nothing was fitted.',
        'The message of the engine is left out because it may quote rows: read the table with '
        'the engine alone to see it.',
    ),
    Message(
        lambda: small().fit_table(breaking_reader()),
        PrivateDataError,
        'The table could not be read to its end (ValueError), so nothing was fitted.',
        'The message of the engine is left out because it may quote rows: read the table with '
        'the engine alone to see it.',
    ),
    Message(
        lambda: small(public_ranges=False).fit_table(ARROW.to_reader()),
        PrivateDataError,
        "The ranges of ['sex', 'education', 'income'] are not public, so they have to be learnt "
        'before the table is counted, but a reader can be read only once.',
        'Declare their ranges in the metadata, or pass what can be read again: files, a dataset, '
        'a table.',
    ),
    Message(
        lambda: described(UnfairPath(), a=wide('a'), b=wide('b')).fit_table(WIDE),
        StructureError,
        "structure joins 'a' and 'b', which have 4,002 and 4,002 codes: too many combinations to "
        'measure.',
        'Coarsen one of these columns with fewer range_values or a smaller numeric_bins, join them '
        "through others, or use structure='adaptive', which goes around such pairs.",
    ),
    Message(
        lambda: Accumulator({'a': 10_000_001}, [('a',)]),
        DomainError,
        "The histogram of ['a'] would have 10,000,001 cells, more than the 10,000,000 that can be "
        "measured ('a' has 10,000,001 codes).",
        'Coarsen one of these columns: fewer range_values, or a smaller numeric_bins.',
    ),
]

DATABASES = [
    Message(
        lambda: exact_form(TEXTS, 'mssql'),
        PrivateDataError,
        "Column 'word' is text, and mssql may treat different text as equal.",
        'Let its rows be counted here, with fit_table(table, rows_stay=False).',
    ),
    Message(
        lambda: code_expression(TIMES, DatetimeBins('2020-01-01', '2021-01-01')),
        PrivateDataError,
        "Column 'odd' has the type time, for which a database does not give the same codes as "
        'everything else:',
        'cast it to a timestamp or a date in the table expression; or let its rows be '
        'counted here, with fit_table(table, rows_stay=False).',
    ),
    Message(
        lambda: fit_database(NUMBER, pa.array([None], pa.decimal128(30, 2))),
        PrivateDataError,
        "Column 'odd' has the type decimal(30, 2), for which a database does not give the same "
        'codes as everything else:',
        'cast it to double or to a decimal of at most 15 digits in the table expression; or '
        'let its rows be counted here, with fit_table(table, rows_stay=False).',
    ),
    Message(
        lambda: fit_database(OPEN, pa.array([date(2020, 1, 2)] * 2000)),
        PrivateDataError,
        "Column 'odd' has the type date, for which a database does not give the same codes as "
        'everything else:',
        'cast it to text in the table expression; or let its rows be '
        'counted here, with fit_table(table, rows_stay=False).',
    ),
    Message(
        lambda: fit_database(MOMENT, pa.array(['2020-05-06'])),
        PrivateDataError,
        "Column 'odd' has the type string, for which a database does not give the same codes as "
        'everything else:',
        'cast it to a timestamp or a date in the table expression; or let its rows be '
        'counted here, with fit_table(table, rows_stay=False).',
    ),
    Message(
        lambda: code_expression(WORDS, FineCells(0.0, 10.0, None, 1.0, 10)),
        PrivateDataError,
        "Column 'odd' has the type string, for which a database does not give the same codes as "
        'everything else:',
        'cast it to a number in the table expression; or let its rows be '
        'counted here, with fit_table(table, rows_stay=False).',
    ),
    Message(
        lambda: code_expression(WORDS, DatetimeBins('2020-01-01', '2021-01-01')),
        PrivateDataError,
        "Column 'odd' has the type string, for which a database does not give the same codes as "
        'everything else:',
        'cast it to a timestamp or a date in the table expression; or let its rows be '
        'counted here, with fit_table(table, rows_stay=False).',
    ),
    Message(
        lambda: fit_database(MOMENT, pa.array([None], pa.time64('us'))),
        PrivateDataError,
        "Column 'odd' is declared as 'datetime' but its dtype does not match:",
        'convert it with pandas.to_datetime, or change its sdtype in the metadata.',
    ),
    Message(
        lambda: code_expression(BERLIN, DatetimeBins('2020-01-01', '2021-01-01')),
        PrivateDataError,
        "Column 'odd' has the type timestamp('Europe/Berlin', 6), for which a database does not "
        'give the same codes as everything else:',
        'give range_min and range_max an offset, as in 2024-01-31 00:00:00+00:00, or cast it to '
        'a timestamp without time zone in the table expression; or let its rows be '
        'counted here, with fit_table(table, rows_stay=False).',
    ),
    Message(
        lambda: fit_database(
            {'sdtype': 'datetime'}, pa.array([None], pa.timestamp('us', 'Europe/Berlin'))
        ),
        PrivateDataError,
        "Column 'odd' has the type timestamp('Europe/Berlin', 6), for which a database does not "
        'give the same codes as everything else:',
        'declare its range_min and range_max in the metadata, or cast it to a date or to a '
        'timestamp without time zone in the table expression; or let its rows be '
        'counted here, with fit_table(table, rows_stay=False).',
    ),
    Message(
        moments_in_sqlite,
        PrivateDataError,
        "Column 'odd' has the type timestamp, for which a database does not give the same codes as "
        'everything else:',
        'SQLite has no timestamp type and compares text; or let its rows be counted here, with '
        'fit_table(table, rows_stay=False).',
    ),
    Message(
        read_list,
        PrivateDataError,
        "Column 'odd' has the type array<string>, which cannot be read.",
        'Cast it to text, a number or a timestamp in the table expression.',
    ),
    Message(
        lambda: check_one_state('read committed'),
        PrivateDataError,
        'The connection of the table is in a transaction that may see other rows in its next '
        'query.',
        'End it, and leave autocommit on: a fit reads one snapshot in a transaction of its own. Or '
        'begin it as REPEATABLE READ.',
    ),
    Message(
        lambda: small().fit_table(ARROW, rows_stay=True),
        PrivateDataError,
        'The rows of a Table are read here, so rows_stay cannot be True.',
        'Leave it out, or pass a table of a database, through ibis, or a Spark DataFrame.',
    ),
    Message(
        fit_constrained_database,
        SynthesizerInputError,
        "A database cannot make the columns that constraints over ['high', 'low'] ask for.",
        'Let its rows be counted here, with fit_table(table, rows_stay=False), or leave the '
        'constraints out.',
    ),
    Message(
        lambda: shrinking(CLIQUES),
        PrivateDataError,
        "The counts of ['x8', 'x10'] do not add up to those of 'x8': the table has changed while "
        'it was counted.',
        'Fit a snapshot.',
    ),
    Message(
        lambda: shrinking([(name,) for name in COLUMNS]),
        PrivateDataError,
        'The counts of single columns differ in their sum: the table has changed while it was '
        'counted.',
        'Fit a snapshot.',
    ),
]

MESSAGES = [*READ, *DATABASES]
