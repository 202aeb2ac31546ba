"""Rows from learnt domains, as users see them: where rows were, and with a value for the rest."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sdv.sampling import Condition

from sdv_prefair import PreFairSynthesizer, load_release
from sdv_prefair.datasets._dataset import public_metadata
from sdv_prefair.errors import DomainWarning

NUM_ROWS = 20_000
SDTYPES = {
    'country': 'categorical', 'floor': 'categorical', 'sex': 'categorical', 'age': 'numerical',
    'gpa': 'numerical', 'hired': 'categorical',
}  # fmt: skip
ROLES = {'protected': ['sex'], 'admissible': ['country', 'age'], 'outcome': ['hired']}


def people():
    """A table with long tails of texts and whole numbers, and without any null."""
    rng = np.random.default_rng(0)
    rare = rng.random(NUM_ROWS) < 0.2
    place = np.where(rare, rng.integers(10, 2000, NUM_ROWS), rng.integers(0, 3, NUM_ROWS))
    chance = np.where(rare, 0.9, 0.3)
    return pd.DataFrame({
        'country': [f'country {number}' for number in place],
        'floor': place,
        'sex': np.where(rng.random(NUM_ROWS) < chance, 'f', 'm'),
        'age': rng.normal(40, 12, NUM_ROWS).clip(17, 90).astype(int),
        'gpa': rng.normal(3.1, 0.3, NUM_ROWS).clip(0, 4).round(3),
        'hired': np.where(rng.random(NUM_ROWS) < chance, 'yes', 'no'),
    })


def fitted(table=None, **arguments):
    metadata = public_metadata('people', {c: {'sdtype': s} for c, s in SDTYPES.items()})
    synthesizer = PreFairSynthesizer(metadata, public_ranges=False, **ROLES, **arguments)
    with pytest.warns(DomainWarning, match="too rare to be learnt make up about .* of 'country'"):
        synthesizer.fit({'people': people() if table is None else table})
    return synthesizer


@pytest.fixture(scope='module')
def synthesizer():
    return fitted(epsilon=3.0)


def test_rows_look_like_those_of_the_table(synthesizer):
    real, rows = people(), synthesizer.sample(NUM_ROWS)['people']
    assert not rows.isna().any(axis=None)
    assert (rows.dtypes == real.dtypes).all()
    assert (rows['country'] == 'other').mean() == pytest.approx(0.2, abs=0.03)
    assert set(rows['country']) == {'country 0', 'country 1', 'country 2', 'other'}
    assert set(rows['sex']) == {'f', 'm'}
    assert set(rows['floor']) == {0, 1, 2}
    assert rows['age'].between(10, 100).all()
    assert (rows['gpa'].round(3) == rows['gpa']).all()
    assert rows['gpa'].between(1.5, 4.5).all()
    assert synthesizer.verify_fairness()


def test_rare_values_keep_what_goes_with_them(synthesizer):
    """In the table most of their rows are hired, of all others a third."""
    rows = synthesizer.sample(NUM_ROWS)['people']
    is_other, is_hired = rows['country'] == 'other', rows['hired'] == 'yes'
    assert is_hired[is_other].mean() > 0.8
    assert is_hired[~is_other].mean() < 0.4


def test_the_user_says_what_stands_for_rare_values_of_any_type():
    synthesizer = fitted(epsilon=3.0, other={'country': 'elsewhere', 'floor': -1})
    rows = synthesizer.sample(NUM_ROWS)['people']
    assert 'elsewhere' in set(rows['country'])
    assert (rows['floor'] == -1).mean() == pytest.approx(0.2, abs=0.03)
    assert rows['floor'].dtype == np.int64


def test_known_rows_may_hold_what_was_not_learnt(synthesizer):
    known = pd.DataFrame({
        'country': ['country 0', 'country 77', 'country 0', None],
        'floor': [0, 1999, 1, 2],
        'age': [30, 95, 17, 40],
    })
    known = pd.concat([known] * 200, ignore_index=True)
    with pytest.warns(DomainWarning, match='were not learnt') as warned:
        rows = synthesizer.sample_remaining_columns(known)
    rows = rows['people'] if isinstance(rows, dict) else rows
    pd.testing.assert_frame_equal(rows[list(known)], known, check_dtype=False)
    assert not any('77' in str(warning.message) for warning in warned)
    hired = (rows['hired'] == 'yes').to_numpy().reshape(-1, 4).mean(axis=0)
    assert hired[1] > 0.75 > 0.5 > hired[0]


def test_known_rows_may_not_hold_what_no_row_could(synthesizer):
    with pytest.raises(ValueError, match="Column 'age'"):
        synthesizer.sample_remaining_columns(pd.DataFrame({'age': ['old', 'young']}))


def test_a_condition_asks_for_what_was_learnt(synthesizer):
    with pytest.raises(ValueError, match="Column 'country'"):
        synthesizer.sample_from_conditions([Condition({'country': 'country 77'}, 2)])
    rows = synthesizer.sample_from_conditions([Condition({'country': 'other'}, 5)])
    rows = rows['people'] if isinstance(rows, dict) else rows
    assert (rows['country'] == 'other').all()


def test_what_stands_for_rare_values_has_a_share_and_a_bar(synthesizer, tmp_path):
    shares = synthesizer.estimate('country')
    assert abs(shares.loc['other', 'estimate'] - 0.2) < 0.05
    assert abs(shares['estimate'].sum() - 1) < 0.05
    synthesizer.create_release_report(path=tmp_path / 'report.html')
    assert 'other' in (tmp_path / 'report.html').read_text('utf-8')


def in_regions():
    """Postal codes of three digits, of which the first is a region that goes with the sex."""
    rng = np.random.default_rng(1)
    number = np.where(rng.random(NUM_ROWS) < 0.3, 123, rng.integers(0, 1000, NUM_ROWS))
    return people()[['sex', 'age', 'hired']].assign(
        country=[f'{n:03}' for n in number],
        sex=np.where(rng.random(NUM_ROWS) < 0.1 + 0.08 * (number // 100), 'f', 'm'),
        floor=0,
        gpa=3.0,
    )[list(SDTYPES)]


@pytest.mark.parametrize('form', [None, '[0-9]{3}'])
def test_rare_texts_come_back_by_region_and_in_their_form(form, tmp_path):
    facts = {'range_groups': 1} | ({} if form is None else {'regex_format': form})
    metadata = public_metadata('people', {c: {'sdtype': s} for c, s in SDTYPES.items()})
    synthesizer = PreFairSynthesizer(
        metadata, 10.0, public_ranges=False, domain={'country': facts}, **ROLES
    )
    table = in_regions()
    synthesizer.fit({'people': table})
    synthesizer.verify_fairness()
    rows = synthesizer.sample(NUM_ROWS)['people']
    real, made = (t['country'].str[0].value_counts(normalize=True) for t in (table, rows))
    assert real.sub(made, fill_value=0).abs().sum() / 2 < 0.03
    frequent = rows['country'] == '123'
    assert abs(frequent.mean() - 0.3) < 0.03
    if form is None:
        assert {f'{digit}*' for digit in range(10)} <= set(rows['country'])
    else:
        assert rows['country'].str.fullmatch(form).all()
        assert rows['country'].nunique() > 900
    by_region = [t.groupby(t['country'].str[0])['sex'].agg(lambda s: (s == 'f').mean()) for t in
                 (table, rows)]  # fmt: skip
    assert (by_region[0] - by_region[1]).abs().max() < 0.12
    synthesizer.save_release(tmp_path / 'it.prefair')
    again = load_release(tmp_path / 'it.prefair')
    synthesizer.reset_sampling()
    pd.testing.assert_frame_equal(again.sample(500)['people'], synthesizer.sample(500)['people'])


def test_rare_texts_come_back_as_texts_of_their_sdtype(tmp_path):
    metadata = public_metadata('people', {c: {'sdtype': s} for c, s in SDTYPES.items()})
    synthesizer = PreFairSynthesizer(
        metadata, 10.0, public_ranges=False, domain={'country': {'rare_sdtype': 'city'}}, **ROLES
    )
    table = people()
    synthesizer.fit({'people': table})
    synthesizer.verify_fairness()
    rows = synthesizer.sample(NUM_ROWS)['people']['country']
    learnt = set(synthesizer.fitted.encoding.transformers['country'].heads)
    rare = rows[~rows.isin(learnt)]
    assert learnt and rare.nunique() > 50
    assert rare.str.fullmatch(r"[A-Z][A-Za-z' ]+").all()
    assert not rare.isin(table['country']).any() and not rare.isin(['other']).any()
    assert abs(len(rare) / NUM_ROWS - (~table['country'].isin(learnt)).mean()) < 0.05
    synthesizer.save_release(tmp_path / 'it.prefair')
    again = load_release(tmp_path / 'it.prefair')
    synthesizer.reset_sampling()
    pd.testing.assert_frame_equal(again.sample(300)['people'], synthesizer.sample(300)['people'])


@pytest.mark.parametrize('dtype', ['int64', 'uint64', 'float32'])
def test_known_values_that_were_not_learnt_keep_the_dtype(dtype):
    drawn = np.random.default_rng(4)
    table = pd.DataFrame({'x': drawn.integers(0, 50, 400).astype(dtype), 'w': ['a', 'b'] * 200})
    kinds = {'x': {'sdtype': 'numerical'}, 'w': {'sdtype': 'categorical'}}
    metadata = public_metadata('people', kinds)
    synthesizer = PreFairSynthesizer(metadata, 50.0, structure='none', public_ranges=False)
    synthesizer.fit({'people': table})
    known = pd.DataFrame({'x': np.array([3, 2**40], dtype=dtype)})
    rows = synthesizer.sample_remaining_columns(known)['people']
    assert rows['x'].dtype == dtype
    assert rows['x'].tolist() == known['x'].tolist()


def test_beginnings_are_paid_for():
    metadata = public_metadata('people', {c: {'sdtype': s} for c, s in SDTYPES.items()})
    synthesizer = PreFairSynthesizer(
        metadata, public_ranges=False, domain={'country': {'range_groups': 1}}, **ROLES
    )
    synthesizer.fit({'people': in_regions()})
    ledger = synthesizer.get_privacy_ledger()
    lines = ledger[(ledger['step'] == 'learn domains') & (ledger['columns'] == ('country',))]
    assert len(lines) == 3  # two rounds of values, and one of their beginnings
    assert ledger['rho'].sum() == pytest.approx(ledger.attrs['rho'])


@pytest.mark.parametrize(('precision', 'scale'), [(5, 2), (3, 0), (9, 2), (18, 0)])
@pytest.mark.parametrize('sign', [1, -1])
def test_learnt_bounds_keep_within_decimals(precision, scale, sign):
    """A bound is learnt as a power of two, which may be beyond the last number of the type."""
    largest = Decimal('9' * precision).scaleb(-scale)
    kind = pd.ArrowDtype(pa.decimal128(precision, scale))
    column = pd.Series([sign * largest] * 300 + [sign * largest / 3] * 200)
    table = pd.DataFrame({'x': column.map(lambda x: round(x, scale)).astype(kind)})
    metadata = public_metadata('t', {'x': {'sdtype': 'numerical'}})
    synthesizer = PreFairSynthesizer(metadata, epsilon=50.0, structure='none')
    synthesizer.fit({'t': table})
    sampled = synthesizer.sample(200)['t']['x']
    assert sampled.dtype == kind
    assert (sampled.abs() > float(largest) * 0.99).mean() > 0.4


@pytest.mark.parametrize('ends', [(-999, 0), (-5, 0), (-1, 0), (0,), (0, 5), (-7, -3), (-4, 9)])
@pytest.mark.parametrize('dtype', [int, float])
def test_the_ends_of_a_range_come_back(ends, dtype):
    columns = {'x': {'sdtype': 'numerical'}, 'y': {'sdtype': 'boolean'}}
    synthesizer = PreFairSynthesizer(
        public_metadata('ends', columns), epsilon=20.0, structure='none', public_ranges=False
    )
    frame = pd.DataFrame({'x': np.resize(ends, 4000).astype(dtype), 'y': [True, False] * 2000})
    synthesizer.fit({'ends': frame})
    shares = synthesizer.sample(4000)['ends']['x'].value_counts(normalize=True)
    assert all(shares.get(end, 0) > 0.9 / len(ends) for end in ends)
