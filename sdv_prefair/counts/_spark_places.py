"""Expressions by which Spark numbers the values of a column, and packs the numbers of many.

The numbers are found by comparison: nothing is rounded, and strings are compared as bytes, whatever
their collation. So the codes are exactly those of the lookup. Floats, and columns with too many
values, go to the workers unchanged.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyarrow import types

from sdv_prefair.counts._lookups import Flags, Lookup, Numbers, Run, Texts
from sdv_prefair.counts._packed_places import WORD_BITS, Reading, Slot, num_bits
from sdv_prefair.counts._readable import limits_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_WORD = 'sdv_prefair_word_'
_MOST_PLACES = 65_536
_MOST_TEXTS = 1024
# Java interprets methods of more than 8,000 bytes, and Spark generates one for all of a row. These
# are the measured sizes per column, unchanged and numbered. With more columns, the cost of
# transferring them matters less, because there are many more pairs.
_MOST_BYTES = 7000
_BYTES_PLAIN = 56
_BYTES = {Texts: 430, Run: 240, Numbers: 240, Flags: 80}
_BYTES_MORE_OF_DATES = 160

Hashes = Mapping[bytes, int]


@dataclass(frozen=True)
class Places:
    """A column whose values Spark numbers.

    Attributes:
        expression: The place of a value, counted from 0; never null.
        codes: The code of each place.
    """

    expression: str
    codes: np.ndarray


def quoted(column: str) -> str:
    """Return the name of a column, quoted for Spark's SQL."""
    return '`' + column.replace('`', '``') + '`'


def packed(
    lookups: Mapping[str, Lookup], schema: pa.Schema, session: 'SparkSession'
) -> tuple[list[str], dict[str, Reading]]:
    """Return the expressions that Spark selects, and how workers read each column from them.

    Args:
        lookups: The lookups of all columns.
        schema: The types of the columns.
        session: Computes the hashes of public strings.
    """
    numbered = _numbered(lookups, schema)
    hashes = _hashes(session, numbered.values())
    found = {c: places_of(c, known, schema.field(c).type, hashes) for c, known in numbered.items()}
    selected, slots = _words({c: places for c, places in found.items() if places is not None})
    plain = {c: Reading(c, lookup) for c, lookup in lookups.items() if c not in slots}
    return [*selected, *map(quoted, plain)], slots | plain


def _numbered(lookups: Mapping[str, Lookup], schema: pa.Schema) -> dict[str, Lookup]:
    """Return the lookups that Spark does itself: strings first, the costliest to transfer."""
    found: dict[str, Lookup] = {}
    left = _MOST_BYTES - _BYTES_PLAIN * len(lookups)
    for column, lookup in sorted(lookups.items(), key=lambda c: not isinstance(c[1], Texts)):
        needed = _BYTES.get(type(lookup), _MOST_BYTES)
        needed += _BYTES_MORE_OF_DATES * types.is_date32(schema.field(column).type)
        if needed <= left and not _has_many(lookup):
            found[column] = lookup
            left -= needed
    return found


def _has_many(lookup: Lookup) -> bool:
    return isinstance(lookup, Texts) and len(lookup.texts) > _MOST_TEXTS


def places_of(column: str, lookup: Lookup, kind: pa.DataType, hashes: Hashes) -> Places | None:
    """Return how Spark numbers the values of a column; None if it transfers them unchanged.

    Args:
        column: Its name.
        lookup: Its lookup.
        kind: Its type in Arrow.
        hashes: Spark's hash of each public string.
    """
    value = quoted(column)
    if isinstance(lookup, Flags):
        return _places(f'coalesce(cast({value} as bigint), 2L)', [*lookup.codes, lookup.unread])
    if isinstance(lookup, Run):
        return _run(value, kind, lookup)
    if isinstance(lookup, Numbers) and types.is_integer(kind):
        return _numbers(f'cast({value} as bigint)', lookup)
    if isinstance(lookup, Texts):
        return _texts(value, lookup, hashes)
    return None


def _places(expression: str, codes: Sequence[int]) -> Places:
    numbered = np.array(codes, dtype=np.int64)
    return Places(expression, numbered.astype(np.min_scalar_type(int(numbered.max()))))


