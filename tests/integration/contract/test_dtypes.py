"""Every dtype comes back as it was, with as many nulls, whatever the structure."""

import datetime
import warnings

import numpy as np
import pandas as pd
import pytest
from contract import CONTROL, KINDS, STRUCTURES, fit, make, only
from every_dtype import every_dtype
from sdv.evaluation import run_diagnostic

from sdv_prefair import DomainWarning, FairnessWarning, NoiseWarning, OwnerWarning

NUM_ROWS = 2000


@pytest.fixture(scope='module')
def fitted():
    """Return, for a kind, the wide table before and after its fit, and a sample of that."""
    made = {}

    def of_kind(kind):
        if kind not in made:
            # SDV's own takes long for a wide table, and its share of nulls is not in question.
            wide = every_dtype(100 if kind == CONTROL else 600)
            wide = wide.without(wide.beyond_sdv) if kind == CONTROL else wide
            before = wide.frame.copy(deep=True), wide.metadata.to_dict()
            sampled = only(fit(kind, wide).sample(100 if kind == CONTROL else NUM_ROWS))
            made[kind] = wide, before, sampled
        return made[kind]

    return of_kind


@pytest.mark.parametrize('kind', KINDS)
def test_dtypes_and_order_of_the_columns_are_kept(fitted, kind):
    wide, _, sampled = fitted(kind)
    assert list(sampled.columns) == list(wide.frame.columns)
    changed = {c for c in sampled if sampled[c].dtype != wide.frame[c].dtype}
    assert not changed
    assert list(sampled.index) == list(range(len(sampled)))


@pytest.mark.parametrize('kind', KINDS)
def test_values_are_of_the_type_they_were(fitted, kind):
    wide, _, sampled = fitted(kind)
    for column in sampled:
        types = {type(value) for value in sampled[column].dropna()}
        assert types <= {type(value) for value in wide.frame[column].dropna()}, column


@pytest.mark.parametrize('kind', KINDS)
def test_the_frame_and_the_metadata_are_left_as_they_were(fitted, kind):
    wide, (frame, metadata), _ = fitted(kind)
    pd.testing.assert_frame_equal(wide.frame, frame)
    assert wide.metadata.to_dict() == metadata


@pytest.mark.parametrize('kind', STRUCTURES)
def test_the_share_of_nulls_is_kept(fitted, kind):
    wide, _, sampled = fitted(kind)
    shares = sampled.isna().mean() - wide.frame.isna().mean()
    # Five standard deviations of a share of a quarter among so many rows.
    assert shares.abs().max() < 5 * np.sqrt(0.25 * 0.75 / NUM_ROWS)
    never = [column for column in sampled if column.startswith('never')]
    assert sampled[never].isna().all().all()
    nowhere = wide.frame.columns[wide.frame.notna().all()]
    assert not sampled[nowhere].isna().any().any()


@pytest.mark.parametrize('kind', STRUCTURES)
def test_marginals_are_kept(fitted, kind):
    wide, _, sampled = fitted(kind)
    for column in ('number int8', 'word category', 'rung float64', 'flag boolean', 'day arrow'):
        real = wide.frame[column].value_counts(normalize=True)
        made = sampled[column].value_counts(normalize=True).reindex(real.index, fill_value=0)
        assert (made - real).abs().max() < 0.06, column
    assert (sampled['always red'] == 'red').all()
    assert (sampled[['always 7', 'one value']] == 7).all().all()
    assert (sampled['always that day'] == pd.Timestamp('2010-01-05')).all()


@pytest.mark.parametrize('kind', STRUCTURES)
def test_declared_decimals_and_formats_are_kept(fitted, kind):
    _, _, sampled = fitted(kind)
    assert (sampled['number whole'].dropna() % 1 == 0).all()
    assert (sampled['number cents'].dropna().round(2) == sampled['number cents'].dropna()).all()
    for column in [c for c in sampled if c.startswith('day as')]:
        digits = column in ('day as int64', 'day as Int64', 'day as float64')
        written = '%Y%m%d' if digits else '%d.%m.%Y'
        values = sampled[column].dropna()
        text = values.astype('int64').astype(str) if digits else values.astype(object)
        days = pd.to_datetime(text, format=written)
        assert days.between('2010-01-01', '2010-01-20').all(), column


