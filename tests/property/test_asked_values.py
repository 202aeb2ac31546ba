"""What is asked for comes back as it is and tells the code that was drawn given, or is refused."""

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from every_codes import COLUMNS, FAR, MINUTES
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.transformers import CategoryCodes, DatetimeBins

moments = st.datetimes(datetime.datetime(2021, 2, 20), datetime.datetime(2021, 12, 10)) | (
    st.dates(datetime.date(2021, 3, 1), datetime.date(2021, 11, 30)).map(
        lambda day: datetime.datetime(day.year, day.month, day.day)
    )
)
CLOCK_CHANGES = [pd.Timestamp('2021-03-28 02:30'), pd.Timestamp('2021-10-31 02:30')]
stamps = st.one_of(
    moments.map(pd.Timestamp),
    moments.map(lambda m: pd.Timestamp(m).tz_localize('UTC')),
    moments.map(
        lambda m: pd.Timestamp(m).floor('min').tz_localize('UTC').tz_convert('Europe/Paris')
    ),
    moments.map(lambda m: pd.Timestamp(m) + pd.Timedelta(1, 'ns')),
    moments.map(lambda m: m.date()),
    moments.map(lambda m: np.datetime64(m)),
    st.sampled_from(CLOCK_CHANGES),
    st.sampled_from([True, False]).map(
        lambda first: pd.Timestamp('2021-10-31 02:30').tz_localize('Europe/Paris', ambiguous=first)
    ),
    moments.map(lambda m: m.strftime('%Y-%m-%d')),
    moments.map(lambda m: m.strftime(MINUTES)),
    moments.map(lambda m: m.strftime('%Y-%m-%dT%H:%M:%S+0200')),
    moments.map(lambda m: f'{m.day}.{m.month}.{m.year} {m.hour}:{m.minute}'),
    moments.map(lambda m: int(m.strftime('%Y%m%d'))),
    moments.map(lambda m: m.strftime('%Y%m%d')),
)
whole = st.integers(-2, 120) | st.integers(FAR - 3, FAR + 5) | st.integers(0, 3100)
numbers = st.one_of(
    whole,
    whole.map(float),
    whole.map(lambda n: n / 10),
    whole.map(lambda n: n / 100),
    whole.map(lambda n: n / 100 + 1e-9),
    whole.map(lambda n: Decimal(n) / 10),
    whole.map(lambda n: Fraction(n, 3)),
    whole.map(lambda n: np.float32(n / 10)),
    whole.map(np.int64),
    st.floats(-6, 6),
    st.floats(-6, 6, width=32).map(np.float32),
    st.sampled_from([np.inf, -np.inf, -0.0, 1e300, 10**30, 0.1, 0.3, 0.1 + 0.2, 2.7, 2.5]),
)
others = st.sampled_from([
    *(True, False, np.True_, '1', '1.0', 'true', 'True', 'b', '', ' b', 'B', 1, 1.0, 0.5),
    *(1j, b'b', (1,), FAR, FAR + 1, float(FAR), float(FAR + 2)),
])
anything = st.one_of(numbers, stamps, others)


def same(asked, shown, codes):
    """Whether a value came back as it is, told without the package's help."""
    if isinstance(codes, DatetimeBins):
        return same_moment(asked, shown, codes)
    if isinstance(codes, CategoryCodes):
        # A truth value may be shown as a number, and 0.1 as a short float.
        return asked == shown or np.float32(asked) == shown
    if isinstance(asked, bool | str) or isinstance(shown, bool | str):
        return False
    return asked == shown or same_digits(asked, shown, codes.places)


def same_digits(asked, shown, places):
    """On a grid 0.1 is a tenth, whether it is written as a float, a short one or a decimal."""
    if places is None:  # a decimal has no equal among floats
        return isinstance(asked, Decimal) and Decimal(str(shown)) == asked
    tenths = round(Fraction(asked) * 10**places)
    written = round(Fraction(shown) * 10**places)
    return tenths == written and float(asked) == float(Fraction(tenths, 10**places))


def same_moment(asked, shown, codes):
    if isinstance(asked, str | int) and isinstance(shown, str | int):
        return type(asked) is type(shown) and asked == shown
    asked, shown = (
        pd.to_datetime(str(value), format=codes.datetime_format)
        if isinstance(value, str | int)
        else pd.Timestamp(value)
        for value in (asked, shown)
    )
    if asked.tzinfo is None and shown.tzinfo is not None:  # by the clock on the wall
        return asked == shown.tz_localize(None)
    return asked == shown


