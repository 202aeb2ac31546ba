"""One run of a mechanism on a small table of codes: its release and its ledger."""

import numpy as np
from hypothesis import strategies as st

from sdv_prefair.counting import count_codes
from sdv_prefair.privacy import Ledger, PrivateTable, SystemEntropy
from sdv_prefair.roles import Roles
from sdv_prefair.selection._measuring import BUDGETS
from sdv_prefair.selection._resolve import resolve_mechanism

NO_ROLES, NO_NOISE = Roles(), 1e6


def run(codes, domain, strategy, epsilon=1.0, budget='tuned', rows=1, roles=NO_ROLES):
    """Return the release of one run of a strategy's mechanism, and its ledger."""
    mechanism = resolve_mechanism(strategy)
    counts = count_codes(codes, domain, mechanism.declare(domain, roles))
    ledger = Ledger(epsilon, 1e-9, rows)
    table = PrivateTable(counts, ledger, SystemEntropy())
    return mechanism.run(table, roles, BUDGETS[budget]), ledger


def debits(ledger, step):
    return [debit for debit in ledger.debits if debit.step == step]


@st.composite
def tables(draw, max_columns=6):
    """Draw a table of some columns, partly tied, and how it is to be measured."""
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=max_columns))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    common = rng.integers(0, 60, draw(st.integers(1, 2000)))
    domain = {f'c{place}': size for place, size in enumerate(sizes)}
    codes = {
        column: np.where(rng.random(common.size) < 0.8, common, rng.integers(0, 60, common.size))
        % size
        for column, size in domain.items()
    }
    how = {
        'epsilon': draw(st.sampled_from([1e-12, 1e-3, 0.3, 5.0, 1e3, 1e9])),
        'budget': draw(st.sampled_from(list(BUDGETS))),
        'rows': draw(st.integers(1, 4)),
    }
    return codes, domain, how


@st.composite
def roles_of(draw, domain):
    """Draw roles of at least three columns, in any order."""
    first, second, third, *others = draw(st.permutations(list(domain)))
    lists = {'protected': [first], 'admissible': [second], 'outcome': [third]}
    for column in others:
        role = draw(st.sampled_from([*lists, None]))
        if role:
            lists[role].append(column)
    return Roles(**lists)
