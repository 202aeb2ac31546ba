"""Constraints before and after a fit, and beside chosen transformers."""

import pytest
from jobs import fit, make, rows
from rdt.transformers import RegexGenerator
from sdv.cag import FixedIncrements, Inequality
from sdv.errors import RefitWarning, SamplingError, SynthesizerInputError

from sdv_prefair import PrivacyWarning
from sdv_prefair.transformers import NumberBins


@pytest.mark.parametrize('given', [None, 'Inequality', [1], [Inequality]])
def test_what_is_no_list_of_constraints_is_refused(given):
    with pytest.raises((SynthesizerInputError, ValueError), match='onstraint'):
        make().add_constraints(given)


def test_constraints_after_a_fit_ask_for_another():
    synthesizer = fit(table=rows(300))
    with pytest.warns(RefitWarning):
        synthesizer.add_constraints([FixedIncrements('amount', 50)])
    with pytest.raises(SamplingError, match='fit'):
        synthesizer.sample(3)
    with pytest.warns(PrivacyWarning, match='budgets add up'):
        synthesizer.fit({'jobs': rows(300)})
    assert (synthesizer.sample(30)['jobs']['amount'] % 50 == 0).all()


def test_chosen_transformers_stay_for_columns_that_stay():
    synthesizer = make()
    synthesizer.auto_assign_transformers({'jobs': rows(20)})
    synthesizer.update_transformers({
        'after': NumberBins(0, 120, 7, 0),
        'key': RegexGenerator('z[0-9]{7}', cardinality_rule='unique'),
    })
    synthesizer.add_constraints([FixedIncrements('amount', 50)])
    synthesizer.add_constraints([])
    synthesizer.fit({'jobs': rows(200)})
    assert synthesizer.get_transformers()['after'].bins == 7
    assert synthesizer.sample(9)['jobs']['key'].str.fullmatch('z[0-9]{7}').all()
