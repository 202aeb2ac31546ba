"""About ``_query.py``."""

import pytest

from sdv_prefair.inference import Difference, Mean, Quantile, Share
from sdv_prefair.inference._query import ANY, read_query

COLUMNS = ['age', 'sex', 'income', 'pay, gross', 'born by', 'a=b']


@pytest.mark.parametrize(
    ('text', 'query'),
    [
        ('income', Share('income')),
        ('pay, gross', Share('pay, gross')),
        ('born by', Share('born by')),
        ('sex, income', Share({'sex': ANY, 'income': ANY}, {})),
        ('income by sex', Share({'income': ANY}, {'sex': ANY})),
        ('P(income | sex, age)', Share({'income': ANY}, {'sex': ANY, 'age': ANY})),
        ('P(income=>50K | sex=F)', Share({'income': '>50K'}, {'sex': 'F'})),
        ('income=>50K by sex=F', Share({'income': '>50K'}, {'sex': 'F'})),
        ('"pay, gross" by sex', Share({'pay, gross': ANY}, {'sex': ANY})),
        ('a=b by sex', Share({'a=b': ANY}, {'sex': ANY})),
        ('mean of age', Mean('age', {})),
        ('mean of age by sex', Mean('age', {'sex': ANY})),
        ('median of age by sex', Quantile('age', 0.5, {'sex': ANY})),
        ('quantile 0.9 of age', Quantile('age', 0.9, {})),
        ('difference in income by sex', Difference(Share({'income': ANY}, {}), 'sex')),
        (
            'difference in mean of age by income, sex',
            Difference(Mean('age', {'income': ANY}), 'sex'),
        ),
    ],
)
def test_a_text_stands_for_a_query(text, query):
    assert read_query(text, COLUMNS) == query
