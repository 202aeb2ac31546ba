"""Facts that are given beside the metadata: their forms, and what contradicts it.

About ``_metadata_files.py``.
"""

import copy
import json

import pytest
from sdv.metadata import Metadata

from sdv_prefair import Roles, save_metadata
from sdv_prefair._metadata_files import facts_of, with_facts
from sdv_prefair.domain import Categories, Numbers, Undeclared, public_domain
from sdv_prefair.errors import DomainError

PLAIN = {'age': {'sdtype': 'numerical'}, 'word': {'sdtype': 'categorical'}}
FACTS = {
    'age': {'range_min': 0, 'range_max': 9, 'decimal_places': 0},
    'word': {'range_values': ['a', 'b'], 'range_is_nullable': False},
}


def metadata(columns=PLAIN):
    return Metadata.load_from_dict({'tables': {'t': {'columns': copy.deepcopy(columns)}}})


def test_facts_become_the_public_domain_and_the_metadata_stays():
    before = metadata()
    assert isinstance(public_domain(before, True)['age'], Undeclared)
    domains = public_domain(with_facts(before, FACTS), True)
    assert domains['age'] == Numbers(0, 9, 0, True)
    assert domains['word'] == Categories(('a', 'b'), False)
    assert before.to_dict() == metadata().to_dict()


def test_a_file_and_its_document_say_the_same(tmp_path):
    told = metadata({c: PLAIN[c] | FACTS[c] for c in PLAIN} | {'o': {'sdtype': 'boolean'}})
    save_metadata(told, Roles(['age'], ['word'], ['o']), tmp_path / 'it.json')
    document = json.loads((tmp_path / 'it.json').read_text('utf-8'))
    for domain in (tmp_path / 'it.json', str(tmp_path / 'it.json'), document):
        assert facts_of(domain) == {c: PLAIN[c] | FACTS[c] for c in PLAIN} | {
            'o': {'sdtype': 'boolean'}
        }


def test_a_column_may_be_called_tables():
    assert facts_of({'tables': {'sdtype': 'categorical'}}) == {'tables': {'sdtype': 'categorical'}}


def test_categories_may_turn_out_to_be_ordered():
    facts = {'word': {'sdtype': 'ordinal', 'range_values': ['a', 'b']}}
    assert public_domain(with_facts(metadata(), facts), True)['word'].ordered


@pytest.mark.parametrize(
    ('facts', 'words'),
    [
        ({'age': {'range_min': 1}}, "range_min of 'age' is 1 in one and 0 in the other"),
        ({'word': {'sdtype': 'numerical'}}, "sdtype of 'word'"),
        ({'word': {'high_cardinality': True}}, "'word' has range_values and high_cardinality"),
        ({'zip': {'range_min': 1}}, r"domain names \['zip'\]"),
        ({'age': {'lowest': 1}}, r"gives \['lowest'\] for 'age'"),
        ([1], 'must be a dictionary'),
        ({'age': 3}, 'must be a dictionary'),
    ],
)
def test_contradictions_and_other_forms_are_refused(facts, words):
    described = metadata({c: PLAIN[c] | FACTS[c] for c in PLAIN})
    with pytest.raises(DomainError, match=words):
        with_facts(described, facts)
