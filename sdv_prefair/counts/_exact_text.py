"""Strings in a database distinguished by their bytes, whatever its collation treats as equal.

Under a collation such as NOCASE, a database groups 'a' and 'A' together and returns either of them,
depending on the rows: a value that was not paid for. Two persons would count as one. The digits of
the bytes are compared in the same way everywhere.
"""

import ibis
import ibis.expr.datatypes as dt
import ibis.expr.types as ir

from sdv_prefair.counts._tally import decoded
from sdv_prefair.errors import PrivateDataError


@ibis.udf.scalar.builtin(name='hex')
def _hex(text: str) -> str: ...


@ibis.udf.scalar.builtin(name='hex')
def _hex_of_bytes(data: bytes) -> str: ...


@ibis.udf.scalar.builtin(name='to_utf8')
def _to_utf8(text: str) -> bytes: ...


@ibis.udf.scalar.builtin(name='convert_to')
def _convert_to(text: str, encoding: str) -> bytes: ...


@ibis.udf.scalar.builtin(name='encode')
def _encode(data: bytes, form: str) -> str: ...


def _as_text(column: ir.Column) -> ir.Column:
    """Return a string column as text: what ibis considers a string may be an ENUM in PostgreSQL.

    In MariaDB and MySQL, the result is in the character set of the connection.
    """
    # ibis omits a cast to a column's own type.
    return column.cast(dt.String(nullable=not column.type().nullable))


_FORMS = {
    **dict.fromkeys(('duckdb', 'sqlite', 'clickhouse', 'pyspark', 'databricks'), _hex),
    **dict.fromkeys(('snowflake', 'impala'), _hex),
    'mysql': lambda text: _hex(_as_text(text)),
    'bigquery': lambda text: _hex_of_bytes(text.cast('binary')),
    **dict.fromkeys(('trino', 'athena'), lambda text: _hex_of_bytes(_to_utf8(text))),
    'postgres': lambda text: _encode(_convert_to(_as_text(text), 'UTF8'), 'hex'),
}

# ibis writes Spark's queries only within a session; DataFrames are handled elsewhere.
DATABASES = frozenset(_FORMS) - {'pyspark'}
"""Databases that queries are written for, in ibis' words: they tell texts apart by their bytes."""


def exact_form(column: ir.Column, dialect: str | None = None) -> ir.Column:
    """Return a form that distinguishes the values of a column: for strings, their bytes' digits.

    Args:
        column: A column of an ibis table.
        dialect: The database as ibis names it; by default that of the table.

    Raises:
        PrivateDataError: If it is unknown how a database writes bytes; names the column.
    """
    if not column.type().is_string():
        return column
    name = dialect or column.get_backend().name
    if name not in _FORMS:
        raise PrivateDataError(
            f"Column '{column.get_name()}' is text, and {name} may treat different text as equal. "
            'Let its rows be counted here, with fit_table(table, rows_stay=False).'
        )
    # SQLite writes a null like an empty string.
    return ibis.ifelse(column.notnull(), _FORMS[name](column), None)


def text_of(digits: str | None) -> str | None:
    """Return the string that ``exact_form`` has written; None if its bytes are not UTF-8."""
    return None if digits is None else decoded(bytes.fromhex(digits))


def is_written(text: str) -> bool:
    """Whether a string can be encoded: lone surrogates cannot, and no database stores them."""
    return not any('\ud800' <= character <= '\udfff' for character in text)


def digits_of(text: str) -> str:
    """Return the digits that ``exact_form`` writes for a string, in capital letters."""
    return text.encode().hex().upper()
