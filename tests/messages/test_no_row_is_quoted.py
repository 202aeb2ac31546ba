"""What goes wrong with private rows is said without a word of them.

Every case puts a mark into the rows that are to blame. It must not be in the message, in what the
message was raised for or from as far as a traceback shows it, nor in a warning on the way.
"""

import contextlib
import io
import secrets
import traceback
import warnings

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from message_catalogue import command_line, constraints, counts, tables
from message_catalogue.arguments import PEOPLE, new
from message_catalogue.measures import parity
from message_catalogue.message import FOLDER
from message_catalogue.own_constraints import RowWise
from message_catalogue.sampling import fitted
from sdv.sampling import Condition

from sdv_prefair.cli import main
from sdv_prefair.metrics import FairnessReport

FRAME = PEOPLE.frame


class Quoting(RowWise):
    """A constraint whose errors quote the rows."""

    def transform(self, data):
        if (data['x'] > 9).any():
            raise ValueError(f'these rows are wrong: {data}')
        return data


def fit(**columns):
    new().fit({'people': FRAME.assign(**columns)})


def fit_codes(mark):
    synthesizer = new()
    codes = synthesizer.preprocess(PEOPLE.data)['people']
    synthesizer.fit_processed_data({'people': codes.assign(sex=mark)})


def breaking_reader(mark):
    def batches():
        yield from tables.ARROW.to_batches()
        raise ValueError(f'this row is wrong: {mark}')

    return pa.RecordBatchReader.from_batches(tables.ARROW.schema, batches())


def database(mark):
    connection = ibis.duckdb.connect()
    connection.con.execute(f"CREATE TABLE t AS SELECT '{mark}' AS x")
    return connection.table('t').select(x=ibis._.x.cast('int64'))


def relation(mark):
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE t AS SELECT '{mark}' AS x FROM range(9)")
    return connection.sql('SELECT CAST(x AS BIGINT) AS x FROM t')


def lazy_frame(mark):
    return pl.LazyFrame({'x': [mark]}).with_columns(pl.col('x').cast(pl.Int64))


def fit_number(table):
    tables.described(x=tables.NUMBER).fit_table(table)


def report(**columns):
    real = {'people': FRAME.assign(**columns)}
    fitted().create_release_report(real, FOLDER / 'report.html', show_real_numbers=True)


def fairness_report(**columns):
    real = {'people': FRAME.assign(**columns)}
    FairnessReport(PEOPLE.roles).generate(real, PEOPLE.data, PEOPLE.metadata, verbose=False)


TEXT = {
    'fit: numbers': lambda mark: fit(age=pd.array([mark] * len(FRAME), 'string')),
    'fit: not a dictionary': lambda mark: new().fit(FRAME.assign(sex=mark)),
    'a table for epsilon': lambda mark: new(epsilon=FRAME.assign(sex=mark)),
    'a table for budget': lambda mark: new(budget=FRAME.assign(sex=mark)),
    'a table for structure': lambda mark: new(structure=FRAME.assign(sex=mark)),
    'a column for numeric_bins': lambda mark: new(numeric_bins=FRAME.assign(sex=mark)['sex']),
    'fit_processed_data': fit_codes,
    'fit_table: numbers': lambda mark: fit_number(pa.table({'x': [mark]})),
    'fit_table: reader': lambda mark: tables.small().fit_table(breaking_reader(mark)),
    'fit_table: database': lambda mark: fit_number(database(mark)),
    'fit_table: DuckDB': lambda mark: fit_number(relation(mark)),
    'fit_table: polars': lambda mark: fit_number(lazy_frame(mark)),
    'fit_table: pandas': lambda mark: tables.small().fit_table(FRAME.assign(sex=mark)),
    'sample_from_conditions': lambda mark: fitted().sample_from_conditions([
        Condition({'sex': mark}, 2)
    ]),
    'sample_remaining_columns': lambda mark: fitted().sample_remaining_columns(
        FRAME[['sex', 'age']].assign(sex=mark)
    ),
    'metrics: numbers': lambda mark: parity(FRAME.assign(age=mark)),
    'metrics: moments': lambda mark: parity(FRAME.assign(hired=mark)),
    'report: numbers': lambda mark: report(age=mark),
    'report: moments': lambda mark: report(hired=mark),
    'fairness report: moments': lambda mark: fairness_report(hired=mark),
}
NUMBER = {
    'fit: moments': lambda mark: fit(hired=float(mark)),
    'fit: categories': lambda mark: fit(home=mark),
    'fit_processed_data': lambda mark: fit_codes(np.uint64(mark)),
    'fit_counts: parts': lambda mark: counts.fit({counts.SEX: [mark + 0.5, 0, 0]}),
    'fit_counts: sums': lambda mark: counts.fit({counts.SEX: [mark, 0, 0]}),
    'fit_counts: codes': lambda mark: counts.fit(counts.cells(sex=[mark], count=[60])),
    'fit_counts: shapes': lambda mark: counts.fit({counts.SEX: [mark]}),
    'sample_remaining_columns': lambda mark: fitted().sample_remaining_columns(
        FRAME[['age']].assign(age=mark)
    ),
    'validate_constraints': lambda mark: constraints.rising().validate_constraints({
        't': constraints.TABLE.assign(x=mark)
    }),
}


