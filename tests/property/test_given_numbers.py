"""Numbers of numpy and fractions are as good as Python's, wherever a number is an argument."""

import inspect
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from people import people
from sdv.errors import SynthesizerInputError

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.datasets import simulate_census
from sdv_prefair.inference import Quantile
from sdv_prefair.privacy import Risk
from sdv_prefair.structure import AimStrategy, MwemStrategy, PlannedStrategy, PrivBayesStrategy

pytestmark = pytest.mark.filterwarnings('ignore::UserWarning')

PEOPLE = people(60, ('sex', 'education', 'income'))
WHOLE = (int, np.int8, np.int16, np.int64, np.uint8, np.uint64)
REAL = (float, np.float32, np.float64)
NO_NUMBERS = (True, False, np.True_, np.False_, '1', b'1', np.complex128(1), np.array([1.0]))
AMOUNTS = {'epsilon': 2, 'delta': 2.0**-20, 'numeric_bins': 9, 'max_rows_per_person': 3, 'seed': 5}


def new(**changes):
    return PreFairSynthesizer(PEOPLE.metadata, public_ranges=True, **PEOPLE.roles, **changes)


def test_every_number_of_the_constructor_is_tried():
    hints = inspect.signature(PreFairSynthesizer).parameters
    kinds = (int, float, int | None, float | Risk)
    numbers = {name for name, about in hints.items() if about.annotation in kinds}
    assert numbers == set(AMOUNTS)


@given(
    epsilon=st.sampled_from([*WHOLE, *REAL, Fraction]).map(lambda kind: kind(2)),
    delta=st.sampled_from([*REAL, Fraction]).map(lambda kind: kind(2.0**-20)),
    bins=st.sampled_from(WHOLE).map(lambda kind: kind(9)),
    rows=st.sampled_from(WHOLE).map(lambda kind: kind(3)),
    seed=st.sampled_from(WHOLE).map(lambda kind: kind(5)),
)
def test_a_synthesizer_made_with_any_numbers_is_the_same(epsilon, delta, bins, rows, seed):
    made = new(epsilon=epsilon, delta=delta, numeric_bins=bins, max_rows_per_person=rows, seed=seed)
    kept = {name: made.get_parameters()[name] for name in AMOUNTS}
    assert kept == AMOUNTS
    assert {type(value) for value in kept.values()} <= {int, float}


@pytest.mark.parametrize('name', AMOUNTS)
@pytest.mark.parametrize('value', NO_NUMBERS, ids=repr)
def test_what_is_no_number_is_refused_by_name(name, value):
    with pytest.raises(SynthesizerInputError, match=name):
        new(**{name: value})


@pytest.mark.parametrize('name', ['numeric_bins', 'max_rows_per_person', 'seed'])
@pytest.mark.parametrize('value', [3.0, np.float64(3), Fraction(3, 2)])
def test_whole_numbers_are_not_rounded(name, value):
    with pytest.raises(SynthesizerInputError, match=f'{name} .* must be an integer'):
        new(**{name: value})


@pytest.fixture(scope='module')
def fitted():
    synthesizer = new()
    synthesizer.fit(PEOPLE.data)
    return synthesizer


def test_methods_of_a_fit_take_them(fitted):
    assert len(fitted.sample(np.int64(7), batch_size=np.int32(3))['people']) == 7
    assert len(fitted.replicates(np.int64(2), seed=np.uint8(1), progress=False).models) == 2
    plain, numpys = (fitted.estimate('income', level=kind(0.5)) for kind in (float, np.float32))
    assert plain.equals(numpys)
    tables = fitted.sample_replicates(np.int8(2), np.int64(5), seed=np.int64(0))
    assert [len(table['people']) for table in tables] == [5, 5]
    means = fitted.estimate_statistic(
        lambda table: len(table), np.int64(4), level=np.float64(0.9), progress=False
    )
    assert means['estimate'].tolist() == [4]


def test_other_public_functions_take_them():
    whole, numpys = simulate_census(20, 3, 0.5), simulate_census(
        np.int64(20), np.uint8(3), np.float32(0.5)
    )  # fmt: skip
    assert whole.data['census'].equals(numpys.data['census'])
    assert Quantile('age', np.float32(0.5)) == Quantile('age', 0.5)


@pytest.mark.parametrize(
    'strategy',
    [
        AimStrategy(max_cells=np.int64(900)),
        MwemStrategy(max_cells=np.int32(900), rounds=np.int64(2)),
        PrivBayesStrategy(theta=np.float32(2.0), max_triples=np.int64(4)),
        PlannedStrategy(max_cells=np.int64(900), outcome_weight=np.float32(2)),
    ],
    ids=lambda strategy: strategy.name,
)
def test_a_strategy_with_them_can_be_released(strategy, tmp_path):
    synthesizer = new(structure=strategy)
    synthesizer.fit(PEOPLE.data)
    synthesizer.save_release(tmp_path / 'x.prefair')
    opened = PreFairSynthesizer.load_release(tmp_path / 'x.prefair')
    assert opened.structure.name == strategy.name
