"""Rows given values of constrained columns follow the model given these, and stay fair.

The oracle is the fitted model itself: all rows that obey are listed, each with the probability of
its codes, shared out among the values that have them. What rows show is compared with that list.
"""

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chisquare
from sdv.cag import (
    FixedIncrements,
    Inequality,
    OneHotEncoding,
    Range,
    SingleTableProgrammableConstraint,
)
from sdv.metadata import Metadata
from sdv.sampling import Condition

from sdv_prefair import FairnessWarning, PreFairSynthesizer
from sdv_prefair.constraints import PublicCombinations
from sdv_prefair.metrics.independence import independence_test

NUM_ROWS = 6000
PAIRS = [('a', 'x'), ('a', 'y'), ('b', 'y'), ('c', 'x'), ('c', 'z')]


def words(*values):
    return {'sdtype': 'categorical', 'range_values': list(values), 'range_is_nullable': False}


def number(high, places=0, nullable=False):
    about = {'sdtype': 'numerical', 'range_min': 0, 'range_max': high}
    return (
        about
        | {'range_is_nullable': nullable}
        | ({} if places is None else {'decimal_places': places})
    )


class Sum(SingleTableProgrammableConstraint):
    """The total is modelled in place of the second number; each row by itself."""

    row_wise = True
    column_names = ['low', 'high']

    def get_updated_metadata(self, metadata):
        described = metadata.to_dict()
        (table,) = described['tables'].values()
        table['columns'].pop('high')
        table['columns']['total'] = number(320, places=None)
        return Metadata.load_from_dict(described)

    def transform(self, data):
        data['total'] = data['low'] + data.pop('high')
        return data

    def reverse_transform(self, data):
        data['high'] = data.pop('total') - data['low']
        return data

    def is_valid(self, data):
        return (data['high'] >= 0) & (data['high'] <= 200)


REAL = {'low': number(120, None), 'high': number(200, None)}
CASES = {
    'inequality': (
        [Inequality('low', 'high')],
        {'low': number(120), 'high': number(200)},
        [{'high': 130}, {'low': 40}, {'high': 60, 'sex': 'F'}, {'low': 50, 'high': 95}],
    ),
    'strict, with nulls': (
        [Inequality('low', 'high', strict_boundaries=True)],
        {'low': number(120, nullable=True), 'high': number(200, nullable=True)},
        [{'high': 130.0}, {'high': None}, {'low': None}, {'low': None, 'high': 70.0}],
    ),
    'range': (
        [Range('low', 'mid', 'high', strict_boundaries=False)],
        {'low': number(120), 'mid': number(150), 'high': number(200)},
        [{'mid': 80}, {'high': 120}, {'low': 30}, {'mid': 70, 'paid': 'yes'}],
    ),
    'combinations': (
        [PublicCombinations(['low', 'high'], PAIRS)],
        {'low': words('a', 'b', 'c'), 'high': words('x', 'y', 'z')},
        [{'high': 'x'}, {'low': 'c'}, {'high': 'z'}, {'low': 'a', 'high': 'y'}],
    ),
    'one hot': (
        [OneHotEncoding(['low', 'mid', 'high'])],
        dict.fromkeys(['low', 'mid', 'high'], number(1)),
        [{'mid': 1}, {'mid': 0}, {'low': 0, 'high': 0}],
    ),
    'multiples': (
        [FixedIncrements('low', 5)],
        {'low': number(600), 'high': words('x', 'y')},
        [{'low': 250}, {'high': 'x'}],
    ),
    'two at once': (
        [Inequality('low', 'high'), Inequality('low', 'high', strict_boundaries=True)],
        {'low': number(120), 'high': number(200)},
        [{'high': 130}, {'low': 40}],
    ),
}  # fmt: skip
EVERY = [(name, asked) for name, case in CASES.items() for asked in case[2]]


