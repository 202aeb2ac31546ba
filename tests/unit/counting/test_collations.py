"""Databases whose collation calls texts equal that are not the same.

Of ``_expressions.py`` and ``_sql.py``.
"""

import warnings

import ibis
import numpy as np
import pandas as pd
import pytest
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.counting._expressions import _FORMS, exact_form
from sdv_prefair.counting._sql import SqlSource, bound_rows
from sdv_prefair.transformers import CategoryCodes

CONNECT = {'duckdb': ibis.duckdb.connect, 'sqlite': ibis.sqlite.connect}
ROWS = [
    ('a', 'p'),
    ('A', 'P'),
    ('a', 'p'),
    ('é', 'q'),
    (None, 'q'),
    ('a ', 'q'),
    ('', None),
    ('', ''),
]


@pytest.fixture(params=CONNECT)
def connection(request):
    return CONNECT[request.param]()


def table(connection, rows):
    connection.raw_sql('CREATE TABLE t (word TEXT COLLATE NOCASE, person TEXT COLLATE NOCASE)')
    for row in rows:
        written = ', '.join('NULL' if cell is None else f"'{cell}'" for cell in row)
        connection.raw_sql(f'INSERT INTO t VALUES ({written})')
    return connection.table('t')


def counted(source):
    return {value.value: rows for value, rows in source.value_counts(['word'])['word'].items()}


def test_the_collation_merges_texts(connection):
    """Without this, the tests below would show nothing."""
    merged = table(connection, ROWS).group_by('word').aggregate(rows=ibis._.count())
    assert 3 in merged.to_pyarrow()['rows'].to_pylist()


def test_texts_are_counted_by_their_bytes(connection):
    source = SqlSource(table(connection, ROWS), {})
    assert counted(source) == {'a': 2, 'A': 1, 'é': 1, 'a ': 1, '': 2}


def test_persons_are_told_apart_by_their_bytes(connection):
    kept = bound_rows(table(connection, ROWS), 'person', 1).to_pyarrow().to_pylist()
    assert sorted(str(row['person']) for row in kept) == ['', 'None', 'P', 'p', 'q']


@pytest.mark.parametrize('first', ['a', 'A'])
def test_one_row_of_another_spelling_is_not_learnt(connection, first):
    rows = [(first, 'p')] + [('a', 'p'), ('b', 'p')] * 150
    about = {'t': {'columns': {'word': {'sdtype': 'categorical'}, 'person': {'sdtype': 'id'}}}}
    synthesizer = PreFairSynthesizer(
        Metadata.load_from_dict({'tables': about}), epsilon=50.0, structure='none'
    )
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DeprecationWarning)
        synthesizer.fit_table(table(connection, rows))
    assert synthesizer.get_transformers()['word'].values == ('a', 'b')


def test_a_text_that_is_none_does_not_stop_the_rest():
    connection = ibis.sqlite.connect()
    source = table(connection, [('a', 'p'), ('b', 'p')])
    connection.raw_sql("INSERT INTO t VALUES (CAST(x'ff61' AS TEXT), 'p')")
    assert counted(SqlSource(source, {})) == {'a': 1, 'b': 1}


@pytest.mark.parametrize('dialect', _FORMS)
def test_every_database_that_is_known_writes_bytes(dialect):
    texts = ibis.table({'word': 'string'}, name='t')
    query = texts.group_by(value=exact_form(texts['word'], dialect)).aggregate(n=ibis._.count())
    sql = ibis.to_sql(query, dialect=dialect).upper()
    assert 'HEX' in sql
    numbers = ibis.table({'n': 'int64'}, name='t')['n']
    assert exact_form(numbers, dialect) is numbers


def test_declared_texts_are_told_apart_by_their_bytes(connection):
    words = table(connection, [(cell, 'p') for cell in ('a', 'a', 'A', 'a ', 'é', 'É', '', None)])
    for declared in (('a', 'é'), ('A',), ('a ', 'É', '')):
        encoder = CategoryCodes(declared, nullable=True)
        counts = SqlSource(words, {}).count({'word': encoder}, [('word',)])
        rows = pd.Series(['a', 'a', 'A', 'a ', 'é', 'É', '', None], dtype=object)
        expected = np.bincount(encoder.encode(rows), minlength=encoder.num_counted)
        assert counts.project(('word',)).tolist() == expected.tolist()
