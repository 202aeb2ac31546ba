"""Metadata as JSON, and limits on untrusted metadata.

It is SDV's own format, with additional types of values that JSON lacks.

SDV checks that metadata makes sense. Here it is checked for what would make a harmless-looking
synthesizer write, compute or allocate more than it should: table names become names of files,
sdtypes names of functions, formats programs that write values.
"""

import re
from re import _parser as regex_parser  # type: ignore[attr-defined]  # the one that re has
from typing import Any

from sdv.metadata import Metadata

from sdv_prefair.errors import ReleaseError
from sdv_prefair.release._columns_record import MOST_DECIMALS
from sdv_prefair.release._fields import MOST_COLUMNS
from sdv_prefair.release._values import TYPE, read_value, write_value

_MOST_LETTERS = 1_000
_MOST_GENERATORS = 100_000
# RDT's own limit on unbounded repetitions.
_ENDLESS = 16
_TABLE_NAME = re.compile(r'[^/\\\x00-\x1f]{1,200}')
_SDTYPE = re.compile(r'[a-z][a-z0-9_]{0,99}')
_DATETIME_FORMAT = re.compile(r'(%[-#]?[A-Za-z%]|[^%]){0,200}')
# Functions of Faker that make files, data structures and other large things.
_LARGE_SDTYPES = {
    *('binary', 'csv', 'dsv', 'enum', 'fixed_width', 'image', 'json', 'json_bytes', 'psv'),
    *('tar', 'time_series', 'tsv', 'xml', 'zip'),
}
_LARGE_PREFIX = 'py'


def write_metadata(metadata: Metadata) -> Any:
    """Return metadata as JSON; ``Metadata.load_from_json`` reads it if all values are plain."""
    document = metadata.to_dict()
    # SDV lists a table's entries in the order of a set, which differs between processes.
    document['tables'] = {name: dict(sorted(t.items())) for name, t in document['tables'].items()}
    return _write(document)


def read_metadata(written: Any) -> Metadata:
    """Return the metadata that a document holds, once it is known to be harmless."""
    document = _read(written)
    check_metadata(document)
    return Metadata.load_from_dict(document)


def _write(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _write(item) for key, item in value.items()}
    return write_value(list(value) if isinstance(value, tuple) else value)


def _read(written: Any) -> Any:
    # A column may have the name of the key for types, but then an object describes it.
    if isinstance(written, dict) and not isinstance(written.get(TYPE), str):
        return {key: _read(item) for key, item in written.items()}
    if isinstance(written, list):
        return [_read(item) for item in written]
    return read_value(written)


def check_metadata(document: Any) -> None:
    """Raise unless a document can safely be passed to SDV as metadata.

    Args:
        document: The parsed JSON.
    """
    if not isinstance(document, dict) or not isinstance(document.get('tables'), dict):
        raise ReleaseError('metadata.json of the release must be SDV metadata.')
    if len(document['tables']) != 1 or document.get('relationships'):
        raise ReleaseError('metadata.json of the release must describe one table.')
    ((name, table),) = document['tables'].items()
    if not _TABLE_NAME.fullmatch(name) or name in {'.', '..'}:
        raise ReleaseError(
            'The table of the release has a name that cannot be a file name: it must have at most '
            '200 characters and no slash.'
        )
    columns = table.get('columns') if isinstance(table, dict) else None
    if not isinstance(columns, dict) or not 1 <= len(columns) <= MOST_COLUMNS:
        raise ReleaseError(f'The release must describe 1 to {MOST_COLUMNS} columns.')
    for description in columns.values():
        _check_column(description)


def _check_column(description: Any) -> None:
    if not isinstance(description, dict):
        raise ReleaseError('metadata.json of the release does not describe a column as an object.')
    _check_sdtype(description.get('sdtype'))
    written = description.get('datetime_format')
    if written is not None and not _is_like(_DATETIME_FORMAT, written):
        raise ReleaseError('metadata.json of the release holds an invalid datetime_format.')
    places = description.get('decimal_places')
    if places is not None and not (type(places) is int and 0 <= places <= MOST_DECIMALS):
        raise ReleaseError(f'decimal_places of the release must be at most {MOST_DECIMALS}.')
    if description.get('regex_format') is not None:
        _check_regex(description['regex_format'])


def _check_sdtype(sdtype: Any) -> None:
    if not _is_like(_SDTYPE, sdtype):
        raise ReleaseError('metadata.json of the release holds an invalid sdtype.')
    if sdtype in _LARGE_SDTYPES or sdtype.startswith(_LARGE_PREFIX):
        raise ReleaseError(
            f"The sdtype '{sdtype}' cannot be in a release: opening it would generate files or "
            "data structures. Use 'unknown' instead."
        )


def _is_like(pattern: re.Pattern[str], value: Any) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def _check_regex(written: Any) -> None:
    if not isinstance(written, str) or len(written) > _MOST_LETTERS:
        raise ReleaseError('metadata.json of the release holds a regex_format that is too long.')
    try:
        generators = _count_generators(regex_parser.parse(written))
    except (re.error, ValueError, OverflowError, RecursionError):
        generators = None
    if generators is None or generators > _MOST_GENERATORS:
        raise ReleaseError(
            'metadata.json of the release holds a regex_format that cannot be generated, or only '
            'with too many repetitions.'
        )


def _count_generators(pattern: Any) -> int:
    """Return how many generators RDT makes for a pattern: one per repetition, for every number."""
    total = 0
    for kind, arguments in pattern:
        if kind in {regex_parser.MAX_REPEAT, regex_parser.MIN_REPEAT}:
            least, most, repeated = arguments
            most = _ENDLESS if most == regex_parser.MAXREPEAT else most
            repetitions = (least + most) * max(0, most - least + 1) // 2
            total += (repetitions + 1) * _count_generators(repeated)
        elif kind == regex_parser.SUBPATTERN:
            total += _count_generators(arguments[3])
        else:
            total += 1
    return total
