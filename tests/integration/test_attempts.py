"""Attempts that fail, are left, or are followed by others: nothing of them is lost or mixed up."""

import copy
import pickle
from dataclasses import replace
from fractions import Fraction

import pandas as pd
import pytest
from attempts import (
    SHAPES,
    Broken,
    arrow,
    breaking,
    data,
    new,
    quietly,
    shown,
    stops_early,
    tally,
)
from sdv.errors import InvalidDataError
from sdv.utils import load_synthesizer

from sdv_prefair import PrivacyWarning, load_release
from sdv_prefair.privacy import epsilon_of
from sdv_prefair.transformers import NumberBins

# A strategy of one's own does not come back from a release as it was.
PLAIN = {'structure': 'none'}


def outcomes(synthesizer):
    account = synthesizer.get_privacy_account()
    return list(zip(account['call'], account['outcome'], strict=True))


def fail(call, *given):
    with breaking(), pytest.raises(Broken):
        quietly(call, *given)


def test_one_fit_is_all_that_is_spent():
    synthesizer = new(epsilon=1.0)
    assert synthesizer.get_privacy_account().empty
    synthesizer.fit(data('first'))
    ledger = synthesizer.get_privacy_ledger()
    account = synthesizer.get_privacy_account()
    assert outcomes(synthesizer) == [('fit', 'finished')]
    assert account['rho'].sum() == ledger['rho'].sum() == ledger.attrs['rho_all_attempts']
    assert account['lines'].sum() == len(ledger)
    assert ledger.attrs['epsilon_all_attempts'] == 1.0
    assert ledger.attrs['delta_all_attempts'] == ledger.attrs['delta']
    assert ledger.attrs['attempts'] == 1
    assert {k: account.attrs[k] for k in account.attrs} == {
        k: ledger.attrs[k] for k in account.attrs
    }


@pytest.mark.parametrize('call', ['fit', 'fit_table'])
def test_what_a_failed_attempt_has_spent_stays_in_the_account(call, monkeypatch):
    synthesizer = new()
    given = {'fit': data('first'), 'fit_table': arrow('first')}[call]
    with tally(monkeypatch) as drawn:
        fail(getattr(synthesizer, call), given)
    assert 0 < drawn['rho'] == synthesizer._account.spent
    assert outcomes(synthesizer) == [(call, 'failed')]
    assert synthesizer.get_info()['is_fit'] is False
    quietly(synthesizer.fit, data('first'))
    assert outcomes(synthesizer) == [(call, 'failed'), ('fit', 'finished')]
    footer = synthesizer.get_privacy_ledger().attrs
    together = footer['rho'] + float(drawn['rho'])
    assert footer['rho_all_attempts'] == pytest.approx(together, rel=1e-12)
    assert footer['epsilon_all_attempts'] == pytest.approx(epsilon_of(together, 1e-9))
    assert footer['epsilon_all_attempts'] > footer['epsilon']


def test_a_table_that_cannot_be_read_to_its_end_is_an_attempt_that_spent_nothing():
    synthesizer = new()
    with pytest.raises(InvalidDataError):
        synthesizer.fit_table(stops_early('first'))
    assert outcomes(synthesizer) == [('fit_table', 'failed')]
    assert synthesizer.get_privacy_account()['rho'].sum() == 0


def test_a_call_that_is_refused_before_a_row_is_read_is_no_attempt():
    synthesizer = new()
    with pytest.raises(InvalidDataError):
        synthesizer.fit({'others': SHAPES['first']})
    with pytest.raises(InvalidDataError):
        synthesizer.fit({'shapes': SHAPES['first'].drop(columns='won')})
    assert synthesizer.get_privacy_account().empty


@pytest.mark.parametrize('learns', [True, False])
def test_processed_data_fitted_twice_pay_for_learning_once(learns, monkeypatch):
    synthesizer = new(learns)
    with tally(monkeypatch) as drawn:
        codes = synthesizer.preprocess(data('first'))
        learning = drawn['rho']
        assert (learning > 0) is learns
        synthesizer.fit_processed_data(codes)
        assert outcomes(synthesizer) == [('preprocess', 'finished')]
        fail(synthesizer.fit_processed_data, codes)
        quietly(synthesizer.fit_processed_data, codes)
    budget = synthesizer.fitted.ledger.budget
    spendings = synthesizer._account.spendings
    assert [s.outcome for s in spendings] == ['finished', 'failed', 'finished']
    assert [spendings[0].rho, spendings[2].rho] == [budget, budget - learning]
    assert synthesizer._account.spent == drawn['rho']
    assert synthesizer.get_privacy_ledger()['rho'].sum() == float(budget)


