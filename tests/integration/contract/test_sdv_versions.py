"""Tables, metadata and public facts in the form of the SDV that is installed, 1 or 2."""

import warnings

import pandas as pd
import pytest
from contract import NO_NOISE, only
from guests import COLUMNS, ROLES, guests
from sdv import metadata as sdv_metadata
from sdv.errors import InvalidDataTypeError
from sdv.metadata import Metadata
from sdv.sampling import Condition

from sdv_prefair import PreFairSynthesizer, PrivacyWarning, load_release, strip_ranges
from sdv_prefair._sdv_versions import IS_FIRST, RANGE_KEYS, accepted, as_given_back
from sdv_prefair.errors import DomainError

TABLE = guests(120)
FACTS = {
    column: {key: fact for key, fact in about.items() if key in RANGE_KEYS}
    for column, about in COLUMNS.items()
}
ARGUMENTS = ROLES | {'epsilon': NO_NOISE, 'structure': 'adaptive'}
FORM = pd.DataFrame if IS_FIRST else dict
first_only = pytest.mark.skipif(not IS_FIRST, reason='SDV 2 has no such form')
second_only = pytest.mark.skipif(IS_FIRST, reason='SDV 1 has no such form')


def plain():
    """Return the metadata without a word about values, as SDV 1 has it."""
    return accepted(strip_ranges(TABLE.metadata))


def quiet(call, *given, **named):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return call(*given, **named)


def fitted(metadata, **changes):
    synthesizer = quiet(PreFairSynthesizer, metadata, **(ARGUMENTS | changes))
    quiet(synthesizer.fit, data=as_given_back(TABLE.data))
    return synthesizer


def test_tables_come_back_in_the_form_of_this_version():
    synthesizer = fitted(plain(), domain=FACTS)
    known = pd.DataFrame({'room': ['suite', 'basic']})
    for returned in (
        synthesizer.sample(5),
        quiet(synthesizer.sample_from_conditions, [Condition({'room': 'suite'}, 2)]),
        quiet(synthesizer.sample_remaining_columns, known),
        quiet(synthesizer.preprocess, as_given_back(TABLE.data)),
    ):
        assert isinstance(returned, FORM)


@pytest.mark.filterwarnings('ignore::sdv_prefair.errors.PrivacyWarning')
@pytest.mark.parametrize('public_ranges', [None, True, False])
def test_facts_beside_the_metadata_are_as_good_as_in_it(public_ranges):
    inside = fitted(TABLE.metadata, public_ranges=True, seed=3)
    beside = fitted(plain(), public_ranges=public_ranges, domain=FACTS, seed=3)
    pd.testing.assert_frame_equal(only(inside.sample(80)), only(beside.sample(80)))
    assert 'learn domains' not in set(beside.get_privacy_ledger()['step'])
    assert beside.get_parameters()['domain'] == FACTS
    assert beside.get_info()['ranges'].startswith('said to be public in domain')


def test_what_is_given_is_public_and_nothing_is_said_of_it():
    with warnings.catch_warnings():
        warnings.simplefilter('error', PrivacyWarning)
        warnings.filterwarnings('ignore', 'epsilon .* is above 20')
        PreFairSynthesizer(plain(), domain=FACTS, **ARGUMENTS)


def test_with_private_ranges_only_what_is_given_is_used():
    rate = {'rate': {'range_min': -100, 'range_max': 300, 'decimal_places': 0}}
    synthesizer = fitted(TABLE.metadata, public_ranges=False, domain=rate)
    learnt = synthesizer.get_privacy_ledger().query("step == 'learn domains'")['columns']
    assert 'rate' not in ' '.join(map(str, learnt))
    assert 'room' in ' '.join(map(str, learnt))
    assert only(synthesizer.sample(100))['rate'].max() <= 300


def test_facts_that_contradict_the_metadata_are_refused():
    with pytest.raises(DomainError, match="range_max of 'rate'"):
        quiet(PreFairSynthesizer, TABLE.metadata, domain={'rate': {'range_max': 1}}, **ARGUMENTS)


@pytest.mark.parametrize('public_ranges', [True, False])
def test_facts_are_in_a_release(public_ranges, tmp_path):
    synthesizer = fitted(plain(), public_ranges=public_ranges, domain=FACTS)
    synthesizer.save_release(tmp_path / 'it.zip')
    again = load_release(tmp_path / 'it.zip')
    synthesizer.reset_sampling()
    pd.testing.assert_frame_equal(only(again.sample(30)), only(synthesizer.sample(30)))
    assert again.verify_fairness()


def test_metadata_that_holds_ranges_is_taken_by_either_version():
    synthesizer = fitted(TABLE.metadata, public_ranges=True)
    assert 'learn domains' not in set(synthesizer.get_privacy_ledger()['step'])
    assert synthesizer.get_metadata().to_dict() == accepted(TABLE.metadata).to_dict()


@first_only
def test_metadata_of_a_single_table_is_taken():
    described = plain().to_dict()['tables']['guests']
    single = sdv_metadata.SingleTableMetadata.load_from_dict(described)
    synthesizer = fitted(single, domain=FACTS)
    assert list(synthesizer.sample(4).columns) == list(COLUMNS)


@first_only
def test_the_arguments_of_sampling_are_those_of_the_first(tmp_path):
    synthesizer = fitted(plain(), domain=FACTS)
    place = tmp_path / 'rows.csv'
    sampled = synthesizer.sample(6, 50, 3, str(place), independent_rows=True)
    assert len(sampled) == len(pd.read_csv(place)) == 6
    assert type(synthesizer).load  # as all synthesizers of SDV 1 have it


def test_a_frame_is_the_one_table():
    by_name, alone = (quiet(PreFairSynthesizer, TABLE.metadata, seed=1, **ARGUMENTS) for _ in 'ab')
    quiet(by_name.fit, TABLE.data)
    quiet(alone.fit, TABLE.frame)
    pd.testing.assert_frame_equal(by_name.get_privacy_ledger(), alone.get_privacy_ledger())


@second_only
def test_a_list_is_of_the_wrong_type():
    synthesizer = quiet(PreFairSynthesizer, TABLE.metadata, **ARGUMENTS)
    with pytest.raises(InvalidDataTypeError, match="such as {'guests': df}"):
        synthesizer.fit([TABLE.frame])


def test_ordered_categories_are_known_to_us_under_either_version():
    order = {'room': {'sdtype': 'ordinal'}}
    facts = {c: FACTS[c] | order.get(c, {}) for c in FACTS}
    synthesizer = fitted(plain(), domain=facts)
    assert synthesizer.fitted.plan.domains['room'].ordered
    assert isinstance(synthesizer.get_metadata(), Metadata)
