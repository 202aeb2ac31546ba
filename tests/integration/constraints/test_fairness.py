"""Constraints keep the model fair, or are refused without a trace."""

import pickle
import warnings

import pytest
from jobs import METADATA, ROLES, Younger, fit, make, rows
from sdv.cag import FixedCombinations, FixedIncrements, Inequality, OneHotEncoding, Range
from walk import differing_paths

from sdv_prefair.errors import UnfairModelError
from sdv_prefair.metrics import independence_test


def dependence(table, *strata):
    codes = table.groupby(list(strata), dropna=False).ngroup().to_numpy()
    return independence_test(
        table['paid'].to_numpy(), table['sex'].to_numpy(), codes, permutations=400, seed=0
    )


@pytest.mark.parametrize(
    'structure', ['adaptive', 'greedy', 'exact', 'aim', 'planned', 'privbayes', 'mwem']
)
def test_sampled_rows_are_independent_given_admissible(structure):
    """Sex decides the start, the end decides the pay; an Inequality holds the two together."""
    table = rows(6000)
    assert dependence(table, 'grade').excess > 0.1
    columns = ['sex', 'grade', 'paid', 'first', 'last']
    metadata = METADATA.copy()
    for column in set(metadata.tables['jobs'].columns) - set(columns) - {'key'}:
        metadata.remove_column(column, table_name='jobs')
    constraint = Inequality('first', 'last')
    options = {'metadata': metadata, 'table': table[['key', *columns]], 'epsilon': 20.0, 'seed': 1}
    fair = fit([constraint], structure=structure, **options).sample(6000)['jobs']
    assert dependence(fair, 'grade').p_value > 0.005
    assert dependence(fair, 'grade').excess < 0.002
    plain = fit([constraint], structure='none', **options).sample(6000)['jobs']
    assert dependence(plain, 'grade').excess > 0.05, 'the test would see it'


def test_an_admissible_pair_may_carry_the_dependence():
    roles = {'admissible': ['first', 'last']}
    table = rows(6000)
    synthesizer = fit([Inequality('first', 'last')], table, epsilon=20.0, seed=1, **roles)
    assert synthesizer.get_roles('modified').admissible == ('first.fillna', 'first#last')
    sampled = synthesizer.sample(6000)['jobs']
    assert dependence(sampled, 'grade').excess > 0.02, 'through first and last, as is allowed'
    assert dependence(sampled, 'first', 'last').p_value > 0.005


def test_modified_roles():
    synthesizer = make([Inequality('first', 'last'), FixedCombinations(['country', 'city'])])
    assert synthesizer.get_roles() == synthesizer.get_roles('original')
    assert synthesizer.get_roles().as_dict() == ROLES
    assert synthesizer.get_roles('modified').as_dict() == {
        'protected': ['sex', 'first.fillna', 'first#last'],
        'admissible': ['grade'],
        'outcome': ['paid'],
    }
    assert make().get_roles('modified') == make().get_roles()


REFUSED = {
    'directly': ({'outcome': ['last'], 'protected': ['first']}, [Inequality('first', 'last')]),
    'an admissible column does not help': (
        {'outcome': ['after'], 'protected': ['first'], 'admissible': ['last']},
        [Range('first', 'last', 'after')],
    ),
    'through another': (
        {'outcome': ['after'], 'protected': ['first']},
        [Inequality('first', 'last'), Inequality('last', 'after')],
    ),
    'in a combination': (
        {'outcome': ['city'], 'protected': ['country']},
        [FixedCombinations(['country', 'city'])],
    ),
    'one hot': (
        {'outcome': ['red'], 'protected': ['blue']},
        [OneHotEncoding(['red', 'green', 'blue'])],
    ),
    'programmed': ({'outcome': ['amount'], 'protected': ['first']}, [Younger('first', 'amount')]),
}


@pytest.mark.parametrize('case', REFUSED)
def test_an_unfair_constraint_is_refused_and_leaves_no_trace(case):
    roles, constraints = REFUSED[case]
    synthesizer = make(**roles)
    synthesizer.add_constraints([FixedIncrements('amount', 50)] * (case != 'programmed'))
    synthesizer.auto_assign_transformers({'jobs': rows(50)})
    kept = pickle.loads(pickle.dumps(synthesizer))
    given = pickle.loads(pickle.dumps(constraints))
    with pytest.raises(UnfairModelError) as caught:
        synthesizer.add_constraints([OneHotEncoding(['red', 'green'])] + constraints)
    for column in roles['outcome'] + roles['protected']:
        assert f"'{column}'" in str(caught.value)
    assert type(constraints[-1]).__name__ in str(caught.value)
    assert not differing_paths(kept, pickle.loads(pickle.dumps(synthesizer)))
    assert not differing_paths(given, pickle.loads(pickle.dumps(constraints)))
    synthesizer.fit({'jobs': rows(500)})
    assert synthesizer.verify_fairness() is True
    assert len(synthesizer.sample(20)['jobs']) == 20


def test_a_refusal_after_a_fit_leaves_the_fit(all_together):
    kept = all_together.get_metadata('modified').to_dict()
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        with pytest.raises(UnfairModelError):
            all_together.add_constraints([FixedCombinations(['sex', 'paid'])])
    assert all_together.get_metadata('modified').to_dict() == kept
    assert len(all_together.sample(5)['jobs']) == 5
