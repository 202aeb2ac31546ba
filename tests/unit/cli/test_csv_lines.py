import io

from damaged_lines import LINES, SPICED
from hypothesis import given, settings
from hypothesis import strategies as st

from sdv_prefair.cli.csv_lines import read_header, read_records

NAMES = ['age', 'pay', 'size', 'children', 'sex', 'colour', 'member', 'day', 'name']
HEADER = ','.join(NAMES).encode()
GOOD = [
    b'33,1.25,7,2,f,red,True,2024-01-31,007',
    b'57,9,-3.5,0,m,"dark, ""grey""",false,2023-11-05,8',
    b',,,,,,,,',
    b'18,0,0,3,f,red,1,2020-01-01,9',
]


def records(lines):
    stream = io.BytesIO(b'\n'.join([HEADER, *lines]))
    return list(read_records(stream, len(read_header(stream))))


@settings(max_examples=400)
@given(st.lists(LINES | SPICED, min_size=1, max_size=3), st.integers(0, len(GOOD)))
def test_every_line_is_a_record_of_its_own(lines, place):
    lines = [line for line in lines if line.strip()]
    together = records([*GOOD[:place], *lines, *GOOD[place:]])

    assert together == [
        record for line in [*GOOD[:place], *lines, *GOOD[place:]] for record in records([line])
    ]
    assert all(len(record) == len(NAMES) for record in together)


def test_cells_are_cut_to_the_header_and_filled_with_nulls():
    short, long = records([b'33,1', b'33,1.25,7,2,f,red,True,2024-01-31,8,9,10'])
    assert short == ['33', '1', *[None] * 7]
    assert long[-1] == '8'
