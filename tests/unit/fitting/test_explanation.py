"""Of ``_explanation.py``: what a model shows of proxies, and when a fit warns of one."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair import FairnessWarning, NoiseWarning, PreFairSynthesizer, Roles
from sdv_prefair.datasets._dataset import categorical, public_metadata
from sdv_prefair.fairness._dependence import how_much_tells
from sdv_prefair.fitting._explanation import (
    ADMISSIBLE_PROXY,
    LET_THROUGH,
    RESTS_ON,
    STAND_IN,
    TOGETHER,
    admissible_copies,
    explain,
)
from sdv_prefair.model import Measurement, estimate

PROXY = 'Admissible columns are near copies'
BINARY = categorical(['0', '1'])
COLUMNS = dict.fromkeys(['sex', 'title', 'skill', 'club', 'hired'], BINARY)
ROLES = {'protected': ['sex'], 'admissible': ['title', 'skill'], 'outcome': ['hired']}


def copied(rng, values, share):
    """Return binary values whose total variation distance between the two groups is this."""
    return np.where(rng.random(len(values)) < share, values, rng.integers(0, 2, len(values)))


def table(rows, share, seed=0):
    """Rows in which the admissible title tells so much of sex, and skill nothing."""
    rng = np.random.default_rng(seed)
    sex, skill = rng.integers(0, 2, (2, rows))
    title = copied(rng, sex, share)
    codes = {
        'sex': sex, 'title': title, 'skill': skill, 'club': copied(rng, sex, 0.6),
        'hired': np.where(rng.random(rows) < 0.5, skill, copied(rng, title, 0.5)),
    }  # fmt: skip
    return pd.DataFrame({column: values.astype(str) for column, values in codes.items()})


def fitted(rows=5000, share=0.95, epsilon=20.0, seed=0, **changes):
    """Return a fit, and the texts of its warnings of fairness."""
    made = PreFairSynthesizer(
        public_metadata('t', COLUMNS), epsilon=epsilon, public_ranges=True, **ROLES | changes
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        made.fit({'t': table(rows, share, seed)})
    told = [str(w.message) for w in caught if issubclass(w.category, FairnessWarning)]
    return made, [text for text in told if PROXY in text]


@pytest.fixture(scope='module')
def explained():
    with_copy, _ = fitted()
    return with_copy.explain_fairness()


def surely(explained, part, column, about):
    (found,) = (f for f in explained.of(part) if (f.column, f.about) == (column, about))
    assert 0 <= found.surely <= found.tells <= 1
    return found.surely


def test_each_number_is_that_of_the_rows(explained):
    """Noise at this epsilon and chance in the rows are both a few per cent."""
    assert surely(explained, ADMISSIBLE_PROXY, 'title', 'sex') == pytest.approx(0.95, abs=0.07)
    assert surely(explained, ADMISSIBLE_PROXY, 'skill', 'sex') < 0.05
    assert surely(explained, STAND_IN, 'club', 'sex') == pytest.approx(0.6, abs=0.07)
    assert surely(explained, RESTS_ON, 'skill', 'hired') == pytest.approx(0.5, abs=0.07)
    assert surely(explained, LET_THROUGH, 'sex', 'hired') == pytest.approx(0.24, abs=0.07)


def test_it_can_be_read_and_is_a_table(explained):
    shown = repr(explained)
    assert shown.startswith('hired is independent of sex given title, skill')
    assert re.search(
        r'title predicts sex: (0\.9\d|1\.00), nearly a copy; could be as high as (0\.9|1\.)', shown
    )
    frame = explained.to_frame()
    assert list(frame.columns) == [
        'statement', 'part', 'column', 'about', 'tells', 'surely', 'at_most',
    ]  # fmt: skip
    assert len(frame) == len(explained.findings)


@pytest.mark.parametrize(('rows', 'epsilon'), [(500, 0.3), (2000, 0.3), (5000, 3.0)])
@pytest.mark.parametrize('structure', ['planned', 'adaptive'])
def test_a_copy_is_never_said_to_be_below_what_it_is(rows, epsilon, structure):
    """An admissible column that is the protected one was called below 0.1 in 15 of 28 fits."""
    for seed in range(3):
        made, _ = fitted(rows, 1.0, epsilon, seed, structure=structure)
        explained = made.explain_fairness()
        (found,) = (
            f for f in explained.of(ADMISSIBLE_PROXY) if (f.column, f.about) == ('title', 'sex')
        )
        assert found.at_most >= 0.95
        assert 'could be as high as' in repr(explained)
        stated = [f for f in explained.findings if f.at_most == f.at_most]
        assert all(f.surely <= f.tells <= f.at_most <= 1 for f in stated)


def test_without_a_promise_there_is_nothing_to_explain():
    plain, told = fitted(structure='none')
    assert repr(plain.explain_fairness()) == 'The fit has no fairness guarantee.'
    assert plain.explain_fairness().to_frame().empty
    assert not told


@pytest.mark.parametrize('structure', ['planned', 'adaptive', 'greedy', 'exact', 'aim'])
def test_an_admissible_copy_is_warned_of_by_name(structure):
    """At this epsilon noise is below a hundredth of the rows, so chance is no matter."""
    _, told = fitted(structure=structure, epsilon=50.0)
    assert len(told) == 1
    assert 'title of sex' in told[0]
    assert 'skill' not in told[0]


@pytest.mark.parametrize('structure', ['planned', 'adaptive', 'greedy'])
@pytest.mark.parametrize(('rows', 'epsilon'), [(5000, 20.0), (5000, 0.3), (300, 1.0), (60, 0.1)])
def test_a_column_that_is_no_copy_is_never_called_one(structure, rows, epsilon):
    """Told is 0.5 of 1, and the warning asks for 0.7 beyond noise and three times its spread.

    A false alarm has a chance below one in a thousand in each of these fits.
    """
    _, told = fitted(rows, 0.5, epsilon, structure=structure)
    assert not told


@pytest.mark.parametrize('epsilon', [0.05, 0.2, 1.0])
def test_a_noisy_model_does_not_cry_wolf(epsilon):
    """Independent columns of many values in few rows: the model is mostly noise."""
    names = [str(number) for number in range(12)]
    columns = dict.fromkeys(COLUMNS, categorical(names))
    rng = np.random.default_rng(3)
    rows = pd.DataFrame({c: rng.choice(names, 200) for c in columns})
    for structure in ('adaptive', 'greedy', 'planned'):
        made = PreFairSynthesizer(
            public_metadata('t', columns),
            epsilon=epsilon, public_ranges=True, structure=structure, **ROLES,
        )  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', NoiseWarning)
            warnings.filterwarnings('error', message=PROXY)
            warnings.filterwarnings('ignore', message='An outcome is adjacent')
            made.fit({'t': rows})
        assert all(f.surely < 0.3 for f in made.explain_fairness().findings)


# -- all admissible columns together --------------------------------------------------------------


def xor(rows, seed=0):
    """Rows in which two admissible columns say nothing of sex alone, and everything together."""
    rng = np.random.default_rng(seed)
    sex, title = rng.integers(0, 2, (2, rows))
    codes = {
        'sex': sex, 'title': title, 'skill': title ^ sex, 'club': rng.integers(0, 2, rows),
        'hired': rng.integers(0, 2, rows),
    }  # fmt: skip
    return pd.DataFrame({column: values.astype(str) for column, values in codes.items()})


def modelled(counts, sigma, seed=0):
    """A model of two admissible columns and sex, measured in one table with noise."""
    noisy = counts + np.random.default_rng(seed).normal(0, sigma, counts.shape)
    domain = dict(zip(('title', 'skill', 'sex'), counts.shape, strict=True)) | {'hired': 2}
    both = [Measurement(('title', 'skill', 'sex'), noisy, sigma),
            Measurement(('hired',), np.full(2, counts.sum() / 2), sigma)]  # fmt: skip
    return estimate(both, domain)


def together(model):
    (found,) = (f for f in explain(model, Roles(**ROLES)) if f.part == TOGETHER)
    return found


def test_a_combination_that_was_measured_is_seen_and_named():
    counts = np.array([[[500.0, 0], [0, 500]], [[0, 500], [500, 0]]])
    model = modelled(counts, 5.0)
    found = together(model)
    assert found.column == 'the combination of title, skill'
    assert found.surely > 0.9 and found.nearly_copies and found.at_most >= found.tells
    alone = [f for f in explain(model, Roles(**ROLES)) if f.part == ADMISSIBLE_PROXY]
    assert all(f.surely < 0.1 for f in alone)
    assert admissible_copies(model, Roles(**ROLES)) == [('the combination of title, skill', 'sex')]


def test_a_combination_that_was_not_measured_cannot_be_told():
    made = PreFairSynthesizer(
        public_metadata('t', COLUMNS), epsilon=20.0, public_ranges=True, **ROLES
    )
    made.fit({'t': xor(5000)})
    explained = made.explain_fairness()
    (found,) = explained.of(TOGETHER)
    assert found.surely < 0.1 and found.at_most == 1
    assert (
        'cannot be told, could be as high as 1.00: the combination of title, skill about sex'
        in (repr(explained))
    )


def test_one_admissible_column_has_no_combination():
    made, _ = fitted(admissible=['title'])
    assert made.explain_fairness().of(TOGETHER) == ()


@given(
    st.lists(st.integers(0, 400), min_size=12, max_size=12).filter(lambda cells: sum(cells) > 500),
    st.integers(0, 1000),
)
def test_a_combination_lies_between_its_bounds_and_tells_no_less_than_a_column(cells, seed):
    """Noise of 2 rows in each of 12 cells; the bounds allow for three standard deviations of it."""
    counts = np.array(cells, dtype=float).reshape(2, 3, 2)
    model = modelled(counts, 2.0, seed)
    found = together(model)
    truth = how_much_tells(counts.reshape(6, 2))
    slack = 2 * np.sqrt(12) * 2.0 / max(1.0, (counts.sum(axis=(0, 1)).min()))
    assert found.surely <= truth + slack and truth <= found.at_most + slack
    alone = [f for f in explain(model, Roles(**ROLES)) if f.part == ADMISSIBLE_PROXY]
    assert found.surely >= max(f.surely for f in alone)
    assert found.tells >= max(f.tells for f in alone) - 1e-9


def test_many_admissible_columns_are_told_from_as_many_as_fit_in_memory():
    rng = np.random.default_rng(0)
    sex = rng.integers(0, 2, 4000)
    names = [f'a{place}' for place in range(24)]
    frame = pd.DataFrame({name: copied(rng, sex, 0.3) for name in names} | {'sex': sex})
    frame['hired'] = rng.integers(0, 2, 4000)
    frame = frame.astype(str)
    made = PreFairSynthesizer(
        public_metadata('t', dict.fromkeys(frame, BINARY)), epsilon=50.0, public_ranges=True,
        protected=['sex'], admissible=names, outcome=['hired'],
    )  # fmt: skip
    made.fit({'t': frame})
    (found,) = made.explain_fairness().of(TOGETHER)
    assert found.column == 'the combination of a0, a1, a2, a3, a4 and 19 more'
    best = max(f.surely for f in made.explain_fairness().of(ADMISSIBLE_PROXY))
    assert found.surely > best + 0.1
