"""Of ``_outcome_copies.py``: the private look at what unlabelled columns tell about outcomes."""

import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from triple_loop import TripleLoop

from sdv_prefair import FairnessWarning, PreFairSynthesizer, load_release
from sdv_prefair.counting import count_codes
from sdv_prefair.datasets._dataset import categorical, public_metadata
from sdv_prefair.errors import ReleaseError
from sdv_prefair.fairness import Independent, Statements
from sdv_prefair.fitting._outcome_copies import look_for_copies, pairs_to_look_at
from sdv_prefair.model import Measurement
from sdv_prefair.privacy import Ledger, PrivateTable, SystemEntropy
from sdv_prefair.privacy._accounting import LOOK_FOR_COPIES

COLUMNS = ['sex', 'grade', 'called', 'hobby', 'paid']
STATEMENT = Statements([Independent(['sex'], ['paid'], ['grade'])])
ROLES = {'protected': ['sex'], 'admissible': ['grade'], 'outcome': ['paid']}
LOOP = TripleLoop(('grade', 'hobby', 'paid'))
STRUCTURES = ['planned', 'adaptive', 'greedy', 'exact', 'aim', 'privbayes', 'mwem', LOOP]


def codes(rows, share, seed=0):
    """Binary columns; called tells so much of paid, and hobby nothing."""
    rng = np.random.default_rng(seed)
    made = {column: rng.integers(0, 2, rows) for column in COLUMNS}
    made['called'] = np.where(rng.random(rows) < share, made['paid'], made['called'])
    return made


def look(columns, sigma_of_score, sigma_of_one_way=5.0):
    """Look at pairs with noise of this size; one-ways are noisy too."""
    domain = {column: int(values.max()) + 1 for column, values in columns.items()}
    pairs = pairs_to_look_at(domain, STATEMENT)
    counts = count_codes(columns, domain, [*((c,) for c in domain), *pairs])
    rng = np.random.default_rng()
    released = [
        Measurement((c,), counts.project((c,)) + rng.normal(0, sigma_of_one_way, domain[c]), 5.0)
        for c in domain
    ]
    table = PrivateTable(counts, Ledger(50.0, 1e-9), SystemEntropy())
    rho = Fraction(len(pairs)) / Fraction(2 * sigma_of_score**2)
    found = look_for_copies(table, pairs, STATEMENT, released, rho)
    return {one.column: one for one in found}


def test_it_is_about_unlabelled_columns_and_outcomes_and_no_protected_one():
    domain = dict.fromkeys(COLUMNS, 2)
    pairs = pairs_to_look_at(domain, STATEMENT)
    assert sorted(pairs) == [('called', 'paid'), ('hobby', 'paid')]
    assert pairs_to_look_at(domain | {'hobby': 10**8}, STATEMENT) == [('called', 'paid')]


def test_a_copy_is_found_in_nearly_all_looks():
    """The standard deviation is 0.05: called tells 0.95, and 0.7 + 3 * 0.05 are asked for.

    Each look finds it with probability 0.95 at least, two standard deviations, so that fewer than
    80 of 100 have a chance below 1e-8.
    """
    columns = codes(4000, 0.95)
    assert sum(look(columns, 100)['called'].nearly_copies for _ in range(100)) >= 80


def test_a_column_that_is_no_copy_is_never_called_one():
    """Told is 0.6 of 1: the warning asks for 0.7 and three standard deviations of any size.

    A false alarm has a chance below 1.4e-3 in a look, and 5 of 300 one below 1e-4.
    """
    columns = codes(4000, 0.6)
    for sigma in (20, 200, 2000):
        assert sum(look(columns, sigma)['called'].nearly_copies for _ in range(100)) < 3


def test_noise_of_one_ways_and_many_values_tell_nothing():
    rng = np.random.default_rng(2)
    columns = codes(400, 0.0) | {'hobby': rng.integers(0, 60, 400)}
    found = [look(columns, 5, sigma_of_one_way=5.0)['hobby'] for _ in range(50)]
    assert np.mean([one.tells for one in found]) > 0.3  # it would seem so
    assert max(one.surely for one in found) < 0.2


def make(**changes):
    columns = dict.fromkeys(COLUMNS, categorical(['0', '1']))
    arguments = {'epsilon': 20.0, 'public_ranges': True} | ROLES | changes
    return PreFairSynthesizer(public_metadata('t', columns), **arguments)


def fitted(share=0.97, **changes):
    """Return a fit, and the texts of its warnings of fairness."""
    rows = pd.DataFrame(codes(3000, share)).astype(str)
    synthesizer = make(**changes)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        synthesizer.fit({'t': rows})
    told = [str(w.message) for w in caught if issubclass(w.category, FairnessWarning)]
    return synthesizer, [text for text in told if 'copies of outcomes' in text]


def lines_of(synthesizer):
    ledger = synthesizer.get_privacy_ledger()
    assert ledger['rho'].sum() == ledger.attrs['rho']
    return ledger[ledger['step'] == LOOK_FOR_COPIES]


@pytest.mark.parametrize('structure', STRUCTURES, ids=lambda s: getattr(s, 'name', s))
def test_every_structure_warns_of_a_copy_by_name_and_pays_a_hundredth(structure):
    synthesizer, (told,) = fitted(structure=structure)
    assert 'called of paid' in told
    assert 'hobby' not in told
    (line,) = lines_of(synthesizer).to_dict('records')
    assert line['rho'] == pytest.approx(0.01 * synthesizer.get_privacy_ledger().attrs['rho'])
    assert set(line['columns']) == {'called', 'hobby', 'paid'}
    assert line['scale'] == pytest.approx(np.sqrt(2 / (2 * line['rho'])))
    assert 'called predicts paid: 0.9' in repr(synthesizer.explain_fairness())


def test_it_can_be_switched_off_and_then_costs_nothing():
    synthesizer, told = fitted(look_for_copies=False)
    assert not told
    assert lines_of(synthesizer).empty
    assert not synthesizer.fitted.looks


def test_without_unlabelled_columns_or_a_promise_there_is_no_look():
    labelled = {'protected': ['sex', 'called'], 'admissible': ['grade', 'hobby']}
    for changes in (labelled, {'structure': 'none'}):
        synthesizer, told = fitted(**changes)
        assert not told
        assert lines_of(synthesizer).empty


def test_what_was_seen_is_in_the_release_and_in_the_report(tmp_path):
    synthesizer, _ = fitted()
    synthesizer.save_release(tmp_path / 'a.prefair')
    loaded = load_release(tmp_path / 'a.prefair')
    assert loaded.fitted.looks == synthesizer.fitted.looks
    assert loaded.look_for_copies is True
    loaded.create_release_report(path=tmp_path / 'report.html')
    page = (tmp_path / 'report.html').read_text('utf-8')
    assert 'It is intended that called, nearly a copy of paid by a noisy score, has no role' in page


def test_without_a_copy_the_checklist_still_asks(tmp_path):
    synthesizer, _ = fitted(share=0.0)
    synthesizer.create_release_report(path=tmp_path / 'report.html')
    page = (tmp_path / 'report.html').read_text('utf-8')
    assert 'No column without a role records the same as paid under another name' in page
    assert 'Noisy scores show none.' in page


def test_more_than_everything_cannot_be_told():
    from sdv_prefair.release._ledger_record import read_looks

    look = {'column': 'called', 'outcome': 'paid', 'tells': 0.5, 'surely': 0.6}
    with pytest.raises(ReleaseError, match='out of range'):
        read_looks([look])
