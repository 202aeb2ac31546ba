"""Arrow and Python read the same of every line, and no line changes another.

About ``_csv.py``.
"""

import io

import pyarrow as pa
import pytest
from damaged_lines import DAMAGED, LINES, SPICED
from hypothesis import example, given
from hypothesis import strategies as st

from sdv_prefair.counting._csv import open_csv, read_header, record_of, text_blocks, text_columns

NAMES = ['age', 'pay', 'size', 'children', 'sex', 'colour', 'member', 'day', 'name']
GOOD = [
    b'33,1.25,7,2,f,red,True,2024-01-31,007',
    b'57,9,-3.5,0,m,"dark, ""grey""",false,2023-11-05,8',
    b',,,,,,,,',
    b'18,0,0,3,f, \xf0\x9f\x98\x80 NA,1,2020-01-01,-0.0\r',
]
CELLS = st.text('ab1 .\u00e9\U0001f600-', max_size=3)
ENCLOSED = st.text('ab1 .\u00e9\U0001f600-,"', max_size=3).map(lambda cell: f'"{cell}"')
PLAIN, QUOTED = (
    st.lists(cells, min_size=9, max_size=9).map(lambda cells: ','.join(cells).encode())
    for cells in (CELLS, CELLS | CELLS.map(lambda cell: f'"{cell}"') | ENCLOSED)
)


def read(lines, names=NAMES):
    stream = io.BytesIO(b'\n'.join(lines))
    blocks = [block.to_pylist() for block in text_blocks(stream, names)]
    return [list(row.values()) for block in blocks for row in block]


@example([b'x,1' + b',' * 7, b'\xef\xbb\xbfx' + b',' * 8, b'"' + b',' * 8], 0)
@given(st.lists(LINES | SPICED | PLAIN | QUOTED, min_size=1, max_size=4), st.integers(0, len(GOOD)))
def test_every_line_is_a_record_of_its_own(lines, place):
    lines = [*GOOD[:place], *lines, *GOOD[place:]]
    expected = [record_of(line, len(NAMES)) for line in lines if line.strip()]
    assert read(lines) == expected


@pytest.mark.parametrize('ending', [b'', b'\n', b'\r\n'])
def test_quotation_marks_around_whole_cells_leave_a_line_to_arrow(monkeypatch, ending):
    monkeypatch.setattr('sdv_prefair.counting._csv.record_of', lambda *_: pytest.fail('slow'))
    block = text_columns([b'"a","",b c,"\xc3\xa9"' + ending] * 2, ['w', 'x', 'y', 'z'])
    assert block.to_pylist() == [{'w': 'a', 'x': None, 'y': 'b c', 'z': '\u00e9'}] * 2


@pytest.mark.parametrize('line', DAMAGED.values(), ids=DAMAGED)
def test_damaged_lines_are_read_as_by_themselves(line):
    assert text_columns([*GOOD, line, *GOOD], NAMES).to_pylist() == [
        dict(zip(NAMES, record_of(one, len(NAMES)), strict=True)) for one in [*GOOD, line, *GOOD]
    ]


@given(st.lists(st.binary(max_size=9).map(lambda line: line.replace(b'\n', b'')), max_size=5))
def test_a_single_column_has_a_cell_a_line(lines):
    assert read(lines, ['x']) == [record_of(line, 1) for line in lines if line.strip()]


def test_blocks_end_with_lines(monkeypatch):
    monkeypatch.setattr('sdv_prefair.counting._csv._BLOCK_BYTES', 50)
    lines = GOOD * 20
    assert read(lines) == [record_of(line, len(NAMES)) for line in lines]


def test_frames_of_zstandard_follow_each_other(tmp_path):
    zstandard = pa.Codec('zstd')
    parts = [zstandard.compress(part, asbytes=True) for part in (b'a,b\n1,2\n', b'3,4\n')]
    (tmp_path / 'x.csv.zst').write_bytes(b''.join(parts))
    with open_csv(tmp_path / 'x.csv.zst') as stream:
        assert read_header(stream) == ['a', 'b']
        (block,) = text_blocks(stream, ['a', 'b'])
    assert block.to_pydict() == {'a': ['1', '3'], 'b': ['2', '4']}
