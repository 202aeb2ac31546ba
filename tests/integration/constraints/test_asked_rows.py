"""Rows given values of constrained columns follow the model given these.

The oracle is the fitted model itself: all rows that obey are listed, each with the probability of
its codes, shared out among the values that have them. What rows show is compared with that list.
"""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chisquare
from sdv.cag import FixedIncrements, Inequality, OneHotEncoding, Range
from tied_rows import NUM_ROWS, PAIRS, ask, fit, number, rows, words

from sdv_prefair.constraints import PublicCombinations

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


@pytest.fixture(scope='module')
def fits():
    made = {}

    def get(name):
        if name not in made:
            made[name] = fit(*CASES[name][:2])
        return made[name]

    return get


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


def test_the_oracle_rejects_rows_of_another_value(fits):
    synthesizer, columns = fits('inequality'), CASES['inequality'][1]
    other = oracle(synthesizer, columns, {'high': 122}).assign(high=130)
    assert p_value(ask(synthesizer, {'high': 130}, 20_000), other, columns) < 1e-5


def test_real_lines_are_completed_in_their_place(fits):
    for name, columns in (('inequality', ['high']), ('range', ['mid']), ('combinations', ['high'])):
        known = rows(CASES[name][1], 300, seed=1)[columns]
        found = fits(name).sample_remaining_columns(known)['t']
        pd.testing.assert_frame_equal(found[columns], known)
        fits(name).validate_constraints(found)


def test_off_grid_values_of_constrained_columns_are_refused(fits):
    for synthesizer, asked in (
        (fits('inequality'), {'high': 130.5}),
        (fits('inequality'), {'low': '40'}),
        (fits('multiples'), {'low': 250.5}),
        (fits('one hot'), {'low': True}),
    ):
        with pytest.raises(ValueError, match='was requested with a value'):
            ask(synthesizer, asked, 3)
