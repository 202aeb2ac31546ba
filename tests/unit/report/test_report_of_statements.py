"""What the report says of several statements, and of notions other than justifiable fairness.

Of ``_facts.py`` and ``_measured.py``.
"""

import pytest
from census_report import make, report

from sdv_prefair.fairness import Independent, demographic_parity, equalized_odds, justifiable

NO_ROLES = {'protected': (), 'admissible': (), 'outcome': ()}
pytestmark = pytest.mark.filterwarnings('ignore::sdv_prefair.errors.FairnessWarning')


def promising(census, statements, **changes):
    return make(census, fairness=statements, structure='adaptive', **NO_ROLES, **changes)


@pytest.fixture(scope='module')
def parity(census, tmp_path_factory):
    fit = promising(census, demographic_parity(['sex', 'race'], ['income']))
    return report(fit, tmp_path_factory.mktemp('parity'))


@pytest.fixture(scope='module')
def several(census, tmp_path_factory):
    statements = [
        *equalized_odds(['sex'], ['income'], ['education']),
        Independent(['race'], ['hours', 'income'], given=['education', 'occupation']),
    ]
    fit = promising(census, statements)
    return report(
        fit, tmp_path_factory.mktemp('several'), census.data, show_real_numbers=True,
        compare_with_mst=True,
    )  # fmt: skip


def test_parity_is_given_nothing(parity):
    promised = parity.section('promises')['text']
    assert 'income is independent of sex and race, whatever else is known.' in promised
    assert 'This is demographic parity.' in promised
    assert 'among synthetic people, the chances of each value of income are the same' in promised
    assert 'the model does not connect them at all' in promised
    assert 'equalised odds' not in promised and 'justifiable' not in promised
    assert 'Demographic parity' in parity.with_class('tiles')[0]['text']


def test_parity_has_nothing_to_round_and_nothing_that_explains(parity):
    limits, signing = (parity.section(name)['text'] for name in ('limits', 'signing'))
    assert 'Parity.' not in limits and 'Fairness given less.' not in limits
    assert 'both sides of a statement' in limits
    assert 'nothing may explain a dependence of income on sex and race' in signing


def test_each_statement_has_its_sentence_its_ways_and_its_signature(several):
    promised = several.section('promises')['text']
    assert 'Statement 1' in promised and 'Statement 2' in promised
    assert 'income is independent of sex once education is known' in promised
    assert (
        'hours and income are independent of race once education and occupation are known'
        in promised
    )
    assert 'separation, or equalised odds' in promised and 'sufficiency' in promised
    assert 'columns: income is independent of sex given education' in promised
    assert '2 statements kept' in several.with_class('tiles')[0]['text']
    limits, signing = (several.section(name)['text'] for name in ('limits', 'signing'))
    assert 'What sex does to income through education remains as measured.' in limits
    assert 'What race does to hours and income through education and occupation' in limits
    assert 'That the statements are right.' in limits
    assert 'education may influence income, and sex only through it.' in signing
    assert 'education and occupation may influence hours and income, and race only' in signing


def test_what_is_measured_names_what_it_is_given(several):
    compared = several.section('comparison')['text']
    assert 'income and sex given education' in compared
    assert 'hours and race given education, occupation' in compared
    assert 'income by sex given education: conditional demographic parity (CDP)' in compared


def test_a_model_that_was_not_asked_to_be_fair_names_each_broken_statement(census, tmp_path):
    statements = [
        *justifiable(['sex'], ['race'], ['income']),
        Independent(['education'], ['income', 'occupation']),
    ]
    fit = make(census, fairness=statements, structure='none', **NO_ROLES)
    page = report(fit, tmp_path)
    text = page.section('promises')['text'].split('Fairness')[1]
    assert text.startswith('Nothing.')
    assert 'It does not promise that income, occupation are independent of education: ' in text
