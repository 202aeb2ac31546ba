"""Of very many pairs some are looked at, chosen by public facts alone.

Of ``_strategy.py``.
"""

from itertools import combinations

import pytest

from sdv_prefair.roles import Roles
from sdv_prefair.selection._mwem import MwemStrategy
from sdv_prefair.selection._resolve import resolve_mechanism
from sdv_prefair.selection._strategy import MOST_PAIRS, looked_at

COLUMNS = [f'c{n}' for n in range(400)]
ROLES = Roles(['c1'], ['c200', 'c300'], ['c10'])


def test_a_table_that_is_not_wide_keeps_all_its_pairs():
    pairs = list(combinations(COLUMNS[:316], 2))
    assert looked_at(pairs, COLUMNS[:316], ROLES) == pairs


@pytest.mark.parametrize('roles', [ROLES, Roles()])
def test_of_a_wide_table_roles_and_neighbours_are_kept(roles):
    pairs = list(combinations(COLUMNS, 2))
    kept = looked_at(pairs, COLUMNS, roles)
    assert len(kept) == MOST_PAIRS
    among = set(kept)
    assert kept == [pair for pair in pairs if pair in among]
    labelled = {*roles.outcome, *roles.protected, *roles.admissible}
    assert {pair for pair in pairs if set(pair) & labelled} <= set(kept)
    far = [abs(int(a[1:]) - int(b[1:])) for a, b in set(pairs) - set(kept)]
    near = [abs(int(a[1:]) - int(b[1:])) for a, b in kept if not {a, b} & labelled]
    assert max(near) <= min(far)


def test_roles_do_not_crowd_out_neighbours():
    pairs = list(combinations(COLUMNS, 2))
    kept = set(looked_at(pairs, COLUMNS, Roles(COLUMNS[:150], COLUMNS[150:390], ['c399'])))
    assert {(f'c{n}', f'c{n + 1}') for n in range(399)} <= kept


@pytest.mark.parametrize('structure', ['greedy', 'planned'])
def test_sizes_decide_nothing_about_which_pairs_are_near(structure):
    """Or a pair that is too large would be made up for by one that was not to be looked at."""
    mechanism = resolve_mechanism(structure)
    small = mechanism.pairs(dict.fromkeys(COLUMNS, 2), ROLES)
    large = mechanism.pairs(dict.fromkeys(COLUMNS, 2) | {'c50': 10_000_000}, ROLES)
    assert large == [pair for pair in small if 'c50' not in pair]


def test_cliques_of_three_are_made_of_pairs_that_are_looked_at(monkeypatch):
    monkeypatch.setattr('sdv_prefair.selection._strategy.MOST_PAIRS', 60)
    roles = Roles(['c1'], ['c2', 'c3'], ['c10'])
    histograms = MwemStrategy().histograms(dict.fromkeys(COLUMNS[:20], 2), roles)
    pairs = {clique for clique in histograms if len(clique) == 2}
    assert len(pairs) == 60
    triples = [clique for clique in histograms if len(clique) == 3]
    assert triples and all(set(combinations(triple, 2)) <= pairs for triple in triples)
