"""Expressions by which Spark numbers the values of a column, and packs the numbers of many.

Numbers are integers, found by comparing: nothing is rounded, texts are compared as bytes, whatever
collation they have. So the codes are those of the lookup, to the last value. What has too many
values, and floats, goes to the workers as it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyarrow import types

from sdv_prefair.counts.lookups import Flags, Lookup, Numbers, Run, Texts
from sdv_prefair.counts.packed_places import WORD_BITS, Reading, Slot, num_bits
from sdv_prefair.counts.readable import limits_of
from sdv_prefair.counts.text_buckets import Buckets, find_buckets

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_WORD = 'sdv_prefair_word_'
_MOST_PLACES = 65_536
_MOST_TEXTS = 1024

Hashes = Mapping[bytes, int]


@dataclass(frozen=True)
class Places:
    """A column whose values Spark numbers.

    Attributes:
        expression: The place of a value, from 0 on; never null.
        codes: The code of each place.
    """

    expression: str
    codes: np.ndarray


def quoted(column: str) -> str:
    """Return the name of a column as Spark's SQL has it."""
    return '`' + column.replace('`', '``') + '`'


def packed(
    lookups: Mapping[str, Lookup], schema: pa.Schema, session: 'SparkSession'
) -> tuple[list[str], dict[str, Reading]]:
    """Return what Spark selects, and how workers read each column from that.

    Args:
        lookups: Of all columns.
        schema: Types of the columns.
        session: Asked for the hashes of public texts.
    """
    hashes = _hashes(session, lookups.values())
    found = {c: places_of(c, lookup, schema.field(c).type, hashes) for c, lookup in lookups.items()}
    selected, slots = _words({c: places for c, places in found.items() if places is not None})
    plain = {c: Reading(c, lookup) for c, lookup in lookups.items() if c not in slots}
    return [*selected, *map(quoted, plain)], slots | plain


def places_of(column: str, lookup: Lookup, kind: pa.DataType, hashes: Hashes) -> Places | None:
    """Return how Spark numbers the values of a column; None if it hands them over as they are.

    Args:
        column: Its name.
        lookup: Its lookup.
        kind: Its type in Arrow.
        hashes: Spark's hash of each public text.
    """
    value = quoted(column)
    if isinstance(lookup, Flags):
        return _places(f'coalesce(cast({value} as bigint), 2L)', [*lookup.codes, lookup.unread])
    if isinstance(lookup, Run):
        return _run(_whole(value, kind), lookup)
    if isinstance(lookup, Numbers) and types.is_integer(kind):
        return _numbers(_whole(value, kind), lookup)
    if isinstance(lookup, Texts) and len(lookup.texts) <= _MOST_TEXTS:
        return _texts(value, lookup, hashes)
    return None


def _places(expression: str, codes: Sequence[int]) -> Places:
    numbered = np.array(codes, dtype=np.int64)
    return Places(expression, numbered.astype(np.min_scalar_type(int(numbered.max()))))


def _whole(value: str, kind: pa.DataType) -> str:
    """Return a column as whole numbers, days for dates; null where it is unreadable."""
    if types.is_date32(kind):
        first, last = limits_of(kind)
        days = f'unix_date({value})'
        return f'cast(if({days} between {first} and {last}, {days}, null) as bigint)'
    return f'cast({value} as bigint)'


def _run(number: str, run: Run) -> Places:
    first, count = run.first, len(run.codes)
    nearest = f'least(greatest({number}, {_long(first)}), {_long(first + count - 1)})'
    return _places(f'coalesce({nearest} - {_long(first)}, {count}L)', [*run.codes, run.unread])


def _numbers(number: str, lookup: Numbers) -> Places | None:
    *codes, other = lookup.codes.tolist()
    numbers = lookup.numbers.tolist() or [0]
    first, last = numbers[0], numbers[-1]
    if last - first >= _MOST_PLACES:
        return None
    of_number = dict(zip(numbers, codes, strict=False))
    places = [of_number.get(held, other) for held in range(first, last + 1)]
    expression = (
        f'case when {number} is null then {len(places) + 1}L '
        f'when {number} between {_long(first)} and {_long(last)} then {number} - {_long(first)} '
        f'else {len(places)}L end'
    )
    return _places(expression, [*places, other, lookup.unread])


def _texts(value: str, lookup: Texts, hashes: Hashes) -> Places | None:
    """Return the bucket of a text, if it is the one that the bucket holds."""
    texts = [text.encode() for text in lookup.texts.to_pylist()]
    buckets = find_buckets([hashes[text] for text in texts])
    if buckets is None:
        return None
    *codes, other = lookup.codes.tolist()
    held = ['null' if text is None else _bytes(texts[text]) for text in buckets.held]
    places = [other if text is None else codes[text] for text in buckets.held]
    written, bucket = f'cast({value} as binary)', _bucket(f'cast({value} as binary)', buckets)
    others, null = f'{len(places)}L', f'{len(places) + 1}L'
    expression = (
        f'case when {value} is null then {null} '
        f'when get(array({", ".join(held)}), cast({bucket} as int)) = {written} then {bucket} '
        f'when is_valid_utf8({value}) then {others} else {null} end'
    )
    return _places(expression, [*places, other, lookup.unread])


def _bucket(written: str, buckets: Buckets) -> str:
    """Return what ``Buckets.bucket`` does, in SQL."""
    hashed = f'xxhash64({written})'
    group = f'cast({hashed} & {len(buckets.moves) - 1}L as int)'
    moves = ', '.join(f'{move}L' for move in buckets.moves)
    moved = f'shiftright({hashed}, {buckets.shift}) + get(array({moves}), {group})'
    return f'(({moved}) & {len(buckets.held) - 1}L)'


def _hashes(session: 'SparkSession', lookups: Sequence[Lookup]) -> dict[bytes, int]:
    """Return Spark's own hashes of the texts of lookups; the driver answers, without a job."""
    texts = {
        text.encode()
        for lookup in lookups
        if isinstance(lookup, Texts) and len(lookup.texts) <= _MOST_TEXTS
        for text in lookup.texts.to_pylist()
    }
    if not texts:
        return {}
    values = ', '.join(f'({_bytes(text)})' for text in sorted(texts))
    answer = session.sql(f'select xxhash64(held) from values {values} as texts(held)').toArrow()
    return dict(zip(sorted(texts), answer.column(0).to_pylist(), strict=True))


def _bytes(text: bytes) -> str:
    return f"X'{text.hex()}'"


def _long(number: int) -> str:
    # The smallest number cannot be written with a sign before it.
    return f'{number}L' if number > -(2**63) else f'({number + 1}L - 1L)'


def _words(found: Mapping[str, Places]) -> tuple[list[str], dict[str, Reading]]:
    """Return the words that Spark selects, and where in them each column is."""
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