def rows(columns, num_rows=20_000, seed=0, decide=None):
    """Rows in which what ties the admissible columns decides sex and pay.

    Args:
        columns: The metadata of the admissible columns.
        num_rows: How many.
        seed: Of the random numbers.
        decide: Which of the finished rows are on one side, if that is not told by the draw.
    """
    rng = np.random.default_rng(seed)
    gap = rng.gamma(3, 15, num_rows)
    if columns['low']['sdtype'] == 'categorical':
        pair = rng.integers(0, len(PAIRS), num_rows)
        low, high = np.array(PAIRS)[pair].T
        frame, decides = {'low': low, 'high': high}, pair % 2 == 1
    elif 'mid' in columns and columns['high']['range_max'] == 1:
        which = rng.integers(0, 3, num_rows)
        frame = {c: (which == place).astype(int) for place, c in enumerate(columns)}
        decides = which == 1
    elif columns['high']['sdtype'] == 'categorical':
        low = rng.integers(0, 121, num_rows) * 5
        decides = low // 100 % 2 == 1
        frame = {'low': low, 'high': rng.choice(['x', 'y'], num_rows)}
    else:
        low = rng.gamma(6, 10, num_rows).clip(0, 120)
        mid = (low + gap / 2 + 1).clip(0, 150)
        frame = {'low': low, 'mid': mid, 'high': (np.maximum(mid, low) + gap / 2 + 1).clip(0, 200)}
        decides = gap > 40
    frame = pd.DataFrame(frame)[list(columns)]
    for column, about in columns.items():
        if about.get('decimal_places') == 0:
            frame[column] = frame[column].round().astype(int)
        if about['range_is_nullable']:
            frame[column] = frame[column].mask(rng.random(num_rows) < 0.1)
    chance = (
        np.where(decides, 0.85, 0.15) if decide is None else np.where(decide(frame), 0.97, 0.03)
    )
    return frame.assign(
        sex=np.where(rng.random(num_rows) < chance, 'F', 'M'),
        paid=np.where(rng.random(num_rows) < chance, 'yes', 'no'),
    )


def fit(constraints, columns, decide=None, **changes):
    described = columns | {'sex': words('F', 'M'), 'paid': words('no', 'yes')}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': described}}})
    arguments = {'epsilon': 100.0, 'public_ranges': True, 'numeric_bins': 6} | changes
    synthesizer = PreFairSynthesizer(
        metadata, protected=['sex'], admissible=list(columns), outcome=['paid'], **arguments
    )
    synthesizer.add_constraints(constraints)
    synthesizer.fit({'t': rows(columns, decide=decide)})
    return synthesizer


@pytest.fixture(scope='module')
def fits():
    made = {}

    def get(name):
        if name not in made:
            made[name] = fit(*CASES[name][:2])
        return made[name]

    return get


def ask(synthesizer, asked, num_rows=NUM_ROWS):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', FairnessWarning)
        return synthesizer.sample_from_conditions([Condition(asked, num_rows)])['t']


def values_of(about):
    listed = about.get('range_values') or list(range(about['range_max'] + 1))
    return [*listed, *([None] if about['range_is_nullable'] else [])]


def oracle(synthesizer, columns, asked):
    """Return all rows that have the asked values, with their probabilities under the model."""
    free = columns | {'sex': words('F', 'M'), 'paid': words('no', 'yes')}
    lists = [[asked[c]] if c in asked else values_of(about) for c, about in free.items()]
    every = pd.DataFrame(list(itertools.product(*lists)), columns=list(free))
    dtypes = synthesizer.sample(2)['t'].dtypes
    every = every.astype({c: dtypes[c] for c in free})
    for _, holds in synthesizer.fitted.plan.broken_rules(every):
        every = every.assign(_=every.get('_', True) & holds)
    every = every[every.pop('_')] if '_' in every else every
    made = synthesizer.fitted.plan.transform(every)
    codes = {c: t.encode(made[c]) for c, t in synthesizer.fitted.encoding.transformers.items()}
    weight = synthesizer._model.marginal(list(codes))[tuple(codes.values())]
    for column, transformer in synthesizer.fitted.encoding.transformers.items():
        if hasattr(transformer, 'bin_sizes'):
            shares = np.append(1 / transformer.bin_sizes(), 1.0)  # the last for null
            weight = weight * shares[codes[column].astype(int)]
    return every.assign(weight=weight / weight.sum())


