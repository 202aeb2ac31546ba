"""A budget that is given as a risk is the largest that keeps to it.

About ``_curve.py``.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from people import people

from sdv_prefair import PreFairSynthesizer, load_release, risk
from sdv_prefair.errors import BudgetError
from sdv_prefair.privacy import Ledger, PrivacyCurve

PEOPLE = people(300)
ASKED = {
    'guess': (risk(guess=0.55), lambda curve: curve.guess(), 0.55),
    'advantage': (risk(advantage=0.05), lambda curve: curve.advantage(), 0.05),
    'found': (
        risk(true_positives=0.01, false_positives=0.001),
        lambda curve: curve.true_positives(0.001),
        0.01,
    ),
}


@pytest.mark.parametrize('reserved', [0.0, 5e-10])
@pytest.mark.parametrize('is_gaussian', [True, False])
@pytest.mark.parametrize('kind', ASKED)
def test_the_curve_of_the_ledger_is_what_was_asked_for(kind, is_gaussian, reserved):
    asked, found, wanted = ASKED[kind]
    epsilon = asked.epsilon_at(1e-9, is_gaussian, reserved)
    ledger = Ledger(epsilon, 1e-9, reserved_delta=reserved, all_gaussian=is_gaussian)
    reached = found(PrivacyCurve.of(ledger))
    assert wanted * (1 - 1e-5) < reached <= wanted


@given(st.floats(0.501, 0.999), st.floats(-30, -4).map(lambda power: 10**power))
def test_a_guess_is_never_right_more_often_than_it_may(guess, delta):
    epsilon = risk(guess=guess).epsilon_at(delta, True, 0.0)
    curve = PrivacyCurve.of(Ledger(epsilon, delta, all_gaussian=True))
    assert guess - 1e-6 < curve.guess() <= guess


def make(**changes):
    arguments = {'public_ranges': True, 'epsilon': risk(guess=0.6)} | PEOPLE.roles | changes
    return PreFairSynthesizer(PEOPLE.metadata, **arguments)


@pytest.mark.parametrize('structure', ['planned', 'adaptive'])
def test_a_fit_keeps_to_it_whatever_its_accounting(structure, tmp_path):
    synthesizer = make(structure=structure)
    synthesizer.fit(PEOPLE.data)
    footer = synthesizer.get_privacy_ledger().attrs
    assert 0.6 - 1e-5 < footer['guess'] <= 0.6
    assert f'epsilon = {footer["epsilon"]:g}' in repr(synthesizer)
    assert synthesizer.get_parameters()['epsilon'] == risk(guess=0.6)
    synthesizer.save_release(tmp_path / 'x.prefair')
    opened = load_release(tmp_path / 'x.prefair')
    assert opened.epsilon == footer['epsilon']
    assert opened.get_privacy_ledger().attrs == footer


@pytest.mark.parametrize('ask', [
    dict, lambda: {'guess': 0.6, 'advantage': 0.1}, lambda: {'true_positives': 0.1},
    lambda: {'guess': 0.5}, lambda: {'advantage': 1}, lambda: {'guess': '55%'},
    lambda: {'true_positives': 0.001, 'false_positives': 0.01}, lambda: {'advantage': True},
])  # fmt: skip
def test_what_is_no_risk_is_refused(ask):
    with pytest.raises(BudgetError, match=r'risk needs|must be above'):
        risk(**ask())
