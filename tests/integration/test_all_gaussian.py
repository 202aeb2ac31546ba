"""Fits whose noise is all Gaussian: which they are, what noise they get, and what they tell."""

import json
import math
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer, PrivacyWarning, load_release
from sdv_prefair.errors import ReleaseError
from sdv_prefair.privacy import epsilon_of
from sdv_prefair.privacy._accounting import gaussian_epsilon_of, gaussian_rho_of
from sdv_prefair.structure import ExactStrategy

LEVELS = [f'level {number}' for number in range(30)]
ROLES = {'protected': ['sex'], 'admissible': ['grade'], 'outcome': ['paid']}
TREE = [('sex', 'grade'), ('grade', 'paid'), ('paid', 'hired')]


def metadata(undeclared=()):
    columns = {
        name: {'sdtype': 'categorical', 'range_values': LEVELS, 'range_is_nullable': False}
        for name in ('sex', 'grade', 'paid')
    }
    columns['hired'] = {
        'sdtype': 'datetime',
        'datetime_format': '%Y-%m-%d',
        'range_min': '2000-01-01',
        'range_max': '2029-12-31',
    }
    for name in undeclared:
        columns[name] = {k: v for k, v in columns[name].items() if not k.startswith('range_')}
    return Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})


def rows(num_rows=30_000):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({c: rng.choice(LEVELS, num_rows) for c in ('sex', 'grade', 'paid')})
    frame['hired'] = pd.Timestamp('2010-01-01') + pd.to_timedelta(
        rng.integers(0, 999, num_rows), 'D'
    )
    return frame


def fit(structure, undeclared=(), **changes):
    arguments = ROLES | {'public_ranges': True, 'epsilon': 5.0, 'numeric_bins': 4} | changes
    synthesizer = PreFairSynthesizer(metadata(undeclared), structure=structure, **arguments)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', PrivacyWarning)
        synthesizer.fit({'t': rows(2000 if undeclared else 30_000)})
    return synthesizer


@pytest.mark.parametrize(
    ('structure', 'undeclared', 'accounting'),
    [
        ('exact', (), 'GDP'),
        (ExactStrategy(time_limit=5), (), 'GDP'),
        (TREE, (), 'GDP'),
        ('exact', ('hired',), 'GDP'),
        ('exact', ('paid',), 'GDP'),
        *((name, (), 'zCDP') for name in ('adaptive', 'greedy', 'none', 'aim')),
    ],
    ids=str,
)
def test_how_lines_add_up_follows_from_structure_and_metadata(structure, undeclared, accounting):
    synthesizer = fit(structure, undeclared)
    ledger = synthesizer.get_privacy_ledger()
    rounded = ledger['mechanism'].str.startswith('rounded Gaussian')
    assert ledger.attrs['accounting'] == synthesizer.get_info()['accounting'] == accounting
    assert list(synthesizer.get_privacy_account()['accounting']) == [accounting]
    assert rounded.all() if accounting == 'GDP' else not rounded.any()
    assert ledger['rho'].sum() == ledger.attrs['rho']
    if accounting == 'GDP':
        # Thresholds on the values of an undeclared category take half of delta.
        left = 0.5e-9 if 'paid' in undeclared else 1e-9
        assert ledger.attrs['rho'] == float(gaussian_rho_of(5.0, left))
        assert set(ledger['step']) >= {'measure one-ways', 'measure two-ways'}