def shown_by(act):
    """Return all that is shown of the error that an act ends with, and of warnings before."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter('always')
        with pytest.raises(Exception) as caught:
            act()
    lines = traceback.format_exception(caught.value)
    return ''.join([*lines, *(str(warning.message) for warning in warned)])


def test_the_search_would_find_a_quoted_row():
    mark = secrets.token_hex(8)
    assert mark in shown_by(lambda: pd.to_numeric(pd.Series([mark])))


@pytest.mark.parametrize('case', TEXT)
def test_no_text_is_quoted(case):
    mark = f'mark{secrets.token_hex(8)}'
    assert mark not in shown_by(lambda: TEXT[case](mark))


@pytest.mark.parametrize('case', NUMBER)
def test_no_number_is_quoted(case):
    mark = secrets.randbelow(10**8) + 10**9
    shown = shown_by(lambda: NUMBER[case](mark))
    assert str(mark) not in shown.replace(',', '')


def test_rows_that_a_constraint_fails_on_are_neither_quoted_nor_the_end_of_a_fit():
    mark = secrets.randbelow(10**8) + 10**9
    synthesizer = constraints.with_constraints(Quoting())
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter('always')
        synthesizer.fit({'t': constraints.TABLE.assign(x=mark)}, check=False)
    assert str(mark) not in ''.join(str(warning.message) for warning in warned)
    assert synthesizer._fitted


FILES = {
    'broken.csv': ('sex,"education,age,{mark}\nF,school,3,low\n', 'fit', 2),
    # A word among numbers is a missing number: whether the fit fails must not depend on a cell.
    'text.csv': ('sex,education,age,income\nF,school,{mark},low\n', 'fit', 0),
    # Nor must it depend on a line.
    'unclosed.csv': ('sex,education,age,income\n"{mark},school,3,low\n', 'fit', 0),
    'table.csv': ('sex,education,age,income\nF,school,{mark},low\n', 'evaluate', 0),
    'table.parquet': ('{mark}', 'evaluate', 2),
}
LINES = {
    'fit': (
        'fit {f}/%s --metadata {f}/metadata.json --ranges-are-public --quiet --unchecked '
        '--out {f}/z.prefair'
    ),
    'evaluate': 'evaluate {f}/people.csv --real {f}/%s --metadata {f}/metadata.json',
}


@pytest.mark.parametrize('name', FILES)
def test_the_command_line_quotes_no_file(name):
    mark = f'mark{secrets.token_hex(8)}'
    content, command, code = FILES[name]
    (command_line.files() / name).write_text(content.replace('{mark}', mark))
    with (
        contextlib.redirect_stderr(io.StringIO()) as shown,
        contextlib.redirect_stdout(io.StringIO()) as printed,
    ):
        assert main(command_line.arguments(LINES[command] % name)) == code
    assert shown.getvalue().startswith('sdv-prefair: ') == (code == 2)
    assert mark not in shown.getvalue() + printed.getvalue()
