"""How a row is read never depends on another one, whatever that one holds."""

import datetime as dt
import warnings
from collections import Counter
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from odd_cells import CELLS, HASHABLE, cells, objects

from sdv_prefair.columns._grids import FineCells, MomentCells, MonthCells, NumberCells
from sdv_prefair.counting._frame import bound_rows_per_person, value_counts
from sdv_prefair.transformers import CategoryCodes, DatetimeBins, NumberBins

ENCODERS = {
    'texts': CategoryCodes(['x', 'y', '12']),
    'numbers': CategoryCodes([1, 2, 0.5]),
    'booleans': CategoryCodes([False, True], other=False),
    'mixture': CategoryCodes([1, True, 'x', Decimal('0.1'), dt.date(2020, 5, 1)]),
    'whole numbers': NumberBins(0, 30, decimal_places=0),
    'cents': NumberBins(0, 30, decimal_places=2),
    'reals': NumberBins(-5.0, 30.0, bins=9),
    'days': DatetimeBins('2000-01-01', '2030-01-01'),
    'written days': DatetimeBins('01/01/2000', '01/01/2030', '%d/%m/%Y'),
    'digits': DatetimeBins('20000101', '20300101', '%Y%m%d'),
    'instants': DatetimeBins('2000-01-01 00:00+00:00', '2030-01-01 00:00+00:00'),
    'powers': NumberCells(np.array([-8.0, 0.0, 8.0, 64.0])),
    'fine': FineCells(0.0, 30.0, 10.0, 5.0, 60, (0.0, 55.0)),
    'hours': MomentCells(0, 3600, 2**20, None, False),
    'months': MonthCells(0, 700, None, False),
}
USUAL = {
    'texts': ['x', 'y', None, 'z'],
    'numbers': [1, 2, 5, 0.5],
    'booleans': [True, False, None],
    'mixture': [1, True, 'x', dt.date(2020, 5, 1)],
    'whole numbers': [1, 2, 30, 12],
    'cents': [0.25, 7.5, None],
    'reals': [0.25, 7.5, -1.0, '12'],
    'days': ['2020-05-01', dt.date(2010, 1, 1), '1500-01-01', 'May 5 2011', pd.Timestamp('2005')],
    'written days': ['01/05/2020', '31/12/2001', '1/1/1600', dt.datetime(2020, 5, 1)],
    'digits': [20200501, '20100101', 20050101.0],
    'instants': [dt.datetime(2020, 5, 1, tzinfo=dt.UTC), '2010-01-01 00:00+02:00'],
    'powers': [1.0, 9, Decimal('3.5')],
    'fine': [1.0, 9, Decimal('3.5'), '2'],
    'months': [dt.date(2001, 5, 1), '2003-01-01'],
}


def encode(encoder, column):
    with warnings.catch_warnings():
        warnings.simplefilter('error')  # a warning would tell of the row
        return encoder.encode(column).tolist()


@pytest.mark.parametrize('odd', CELLS)
def test_an_odd_row_changes_no_other_code(odd):
    for kind, usual in USUAL.items():
        encoder, cell = ENCODERS[kind], CELLS[odd]
        expected = encode(encoder, objects(usual))
        assert encode(encoder, objects([*usual, cell]))[:-1] == expected, kind
        assert encode(encoder, objects([cell, *usual]))[1:] == expected, kind
        assert any(code != encoder.null_code for code in expected), 'the usual rows are read'


@given(st.sampled_from(list(ENCODERS)), st.lists(cells, min_size=1, max_size=6))
def test_each_cell_is_read_as_if_it_were_alone(kind, rows):
    alone = [encode(ENCODERS[kind], objects([row]))[0] for row in rows]
    assert encode(ENCODERS[kind], objects(rows)) == alone


texts_of_moments = st.one_of(
    st.datetimes().map(lambda moment: moment.isoformat()),
    st.dates().map(lambda day: day.strftime('%d/%m/%Y')),
    st.datetimes(timezones=st.timezones()).map(lambda moment: moment.isoformat(sep=' ')),
    st.from_regex(r'[0-9]{1,4}[-/ .:][0-9]{1,2}([-/ .:][0-9]{1,4})?', fullmatch=True),
    st.sampled_from(['now', 'today', '10:30', '1:5', '2020', 'May 2020', '', 'nan', 'NaT', '1500']),
    st.text(max_size=4),
)