@pytest.mark.parametrize('kind', STRUCTURES)
def test_ordered_categories_compare_as_they_did(fitted, kind):
    wide, _, sampled = fitted(kind)
    for column in ('word ordered', 'word ordered or null'):
        assert list(sampled[column].cat.categories) == ['green', 'red', 'blue']
        assert sampled[column].cat.ordered
    above = (sampled['word ordered'] > 'green').mean()
    assert abs(above - (wide.frame['word ordered'] > 'green').mean()) < 0.06


@pytest.mark.parametrize('kind', STRUCTURES)
def test_the_diagnostic_is_perfect(fitted, kind):
    wide, _, sampled = fitted(kind)
    report = run_diagnostic(wide.data, {'wide': sampled}, wide.metadata, verbose=False)
    validity = report.get_details('Data Validity')
    assert not list(validity[validity['Score'] < 1]['Column'])
    assert report.get_score() == 1.0


def test_dates_come_back_as_sdv_returns_them(fitted):
    """SDV writes ``datetime.date`` objects as text; so do we, in the same format."""
    wide, _, _ = fitted('none')
    day = [datetime.date(2010, 1, 1) + datetime.timedelta(days=n % 20) for n in range(100)]
    about = wide.without([c for c in wide.frame if c != 'day'])
    table = about._replace(data={'wide': pd.DataFrame({'day': day})}, roles={})
    control, ours = (only(fit(kind, table).sample(50))['day'] for kind in (CONTROL, 'none'))
    for sampled in (control, ours):
        assert sampled.dtype == object
        assert pd.to_datetime(sampled, format='%Y-%m-%d').between('2010-01-01', '2010-01-20').all()


def test_fitting_and_sampling_say_nothing(fitted):
    """Warnings of pandas and others may quote the values they are about."""
    wide, _, _ = fitted('adaptive')
    synthesizer = make('adaptive', wide)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        # They quote names alone.
        for of_columns in (NoiseWarning, DomainWarning, FairnessWarning, OwnerWarning):
            warnings.simplefilter('ignore', of_columns)
        synthesizer.fit(wide.data)
        synthesizer.sample(50)
        synthesizer.sample_remaining_columns(wide.frame[['word ordered', 'day']].head(5))


@pytest.mark.parametrize('public_ranges', [True, False])
def test_numbers_and_days_stored_as_categories_come_back_plain(public_ranges):
    """SDV fails on them. Their categories cannot be kept: they list the values of the rows.

    Nor can the type of the categories, which follows from the rows: the metadata gives the type.
    """
    wide = every_dtype(600)
    names = ['number int64', 'day as object', 'moment us']
    # Without a declaration decimals are learnt, within the budget: there are none.
    number = 'float64' if public_ranges else 'int64'
    plain = {'number int64': number, 'day as object': 'object', 'moment us': 'object'}
    table = wide.without([column for column in wide.frame if column not in names])
    frame = table.frame.astype('category')
    table = table._replace(data={'wide': frame}, roles={})
    sampled = only(fit('none', table, public_ranges=public_ranges).sample(300))
    assert sampled.dtypes.astype(str).to_dict() == plain
    assert sampled['number int64'].between(0, 32).all()
    days = pd.to_datetime(sampled['day as object'].dropna(), format='%d.%m.%Y')
    assert days.between('2010-01-01', '2010-01-31').all()
    moments = pd.to_datetime(sampled['moment us'].dropna(), format='%Y-%m-%d %H:%M:%S')
    assert moments.between('2010-01-01', '2010-02-01').all()