@pytest.mark.parametrize('structure', ['exact', TREE], ids=['exact', 'given'])
@pytest.mark.parametrize('people', [1, 2])
def test_the_noise_of_a_fit_has_the_scale_of_the_promise_and_no_other(structure, people):
    """Squares of some 2,000 cells' noise, by sigmas worked out from epsilon and delta here."""
    with pytest.warns(PrivacyWarning, match='seed'):
        fitted = PreFairSynthesizer(
            metadata(), structure=structure, seed=4, public_ranges=True, numeric_bins=4,
            epsilon=5.0, max_rows_per_person=people, **ROLES,
        )  # fmt: skip
        fitted.fit({'t': rows()})
    codes = fitted.encode_rows(rows())
    squares, cells = 0.0, 0
    budget = float(gaussian_rho_of(5.0, 1e-9))
    ledger = fitted.get_privacy_ledger()
    measuring = ledger[ledger['step'].str.startswith('measure')]
    shares = measuring.set_index('columns')['rho'] / budget
    for measured in fitted._model.measurements:
        exact = np.zeros(measured.values.shape)
        places = tuple(
            fitted._model.compressions[c].group_of[codes[c]]
            if c in fitted._model.compressions
            else codes[c]
            for c in measured.columns
        )
        np.add.at(exact, places, 1)
        if len(measured.columns) == 1:
            continue  # merged from more codes, with other sigmas
        sigma = people / math.sqrt(2 * budget * shares[measured.columns])
        squares += float(((measured.values - exact) ** 2).sum()) / (sigma**2 + 1 / 12)
        cells += exact.size
    assert cells > 1000

    def p_value(times):
        scaled = squares / times**2
        return 2 * min(chi2.cdf(scaled, cells), chi2.sf(scaled, cells))

    assert p_value(1.0) > 1e-4
    for wrong in (0.7, 1.3):
        assert p_value(wrong) < 1e-6


def test_attempts_of_one_synthesizer_add_up_as_gaussians():
    synthesizer = fit(TREE, epsilon=1.0)
    with pytest.warns(PrivacyWarning, match='budgets add up'):
        synthesizer.fit({'t': rows(500)})
    rho = 2 * float(gaussian_rho_of(1.0, 1e-9))
    total = synthesizer.get_privacy_account().attrs['epsilon_all_attempts']
    assert total == gaussian_epsilon_of(rho, 1e-9) < epsilon_of(rho, 1e-9)


# -- releases ----------------------------------------------------------------------------------


@pytest.fixture(scope='module')
def released(tmp_path_factory):
    synthesizer, path = fit('exact'), tmp_path_factory.mktemp('gaussian') / 'fit.release'
    synthesizer.save_release(path)
    return synthesizer, path


def changed(path, to, change):
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    release = json.loads(members['release.json'])
    change(release)
    members['release.json'] = json.dumps(release).encode()
    with zipfile.ZipFile(to, 'w') as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return to


def test_a_release_tells_how_its_lines_add_up(released):
    synthesizer, path = released
    loaded = load_release(path)
    assert loaded.get_info()['accounting'] == 'GDP'
    assert loaded.get_privacy_ledger().equals(synthesizer.get_privacy_ledger())
    assert loaded.get_privacy_ledger().attrs == synthesizer.get_privacy_ledger().attrs
    assert loaded.get_privacy_account().equals(synthesizer.get_privacy_account())


def _as_zcdp(release):
    release['ledger']['accounting'] = 'zCDP'
    release['account'][0]['all_gaussian'] = False


def _discrete(release):
    release['ledger']['lines'][0]['mechanism'] = 'discrete Gaussian'


def _exponential(release):
    line = next(s for s in release['ledger']['lines'] if s['step'] == 'select the tree')
    line |= {'mechanism': 'exponential', 'scale': 0.0}


def _not_in_the_account(release):
    release['account'][0]['all_gaussian'] = False


@pytest.mark.parametrize(
    ('change', 'words'),
    [
        (_as_zcdp, 'does not follow from epsilon and delta'),
        (_discrete, 'in a way that their noise does not allow'),
        (_exponential, 'in a way that their noise does not allow'),
        (_not_in_the_account, 'does not contain the fit'),
    ],
)
def test_a_release_that_adds_up_otherwise_than_it_may_is_refused(released, tmp_path, change, words):
    with pytest.raises(ReleaseError, match=words):
        load_release(changed(released[1], tmp_path / 'changed', change))


def test_the_report_says_how_lines_add_up(released, tmp_path):
    released[0].create_release_report(path=tmp_path / 'report.html')
    page = (tmp_path / 'report.html').read_text('utf-8')
    assert 'one Gaussian mechanism' in page and 'rounded Gaussian on scores' in page
    assert 'zero-concentrated' not in page.lower()
