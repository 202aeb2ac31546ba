"""Whatever is done to a synthesizer, in any order: nothing spent is lost, and no fits are mixed."""

import copy
import pickle
from fractions import Fraction

import hypothesis.strategies as st
import pytest
from attempts import (
    SHAPES,
    Broken,
    arrow,
    breaking,
    counts,
    data,
    new,
    quietly,
    shown,
    stops_early,
    tally,
)
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from profiles import share
from sdv.errors import InvalidDataError, SynthesizerInputError

PLACES = {'first': 'north', 'second': 'south'}
names = st.sampled_from(list(SHAPES))


class LifeOfASynthesizer(RuleBasedStateMachine):
    """Two tables, every way into a fit, and failures half way."""

    drawn: dict  # counts all debits while a machine runs

    @initialize(learns=st.booleans())
    def make(self, learns):
        self.drawn['rho'] = Fraction(0)
        self.learns = learns
        self.synthesizer = new(learns)
        self.fitted_to = self.expected = self.codes = None
        self.spent = Fraction(0)

    def finished(self, name):
        self.fitted_to, self.expected = name, shown(self.synthesizer)

    @rule(name=names)
    def fit(self, name):
        quietly(self.synthesizer.fit, data(name))
        self.codes = None
        self.finished(name)

    @rule(name=names)
    def fail_to_fit(self, name):
        with breaking(), pytest.raises(Broken):
            quietly(self.synthesizer.fit, data(name))

    @rule(name=names)
    def preprocess(self, name):
        self.codes = name, quietly(self.synthesizer.preprocess, data(name))

    @precondition(lambda self: self.codes)
    @rule()
    def fit_processed_data(self):
        name, codes = self.codes
        quietly(self.synthesizer.fit_processed_data, codes)
        self.finished(name)

    @precondition(lambda self: self.codes)
    @rule()
    def fail_to_fit_processed_data(self):
        with breaking(), pytest.raises(Broken):
            quietly(self.synthesizer.fit_processed_data, self.codes[1])

    @rule(name=names)
    def fit_table(self, name):
        quietly(self.synthesizer.fit_table, arrow(name))
        self.codes = None
        self.finished(name)

    @rule(name=names)
    def fail_to_fit_a_table(self, name):
        with breaking(), pytest.raises(Broken):
            quietly(self.synthesizer.fit_table, arrow(name))

    @rule(name=names)
    def fail_to_read_a_table(self, name):
        with pytest.raises(InvalidDataError):
            quietly(self.synthesizer.fit_table, stops_early(name))

    @precondition(lambda self: not self.learns)
    @rule(name=names, breaks=st.booleans())
    def fit_counts(self, name, breaks):
        found = counts(self.synthesizer, name)
        if breaks:
            with breaking(), pytest.raises(Broken):
                quietly(self.synthesizer.fit_counts, found)
            return
        quietly(self.synthesizer.fit_counts, found)
        self.codes = None
        self.finished(name)

    @precondition(lambda self: self.learns)
    @rule()
    def be_refused_counts(self):
        with pytest.raises(SynthesizerInputError, match='not public'):
            self.synthesizer.fit_counts({})

    @rule()
    def save_and_load(self):
        self.synthesizer = quietly(pickle.loads, pickle.dumps(self.synthesizer))

    @rule()
    def copy(self):
        self.synthesizer = copy.deepcopy(self.synthesizer)

    @precondition(lambda self: self.fitted_to)
    @rule()
    def sample(self):
        assert len(quietly(self.synthesizer.sample, 5)['shapes']) == 5

    @invariant()
    def the_account_is_what_was_drawn(self):
        account = self.synthesizer.get_privacy_account()
        assert self.synthesizer._account.spent == self.drawn['rho'] >= self.spent
        assert account.attrs['rho_all_attempts'] == float(self.drawn['rho'])
        self.spent = self.drawn['rho']

    @invariant()
    def what_is_shown_is_of_one_finished_attempt(self):
        assert self.synthesizer.get_info()['is_fit'] is (self.fitted_to is not None)
        if self.fitted_to is None:
            return
        found = shown(self.synthesizer)
        assert found == self.expected
        assert set(found['rows']['place']) == {PLACES[self.fitted_to]}
        ledger, footer = (
            self.synthesizer.get_privacy_ledger(),
            self.synthesizer.get_privacy_ledger().attrs,
        )
        assert ledger['rho'].sum() == footer['rho'] <= footer['rho_all_attempts']
        assert footer['epsilon'] <= footer['epsilon_all_attempts']
        account = self.synthesizer.get_privacy_account()
        assert 'finished' in set(account['outcome'])


def test_nothing_spent_is_lost_and_no_fits_are_mixed(monkeypatch):
    with tally(monkeypatch) as drawn:
        LifeOfASynthesizer.drawn = drawn
        run_state_machine_as_test(
            LifeOfASynthesizer,
            settings=share(2 / 5, stateful_step_count=14),
        )