def test_deltas_of_thresholds_add_up():
    synthesizer = new(learns=True, delta=1e-6)
    synthesizer.fit(data('first'))
    assert synthesizer.get_privacy_ledger().attrs['delta_all_attempts'] == 1e-6
    quietly(synthesizer.fit, data('first'))
    footer = synthesizer.get_privacy_ledger().attrs
    assert footer['delta'] == 1e-6
    assert footer['delta_all_attempts'] == pytest.approx(1.5e-6)


def test_preprocessing_another_table_leaves_the_fit_alone():
    synthesizer = new(learns=True)
    synthesizer.fit(data('first'))
    before = shown(synthesizer)
    codes = quietly(synthesizer.preprocess, data('second'))
    assert shown(synthesizer) == before
    assert outcomes(synthesizer) == [('fit', 'finished'), ('preprocess', 'unfinished')]
    fail(synthesizer.fit_processed_data, codes)
    assert shown(synthesizer) == before
    quietly(synthesizer.fit_processed_data, codes)
    assert set(shown(synthesizer)['rows']['place']) == {'south'}


def test_samples_go_on_as_if_an_attempt_had_not_failed():
    synthesizer = new()
    synthesizer.fit(data('first'))
    other = copy.deepcopy(synthesizer)
    for one in (synthesizer, other):
        one.sample(7)
    fail(synthesizer.fit, data('second'))
    fail(synthesizer.fit_table, arrow('second'))
    quietly(synthesizer.preprocess, data('second'))
    pd.testing.assert_frame_equal(synthesizer.sample(30)['shapes'], other.sample(30)['shapes'])


def test_codes_are_not_taken_once_they_mean_something_else():
    synthesizer = new()
    codes = synthesizer.preprocess(data('first'))
    quietly(synthesizer.update_transformers, {'size': NumberBins(0, 9, bins=2, decimal_places=0)})
    with pytest.raises(InvalidDataError, match='Call preprocess or fit first'):
        synthesizer.fit_processed_data(codes)
    assert outcomes(synthesizer) == [('preprocess', 'unfinished')]


def test_a_refit_warns_once_and_before_it_reads():
    synthesizer = new(epsilon=1.0)
    synthesizer.fit(data('first'))
    spent = synthesizer._account.spent
    with pytest.raises(PrivacyWarning, match=r'budgets add up.*epsilon = 1\.44'):
        synthesizer.fit(data('first'))
    assert synthesizer._account.spent == spent
    with pytest.warns(PrivacyWarning, match='get_privacy_account'):
        synthesizer.fit(data('first'))
    synthesizer.fit(data('second'))
    assert synthesizer._account.spent == 3 * spent


# -- files ----------------------------------------------------------------------------------


def tried_twice(**changes):
    """Return a fit after a failed one, with a structure that a release can hold."""
    first = new(epsilon=1.0, **changes)
    fail(first.fit, data('first'))
    second = new(epsilon=1.0, **(PLAIN | changes))
    second._account = first._account
    quietly(second.fit, data('first'))
    return second


def test_attempts_survive_a_pickle(tmp_path):
    synthesizer = new()
    fail(synthesizer.fit, data('first'))
    quietly(synthesizer.fit, data('first'))
    synthesizer.save(tmp_path / 'fit.pkl')
    loaded = load_synthesizer(tmp_path / 'fit.pkl')
    pd.testing.assert_frame_equal(loaded.get_privacy_account(), synthesizer.get_privacy_account())
    assert loaded.get_privacy_ledger().attrs == synthesizer.get_privacy_ledger().attrs
    codes = quietly(loaded.preprocess, data('second'))
    again = pickle.loads(pickle.dumps(loaded))
    quietly(again.fit_processed_data, codes)
    assert [outcome for _, outcome in outcomes(again)] == ['failed', 'finished', 'finished']


