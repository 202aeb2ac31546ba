"""No ledger line costs more than it says, for neighbours that are searched for."""

import numpy as np
import pandas as pd
import pytest
from own_accountant import search
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.counting import count_codes
from sdv_prefair.privacy import Ledger, PrivateTable, SystemEntropy
from sdv_prefair.privacy import _answers as answers
from sdv_prefair.roles import Roles
from sdv_prefair.selection._measuring import BUDGETS
from sdv_prefair.selection._resolve import resolve_mechanism

DOMAIN = {'p': 2, 'a': 3, 'o': 2, 'b': 4, 'n': 3}
ROLES = Roles(['p'], ['a', 'b'], ['o'])
STRUCTURES = ['adaptive', 'greedy', 'exact', 'none', 'aim', 'planned', 'privbayes', 'mwem']


def coded_rows(num_rows=300, seed=1):
    rng = np.random.default_rng(seed)
    common = rng.integers(0, 12, num_rows)
    return [
        np.where(rng.random(num_rows) < 0.4, common % size, rng.integers(0, size, num_rows))
        for size in DOMAIN.values()
    ]


def with_person(rows, cells):
    """Add rows, each of a cell for each column."""
    more = np.reshape(cells, (-1, len(DOMAIN)))
    return [np.append(codes, more[:, place]) for place, codes in enumerate(rows)]


def fit_of_codes(structure, rows_per_person, budget):
    mechanism = resolve_mechanism(structure)
    cliques = mechanism.declare(DOMAIN, ROLES)
    all_gaussian = getattr(mechanism, 'all_gaussian', False)

    def fit(rows):
        counts = count_codes(dict(zip(DOMAIN, rows, strict=True)), DOMAIN, cliques)
        ledger = Ledger(3.0, 1e-9, rows_per_person, all_gaussian=all_gaussian)
        mechanism.run(PrivateTable(counts, ledger, SystemEntropy()), ROLES, BUDGETS[budget])

    return fit


def costs_of(structure, rows_per_person=1, budget='tuned'):
    cells = [range(size) for size in DOMAIN.values()] * rows_per_person
    return search(
        fit_of_codes(structure, rows_per_person, budget),
        coded_rows(),
        [0] * len(cells),
        with_person,
        cells,
    )


@pytest.mark.parametrize('rows_per_person', [1, 3])
@pytest.mark.parametrize('structure', STRUCTURES)
def test_a_person_more_costs_what_the_line_says(structure, rows_per_person):
    found = costs_of(structure, rows_per_person)
    assert max(found.values()) <= 1 + 1e-12
    measured = [cost for debit, cost in found.items() if debit.step.startswith('measure')]
    assert min(measured) > 1 - 1e-12, 'a measured histogram costs all of its line'
    scored = [cost for debit, cost in found.items() if debit.step.startswith('select')]
    assert not scored or max(scored) > 0.8, 'a row that changes nearly all scores is found'


@pytest.mark.parametrize(
    ('structure', 'name', 'change'),
    [
        ('planned', 'gaussian_variance', lambda real: lambda *given: real(*given) * 9 / 10),
        ('exact', 'gaussian_variance', lambda real: lambda rho, squared: real(rho, 1)),
        ('adaptive', 'exponential_epsilon', lambda real: lambda rho: 2 * real(rho)),
    ],
    ids=['noise of nine tenths', 'scores as if one', 'twice the epsilon of a choice'],
)
def test_the_search_finds_too_little_noise(structure, name, change, monkeypatch):
    monkeypatch.setattr(answers, name, change(getattr(answers, name)))
    assert max(costs_of(structure).values()) > 1.05


COLUMNS = ['sex', 'grade', 'pay', 'town', 'hired']
TOWNS = ['A', 'B', 'C', 'D']


def people(num_rows=400, seed=2):
    rng = np.random.default_rng(seed)
    grade = rng.integers(0, 4, num_rows)
    return pd.DataFrame({
        'sex': rng.choice(['F', 'M'], num_rows),
        'grade': grade,
        'pay': (rng.gamma(2 + grade, 900)).round(2),
        'town': rng.choice(TOWNS, num_rows),
        'hired': rng.choice(['yes', 'no'], num_rows),
        'person': np.arange(num_rows),
    })


def with_rows_of_one(frame, cells):
    more = pd.DataFrame(np.reshape(np.array(cells, dtype=object), (-1, len(COLUMNS))))
    more.columns = COLUMNS
    return pd.concat([frame, more.assign(person=10**6)], ignore_index=True).astype(frame.dtypes)


@pytest.mark.filterwarnings('ignore')  # of what noise hides, which is no matter here
@pytest.mark.parametrize('structure', ['adaptive', 'planned', 'aim'])
@pytest.mark.parametrize('most_rows', [1, 3])
def test_so_it_does_in_a_fit_that_learns_ranges(structure, most_rows):
    columns = {
        **{column: {'sdtype': 'categorical'} for column in ('sex', 'town', 'hired')},
        **{column: {'sdtype': 'numerical'} for column in ('grade', 'pay')},
        'person': {'sdtype': 'id'},
    }
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})

    def fit(frame):
        synthesizer = PreFairSynthesizer(
            metadata, epsilon=5.0, delta=1e-6, structure=structure, person_column='person',
            max_rows_per_person=most_rows, protected=['sex'], admissible=['grade'],
            outcome=['hired'],
        )  # fmt: skip
        synthesizer.fit({'t': frame})

    # Values that others have too: what only one person has is for thresholds, not for noise.
    one = [['F', 'M'], range(4), [100.0, 500.5, 2000.25, 7000.0, -3.0, 1e7], TOWNS, ['yes', 'no']]
    cells = one * most_rows
    found = search(fit, people(), [c[0] for c in cells], with_rows_of_one, cells, most=25)
    assert max(found.values()) <= 1 + 1e-12
    assert {'learn domains', 'discretize'} <= {debit.step for debit in found}
