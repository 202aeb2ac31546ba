"""What is learnt of columns that the metadata does not describe, and what it costs.

Of ``__init__.py``, ``_ranges.py``, ``_values.py``, ``_values.py``, ``_ranges.py`` and
``_ranges.py``.
"""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.columns._facts import Categories, Numbers, Undeclared
from sdv_prefair.columns._grids import NumberCells
from sdv_prefair.counting import FrameSource
from sdv_prefair.errors import DomainError, PrivacyWarning
from sdv_prefair.learning import LEARNING_SHARE, learn_domains, reserved_delta
from sdv_prefair.learning._ranges import month_cells, powers_of_two, stands_out
from sdv_prefair.privacy import Ledger, SeededEntropy
from sdv_prefair.privacy._answers import gaussian_variance
from sdv_prefair.privacy._private_table import frequent_values, threshold

RNG = np.random.default_rng(0)


def learn(columns, domains, epsilon=1.0, seed=1, rows_per_person=1):
    ledger = Ledger(epsilon, 1e-9, rows_per_person, reserved_delta=reserved_delta(domains, 1e-9))
    source = FrameSource(pd.DataFrame(columns))
    return learn_domains(domains, source, ledger, SeededEntropy(seed)), ledger


def test_declared_columns_are_not_read_and_cost_nothing():
    domains = {'a': Categories(('x', 'y')), 'b': Numbers(0, 9)}
    learnt, ledger = learn({}, domains)
    assert learnt == domains
    assert ledger.spent == 0
    assert ledger.reserved_delta == 0


def test_only_columns_that_need_it_pay_and_no_more_than_their_share():
    domains = {'a': Categories(('x',)), 'n': Undeclared('numbers'), 'c': Undeclared('categories')}
    columns = {'a': ['x'] * 5000, 'n': RNG.normal(50, 9, 5000), 'c': RNG.choice(list('uvw'), 5000)}
    _, ledger = learn(columns, domains)
    assert {column for debit in ledger.debits for column in debit.columns} == {'n', 'c'}
    for name in 'nc':
        spent = sum((d.rho for d in ledger.debits if d.columns == (name,)), Fraction(0))
        assert 0 < spent <= ledger.budget * LEARNING_SHARE / 3 * Fraction(1001, 1000)
    assert math.fsum(debit.delta for debit in ledger.debits) <= ledger.reserved_delta


def test_frequent_categories_are_learnt_and_rare_ones_are_not():
    values = ['often'] * 3000 + ['sometimes'] * 1500 + [f'only-{i}' for i in range(500)]
    learnt, _ = learn({'c': values}, {'c': Undeclared('categories', ordered=True)})
    assert learnt['c'] == Categories(('often', 'sometimes'), ordered=True, shared=True)