def coarse(frame, columns):
    """Return a text for each row: numbers in tens, so that every cell expects some rows."""
    parts = []
    for column, about in columns.items():
        values = frame[column]
        if about['sdtype'] == 'numerical' and about['range_max'] > 1:
            values = values // (about['range_max'] // 6)
        parts.append(values.astype(object).fillna('null').astype(str))
    parts += [frame['sex'].astype(str), frame['paid'].astype(str)]
    return parts[0].str.cat(parts[1:], sep=' ')


def p_value(found, expected, columns):
    """Test rows against their probabilities, cells with few expected rows put together."""
    wanted = expected['weight'].groupby(coarse(expected, columns)).sum() * len(found)
    counts = coarse(found, columns).value_counts().reindex(wanted.index, fill_value=0)
    assert counts.sum() == len(found), 'no row that the model does not know'
    few = wanted < 8
    wanted = np.append(wanted[~few], wanted[few].sum())
    counts = np.append(counts[~few], counts[few].sum())
    keep = wanted > 1e-6
    assert counts[~keep].sum() == 0
    return chisquare(counts[keep], wanted[keep] / wanted[keep].sum() * counts[keep].sum()).pvalue


@pytest.mark.parametrize(('name', 'asked'), EVERY, ids=str)
def test_rows_follow_the_model_given_what_is_asked(fits, name, asked):
    """A right sampler fails once in a hundred thousand runs."""
    synthesizer, columns = fits(name), CASES[name][1]
    found = ask(synthesizer, asked)
    assert len(found) == NUM_ROWS
    for column, value in asked.items():
        assert (found[column].isna() if value is None else found[column] == value).all()
    synthesizer.validate_constraints(found)
    expected = oracle(synthesizer, columns, asked)
    assert p_value(found, expected, columns) > 1e-5


def within_one_per_cent(synthesizer, asked, num_rows=400_000):
    """Keep rows near the asked number and put it in their place, as SDV's own loop does."""
    ((column, value),) = asked.items()
    sampled = synthesizer.sample(num_rows)['t']
    near = sampled[(sampled[column] - value).abs() <= 0.01 * value]
    return near.assign(**{column: sampled[column].dtype.type(value)})


def test_the_oracle_rejects_rows_of_another_value(fits):
    synthesizer, columns = fits('inequality'), CASES['inequality'][1]
    other = oracle(synthesizer, columns, {'high': 122}).assign(high=130)
    assert p_value(ask(synthesizer, {'high': 130}, 20_000), other, columns) < 1e-5


# -- dependence given the admissible columns, where values cannot be listed -------------------


def information(synthesizer, found):
    """Test pay against sex given the codes that the admissible columns show."""
    made = synthesizer.fitted.plan.transform(found)
    strata = pd.DataFrame({
        column: codes.encode(made[column])
        for column, codes in synthesizer.fitted.encoding.transformers.items()
        if column not in ('sex', 'paid')
    })
    return independence_test(
        (found['paid'] == 'yes').to_numpy().astype(int),
        (found['sex'] == 'F').to_numpy().astype(int),
        strata.groupby(list(strata)).ngroup().to_numpy(),
        permutations=100,
        seed=0,
    )


BINS = 48


def by_step(column, longest, marks=1):
    """Return what decides sex and pay by turns, from one bin of steps to the next."""

    def decide(frame):
        steps = (frame[column] - frame['low']).fillna(0).clip(0)
        return np.floor(BINS * np.log1p(steps * marks) / np.log1p(longest * marks)) % 2 == 1

    return decide