def _run(value: str, kind: pa.DataType, run: Run) -> Places:
    number, below, above = f'cast({value} as bigint)', '0L', f'{len(run.codes) - 1}L'
    null = f'{len(run.codes)}L'
    if types.is_date32(kind):  # some of them cannot be read
        first, last = limits_of(kind)
        number = f'unix_date({value})'
        below = f'if({number} < {first}, {null}, {below})'
        above = f'if({number} > {last}, {null}, {above})'
    start, end = _long(run.first), _long(run.first + len(run.codes) - 1)
    place = f'if({number} < {start}, {below}, if({number} > {end}, {above}, {number} - {start}))'
    return _places(f'coalesce({place}, {null})', [*run.codes, run.unread])


def _numbers(number: str, lookup: Numbers) -> Places | None:
    *codes, other = lookup.codes.tolist()
    numbers = lookup.numbers.tolist() or [0]
    first, last = numbers[0], numbers[-1]
    if last - first >= _MOST_PLACES:
        return None
    of_number = dict(zip(numbers, codes, strict=False))
    places = [of_number.get(held, other) for held in range(first, last + 1)]
    outside = f'if({number} < {_long(first)} or {number} > {_long(last)}, {len(places)}L'
    place = f'{outside}, {number} - {_long(first)})'
    return _places(f'coalesce({place}, {len(places) + 1}L)', [*places, other, lookup.unread])


def _texts(value: str, lookup: Texts, hashes: Hashes) -> Places:
    """Return the place of a string among the public ones, found in the group of its hash."""
    texts = [text.encode() for text in lookup.texts.to_pylist()]
    groups: list[list[str]] = [[] for _ in range(1 << num_bits(len(texts)))]
    # Of equal strings, the first one counts, as in the lookup.
    for text, number in {text: texts.index(text) for text in texts}.items():
        groups[hashes[text] & (len(groups) - 1)].append(f'{_bytes(text)}, {number}L')
    maps = ', '.join(f'map({", ".join(group)})' if group else 'null' for group in groups)
    written = f'cast({value} as binary)'
    group = f'cast(xxhash64({written}) & {len(groups) - 1}L as int)'
    place = f'get(array({maps}), {group})[{written}]' if texts else 'cast(null as bigint)'
    others = f'if(is_valid_utf8({value}), {len(texts)}L, {len(texts) + 1}L)'
    return _places(f'coalesce({place}, {others})', [*lookup.codes, lookup.unread])


def _hashes(session: 'SparkSession', lookups: Iterable[Lookup]) -> dict[bytes, int]:
    """Return Spark's own hashes of the strings of lookups, computed by the driver without a job."""
    texts = {
        text.encode()
        for lookup in lookups
        if isinstance(lookup, Texts)
        for text in lookup.texts.to_pylist()
    }
    if not texts:
        return {}
    values = ', '.join(f'({_bytes(text)})' for text in sorted(texts))
    hashed = session.sql(f'select held, xxhash64(held) from values {values} as texts(held)')
    return dict(zip(*(column.to_pylist() for column in hashed.toArrow().columns), strict=True))


def _bytes(text: bytes) -> str:
    return f"X'{text.hex()}'"


def _long(number: int) -> str:
    # The smallest integer cannot be written with a minus sign.
    return f'{number}L' if number > -(2**63) else f'({number + 1}L - 1L)'


def _words(found: Mapping[str, Places]) -> tuple[list[str], dict[str, Reading]]:
    """Return the words that Spark selects, and the position of each column in them."""
    terms: list[list[str]] = [[]]
    readings, filled = {}, 0
    for column, places in found.items():
        bits = num_bits(len(places.codes))
        if filled + bits > WORD_BITS:
            terms, filled = [*terms, []], 0
        word = f'{_WORD}{len(terms) - 1}'
        readings[column] = Reading(word, Slot(filled, places.codes))
        terms[-1].append(f'shiftleft({places.expression}, {filled})')
        filled += bits
    written = [' | '.join(f'({term})' for term in word) for word in terms if word]
    return [f'{term} as {_WORD}{place}' for place, term in enumerate(written)], readings