@given(st.floats(0.5, 1e4), st.floats(1e-12, 1e-3), st.integers(1, 20))
def test_a_value_of_one_person_passes_with_probability_below_delta(sigma, delta, rows):
    """By the exact tail of the discrete Gaussian: at most `rows` values, each `rows` times."""
    least = threshold(sigma, delta, rows)
    needed = math.floor(least) + 1 - rows
    support = np.arange(needed, needed + math.ceil(40 * sigma) + 40, dtype=float)
    weights = np.exp(-((support / sigma) ** 2) / 2)
    total = np.exp(-((np.arange(-40 * sigma - 40, 40 * sigma + 40) // 1 / sigma) ** 2) / 2).sum()
    assert rows * weights.sum() / total <= delta


def test_the_threshold_is_not_far_too_high():
    assert threshold(100.0, 1e-9, 1) == pytest.approx(2 + 100 * 5.9978, abs=0.1)


@pytest.mark.parametrize('rows', [1, 4])
def test_a_value_needs_more_than_the_threshold(rows):
    """Without noise to speak of, the threshold is just above one more than a person's rows."""
    ledger = Ledger(1e8, 1e-9, rows, reserved_delta=5e-10)
    rho = ledger.shares(ledger.budget, [1, 1])[0]
    assert math.sqrt(gaussian_variance(rho, rows**2)) < 1e-2
    exact = {'one person': rows, 'one more': rows + 1, 'two more': rows + 2, None: 0}
    found = frequent_values('x', exact, rho, 1e-10, 'learn', ledger, SeededEntropy(2))
    assert found == {'two more': rows + 2, None: 0}


def test_values_come_out_in_an_order_that_says_nothing():
    ledger = Ledger(5.0, 1e-9, reserved_delta=5e-10)
    rho = ledger.shares(ledger.budget, [1, 1])[0]
    exact = {'b': 900, 'a': 500, 'c': 700}
    found = frequent_values('x', exact, rho, 1e-10, 'learn', ledger, SeededEntropy(2))
    assert list(found) == ['a', 'b', 'c']


@pytest.mark.parametrize(
    ('values', 'low', 'high'),
    [
        (RNG.integers(17, 91, 20_000), 17, 90),
        (-RNG.integers(600, 900, 20_000), -899, -600),
        (np.zeros(20_000, dtype=int), 0, 0),
        (RNG.uniform(-3, 5, 20_000), -3.0, 5.0),
        (np.full(20_000, 0.3), 0.3, 0.3),
    ],
    ids=['ages', 'negative', 'zeros', 'reals', 'one value'],
)
def test_bounds_of_numbers_are_where_the_rows_are(values, low, high):
    """Less than one row in thirty is left out, and of the range at most as much is empty."""
    learnt, _ = learn({'n': values}, {'n': Undeclared('numbers')})
    found, few = learnt['n'], (high - low) / 30
    assert found.low == pytest.approx(low, abs=few)
    assert found.high == pytest.approx(high, abs=few)
    assert ((values < found.low) | (values > found.high)).mean() < 1 / 30


def test_numbers_too_large_to_be_told_apart_as_floats_are_learnt_all_the_same():
    values = RNG.integers(2_000, 2_100, 20_000) * 10**15 + 1
    learnt, _ = learn({'n': values}, {'n': Undeclared('numbers')})
    assert isinstance(learnt['n'].low, int)
    assert ((values < learnt['n'].low) | (values > learnt['n'].high)).mean() < 1 / 30


@pytest.mark.parametrize('seed', range(8))
def test_no_end_is_far_from_the_rows_whatever_the_noise(seed):
    ages = RNG.normal(38, 13, 40_000).clip(17, 90).astype(int)
    others = {f'c{place}': Categories(('x',)) for place in range(14)}
    learnt, _ = learn({'n': ages}, {'n': Undeclared('numbers')} | others, seed=seed)
    assert 12 <= learnt['n'].low <= 20
    assert np.quantile(ages, 0.96) <= learnt['n'].high <= 96


@pytest.mark.parametrize('places', [0, 1, 3, 6])
def test_decimals_are_learnt_within_the_budget(places):
    values = np.round(RNG.normal(3.2, 0.4, 20_000), places)
    values[:20] += 1e-9  # a few rows may have more
    learnt, ledger = learn({'n': values}, {'n': Undeclared('numbers')})
    assert learnt['n'].decimal_places == places
    assert ledger.spent <= ledger.budget * LEARNING_SHARE


def test_numbers_of_many_decimals_stay_real_numbers():
    learnt, _ = learn({'n': RNG.normal(3.2, 0.4, 20_000)}, {'n': Undeclared('numbers')})
    assert learnt['n'].decimal_places is None


def test_declared_decimals_and_whole_numbers_are_not_learnt():
    domains = {'a': Undeclared('numbers', decimal_places=1), 'b': Undeclared('numbers')}
    columns = {'a': RNG.normal(0, 1, 20_000), 'b': RNG.integers(0, 50, 20_000)}
    learnt, _ = learn(columns, domains)
    assert (learnt['a'].decimal_places, learnt['b'].decimal_places) == (1, None)
    assert isinstance(learnt['b'].high, int)


@pytest.mark.parametrize('kind', ['numbers', 'categories', 'datetimes'])
@pytest.mark.parametrize('share', [0.0, 0.3])
def test_nulls_are_declared_if_rows_hold_them(kind, share):
    values = {
        'numbers': RNG.normal(3, 1, 20_000),
        'categories': RNG.choice(list('uvw'), 20_000),
        'datetimes': pd.Timestamp('2010-03-15') + pd.to_timedelta(RNG.integers(0, 99, 20_000), 'D'),
    }[kind]
    column = pd.Series(values).where(RNG.random(20_000) >= share)
    learnt, _ = learn({'x': column}, {'x': Undeclared(kind, learns_nulls=True)})
    assert learnt['x'].nullable is (share > 0)
    learnt, _ = learn({'x': column}, {'x': Undeclared(kind)})
    assert learnt['x'].nullable  # that is public here


def tail_of(num_rows, num_values, prefix='rare'):
    return [f'{prefix}-{place % num_values}' for place in range(num_rows)]


def two_columns(tail, other='other', column=None):
    """A column with a tail beside one that has none, from which the number of rows is seen."""
    values = ['often'] * 12_000 + ['sometimes'] * 6_000 + tail
    values = values if column is None else column(values)
    columns = {'c': values, 'd': ['u', 'v'] * (len(values) // 2)}
    domains = {c: Undeclared('categories', learns_nulls=True, other=other) for c in columns}
    return learn(columns, domains)


def test_rare_values_have_a_value_of_their_own_only_where_there_are_some():
    learnt, _ = two_columns(tail_of(4000, 2000))
    assert learnt['c'] == Categories(
        ('often', 'sometimes'), nullable=False, other='other', shared=True
    )
    assert learnt['d'] == Categories(('u', 'v'), nullable=False, shared=True)


def test_what_stands_for_rare_values_is_none_that_was_learnt():
    learnt, _ = two_columns(['other'] * 3000 + ['other_'] * 3000 + tail_of(4000, 2000))
    assert set(learnt['c'].values) == {'often', 'sometimes', 'other', 'other_'}
    assert learnt['c'].other == 'other__'


def test_columns_of_numbers_have_no_text_for_rare_values():
    number_of = {'often': 1, 'sometimes': 2}
    learnt, _ = two_columns(
        tail_of(4000, 2000), column=lambda cells: [number_of.get(c, 3 + len(c)) for c in cells]
    )
    assert learnt['c'].other is None
    assert learnt['c'].shared


def test_what_the_second_round_asks_goes_to_the_column_that_has_missed_most():
    tail = [f'value-{place}' for place in range(40) for _ in range(100)]
    learnt, ledger = two_columns(tail)
    lines = [debit for debit in ledger.debits if debit.columns == ('c',)]
    assert len(lines) == 2
    assert lines[1].rho > 3 * lines[0].rho
    assert len([d for d in ledger.debits if d.columns == ('d',)]) <= 2
    assert math.fsum(debit.delta for debit in ledger.debits) <= ledger.reserved_delta
    assert ledger.spent <= ledger.budget * LEARNING_SHARE


def test_a_named_value_must_fit_the_dtype_before_anything_is_spent():
    domains = {'c': Undeclared('categories', other='rest', named_other=True)}
    with pytest.raises(DomainError, match='does not fit into a column'):
        learn({'c': np.ones(50, dtype=int)}, domains)


def test_declared_half_bounds_cut_what_is_learnt():
    domain = Undeclared('numbers', low=0, nullable=False)
    learnt, _ = learn({'n': RNG.uniform(-3, 5, 20_000)}, {'n': domain})
    assert (learnt['n'].low, learnt['n'].nullable) == (0, False)
    assert learnt['n'].high == pytest.approx(5, abs=0.2)


def test_one_outlier_does_not_move_the_bounds():
    values = np.append(RNG.integers(17, 91, 20_000), 10**15)
    learnt, _ = learn({'n': values}, {'n': Undeclared('numbers')})
    assert learnt['n'].high <= 96


def test_months_around_datetimes_are_learnt():
    values = pd.Timestamp('2010-03-15') + pd.to_timedelta(RNG.integers(0, 700, 20_000), 'D')
    learnt, _ = learn({'d': values}, {'d': Undeclared('datetimes')})
    assert learnt['d'].low == pd.Timestamp('2010-03-01')
    assert pd.Timestamp('2012-01-31') <= learnt['d'].high <= pd.Timestamp('2012-02-29')


def test_texts_with_a_format_are_learnt_as_datetimes():
    values = pd.Series(['15.03.2010', '16.04.2011'] * 10_000)
    domain = Undeclared('datetimes', datetime_format='%d.%m.%Y')
    learnt, _ = learn({'d': values}, {'d': domain})
    assert learnt['d'].low == pd.Timestamp('2010-03-01')
    assert learnt['d'].high == pd.Timestamp('2011-04-30')


@pytest.mark.parametrize(
    ('years', 'num_rows'), [(3, 3000), (20, 8000), (50, 8000)], ids=['few', 'some', 'many years']
)
def test_thousands_of_dates_stand_out_beside_fourteen_other_columns(years, num_rows):
    """As in a table of fifteen columns, whatever the years; months alone would not stand out."""
    first = pd.Timestamp('1961-01-01')
    values = first + pd.to_timedelta(RNG.integers(0, 365 * years, num_rows), 'D')
    others = {f'c{place}': Categories(('x',)) for place in range(14)}
    learnt, ledger = learn({'d': values}, {'d': Undeclared('datetimes')} | others, epsilon=1.0)
    assert all(debit.columns == ('d',) for debit in ledger.debits)
    share = float(LEARNING_SHARE) / 15
    assert float(ledger.spent / ledger.budget) <= share * 1.001
    outside = (values < learnt['d'].low) | (values > learnt['d'].high)
    assert outside.mean() < 0.08
    assert learnt['d'].high - learnt['d'].low <= pd.Timedelta(days=366 * (years + 10))


def test_dates_of_one_month_are_found_to_the_month():
    values = pd.Timestamp('1999-12-01') + pd.to_timedelta(RNG.integers(0, 31, 20_000), 'D')
    learnt, _ = learn({'d': values}, {'d': Undeclared('datetimes')})
    assert learnt['d'].low == pd.Timestamp('1999-12-01')
    assert learnt['d'].high == pd.Timestamp('1999-12-31')


@pytest.mark.parametrize('kind', ['numbers', 'categories', 'datetimes'])
def test_too_few_rows_fall_back_to_public_defaults_with_a_warning(kind):
    values = {
        'numbers': [1.0, 2.0],
        'categories': ['u', 'v'],
        'datetimes': pd.to_datetime(['2011-01-01', '2012-02-02']),
    }[kind]
    with pytest.warns(PrivacyWarning, match="column 'x' stood out from the noise"):
        learnt, _ = learn({'x': values}, {'x': Undeclared(kind)})
    expected = {
        'numbers': Numbers(0.0, 1.0),
        'categories': Categories((), shared=True),
    }
    if kind in expected:
        assert learnt['x'] == expected[kind]
    else:
        assert learnt['x'].low == pd.Timestamp('1900-01-01')


def test_the_grid_of_numbers_is_rising_and_covers_its_range():
    grid, cells = powers_of_two(), NumberCells(powers_of_two().edges)
    assert (np.diff(grid.edges) > 0).all()
    values = pd.Series([grid.edges[0] - 1, grid.edges[3] - 1, grid.edges[3], grid.edges[-1]])
    assert cells.encode(values).tolist() == [0, 3, 3, cells.num_cells - 1]
    assert cells.encode(pd.Series([None], dtype=float)).tolist() == [cells.num_cells]


def test_the_grid_of_dates_has_the_months_of_two_centuries():
    months = month_cells(Undeclared('datetimes'), np.dtype('datetime64[us]'))
    written = ['1899-05-05', '1900-01-01', '1900-01-31', '1970-02-01', '2099-12-31', '2150-01-01']
    codes = months.encode(pd.Series(pd.to_datetime(written)))
    assert codes.tolist() == [0, 0, 0, 841, 2399, 2399]


def test_noise_does_not_stand_out():
    rng = np.random.default_rng(5)
    for _ in range(300):
        noise = rng.normal(0, 50, 193)
        assert not stands_out(noise, 50.0).any()
        noise[[20, 90]] += 1000
        assert np.flatnonzero(stands_out(noise, 50.0)).tolist() == [20, 90]