@given(
    st.sampled_from(['days', 'written days', 'instants', 'months']),
    st.lists(texts_of_moments, min_size=1, max_size=8),
    cells,
)
@example('days', ['2020-05-01', 'now'], CELLS['in an unruly zone'])
def test_texts_are_read_alike_one_by_one_and_all_at_once(kind, rows, odd):
    alone = [encode(ENCODERS[kind], objects([row]))[0] for row in rows]
    assert encode(ENCODERS[kind], objects(rows)) == alone
    assert encode(ENCODERS[kind], objects([*rows, odd]))[:-1] == alone


@pytest.mark.parametrize('text', ['now', 'today', 'Today', ' now ', '10:30', '1:30 pm', '10:30Z'])
@pytest.mark.parametrize('kind', ['days', 'written days', 'instants', 'months'])
def test_no_moment_depends_on_the_clock(text, kind):
    assert encode(ENCODERS[kind], objects([text])) == [ENCODERS[kind].null_code]


# pandas makes no category of these, and calls True and 1 one category.
UNSTORABLE = ('endless number', 'negative endless number', 'far year', 'farthest year')


@pytest.mark.parametrize('odd', [name for name in HASHABLE if name not in UNSTORABLE])
def test_a_category_more_changes_no_other_code(odd):
    """It may change the order and the type of all categories."""
    for kind, usual in USUAL.items():
        if kind != 'mixture':
            column = objects([*usual, HASHABLE[odd]]).astype('category')
            expected = encode(ENCODERS[kind], objects(usual))
            assert encode(ENCODERS[kind], column)[:-1] == expected, kind


@pytest.mark.parametrize('unit', ['s', 'us'])
@pytest.mark.parametrize('zone', [None, 'Asia/Tokyo', 'America/Lima'])
@pytest.mark.parametrize('kind', ['days', 'instants', 'months'])
@pytest.mark.parametrize('far', ['290000-01-01', '-200000-01-01', '9999-12-31', '0001-01-01'])
def test_far_years_of_typed_columns_lie_at_the_ends_or_are_null(unit, zone, kind, far):
    moments = np.array(['2020-05-01T12:00', far], dtype=f'datetime64[{unit}]')
    column = pd.Series(moments).dt.tz_localize('UTC').dt.tz_convert(zone)
    codes = encode(ENCODERS[kind], column)
    null = ENCODERS[kind].null_code
    assert codes[1] == {'9999-12-31': null - 1, '0001-01-01': 0}.get(far, null)
    assert codes[:1] == encode(ENCODERS[kind], column.head(1))


@given(st.lists(cells, max_size=8), cells)
def test_one_row_more_raises_one_count_by_one(rows, odd):
    """Whichever comes first: the keys are functions of the values."""
    before = value_counts(objects(rows))
    after = value_counts(objects([odd, *rows]))
    assert after == value_counts(objects([*rows, odd]))
    assert sum((after - before).values()) <= 1
    assert not before - after


@pytest.mark.parametrize('odd', CELLS)
def test_an_odd_person_changes_no_other(odd):
    persons = ['a', 'b', 'a', 'c', 'a', 1, 1.0, None]
    usual = pd.DataFrame({'person': objects(persons), 'row': range(len(persons))})
    more = pd.DataFrame({'person': objects([*persons, CELLS[odd]]), 'row': range(len(persons) + 1)})
    kept = bound_rows_per_person(usual, 'person', 2)['row'].tolist()
    after = bound_rows_per_person(more, 'person', 2)['row'].tolist()
    assert kept == [0, 1, 2, 3, 5, 6, 7]
    assert after[: len(kept)] == kept


class Impostor:
    """Whoever it is compared with, it calls itself the same."""

    def __init__(self, of):
        self._of = of

    def __hash__(self):
        return hash(self._of)

    def __eq__(self, other):
        return True


@pytest.mark.parametrize('person', ['a', 1, dt.date(2020, 5, 1), (1, 'x'), 0.5])
def test_nobody_takes_the_place_of_another_person(person):
    frame = pd.DataFrame({'person': objects([Impostor(person), person, 'b']), 'row': range(3)})
    assert bound_rows_per_person(frame, 'person', 1)['row'].tolist() == [0, 1, 2]


@given(st.lists(cells, max_size=10), cells)
def test_a_person_more_adds_at_most_the_bound(rows, odd):
    def kept(persons):
        frame = pd.DataFrame({'person': objects(persons), 'row': range(len(persons))})
        return Counter(bound_rows_per_person(frame, 'person', 1)['row'].tolist())

    before, after = kept(rows), kept([*rows, odd])
    assert not before - after
    assert sum((after - before).values()) <= 1
