"""A release of the mechanism is a function of noisy answers, for any two tables of one domain."""

import numpy as np
from hypothesis import event, given
from hypothesis import strategies as st
from transcript import Transcript
from walk import differing_paths

from sdv_prefair.counting import count_codes
from sdv_prefair.fairness import Independent, Statements
from sdv_prefair.fitting._pipeline import estimate_release
from sdv_prefair.privacy import Ledger, PrivateTable, SystemEntropy
from sdv_prefair.privacy._accounting import SELECT_TREE
from sdv_prefair.roles import Roles
from sdv_prefair.selection._measuring import BUDGETS
from sdv_prefair.selection._resolve import resolve_mechanism
from sdv_prefair.structure import FixedStrategy, PlannedStrategy, UnconstrainedStrategy

ROLES = Roles(['p'], ['a', 'b'], ['o'])
PARITY = Statements([Independent(['p'], ['o'])])
SEVERAL = Statements([Independent(['p'], ['o'], ['a']), Independent(['p', 'n'], ['b'], ['o'])])
CHAIN = FixedStrategy([('p', 'a'), ('a', 'o'), ('a', 'b'), ('b', 'n')])
STRUCTURES = ['adaptive', 'greedy', 'exact', 'none', 'aim', 'planned', 'privbayes', 'mwem', CHAIN]


@st.composite
def mechanisms(draw):
    """Draw a domain, what is asked of it, and two tables over it."""
    domain = {column: draw(st.integers(1, 7)) for column in ('p', 'a', 'o', 'b', 'n')}
    tables = [(draw(st.integers(0, 400)), draw(st.integers(0, 10**6))) for _ in range(2)]
    hidden = {c: {'other': size - 1} for c, size in domain.items() if draw(st.booleans())}
    asked = draw(st.sampled_from(STRUCTURES)), draw(st.sampled_from(list(BUDGETS)))
    # The chain is fair to roles; the others choose for themselves.
    promises = [ROLES] if asked[0] is CHAIN else [ROLES, PARITY, SEVERAL]
    how = draw(st.sampled_from([0.1, 3.0, 300.0])), draw(st.sampled_from(promises))
    return domain, tables, hidden, *asked, *how


def skewed_codes(domain, num_rows, seed):
    rng = np.random.default_rng(seed)
    common = rng.integers(0, 60, num_rows)
    shares = [rng.dirichlet(np.full(size, 0.4)) for size in domain.values()]
    alone = [rng.choice(share.size, num_rows, p=share) for share in shares]
    tied = rng.random((len(domain), num_rows)) < rng.random()
    return {
        column: np.where(tied[place], common % size, alone[place])
        for place, (column, size) in enumerate(domain.items())
    }


@given(mechanisms())
def test_two_tables_behind_the_same_answers_give_the_same_release(drawn):
    domain, tables, hidden, structure, budget, epsilon, roles = drawn
    mechanism = resolve_mechanism(structure)
    cliques = mechanism.declare(domain, roles)

    def run(num_rows, seed):
        counts = count_codes(skewed_codes(domain, num_rows, seed), domain, cliques)
        ledger = Ledger(epsilon, 1e-9, max_rows_per_person=2)
        table = PrivateTable(counts, ledger, SystemEntropy(), hidden)
        release = mechanism.run(table, roles, BUDGETS[budget])
        model = estimate_release(release, domain, 'auto', BUDGETS[budget])
        return release, ledger.debits, model

    transcript = Transcript()
    with transcript.recorded():
        one = run(*tables[0])
    with transcript.replayed():
        two = run(*tables[1])
    assert not {path for path in differing_paths(one, two) if '._rng' not in path}


WIDE = {f'c{place}': 2 + place % 3 for place in range(14)}
WIDE_ROLES = Roles(['c0'], ['c4', 'c5'], ['c13'])


@given(st.integers(0, 10**6), st.sampled_from([0, 480, 700, 900, 1400]), st.booleans())
def test_so_does_a_table_of_which_noise_lets_few_pairs_be_scored(seed, num_rows, plain):
    """At this epsilon it lets none be scored of few rows, some of more, and all of the most."""
    roles, epsilon, rows = Roles() if plain else WIDE_ROLES, 1.0, 1
    mechanism = resolve_mechanism(
        PlannedStrategy(UnconstrainedStrategy()) if plain else PlannedStrategy()
    )
    cliques = mechanism.declare(WIDE, roles)

    def run(num_rows, seed):
        counts = count_codes(skewed_codes(WIDE, num_rows, seed), WIDE, cliques)
        ledger = Ledger(epsilon, 1e-9, rows, all_gaussian=True)
        release = mechanism.run(
            PrivateTable(counts, ledger, SystemEntropy()), roles, BUDGETS['tuned']
        )
        return release, ledger

    transcript = Transcript()
    with transcript.recorded():
        one, ledger = run(num_rows, seed)
    with transcript.replayed():
        two, again = run(3 * num_rows + 1, seed + 1)
    assert not set(differing_paths((one, ledger.debits), (two, again.debits)))
    assert ledger.spent == ledger.budget
    pairs = sum(len(clique) == 2 for clique in cliques)
    for line in ledger.debits:
        if line.step == SELECT_TREE:
            # Noise is that of as many scores as are released, neither more nor fewer.
            released = 2 * float(line.rho) * line.scale**2 / rows**2
            event(f'{"all" if round(released) == pairs else "some"} of {pairs}')
            assert released >= len(line.columns) / 2
            assert abs(released - round(released)) < 1e-6 and round(released) <= pairs