def by_total(frame):
    return np.floor(BINS * (frame['low'] + frame['high']) / 320) % 2 == 1


FUZZED = {
    'real numbers': ([Inequality('low', 'high')], REAL, by_step('high', 200)),
    'cents': (
        [Inequality('low', 'high')],
        {'low': number(120, 2), 'high': number(200, 2, nullable=True)},
        by_step('high', 200, marks=100),
    ),
    'whole above cents': (
        [Inequality('low', 'high')],
        {'low': number(120, 2), 'high': number(200)},
        by_step('high', 200),
    ),
    'real range': (
        [Range('low', 'mid', 'high')],
        {'low': number(120, None), 'mid': number(150, None), 'high': number(200, None)},
        by_step('mid', 150),
    ),
    'written by a user': ([Sum()], REAL, by_total),
}
ASKED = [{'high': 130.0}, {'high': 95.0}, {'low': 47.0}, {'low': 30.0, 'high': 71.0}]


@pytest.fixture(scope='module')
def fuzzed():
    made = {}

    def get(name):
        if name not in made:
            made[name] = fit(*FUZZED[name], numeric_bins=BINS)
        return made[name]

    return get


@pytest.mark.parametrize('name', FUZZED)
@pytest.mark.parametrize('asked', [*ASKED, {'mid': 75.0}], ids=str)
def test_asking_ties_nothing(fuzzed, name, asked):
    if not set(asked) <= set(FUZZED[name][1]):
        pytest.skip('no such column in this table')
    synthesizer = fuzzed(name)
    with warnings.catch_warnings():
        warnings.simplefilter('error', FairnessWarning)
        found = synthesizer.sample_from_conditions([Condition(asked, NUM_ROWS)])['t']
    assert len(found) == NUM_ROWS
    for column, value in asked.items():
        assert (found[column] == value).all()
    tied = information(synthesizer, found)
    # What was put in the place of other codes gave twenty times the null's upper end and more.
    assert tied.estimate < 2.5 * tied.null_interval[1] + 1e-6


@pytest.mark.parametrize('name', ['real numbers', 'cents', 'written by a user'])
def test_a_value_put_in_the_place_of_others_is_found(fuzzed, name):
    synthesizer = fuzzed(name)
    tied = information(synthesizer, within_one_per_cent(synthesizer, {'high': 130.0}))
    assert tied.estimate > 5 * tied.null_interval[1]


def test_asking_for_both_sides_warns_with_constraints_too(fuzzed):
    synthesizer = fuzzed('real numbers')
    with pytest.warns(FairnessWarning, match="'paid', 'sex'"):
        synthesizer.sample_from_conditions([Condition({'sex': 'F', 'paid': 'no'}, 5)])


def test_real_lines_are_completed_in_their_place(fits):
    for name, columns in (('inequality', ['high']), ('range', ['mid']), ('combinations', ['high'])):
        known = rows(CASES[name][1], 300, seed=1)[columns]
        found = fits(name).sample_remaining_columns(known)['t']
        pd.testing.assert_frame_equal(found[columns], known)
        fits(name).validate_constraints(found)


def test_off_grid_values_of_constrained_columns_are_refused(fits, fuzzed):
    for synthesizer, asked in (
        (fits('inequality'), {'high': 130.5}),
        (fits('inequality'), {'low': '40'}),
        (fits('multiples'), {'low': 250.5}),
        (fits('one hot'), {'low': True}),
        (fuzzed('cents'), {'high': 130.001}),
        (fuzzed('cents'), {'high': 201.0}),
    ):
        with pytest.raises(ValueError, match='is asked for a value'):
            ask(synthesizer, asked, 3)


def test_rows_that_are_not_found_are_reported(fuzzed):
    synthesizer = fuzzed('written by a user')
    with pytest.warns(UserWarning, match=r'Only \d+ rows|[Uu]nable|max_tries'):
        synthesizer.sample_from_conditions(
            [Condition({'high': 130.0}, 5000)], max_tries_per_batch=1
        )
