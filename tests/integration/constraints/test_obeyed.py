"""Constraints of every kind are obeyed, and what the rows say is kept."""

import numpy as np
import pandas as pd
import pytest
from jobs import METADATA, PAIRS, Younger, every_kind, fit, rows
from sdv.cag import FixedCombinations, FixedIncrements, Inequality, OneHotEncoding, Range
from sdv.cag._errors import ConstraintNotMetError
from sdv.evaluation import run_diagnostic

from sdv_prefair.constraints import PublicCombinations
from sdv_prefair.privacy import gaussian_rho_of

KINDS = {
    'inequality': Inequality('first', 'last'),
    'range': Range('first', 'last', 'after'),
    'dates': Inequality('hired', 'left', strict_boundaries=True),
    'combinations': FixedCombinations(['country', 'city']),
    'public combinations': PublicCombinations(['country', 'city'], PAIRS),
    'increments': FixedIncrements('amount', 50),
    'one hot': OneHotEncoding(['red', 'green', 'blue']),
    'one categorical': OneHotEncoding(['red', 'green', 'blue'], learning_strategy='categorical'),
    'programmed': Younger('first', 'amount'),
}


@pytest.mark.parametrize('kind', KINDS)
def test_each_kind_is_obeyed_fair_and_paid_for(kind):
    constraint, table = KINDS[kind], rows()
    before = table.copy()
    synthesizer = fit([constraint], table)
    pd.testing.assert_frame_equal(table, before)
    assert synthesizer.verify_fairness() is True
    # Learning combinations takes half of delta.
    budget = gaussian_rho_of(4.0, 1e-9 / 2 if kind == 'combinations' else 1e-9)
    assert synthesizer.get_privacy_ledger()['rho'].sum() == float(budget)
    sampled = synthesizer.sample(400)['jobs']
    assert len(sampled) == 400
    assert list(sampled.columns) == list(table.columns)
    assert (sampled.dtypes.astype(str) == table.dtypes.astype(str)).all()
    assert sampled['key'].is_unique
    synthesizer.validate_constraints(sampled)
    if isinstance(constraint, Younger):
        assert constraint.is_valid(sampled).all()
        return
    fresh = type(constraint)(**constraint.get_constraint_dict()['parameters'])
    fresh.fit(table[table.notna().all(axis=1)].astype({'country': object}), METADATA)
    assert fresh.is_valid(sampled.astype({'country': object})).all(), "by SDV's own verdict"
    report = run_diagnostic({'jobs': table}, {'jobs': sampled}, METADATA, verbose=False)
    assert report.get_score() == 1.0


def test_all_together_chained_and_rejecting(all_together):
    assert [rule.columns for rule in all_together.fitted.plan.rejections] == [
        ('last', 'after'),
        ('first', 'amount'),
    ]
    sampled = all_together.sample(1000)['jobs']
    assert len(sampled) == 1000
    all_together.validate_constraints(sampled)
    assert all_together.verify_fairness() is True
    given = [type(c) for c in all_together.get_constraints()]
    assert sorted(g.__name__ for g in given) == sorted(type(c).__name__ for c in every_kind())
    graph = all_together.get_fair_graph()
    assert graph.nodes['first#last']['role'] == 'protected'
    assert graph.nodes['country#city']['role'] == 'unlabelled'
    assert 'first#last' in all_together.get_metadata('modified').tables['jobs'].columns
    assert 'first' in all_together.get_metadata().tables['jobs'].columns
    all_together.visualize()


def test_what_the_rows_say_is_kept():
    """With next to no noise, and without rules that reject rows, which changes shares."""
    real, sampled = rows(), fit(every_kind()[:5], epsilon=500.0).sample(3000)['jobs']
    lengths = [(t['last'] - t['first']).dropna() for t in (real, sampled)]
    assert abs(lengths[0].median() - lengths[1].median()) <= 2
    assert abs(real['last'].isna().mean() - sampled['last'].isna().mean()) < 0.05
    assert sampled[['country', 'city']].value_counts().min() > 500


def test_validation_names_the_rows_that_break_a_constraint(all_together):
    sampled = all_together.sample(50)['jobs'].reset_index(drop=True)
    sampled.loc[3, ['first', 'last', 'after']] = [40, 10, np.nan]
    with pytest.raises(ConstraintNotMetError, match=r"Inequality over \['first', 'last'\].*: 3"):
        all_together.validate_constraints(sampled)
    with pytest.raises(ConstraintNotMetError, match='PublicCombinations'):
        all_together.validate_constraints(
            all_together.sample(50)['jobs'].assign(country='de', city='paris')
        )


DTYPES = {
    'text': lambda t: t.assign(**{c: t[c].dt.strftime('%Y-%m-%d') for c in ('hired', 'left')}),
    'nullable': lambda t: t.astype({'first': 'Int16', 'last': 'Float64', 'red': 'boolean'}),
    'arrow': lambda t: t.astype({
        'first': 'int32[pyarrow]',
        'last': 'double[pyarrow]',
        'hired': 'timestamp[us][pyarrow]',
        'left': 'date32[pyarrow]',
        'city': 'string[pyarrow]',
    }),
    'short': lambda t: t.astype({'first': 'int8', 'last': 'float32', 'red': bool, 'blue': 'uint8'}),
    'category': lambda t: t.astype({'city': 'category', 'sex': 'category'}),
    'zones': lambda t: t.assign(**{
        c: t[c].dt.tz_localize('Europe/Berlin') for c in ('hired', 'left')
    }),
}


@pytest.mark.parametrize('dtypes', DTYPES)
def test_columns_come_back_in_their_dtypes(dtypes):
    table = DTYPES[dtypes](rows(500))
    synthesizer = fit(every_kind()[:5], table)
    sampled = synthesizer.sample(200)
    assert (sampled['jobs'].dtypes.astype(str) == table.dtypes.astype(str)).all()
    synthesizer.validate_constraints(sampled)
