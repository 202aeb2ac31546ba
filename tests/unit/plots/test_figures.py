"""The figure of a ledger: of ``_charts.py``."""

import warnings

import pandas as pd
import pytest

from sdv_prefair import PreFairSynthesizer, PrivacyWarning
from sdv_prefair.datasets import simulate_census
from sdv_prefair.plots import plot_ledger


@pytest.fixture
def ledger():
    return pd.DataFrame(
        [
            ('one-way marginals', 'gaussian', ('sex',), 0.1),
            ('one-way marginals', 'gaussian', ('job',), 0.2),
            ('selection', 'exponential', 'all pairs', 0.3),
            ('two-way marginals', 'gaussian', ('sex', 'job'), 0.4),
        ],
        columns=['step', 'mechanism', 'columns', 'rho'],
    )


def test_ledger_bars_add_up_to_the_budget_in_the_order_of_steps(ledger):
    figure = plot_ledger(ledger)
    assert sum(sum(bar.y) for bar in figure.data) == pytest.approx(1.0)
    assert figure.layout.barmode == 'stack'
    assert figure.layout.xaxis.categoryarray == (
        'one-way marginals', 'selection', 'two-way marginals',
    )  # fmt: skip
    texts = {note.x: note.text for note in figure.layout.annotations}
    assert texts['one-way marginals'] == '0.3 (30%)'
    assert 'rho = 1 ' in figure.layout.title.text


def test_ledger_slices_name_their_columns(ledger):
    figure = plot_ledger(ledger)
    columns = {bar.name: list(bar.customdata) for bar in figure.data}
    assert columns == {'gaussian': ['sex', 'job', 'sex, job'], 'exponential': ['all pairs']}


def test_every_mechanism_of_a_ledger_has_a_colour_of_its_own():
    """With ranges to learn and each kind of selection, all mechanisms turn up."""
    census = simulate_census(2000, seed=0)
    met = set()
    for structure in ('adaptive', 'exact'):
        colours = {}
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', PrivacyWarning)
            synthesizer = PreFairSynthesizer(
                census.metadata, epsilon=20.0, structure=structure, public_ranges=False,
                **census.roles.as_dict(),
            )  # fmt: skip
            synthesizer.fit(census.data)
        for bars in plot_ledger(synthesizer.get_privacy_ledger()).data:
            assert colours.setdefault(bars.name, bars.marker.color) == bars.marker.color
        assert len(set(colours.values())) == len(colours)
        met |= set(colours)
    assert len(met) >= 7
