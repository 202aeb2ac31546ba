"""Rows that are dealt out, and rows that are independent: by argument and on the command line."""

import inspect

import jobs
import numpy as np
import pandas as pd
import pytest
from contract import fit, only
from people import LEARNT, people
from scipy.stats import chi2
from sdv.cag import Inequality
from sdv.metadata import Metadata
from sdv.single_table.base import BaseSingleTableSynthesizer

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.cli import main

REPEATS, ROWS = 150, 400
# Beyond these in one of a million runs at a side.
LOW, HIGH = chi2.ppf([1e-6, 1 - 1e-6], REPEATS - 1) / (REPEATS - 1)


@pytest.fixture(scope='module')
def fitted():
    return fit('adaptive', people(columns=LEARNT))


def variance_ratio(synthesizer, **options):
    """Return the variance of a rate over tables, in units of that of independent rows."""
    expected = float(synthesizer._model.marginal('income')[0])
    value = synthesizer.fitted.encoding.transformers['income'].values[0]
    tables = (only(synthesizer.sample(ROWS, **options)) for _ in range(REPEATS))
    rates = [np.mean(table['income'] == value) for table in tables]
    return np.var(rates, ddof=1) * ROWS / (expected * (1 - expected))


def test_the_choice_is_the_users(fitted):
    assert LOW < variance_ratio(fitted, independent_rows=True) < HIGH
    assert variance_ratio(fitted) < LOW
    assert variance_ratio(fitted, independent_rows=False) < LOW


def test_one_call_does_not_choose_for_the_next(fitted):
    only(fitted.sample(5, independent_rows=True))
    with pytest.raises(Exception, match='num'):
        fitted.sample(None, independent_rows=True)
    assert variance_ratio(fitted) < LOW


@pytest.mark.slow
def test_batches_and_rejected_rows_are_independent_too():
    table = jobs.rows(400)[['sex', 'grade', 'paid', 'first', 'last']]
    described = jobs.METADATA.to_dict()['tables']['jobs']['columns']
    columns = {'columns': {column: described[column] for column in table}}
    metadata = Metadata.load_from_dict({'tables': {'jobs': columns}})
    constrained = jobs.fit([Inequality('first', 'last')], table, metadata=metadata)
    reference = only(constrained.sample(60_000))
    expected = np.mean(reference['paid'] == 'yes')
    rates = [
        np.mean(
            only(constrained.sample(ROWS, batch_size=150, independent_rows=True))['paid'] == 'yes'
        )
        for _ in range(REPEATS)
    ]
    assert LOW < np.var(rates, ddof=1) * ROWS / (expected * (1 - expected)) < HIGH


def test_sdvs_signature_keeps_working(fitted, tmp_path):
    theirs = inspect.signature(BaseSingleTableSynthesizer.sample).parameters
    ours = inspect.signature(PreFairSynthesizer.sample).parameters
    assert list(ours)[: len(theirs)] == list(theirs)
    assert all(ours[name].default == theirs[name].default for name in theirs)
    table = only(fitted.sample(20, 'people', 50, 20, str(tmp_path)))
    assert len(table) == 20 == len(pd.read_csv(tmp_path / 'people.csv'))


def test_the_command_line_has_the_choice(fitted, tmp_path):
    release, out = tmp_path / 'x.prefair', tmp_path / 'x.csv'
    fitted.save_release(release)
    arguments = ['sample', str(release), '--rows', '2000', '--out', str(out), '--quiet']
    tables = {}
    for options in ((), ('--independent-rows',)):
        main([*arguments, *options])
        tables[options] = pd.read_csv(out)
        out.unlink()
    expected = 2000 * float(fitted._model.marginal('income')[0])
    value = fitted.fitted.encoding.transformers['income'].values[0]
    dealt, independent = ((t['income'] == value).sum() for t in tables.values())
    model = PreFairSynthesizer.load_release(release)
    again = only(model.sample(2000, independent_rows=True))
    assert independent == (again['income'] == value).sum(), 'the first sample of a release is fixed'
    assert abs(dealt - expected) < 20
    assert not tables[()].equals(tables['--independent-rows',])
