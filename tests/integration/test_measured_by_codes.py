"""A fair model is not accused by our own measure, and an unfair one is.

An admissible number or date drives group and outcome alike, in steps that no grid of the metric's
own follows. Given the codes of the model the two are independent; given other bins they are not.
"""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from sdv.cag import Inequality
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.cli._opened_release import escape_formulas
from sdv_prefair.metrics import (
    ConditionalDemographicParity,
    ConditionalMutualInformation,
    FairnessReport,
)

ROLES = {'protected': ['sex'], 'admissible': ['score'], 'outcome': ['paid']}
NUM_ROWS = 20_000
SAMPLES = 6
SHUFFLES = 39  # of 40 equally likely places, the two highest are taken for an alarm: 5 %
CATEGORY = {'sdtype': 'categorical', 'range_is_nullable': False}


def as_dates(position):
    return pd.Timestamp('2020-01-01') + pd.to_timedelta(np.floor(position * 1000), unit='D')


KINDS = {
    'dates': (as_dates, {
        'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d', 'range_min': '2019-06-01',
        'range_max': '2022-12-31',
    }),
    'floats': (lambda position: position, {
        'sdtype': 'numerical', 'range_min': -0.5, 'range_max': 1.7,
    }),
    'integers': (lambda position: np.floor(position * 997).astype(int), {
        'sdtype': 'numerical', 'range_min': 0, 'range_max': 1400, 'decimal_places': 0,
    }),
    'learnt': (lambda position: np.floor(1000 * position**3).astype(int), {
        'sdtype': 'numerical', 'decimal_places': 0,
    }),
}  # fmt: skip


def rows_of(kind, seed=0):
    """Return rows of which score alone decides sex and paid, in a hundred steps."""
    rng = np.random.default_rng(seed)
    position = rng.random(NUM_ROWS)
    chance = np.where(np.floor(position * 47) % 2 == 0, 0.95, 0.05)
    write, _ = KINDS[kind]
    return pd.DataFrame({
        'sex': np.where(rng.random(NUM_ROWS) < chance, 'F', 'M'),
        'score': write(position),
        'paid': np.where(rng.random(NUM_ROWS) < chance, 'yes', 'no'),
    })


def metadata_of(kind, **more):
    columns = {
        'sex': CATEGORY | {'range_values': ['F', 'M']},
        'score': KINDS[kind][1] | {'range_is_nullable': False},
        'paid': CATEGORY | {'range_values': ['no', 'yes']},
    }
    return Metadata.load_from_dict({'tables': {'t': {'columns': columns | more}}})


def fit(kind, table=None, more=None, constraints=(), **arguments):
    options = {'epsilon': 20.0, 'public_ranges': True, 'numeric_bins': 100} | ROLES | arguments
    synthesizer = PreFairSynthesizer(metadata_of(kind, **more or {}), **options)
    synthesizer.add_constraints(list(constraints))
    synthesizer.fit({'t': rows_of(kind) if table is None else table})
    return synthesizer


def measure(fitted, rows, seed=0, **options):
    return ConditionalMutualInformation.compute_breakdown(
        None, rows, fitted.get_metadata(), permutations=SHUFFLES, seed=seed, **ROLES, **options
    )


def alarms(synthesizer):
    """Return how often the measure takes a sample for unfair, at the level of 5 %."""
    found = [
        measure(synthesizer, synthesizer.sample(8000)['t'], seed, synthesizer=synthesizer)
        for seed in range(SAMPLES)
    ]
    return sum(breakdown['p_value'] <= 0.05 for breakdown in found)


def test_fair_models_are_not_accused():
    fits = [fit(kind, numeric_bins=bins) for kind, bins in product(KINDS, (8, 32, 100))]
    total = sum(map(alarms, fits))
    # At 5 % each, more than this has a chance below one in ten thousand.
    assert total <= binom.isf(1e-4, len(fits) * SAMPLES, 0.05)


@pytest.mark.parametrize('kind', KINDS)
def test_a_plain_model_is_flagged(kind):
    """Sex decides the outcome: the tree of plain MST joins the two."""
    table = rows_of(kind)
    table['paid'] = np.where(table['sex'] == 'F', 'yes', 'no')
    assert alarms(fit(kind, table, structure='none')) == SAMPLES


