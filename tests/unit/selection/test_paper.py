"""What the paper prints, and where it lives in the code.

Of ``__init__.py`` and ``_problem.py``.
"""

import subprocess
import sys
from itertools import permutations

import numpy as np
import pytest

from sdv_prefair.roles import Roles
from sdv_prefair.structure import PAPER, fair_spanning_tree, is_justifiably_fair

FIGURE = {
    ('sex', 'age'): 9,
    ('age', 'edu'): 9,
    ('sex', 'edu'): 8,
    ('age', 'income'): 8,
    ('relation', 'sex'): 5,
    ('relation', 'edu'): 5,
    ('edu', 'income'): 1,
}
FIGURE_ROLES = Roles(['sex'], ['edu'], ['income'])
FIGURE_COLUMNS = ['edu', 'sex', 'relation', 'age', 'income']


@pytest.mark.parametrize('item', PAPER)
def test_each_item_of_the_paper_is_named_by_its_object(item):
    lines = [line.strip() for line in PAPER[item].__doc__.splitlines()]
    assert any(line.startswith(f'Paper: {item}') for line in lines)


@pytest.mark.parametrize(('strategy', 'weight'), [('greedy', 24), ('exact', 30)])
def test_the_figure_comes_out_as_printed_under_every_order_of_the_columns(strategy, weight):
    rng = np.random.default_rng(0)
    for columns in permutations(FIGURE_COLUMNS):
        pairs = [list(FIGURE)[place] for place in rng.permutation(len(FIGURE))]
        weights = {pair[:: rng.choice([1, -1])]: FIGURE[pair] for pair in pairs}
        for given in (columns, None):
            tree = fair_spanning_tree(weights, FIGURE_ROLES, strategy, columns=given)
            assert tree.weight == weight
            assert is_justifiably_fair(tree.edges, FIGURE_ROLES)


def test_the_figure_s_greedy_tree_is_the_printed_one():
    tree = fair_spanning_tree(FIGURE, FIGURE_ROLES, 'greedy', columns=FIGURE_COLUMNS)
    edges = {frozenset(edge) for edge in tree.edges}
    printed = [('sex', 'age'), ('age', 'edu'), ('edu', 'income')]
    assert edges >= {frozenset(edge) for edge in printed}


def test_the_figure_s_exact_tree_is_the_printed_one():
    tree = fair_spanning_tree(FIGURE, FIGURE_ROLES, 'exact', columns=FIGURE_COLUMNS)
    edges = {frozenset(edge) for edge in tree.edges}
    printed = [('edu', 'age'), ('age', 'income'), ('edu', 'sex')]
    assert edges >= {frozenset(edge) for edge in printed}


def test_the_roles_of_the_first_example():
    roles = Roles(['sex'], ['edu', 'marital'], ['income'])
    fair = [('relation', 'age'), ('age', 'marital'), ('marital', 'edu'), ('edu', 'sex')]
    assert is_justifiably_fair([*fair, ('edu', 'income')], roles)
    assert not is_justifiably_fair([*fair, ('sex', 'income')], roles)


@pytest.mark.slow
def test_structure_is_light_to_import():
    code = (
        'import sys, sdv_prefair.structure; '
        'print([name for name in ("jax", "mbi") if name in sys.modules])'
    )
    command = [sys.executable, '-W', 'ignore', '-c', code]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == '[]\n'
