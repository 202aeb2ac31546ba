"""Of ``_explanation.py``: what a model shows of proxies, and when a fit warns of one."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest

from sdv_prefair import FairnessWarning, NoiseWarning, PreFairSynthesizer
from sdv_prefair.datasets._dataset import categorical, public_metadata
from sdv_prefair.fitting._explanation import (
    ADMISSIBLE_PROXY,
    LET_THROUGH,
    RESTS_ON,
    STAND_IN,
)

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