@pytest.mark.parametrize('kind', ['dates', 'learnt'])
def test_bins_of_the_metric_accuse_a_fair_model_and_say_whose_they_are(kind):
    synthesizer = fit(kind)
    rows = synthesizer.sample(8000)['t']
    by_bins = measure(synthesizer, rows, num_bins=16)
    assert by_bins['strata'] == 'own bins of score'
    assert by_bins['score'] > 10 * by_bins['null_interval'][1]
    by_codes = measure(synthesizer, rows, synthesizer=synthesizer)
    assert by_codes['strata'] == 'codes of the model'
    assert by_codes['score'] < 2 * by_codes['null_interval'][1]


def test_a_column_that_a_constraint_touches_is_compared_by_its_values():
    """Integers of which score is the lower of two; the other is admissible too, or protected."""
    table, rng = rows_of('integers'), np.random.default_rng(1)
    table['score'] //= 30
    table['most'] = table['score'] + rng.integers(0, 5, NUM_ROWS)
    most = {'most': KINDS['integers'][1] | {'range_is_nullable': False}}
    rule = Inequality('score', 'most')
    tied = {'protected': ['sex', 'most'], 'admissible': ['score'], 'outcome': ['paid']}
    fits = [fit('integers', table, most, [rule]), fit('integers', table, most, [rule], **tied)]
    assert sum(map(alarms, fits)) <= binom.isf(1e-4, len(fits) * SAMPLES, 0.05)
    rows = fits[0].sample(1000)['t']
    assert list(fits[0].encode_rows(rows)) == ['sex', 'paid']
    told = measure(fits[0], rows, synthesizer=fits[0])['strata']
    assert told == 'codes of the model, exact values of score'


def test_a_release_and_every_conditional_measure_use_the_same_codes(tmp_path):
    synthesizer, real = fit('dates'), rows_of('dates', seed=5)
    synthesizer.save_release(tmp_path / 'x.prefair')
    opened = PreFairSynthesizer.load_release(tmp_path / 'x.prefair')
    rows = synthesizer.sample(5000)['t']
    pd.testing.assert_frame_equal(opened.encode_rows(rows), synthesizer.encode_rows({'t': rows}))
    metadata = synthesizer.get_metadata()
    parity = ConditionalDemographicParity.compute_breakdown(
        real, rows, metadata, bootstraps=0, synthesizer=opened, **ROLES | {'outcome': 'paid'}
    )
    assert parity['strata'] == 'codes of the model'
    report = FairnessReport(ROLES, bootstraps=2, permutations=SHUFFLES, synthesizer=opened)
    report.generate({'t': real}, {'t': rows}, metadata, verbose=False)
    (row,) = report.get_details('Conditional Independence').to_dict('records')
    assert row['Strata'] == 'codes of the model'
    assert row['Information'] < 2 * row['Null High']
    rates = report.get_details('Group Rates').set_index('Measure')['Strata']
    assert rates['CDP'] == 'codes of the model'
    assert pd.isna(rates['DP'])


def test_categories_that_were_rewritten_since_are_not_taken_for_one():
    """With --escape-formulas a file holds texts that the model does not know."""
    signs, rng = ['=a', '+b', '-c', 'd'], np.random.default_rng(0)
    score = rng.integers(0, 4, NUM_ROWS)
    chance = np.where(score % 2 == 0, 0.9, 0.1)
    table = pd.DataFrame({
        'sex': np.where(rng.random(NUM_ROWS) < chance, 'F', 'M'),
        'score': np.array(signs, dtype=object)[score],
        'paid': np.where(rng.random(NUM_ROWS) < chance, 'yes', 'no'),
    })
    columns = {c: CATEGORY | {'range_values': sorted(set(table[c]))} for c in table}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    synthesizer = PreFairSynthesizer(metadata, epsilon=10.0, public_ranges=True, **ROLES)
    synthesizer.fit({'t': table})
    rows = escape_formulas(synthesizer.sample(NUM_ROWS)['t'])
    found = ConditionalMutualInformation.compute_breakdown(
        None, rows, metadata, permutations=SHUFFLES, seed=0, synthesizer=synthesizer, **ROLES
    )
    # Three codes taken for one give a thousand times as much as chance.
    assert found['score'] < 3 * found['null_interval'][1]
