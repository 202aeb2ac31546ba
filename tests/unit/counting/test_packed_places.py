"""What is packed into words is found there again.

Of ``_worker_counts.py``, ``_spark.py`` and ``_worker_counts.py``.
"""

import re

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.columns._lookups import Flags, Numbers, Run, Texts
from sdv_prefair.counting._spark import Places, _words, packed
from sdv_prefair.counting._worker_counts import Layout, codes_of, count_part, merge_parts, unpacked

SIZES = st.lists(st.integers(1, 70_000), min_size=1, max_size=12)


class Session:
    """As Spark's, asked for hashes, of which some are negative."""

    def sql(self, query):
        self._texts = [bytes.fromhex(text) for text in re.findall(r"X'(\w*)'", query)]
        return self

    def toArrow(self):
        return pa.table({'text': self._texts, 'hash': [5 - 3 * n for n in range(len(self._texts))]})


@given(SIZES, st.data())
def test_codes_come_out_of_words_as_they_went_in(sizes, data):
    codes = {f'c{n}': np.arange(size) * 3 % 1000 for n, size in enumerate(sizes)}
    selected, readings = _words({c: Places(f'<{c}>', known) for c, known in codes.items()})
    drawn = {
        c: data.draw(st.lists(st.integers(0, len(known) - 1), min_size=3, max_size=3))
        for c, known in codes.items()
    }
    words = [_evaluated(expression, drawn) for expression in selected]
    batch = pa.RecordBatch.from_arrays(
        [pa.array(word, pa.int64()) for word in words],
        [expression.split(' as ')[-1] for expression in selected],
    )
    for column, found in codes_of(batch, readings).items():
        assert found.tolist() == codes[column][drawn[column]].tolist()


def _evaluated(expression, drawn):
    """Return the words of three rows: what ``shiftleft`` and ``|`` make of the places."""
    terms = re.findall(r'shiftleft\(<(\w+)>, (\d+)\)', expression)
    return [sum(drawn[column][row] << int(shift) for column, shift in terms) for row in range(3)]


def test_what_has_too_many_values_is_handed_over_as_it_is():
    many = pa.array([f't{n}' for n in range(1025)])
    lookups = {
        'few': Texts(many[:3], np.arange(4), 3),
        'many': Texts(many, np.arange(1026), 1025),
        'flag': Flags(np.arange(2), 2),
        'far': Numbers(np.array([0, 10**6]), np.arange(3), 2),
        'real': Numbers(np.array([0.5]), np.arange(2), 1),
    }
    schema = pa.schema([
        *((name, pa.string()) for name in ('few', 'many')),
        ('flag', pa.bool_()),
        ('far', pa.int64()),
        ('real', pa.float64()),
    ])
    selected, readings = packed(lookups, schema, Session())
    assert selected[1:] == ['`many`', '`far`', '`real`']
    assert {readings['few'].column, readings['flag'].column} == {'sdv_prefair_word_0'}
    assert readings['many'].lookup is lookups['many']


def test_of_many_columns_so_many_are_numbered_as_java_can_compile():
    lookups = {f'c{n}': Run(0, np.arange(9), 8) for n in range(200)}
    schema = pa.schema([(name, pa.int64()) for name in lookups])
    for wide in (lookups, dict(list(lookups.items())[:60])):
        _, readings = packed(wide, schema, Session())
        plain = sum(reading.column == name for name, reading in readings.items())
        assert plain > 0 and (plain == 200) == (len(wide) == 200)


def test_parts_that_are_merged_hold_the_rows_of_all():
    layout = Layout({'x': 3, 'y': 700}, [('x',), ('y',), ('x', 'y')])
    assert layout.num_cells == 3 + 700 + 2100
    rows = np.random.default_rng(0).integers(0, [[3], [700]], (2, 999))
    _, readings = _words({
        'x': Places('<x>', np.arange(3)),
        'y': Places('<y>', np.arange(700)),
    })
    words = pa.record_batch({'sdv_prefair_word_0': rows[0] + (rows[1] << 2)})
    parts = [next(count_part([words.slice(n, 333)], readings, layout)) for n in (0, 333, 666)]
    found = np.zeros(layout.num_cells, dtype=np.int64)
    for batch in merge_parts(parts):
        for block, cells, counts in unpacked(batch):
            found[block * 1024 + cells.astype(int)] += counts
    assert found[:3].tolist() == np.bincount(rows[0], minlength=3).tolist()
    assert found[703:].tolist() == np.bincount(rows[0] * 700 + rows[1], minlength=2100).tolist()
