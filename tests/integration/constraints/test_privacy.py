"""Constraints let nothing of a row out, and what they learn is paid for."""

import pickle

import numpy as np
import pandas as pd
import pytest
from jobs import PAIRS, every_kind, fit, make, rows
from sdv.cag import FixedCombinations, FixedIncrements, Inequality, OneHotEncoding
from sdv.utils import load_synthesizer
from walk import differing_paths

from sdv_prefair import PrivacyWarning
from sdv_prefair.constraints import PublicCombinations
from sdv_prefair.privacy import gaussian_rho_of

ALLOWED = (
    '._result.model',
    '._result.looks',
    '._account._attempts[0].ledger._debits',
    '._synthesizer_id',
)
SENTINEL = 'Zyzzyva4711'


def neighbour(table):
    """The table and a row that breaks every constraint and leaves every range."""
    row = table.iloc[[0]].assign(first=987_654, last=-987_654.0, amount=31_415_926)
    row = row.assign(city=SENTINEL, country=SENTINEL, red=7, green=7, blue=7, after=np.nan)
    row = row.assign(hired=pd.Timestamp('2017-03-04'), left=pd.Timestamp('2001-02-03'))
    joined = pd.concat([table.astype({'country': object}), row], ignore_index=True)
    return joined.astype({'country': 'category'})


def test_fits_of_neighbours_differ_only_in_the_model():
    table = rows(400)
    table['last'] = table['last'].fillna(70)
    fits = [fit(every_kind(), t, seed=3) for t in (table, neighbour(table))]
    with pytest.warns(PrivacyWarning, match='used a seed'):
        one, two = (pickle.loads(pickle.dumps(fitted)) for fitted in fits)
    different = differing_paths(one, two)
    assert not {path for path in different if not path.startswith(ALLOWED)}
    assert different


@pytest.mark.parametrize('listed', [True, False])
def test_no_sentinel_gets_out(listed, tmp_path):
    constraints = every_kind()
    if not listed:
        constraints[1] = FixedCombinations(['country', 'city'])
    synthesizer = fit(constraints, neighbour(rows(2000)), epsilon=10.0)
    sampled = synthesizer.sample(2000)['jobs']
    synthesizer.save(tmp_path / 'fit.pkl')
    shown = [
        (tmp_path / 'fit.pkl').read_bytes().decode('latin-1'),
        sampled.to_csv(),
        synthesizer.get_privacy_ledger().to_string(),
        str(synthesizer.get_metadata('modified').to_dict()),
        str([vars(c) for c in synthesizer.get_constraints()]),
    ]
    for text in shown:
        for secret in (SENTINEL, '987654', '31415926', '2017-03-04', '2001-02-03'):
            assert secret not in text
    loaded = load_synthesizer(tmp_path / 'fit.pkl')
    loaded.validate_constraints(loaded.sample(100)['jobs'])


def test_combinations_are_learnt_within_the_budget():
    table = rows(3000)
    table.loc[:2, 'city'] = 'paris'
    table['country'] = table['country'].astype(object)
    table.loc[:2, 'country'] = 'de'
    synthesizer = fit([FixedCombinations(['country', 'city'])], table)
    ledger = synthesizer.get_privacy_ledger()
    assert 'country#city' in ledger[ledger['step'] == 'learn domains']['columns'].to_string()
    assert ledger['rho'].sum() == float(gaussian_rho_of(4.0, 1e-9 / 2))
    sampled = synthesizer.sample(2000)['jobs']
    assert set(zip(sampled['country'], sampled['city'], strict=True)) == set(PAIRS)
    listed = fit([PublicCombinations(['country', 'city'], PAIRS)], table)
    assert 'learn domains' not in set(listed.get_privacy_ledger()['step'])


def test_learnt_combinations_also_reject():
    synthesizer = fit([FixedIncrements('amount', 50), OneHotEncoding(['red', 'blue'])])
    assert synthesizer.get_privacy_ledger()['delta'].sum() == 0
    twice = [PublicCombinations(['country', 'city'], PAIRS), FixedCombinations(['city', 'grade'])]
    synthesizer = fit(twice)
    ledger = synthesizer.get_privacy_ledger()
    assert 'city#grade' in ledger[ledger['step'] == 'learn domains']['columns'].to_string()
    assert 'city#grade' not in synthesizer.get_fair_graph()
    sampled = synthesizer.sample(300)['jobs']
    synthesizer.validate_constraints(sampled)


def test_combinations_drowned_by_noise_warn_and_allow_all_declared():
    synthesizer = make([FixedCombinations(['country', 'city'])], epsilon=0.05)
    with pytest.warns(PrivacyWarning, match='stood out from the noise') as caught:
        synthesizer.fit({'jobs': rows(50)})
    assert any('PublicCombinations' in str(warning.message) for warning in caught)
    assert len(synthesizer.sample(20)['jobs']) == 20


def test_ranges_that_are_not_public_are_learnt():
    constraints = [Inequality('first', 'last'), FixedIncrements('amount', 50)]
    synthesizer = fit(constraints, public_ranges=False, epsilon=20.0)
    ledger = synthesizer.get_privacy_ledger()
    learnt = ledger[ledger['step'] == 'learn domains']['columns'].to_string()
    assert 'first#last' in learnt
    assert 'amount#increment' in learnt
    sampled = synthesizer.sample(500)['jobs']
    synthesizer.validate_constraints(sampled)
    assert (sampled['amount'] % 50 == 0).all()
