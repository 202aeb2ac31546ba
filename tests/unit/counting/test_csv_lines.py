"""Single lines of a CSV file, and its first one.

About ``_csv.py``.
"""

from sdv_prefair.counting._csv import record_of


def test_cells_are_cut_to_the_header_and_filled_with_nulls():
    assert record_of(b'33,1\r\n', 9) == ['33', '1', *[None] * 7]
    assert record_of(b'33,1.25,7,2,f,red,True,2024-01-31,8,9,10', 9)[-1] == '8'


def test_a_quotation_mark_ends_with_its_line():
    assert record_of(b'1,"a, b",""\n', 3) == ['1', 'a, b', None]
    assert record_of(b'1,"a, b,2\n', 3) == ['1', 'a, b,2', None]
    assert record_of(b'1,\xff,2\n', 3) == ['1', None, '2']