def test_a_release_after_a_failed_attempt_says_so(tmp_path):
    synthesizer = tried_twice()
    synthesizer.save_release(tmp_path / 'fit.prefair')
    loaded = load_release(tmp_path / 'fit.prefair')
    assert outcomes(loaded) == [('fit', 'failed'), ('fit', 'finished')]
    pd.testing.assert_frame_equal(loaded.get_privacy_account(), synthesizer.get_privacy_account())
    footer = loaded.get_privacy_ledger().attrs
    assert footer == synthesizer.get_privacy_ledger().attrs
    assert footer['rho_all_attempts'] > footer['rho']
    loaded.create_release_report(path=tmp_path / 'report.html')
    page = (tmp_path / 'report.html').read_text('utf-8')
    assert 'This fit was not the only attempt' in page and 'All 2 attempts together' in page
    new_fit = new(**PLAIN)
    new_fit.fit(data('first'))
    new_fit.create_release_report(path=tmp_path / 'report.html')
    assert 'not the only attempt' not in (tmp_path / 'report.html').read_text('utf-8')


# -- seeds ----------------------------------------------------------------------------------


def says_private(synthesizer):
    return {
        synthesizer.get_info()['is_private'],
        synthesizer.get_privacy_ledger().attrs['private'],
        synthesizer.get_fair_graph().graph['private'],
        'not private' not in synthesizer.visualize().layout.title.text,
    }


def seeded():
    synthesizer = new(seed=3, **PLAIN)
    quietly(synthesizer.fit, data('first'))
    return synthesizer


def test_a_seed_that_is_taken_away_afterwards_is_still_told_of(tmp_path):
    synthesizer = seeded()
    synthesizer.__dict__['seed'] = None
    assert says_private(synthesizer) == {False}
    synthesizer.save_release(tmp_path / 'fit.prefair')
    loaded = quietly(load_release, tmp_path / 'fit.prefair')
    assert says_private(loaded) == {False}
    loaded.create_release_report(path=tmp_path / 'report.html')
    assert 'Not private. Do not release.' in (tmp_path / 'report.html').read_text('utf-8')


def test_processed_data_are_fitted_with_the_noise_that_they_were_prepared_with():
    """A seed that gets in behind the arguments' back is neither used nor claimed."""
    synthesizer = new(**PLAIN | {'epsilon': 0.1})
    codes = synthesizer.preprocess(data('first'))
    vars(synthesizer)['seed'] = 4
    totals = set()
    for _ in range(3):
        quietly(synthesizer.fit_processed_data, codes)
        assert says_private(synthesizer) == {True}
        totals.add(tuple(synthesizer._model.measurements[0].values.ravel()))
    assert len(totals) > 1


def test_opening_a_seeded_fit_warns_and_so_does_its_first_sample(tmp_path):
    synthesizer = seeded()
    synthesizer.sample(3)  # whoever fitted it was told then
    synthesizer.save_release(tmp_path / 'fit.prefair')
    synthesizer.save(tmp_path / 'fit.pkl')
    for load, name in [(load_release, 'fit.prefair'), (load_synthesizer, 'fit.pkl')]:
        with pytest.warns(PrivacyWarning, match='The fit that was opened used a seed'):
            loaded = load(tmp_path / name)
        with pytest.warns(PrivacyWarning, match='These rows come from a fit that used a seed'):
            loaded.sample(3)
        loaded.sample(3)


def test_a_seeded_attempt_leaves_no_sum_to_promise():
    synthesizer = seeded()
    synthesizer._settings = replace(synthesizer._settings, seed=None)
    quietly(synthesizer.fit, data('first'))
    assert says_private(synthesizer) == {True}
    footer = synthesizer.get_privacy_ledger().attrs
    assert footer['private_all_attempts'] is False and footer['epsilon_all_attempts'] is None
    assert synthesizer._account.spent == 2 * Fraction(synthesizer.fitted.ledger.budget)


@pytest.mark.parametrize(
    ('public', 'words'),
    [(True, 'said to be public'), (None, 'assumed public'), (False, 'not used')],
)
def test_the_footer_says_how_ranges_were_treated(public, words):
    synthesizer = quietly(lambda: new(public_ranges=public, **PLAIN))
    synthesizer.fit(data('first'))
    assert synthesizer.get_privacy_ledger().attrs['ranges'].startswith(words)
    assert synthesizer.get_info()['ranges'].startswith(words)
