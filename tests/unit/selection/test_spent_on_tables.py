"""What tables have and lack.

Of ``_expected_error.py``.
"""

from fractions import Fraction

import pytest

from sdv_prefair.selection._expected_error import Spent

DOMAIN = {'a': 2, 'b': 5, 'c': 3}


def spent(**rho):
    entered = Spent()
    for columns, amount in rho.items():
        entered.add(tuple(columns), Fraction(amount))
    return entered


def test_two_measurements_of_a_table_add_up():
    twice = spent(a=1, ab=2)
    twice.add(('a',), Fraction(3))
    assert twice.total == 6
    assert twice.lacking({('a',): 5.0, ('a', 'b'): 4.0}, Fraction(3)) == {
        ('a',): 1.0,
        ('a', 'b'): 2.0,
    }


def test_what_lacks_next_to_nothing_is_left_out_and_what_has_too_much_lacks_nothing():
    targets = {('a',): 100.0, ('b',): 100.0, ('c',): 100.0}
    assert spent(a=150, b=99).lacking(targets, Fraction(101)) == {('c',): 100.0}


def test_if_nothing_lacks_the_rest_is_shared_by_the_targets():
    targets = {('a',): 1.0, ('b',): 2.0}
    assert spent(a=1, b=2).lacking(targets, Fraction(1)) == targets


@pytest.mark.parametrize('rows', [1, 3])
def test_a_column_is_known_by_its_one_way_and_by_sums_of_its_tables(rows):
    """A sum of five cells has five times the variance of a cell."""
    precision = spent(a=1, ab=10).precision(DOMAIN, rows)
    assert precision * rows**2 == pytest.approx([2 + 20 / 5, 20 / 2, 0])
