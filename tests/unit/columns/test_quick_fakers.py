"""Faker's values are the same, whether its lists are kept or not.

About ``_generated.py``.
"""

import pickle
from collections import OrderedDict

import numpy as np
import pandas as pd
import pytest
from faker.providers import BaseProvider
from rdt.transformers import AnonymizedFaker

from sdv_prefair.columns._generated import quick_fakers

KINDS = [
    ('internet', 'email', {}),
    ('person', 'name', {}),
    ('address', 'address', {}),
    ('address', 'city', {}),
    ('company', 'company', {}),
    ('phone_number', 'phone_number', {}),
    ('job', 'job', {}),
    ('credit_card', 'credit_card_number', {}),
    ('user_agent', 'user_agent', {}),
    ('lorem', 'sentence', {}),
    ('misc', 'boolean', {}),
    ('BaseProvider', 'random_elements', {'elements': ('x', 'y', 'z')}),
]


def faker_of(kind, locales, rule=None):
    provider, function, options = kind
    made = AnonymizedFaker(provider, function, options, locales=locales, cardinality_rule=rule)
    made.fit(pd.DataFrame({'x': ['a', 'b', 'c']}), 'x')
    return made


def values_of(transformer, num_rows):
    empty = pd.DataFrame(index=range(num_rows))
    return transformer.reverse_transform(empty)['x'].tolist()


@pytest.mark.parametrize('locales', [['en_US'], ['de_DE', 'ja_JP', 'en_US']], ids=['one', 'three'])
@pytest.mark.parametrize('kind', KINDS, ids=[kind[1] for kind in KINDS])
def test_the_same_values_come_out_in_the_same_order(kind, locales):
    expected = values_of(faker_of(kind, locales), 60)
    transformer = faker_of(kind, locales)
    with quick_fakers([transformer]):
        first = values_of(transformer, 25)
    with quick_fakers([transformer]):
        assert first + values_of(transformer, 35) == expected


def test_values_that_are_unique_stay_so_over_several_samples():
    transformer = faker_of(KINDS[0], ['en_US'], 'unique')
    made = []
    for _ in range(3):
        with quick_fakers([transformer]):
            made += values_of(transformer, 200)
    assert len(set(made)) == 600
    assert made == values_of(faker_of(KINDS[0], ['en_US'], 'unique'), 600)


def test_nothing_is_left_behind_whatever_happens():
    transformer = faker_of(KINDS[0], ['en_US'])
    before = pickle.dumps(transformer)
    with pytest.raises(KeyError), quick_fakers([transformer, None]):
        raise KeyError
    assert pickle.dumps(transformer) == before
    other = faker_of(KINDS[0], ['en_US'])
    with quick_fakers([transformer]):
        for factory in other.faker.factories:
            assert not any('random_elements' in vars(p) for p in factory.get_providers())
    assert 'random_elements' in vars(BaseProvider)


def test_lists_that_are_made_for_one_value_are_not_mixed_up():
    """Each list dies at once, so that the next one may have its place in memory."""
    transformer = faker_of(('BaseProvider', 'random_elements', {'elements': ('x',)}), ['en_US'])
    (factory,) = transformer.faker.factories
    provider = next(p for p in factory.get_providers() if type(p) is not BaseProvider)
    with quick_fakers([transformer]):
        for number in np.arange(1500):
            chosen = provider.random_elements(OrderedDict({int(number): 1.0}), length=1)
            assert list(chosen) == [number]