def check(name, asked):
    codes = COLUMNS[name]
    column = pd.Series([asked], dtype=object)
    (declared,) = codes.is_declared(column)
    if not declared:
        return False
    held = codes.hold(column)
    (code,) = codes.encode(pd.Series(held))
    assert code not in (codes.other_code, codes.null_code)
    drawn = codes.decode(np.full(50, code), np.random.default_rng(0))
    assert pd.Series(held).dtype == pd.Series(drawn).dtype, 'the dtype of the column'
    (shown,) = pd.Series(held).astype(object).tolist()
    assert same(asked, shown, codes), (asked, shown)
    typed = pd.Series([asked])
    if typed.dtype != object and codes.is_declared(typed).all():
        assert codes.encode(pd.Series(codes.hold(typed)))[0] == code
    return True


@pytest.mark.parametrize('name', COLUMNS)
@given(asked=anything)
def test_a_value_comes_back_as_it_is_or_is_refused(name, asked):
    check(name, asked)


@pytest.mark.parametrize('name', COLUMNS)
def test_everything_a_column_shows_can_be_asked_of_it(name):
    codes = COLUMNS[name]
    drawn = [code for code in range(codes.num_codes) if code != codes.other_code]
    every = np.repeat(drawn, 20)
    shown = pd.Series(codes.decode(every, np.random.default_rng(0)))
    assert codes.is_declared(shown).all()
    np.testing.assert_array_equal(codes.encode(pd.Series(codes.hold(shown))), every)
    again = pd.Series(codes.hold(shown))
    pd.testing.assert_series_equal(again, shown, check_categorical=False)


@pytest.mark.parametrize(
    ('name', 'asked'),
    [
        ('number int64', 2.7),
        ('number int64', 2.5),
        ('number int64', True),
        ('number int64', '2'),
        ('far int64', float(FAR + 2)),
        ('tenths float64', 0.25),
        ('tenths float64', 0.1 + 0.2),
        ('tenths float64', np.float32(0.1)),
        ('real float32', 0.1),
        ('money', 0.125),
        ('moment datetime64[ns]', pd.Timestamp('2021-05-05 12:00')),
        ('moment datetime64[ns]', pd.Timestamp('2021-05-05') + pd.Timedelta(1, 'ns')),
        ('moment object', '2021-5-05'),
        ('minute datetime64[ns, Europe/Paris]', CLOCK_CHANGES[0]),
        (
            'minute datetime64[ns, Europe/Paris]',
            pd.Timestamp('2021-10-31 02:30').tz_localize('Europe/Paris', ambiguous=False),
        ),
        ('minute datetime64[ns, Europe/Paris]', pd.Timestamp('2021-05-05 12:00', tz='UTC')),
        ('minute datetime64[ns]', pd.Timestamp('2021-05-05 12:00', tz='UTC')),
        ('words', 1),
        ('words', True),
        ('kinds', 'True'),
        ('kinds', False),
        ('far rungs', float(FAR)),
        ('category', 'A'),
    ],
)
def test_what_would_be_changed_is_refused(name, asked):
    assert not check(name, asked)


@pytest.mark.parametrize(
    ('name', 'asked'),
    [
        ('number int64', 2.0),
        ('number int8', np.int64(100)),
        ('far int64', FAR + 1),
        ('tenths float64', 0.3),
        ('tenths float32', 0.1),
        ('tenths float32', np.float32(0.1)),
        ('real float32', np.float32(0.1)),
        ('real float64', 0.1),
        ('money', 0.1),
        ('money', Decimal('0.10')),
        ('moment datetime64[ns]', '2021-05-05'),
        ('moment object', datetime.date(2021, 5, 5)),
        ('minute datetime64[ns, Europe/Paris]', pd.Timestamp('2021-05-05 12:00')),
        (
            'minute datetime64[ns, Europe/Paris]',
            pd.Timestamp('2021-05-05 12:00', tz='Europe/Paris'),
        ),
        ('instants', pd.Timestamp('2021-05-05 12:00', tz='UTC')),
        ('digits', 20210505),
        ('kinds', True),
        ('kinds', 1),
        ('kinds', '1'),
        ('far rungs', FAR + 1),
        ('tenths rungs', 0.1),
        ('flags as numbers', 1),
    ],
)
def test_what_means_one_value_is_taken(name, asked):
    assert check(name, asked)
