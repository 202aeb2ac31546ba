"""About ``_facts.py``."""

import pytest
from sdv.metadata import Metadata

from sdv_prefair.domain import Categories, Undeclared, public_domain
from sdv_prefair.errors import DomainError


def domain_of(**facts):
    columns = {'x': {'sdtype': 'categorical', **facts}}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    return public_domain(metadata, True)['x']


def test_texts_with_one_beginning_are_one_group():
    domain = domain_of(range_values=['021', '5', '029', '100'], range_groups=2)
    assert domain.groups == (0, -1, 0, 2)  # which number stands for a group does not matter


def test_groups_list_their_values():
    domain = domain_of(range_values=['a', 'b', 'c'], range_groups={'g': ['c'], 'h': ['a']})
    assert domain.groups == (1, -1, 0)


def test_without_range_values_the_groups_are_the_values():
    domain = domain_of(range_groups={'g': ['c', 1], 'h': ['a']})
    assert isinstance(domain, Categories)
    assert domain.values == ('c', 1, 'a')
    assert domain.groups == (0, 0, 1)


def test_beginnings_of_texts_that_are_not_listed_have_to_be_learnt():
    domain = domain_of(range_groups=3, regex_format='[0-9]{5}')
    assert isinstance(domain, Undeclared)
    assert (domain.prefix, domain.form.regex, domain.many) == (3, '[0-9]{5}', True)


@pytest.mark.parametrize(
    'groups', [0, -1, True, 1.5, 'abc', [], {}, {'g': 'abc'}, {'g': ['a', 'a']}, {'g': [['a']]}]
)
def test_what_are_no_groups_is_refused(groups):
    with pytest.raises(DomainError, match=r'range_groups|single values|repeat'):
        domain_of(range_groups=groups)
