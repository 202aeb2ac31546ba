"""Of ``_cautions.py`` and what ``_cautions.py`` says of them."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdv_prefair import DomainWarning, NoiseWarning, PreFairSynthesizer
from sdv_prefair.datasets import load_adult
from sdv_prefair.datasets._dataset import categorical, numerical, public_metadata
from sdv_prefair.fitting._cautions import is_in_one_bin, is_piled
from sdv_prefair.transformers import CategoryCodes, DatetimeBins, NumberBins

DATA = Path(__file__).parents[4] / 'shared' / 'data'
ROWS = 3000
EMPTY, AT_AN_END, ONE_BIN = 'are missing', 'at a bound', 'One bin holds'


def told(columns, values, epsilon=100.0, equal=(), **arguments):
    """Return the texts of the warnings that a fit gives of domains and of noise.

    Of columns in ``equal`` the bins are of equal width; the others are cut as by default.
    """
    synthesizer = PreFairSynthesizer(
        public_metadata('t', columns),
        epsilon=epsilon,
        **{'structure': 'none', 'public_ranges': True} | arguments,
    )
    data = {'t': pd.DataFrame(values)}
    synthesizer.auto_assign_transformers(data)
    synthesizer.update_transformers({name: equal_bins(columns[name]) for name in equal})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        synthesizer.fit(data, check=False)  # which would stop for some of them
    kinds = (DomainWarning, NoiseWarning)
    return [str(one.message) for one in caught if issubclass(one.category, kinds)]


def equal_bins(about):
    ends = about.get('range_min'), about.get('range_max')
    if about['sdtype'] == 'datetime':
        return DatetimeBins(*ends, about['datetime_format'])
    if about['sdtype'] == 'numerical':
        return NumberBins(*ends, 32, about['decimal_places'], None, about['range_is_nullable'])
    return CategoryCodes(about['range_values'], about['range_is_nullable'])


def numbers(seed=0, scale=1.0):
    return (scale * np.random.default_rng(seed).gamma(4, 10, ROWS)).round()


DATE = {
    'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d', 'range_min': '2000-01-01',
    'range_max': '2019-12-31',
}  # fmt: skip


def days(first):
    return pd.Series(pd.date_range(first, periods=ROWS, freq='D')).dt.strftime('%Y-%m-%d')


@pytest.mark.parametrize(
    ('column', 'values', 'expected'),
    [
        pytest.param(numerical(18, 90), numbers() / 4, AT_AN_END, id='below a narrow range'),
        pytest.param(numerical(0, 15), numbers(), AT_AN_END, id='above a narrow range'),
        pytest.param(numerical(0, 20, 1), numbers(), AT_AN_END, id='above, in bins'),
        pytest.param(DATE, days('1980-01-01'), AT_AN_END, id='before the dates of a range'),
        pytest.param(numerical(0, 10**7), numbers(), ONE_BIN, id='a range far too wide'),
        pytest.param(
            DATE | {'range_min': '1700-01-01', 'range_max': '2259-12-31'},
            days('2000-01-01'), ONE_BIN, id='dates of five centuries',
        ),
        pytest.param(DATE, days('2005-01-01').str.replace('-', '/'), EMPTY, id='another format'),
        pytest.param(
            numerical(0, 100, nullable=True), np.where(np.arange(ROWS) % 3, np.nan, numbers()),
            EMPTY, id='mostly nulls',
        ),
        pytest.param(
            numerical(18, 90), np.where(np.arange(ROWS) % 3, np.nan, 18 + numbers()), EMPTY,
            id='mostly nulls, which the range does not allow',
        ),
        pytest.param(
            categorical(['a', 'b'], nullable=True),
            pd.Series(['a', None, None, None, 'b'] * (ROWS // 5)), EMPTY, id='mostly no category',
        ),
    ],
)  # fmt: skip
def test_a_slip_is_told_once_with_its_column(column, values, expected):
    # One good column beside it, which is not named.
    columns = {'slip': column, 'good': numerical(0, 200)}
    (text,) = told(columns, {'slip': values, 'good': numbers(1)}, equal=['slip'])
    assert expected in text
    assert "['slip']" in text


def spiked(value, share=0.9):
    """Numbers that are nine times in ten one value."""
    is_spike = np.arange(ROWS) % 1000 < 1000 * share
    return np.where(is_spike, value, numbers())


@pytest.mark.parametrize('equal', [(), ('x',)], ids=['bins as by default', 'equal bins'])
@pytest.mark.parametrize(
    ('column', 'values'),
    [
        pytest.param(numerical(0, 80), spiked(0), id='zeros that mean nothing'),
        pytest.param(numerical(-1, 80), spiked(-1), id='minus one for not known'),
        pytest.param(numerical(0, 99), spiked(99), id='a top code'),
        pytest.param(numerical(0, 1), np.arange(ROWS) % 4 > 0, id='yes and no as numbers'),
        pytest.param(numerical(1, 5), np.where(np.arange(ROWS) % 4, 5, 2), id='the best grade'),
        pytest.param(numerical(10, 1000), 10 + numbers(), id='a wide range and a slope'),
        pytest.param(numerical(0, 80), np.full(ROWS, 40), id='one value that is a code'),
        pytest.param(
            numerical(0, 100, nullable=True), np.where(np.arange(ROWS) % 3, numbers(), np.nan),
            id='a third of nulls',
        ),
        pytest.param(DATE, days('2005-01-01'), id='dates within their range'),
    ],
)  # fmt: skip
def test_what_is_no_slip_is_not_told(column, values, equal):
    assert told({'x': column}, {'x': values}, equal=equal) == []


def test_a_spike_in_a_bin_of_its_own_is_no_pile_at_the_end():
    """What a look at capital gains ends in: zero, then bins that widen."""
    bins = NumberBins(
        0, 100_000, decimal_places=0, edges=[1, *np.geomspace(100, 90_000, 20).round()]
    )
    shares = np.array([0.917, *np.full(len(bins.line) - 1, 0.083 / (len(bins.line) - 1))])
    assert not is_piled(bins, shares)
    assert not is_in_one_bin(bins, np.array([1.0, *np.zeros(len(shares) - 1)]))
    # The same at an end that means nothing is what a narrow range leaves.
    moved = NumberBins(
        17, 100_017, decimal_places=0, edges=[18, *np.geomspace(117, 90_017, 20).round()]
    )
    assert is_piled(moved, shares)


def test_a_single_real_number_is_no_bin_that_hides_anything():
    bins = NumberBins(0.0, 10.0, edges=[2.5, np.nextafter(2.5, 3)])
    assert not is_in_one_bin(bins, np.array([0.0, 1.0, 0.0]))
    assert is_in_one_bin(bins, np.array([1.0, 0.0, 0.0]))


def test_dates_have_no_end_that_means_something():
    bins = DatetimeBins('1970-01-01', '2020-01-01', '%Y-%m-%d')
    shares = np.array([0.9, *np.full(31, 0.1 / 31)])
    assert is_piled(bins, shares)
    assert is_piled(bins, shares[::-1])


def test_noise_is_told_with_columns_and_pairs_and_more_epsilon_silences_it():
    columns = {name: numerical(0, 99) for name in 'ab'}
    values = {name: numbers(seed) for seed, name in enumerate('ab')}
    (text,) = told(columns, values, epsilon=0.05, budget='paper')
    assert "Noise swamps the columns ['a', 'b']" in text
    assert told(columns, values, epsilon=100.0) == []


def test_of_a_column_that_noise_swamps_nothing_else_is_told():
    texts = told({'x': numerical(18, 90)}, {'x': numbers()[:40] / 4}, epsilon=0.05)
    assert len(texts) == 1
    assert 'Noise swamps' in texts[0]


@pytest.mark.skipif(not (DATA / 'adult').is_dir(), reason='Adult is not at ../shared/data')
def test_nothing_is_told_of_adult_with_the_ranges_of_its_codebook():
    data, metadata, roles = load_adult(DATA)
    columns = metadata.to_dict()['tables']['adult']['columns']
    assert told(columns, data['adult'], 1.0, structure='adaptive', **roles.as_dict()) == []
