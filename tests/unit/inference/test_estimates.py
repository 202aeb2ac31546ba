"""Of ``_estimates.py``, ``_questions.py``, ``_questions.py`` and ``_replication.py``."""

import numpy as np
import pytest
from people import people

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.errors import QueryError
from sdv_prefair.inference import Difference, Mean, Quantile, Replicates, Share
from sdv_prefair.inference._questions import Apart, Ratio
from sdv_prefair.inference._replication import interval_of_errors, model_intervals
from sdv_prefair.model import Measurement, estimate

pytestmark = pytest.mark.filterwarnings('ignore::UserWarning')
PEOPLE = people(4000, ('sex', 'education', 'age', 'wage', 'home', 'income'))


@pytest.fixture(scope='module')
def exact():
    """A fit with next to no noise, whose answers are those of the table."""
    synthesizer = PreFairSynthesizer(
        PEOPLE.metadata, epsilon=1e5, public_ranges=True, seed=1, **PEOPLE.roles
    )
    synthesizer.fit(PEOPLE.data)
    synthesizer.replicates(12, seed=0, progress=False)
    return synthesizer


@pytest.fixture(scope='module')
def noisy():
    synthesizer = PreFairSynthesizer(
        PEOPLE.metadata, epsilon=0.3, public_ranges=True, seed=1, **PEOPLE.roles
    )
    synthesizer.fit(PEOPLE.data)
    synthesizer.replicates(12, seed=0, progress=False)
    return synthesizer


def shares(*columns):
    return PEOPLE.frame[list(columns)].value_counts(normalize=True)


def test_shares_are_those_of_the_table_by_value(exact):
    found = exact.estimate(['education', 'income'], sampling=False)
    assert found.index.names == ['education', 'income']
    expected = shares('education', 'income')
    assert found['estimate'].to_dict() == pytest.approx(expected.to_dict(), abs=1e-3)
    assert set(found['basis']) == {'measured'}


def test_shares_given_conditions(exact):
    found = exact.estimate(Share('income', given={'education': 'college'}), sampling=False)
    rows = PEOPLE.frame[PEOPLE.frame['education'] == 'college']
    expected = rows['income'].value_counts(normalize=True)
    assert found['estimate'].droplevel('education').to_dict() == pytest.approx(
        expected.to_dict(), abs=2e-3
    )


def test_means_quantiles_and_differences(exact):
    frame = PEOPLE.frame
    mean = exact.estimate(Mean('age'), sampling=False)['estimate'].item()
    assert mean == pytest.approx(frame['age'].mean(), abs=0.05)
    median = exact.estimate(Quantile('age'), sampling=False)['estimate'].item()
    assert median == pytest.approx(frame['age'].median(), abs=1)
    means = frame.groupby('home')['age'].mean()
    apart = exact.estimate(Difference(Mean('age'), {'home': ('own', 'rent')}))
    (line,) = apart.itertuples()
    assert line.Index == ('own', 'rent')
    assert line.lower < means['own'] - means['rent'] < line.upper


def test_intervals_for_the_population_are_wider_by_the_chance_of_rows(exact):
    population, table = (exact.estimate('income', sampling=s) for s in (True, False))
    share = shares('income')['high']
    assert population.loc['high', 'standard_error'] == pytest.approx(
        np.sqrt(share * (1 - share) / 4000), rel=0.02
    )
    assert table.loc['high', 'standard_error'] < 1e-3


def test_two_values_of_a_column_share_what_noise_there_is(noisy):
    """With the number of rows known, what one value has too much the other has too little."""
    model = noisy.fitted.model
    (alone,) = (m for m in model.measurements if m.columns == ('sex',))
    error = noisy.estimate('sex', sampling=False)['standard_error'] * model.total
    assert (error < 0.8 * np.max(alone.stddev)).all()


def test_nulls_are_a_value_of_shares_and_no_part_of_means(exact):
    found = exact.estimate('home', sampling=False)
    assert found.index[-1] is None
    assert found['estimate'].sum() == pytest.approx(1.0)


def test_every_interval_holds_its_estimate(noisy):
    for query in (
        'age',
        'sex, education',
        'income by education',
        'mean of wage by home',
        'median of age',
    ):
        found = noisy.estimate(query)
        assert (found['lower'] <= found['estimate']).all()
        assert (found['estimate'] <= found['upper']).all()


@pytest.mark.parametrize(
    'query', ['difference in income by sex', 'income by sex, education', 'income, sex']
)
def test_what_was_left_out_on_purpose_is_answered_on_request_only(noisy, query):
    """A fair table's difference was -.011, 95 % -.033 to .012, where the real one was .190."""
    with pytest.raises(QueryError, match='leaves that out on purpose'):
        noisy.estimate(query)
    assert len(noisy.estimate(query, in_the_fair_table=True))


def test_what_rests_on_the_fair_model_says_so(noisy):
    found = noisy.estimate('income by sex', in_the_fair_table=True)
    assert set(found['basis']) == {'fair model'}
    assert set(noisy.estimate('income')['basis']) == {'measured'}


def test_a_bin_is_asked_for_as_it_is_shown(noisy):
    bins = noisy.estimate('wage')
    name = bins.index[3]
    one = noisy.estimate(Share({'wage': name}))
    assert one['estimate'].item() == bins.loc[name, 'estimate']


def test_groups_that_the_model_ties_to_nothing_are_not_said_to_be_equal():
    measurements = [Measurement((c,), np.array([40.0, 60.0]), 2.0) for c in 'ab']
    apart = estimate(measurements, {'a': 2, 'b': 2})
    replicates = Replicates(apart, (apart,) * 3, tuple(np.random.SeedSequence(0).spawn(3)))
    first, second = (
        Ratio({'a': np.array([1.0, 0.0]), 'b': group}, {'b': group}) for group in np.eye(2)
    )
    for sampling in (True, False):
        (found,) = model_intervals([Apart(first, second)], replicates, 0.95, sampling)
        assert (found.estimate, found.lower, found.upper) == (pytest.approx(0.0), -1.0, 1.0)


def test_bias_counts_as_error():
    errors = np.random.default_rng(0).normal(3.0, 1.0, 5000)
    found = interval_of_errors(10.0, errors, 0.95, (-np.inf, np.inf))
    assert found.standard_error == pytest.approx(np.sqrt(10), rel=0.02)
    assert found.lower == pytest.approx(10 - 1.96 * np.sqrt(10), rel=0.02)
