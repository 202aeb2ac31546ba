"""Fairness holds for the values that come out, not only for the codes of the model."""

import io
import itertools

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from releases import ROLES, fit, staff_metadata, staff_rows
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.errors import DomainError
from sdv_prefair.metrics import independence_test
from sdv_prefair.transformers import CategoryCodes, NumberBins

# In these tables an admissible column tells the sex: only so could a tie through it be seen.
pytestmark = pytest.mark.filterwarnings('ignore:Admissible columns are near copies')

NUM_ROWS = 30_000


def fit_and_sample(kind, values, **description):
    """Return rows sampled from a table in which an admissible column hides a strong tie.

    Within one undeclared value of the admissible column, sex decides the outcome.
    """
    rng = np.random.default_rng(0)
    place = rng.integers(0, 3, NUM_ROWS)
    sex = np.where(place == 2, rng.random(NUM_ROWS) < 0.9, rng.random(NUM_ROWS) < 0.1)
    paid = np.where(place == 2, rng.random(NUM_ROWS) < 0.9, rng.random(NUM_ROWS) < 0.1)
    table = pd.DataFrame({
        'sex': np.where(sex, 'F', 'M'),
        'place': np.array(values, dtype=object)[place],
        'paid': np.where(paid, 'yes', 'no'),
    })
    columns = {
        'sex': {'sdtype': 'categorical', 'range_values': ['F', 'M'], 'range_is_nullable': False},
        'place': {'sdtype': kind} | description,
        'paid': {
            'sdtype': 'categorical',
            'range_values': ['no', 'yes'],
            'range_is_nullable': False,
        },
    }
    if kind == 'numerical':
        table['place'] = table['place'].astype(float)
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    synthesizer = PreFairSynthesizer(
        metadata,
        epsilon=8.0,
        public_ranges=True,
        structure=[('sex', 'place'), ('place', 'paid')],
        protected=['sex'],
        admissible=['place'],
        outcome=['paid'],
    )
    synthesizer.fit({'t': table})
    rows = synthesizer.sample(200_000)['t']
    return rows, synthesizer.encode_rows(rows)['place'].to_numpy().astype(np.int64)


@pytest.mark.parametrize('nullable', [True, False])
@pytest.mark.parametrize(
    ('kind', 'values', 'description'),
    [
        ('categorical', ['north', 'south', 'unlisted'], {'range_values': ['north', 'south']}),
        ('ordinal', ['low', 'high', 'unlisted'], {'range_values': ['low', 'high', 'top']}),
        ('categorical', ['often', 'also', 'seldom'], {}),
        ('numerical', [1.0, 2.0, 77.0], {'range_min': 0, 'range_max': 10, 'decimal_places': 0}),
        ('numerical', [0.1, 0.2, 0.21], {'range_min': 0.0, 'range_max': 1.0}),
    ],
)
def test_values_outside_the_domain_tie_nothing(kind, values, description, nullable):
    rows, bins = fit_and_sample(kind, values, **description, range_is_nullable=nullable)
    codes = {column: pd.factorize(rows[column])[0] + 1 for column in rows}
    if rows['place'].dtype == float:
        codes['place'] = bins  # given the exact value, hence the bin that it lies in
    found = independence_test(codes['paid'], codes['sex'], codes['place'], permutations=200, seed=0)
    # Mixed rows would give a thousand times the null's upper end; chance gives twice at most.
    assert found.estimate < 3 * found.null_interval[1]
    if 'unlisted' in values and not nullable:
        return  # the tie went through rows that are now spread over all values
    plain = independence_test(
        codes['paid'], codes['sex'], np.zeros(len(rows), dtype=int), permutations=50, seed=0
    )
    assert plain.p_value < 0.03, 'the tie is there when the admissible column is not given'


def dependence_in_csv():
    """Return the test of paid and sex given place by the cells of a file, '' beside null."""
    rows, _ = fit_and_sample('categorical', ['often', '', None], missing_values=[])
    read = pd.read_csv(io.StringIO(rows.to_csv(index=False)), dtype=str, keep_default_na=False)
    codes = {column: pd.factorize(read[column])[0] for column in read}
    return independence_test(codes['paid'], codes['sex'], codes['place'], permutations=200, seed=0)


def test_what_looks_like_null_ties_nothing_in_a_csv_file():
    found = dependence_in_csv()
    assert found.estimate < 3 * found.null_interval[1]


def test_the_tie_would_be_there_if_two_codes_looked_the_same(monkeypatch):
    monkeypatch.setattr('sdv_prefair.columns._facts.told_apart', lambda values, _: tuple(values))
    monkeypatch.setattr('sdv_prefair.columns._processor.untold_columns', lambda transformers: [])
    found = dependence_in_csv()
    assert found.estimate > 100 * found.null_interval[1]


def test_every_code_that_is_drawn_has_a_value_of_its_own():
    """Two codes that came back as one value would mix their rows under it."""

    for codes in (
        CategoryCodes(['a', 'b', 'c'], nullable=True),
        CategoryCodes([1, 2, True], nullable=False),
        NumberBins(0, 9, decimal_places=0),
        NumberBins(0.0, 1.0, nullable=False),
    ):
        drawn = [code for code in range(codes.num_codes) if code != codes.other_code]
        rng = np.random.default_rng(0)
        values = {code: codes.decode(np.full(300, code), rng) for code in drawn}
        for first, second in itertools.combinations(drawn, 2):
            assert not set(map(repr, values[first])) & set(map(repr, values[second]))


@pytest.mark.parametrize('door', ['fit', 'preprocess', 'fit_table'])
def test_no_door_takes_a_transformer_whose_values_look_the_same(door):
    rows = staff_rows()
    given = pa.Table.from_pandas(rows) if door == 'fit_table' else {'staff': rows}
    synthesizer = PreFairSynthesizer(staff_metadata(), public_ranges=True, **ROLES)
    synthesizer.auto_assign_transformers({'staff': rows})
    synthesizer.update_transformers({'grade': CategoryCodes(['a', 'b', ''], nullable=True)})
    with pytest.raises(DomainError, match=r"Values of \['grade'\] would not determine their codes"):
        getattr(synthesizer, door)(given)
    assert synthesizer.get_privacy_account()['rho'].sum() == 0


@pytest.fixture
def reassigned():
    """Return a fitted synthesizer, its rows, and the same with a transformer for the next fit.

    That transformer shows two codes alike, and is never checked before the next fit.
    """
    metadata = staff_metadata()
    metadata.remove_primary_key()
    metadata.remove_column('key')
    synthesizer = fit(staff_rows().drop(columns='key'), metadata)
    before = synthesizer.sample(300)['staff']
    synthesizer.reset_sampling()
    synthesizer.auto_assign_transformers({'staff': before})
    values = ['a', '', 'c']
    synthesizer.update_transformers({'grade': CategoryCodes(values, nullable=True)})
    return synthesizer, before


def test_transformers_for_the_next_fit_show_nothing_of_this_one(reassigned):
    synthesizer, before = reassigned
    assert synthesizer.verify_fairness()
    pd.testing.assert_frame_equal(synthesizer.sample(300)['staff'], before)
    synthesizer.reset_sampling()
    pd.testing.assert_frame_equal(synthesizer.sample(300)['staff'], before)
