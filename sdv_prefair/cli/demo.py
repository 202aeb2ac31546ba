"""The demonstration: one simulated table, plain MST beside the fair synthesizer."""

import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from sdv_prefair.datasets import Dataset, simulate_census
from sdv_prefair.mechanisms.catalogue import DEFAULT_STRUCTURE
from sdv_prefair.metrics import (
    ConditionalDemographicParity,
    ConditionalMutualInformation,
    DemographicParity,
    DownstreamAccuracy,
    TwoWayTotalVariation,
)
from sdv_prefair.privacy.ledger_words import RHO_OF
from sdv_prefair.sdv_versions import by_name
from sdv_prefair.synthesizer import PreFairSynthesizer

STRUCTURES = {'none': 'plain MST', DEFAULT_STRUCTURE: 'PreFair'}
_SIMULATION_SEED = 7


def run_demo(num_rows: int, epsilon: float, folder: Path, say: Callable[[str], None]) -> None:
    """Fit both structures, say how they compare, write the fair rows and both graphs.

    Args:
        num_rows: Rows of the simulated table, and of the synthetic ones.
        epsilon: Privacy budget of each fit.
        folder: Where to write; it is made if it does not exist.
        say: Takes each line of text.
    """
    census = simulate_census(num_rows, seed=_SIMULATION_SEED)
    _introduce(census, num_rows, epsilon, say)
    fitted, columns = {}, {}
    for structure, name in STRUCTURES.items():
        started = time.perf_counter()
        fitted[structure] = _fit(census, structure, epsilon)
        say(f'  {name}: fitted in {time.perf_counter() - started:.1f} s')
        sampled = fitted[structure].sample(num_rows=num_rows)
        synthetic = by_name(sampled, *census.data)
        columns[name] = _measure(census, synthetic)
    columns['real table'] = _measure(census, census.data)
    say('')
    say(pd.DataFrame(columns).to_string(float_format='{:.3f}'.format))
    _explain(census, fitted[DEFAULT_STRUCTURE], say)
    _write(fitted, synthetic, folder, say)


def _fit(census: Dataset, structure: str, epsilon: float) -> PreFairSynthesizer:
    synthesizer = PreFairSynthesizer(
        census.metadata,
        epsilon=epsilon,
        structure=structure,
        public_ranges=True,
        protected=list(census.roles.protected),
        admissible=list(census.roles.admissible),
        outcome=list(census.roles.outcome),
    )
    synthesizer.fit(census.data)
    return synthesizer


def _measure(census: Dataset, synthetic: dict[str, pd.DataFrame]) -> dict[str, float]:
    (name,) = census.data
    tables = census.data[name], synthetic[name], census.metadata.tables[name].to_dict()
    outcome, protected = census.roles.outcome[0], census.roles.protected[0]
    of_classifier = {'outcome': outcome, 'seed': 0}
    of_groups = of_classifier | {'protected': protected}
    admissible = list(census.roles.admissible)
    information = ConditionalMutualInformation.compute_breakdown(
        *tables, outcome=outcome, protected=protected, admissible=admissible, seed=0
    )
    return {
        '2-way error (mean TVD)': TwoWayTotalVariation.compute(*tables),
        'accuracy of a classifier trained on it': DownstreamAccuracy.compute(
            *tables, **of_classifier
        ),
        f'its demographic parity gap by {protected}, on real rows': DemographicParity.compute(
            *tables, **of_groups
        ),
        '  the same given admissible columns': ConditionalDemographicParity.compute(
            *tables, admissible=admissible, **of_groups
        ),
        f'I({outcome}; {protected} | admissible), nats': information['score'],
        '  expected if independent': information['null_mean'],
    }


def _introduce(census: Dataset, num_rows: int, epsilon: float, say: Callable[[str], None]) -> None:
    roles = census.roles
    say(f'A simulated census of {num_rows:,} people, in which {", ".join(roles.protected)} act on')
    say(f'{", ".join(roles.outcome)} through {", ".join(roles.admissible)}, and directly.')
    say(f'Two private synthesizers, epsilon = {epsilon:g} each:')


def _explain(census: Dataset, fair: PreFairSynthesizer, say: Callable[[str], None]) -> None:
    ledger = fair.get_privacy_ledger()
    footer = ledger.attrs
    say('')
    say(f'Where the privacy budget of PreFair went ({RHO_OF[footer["accounting"]]}):')
    for step, rho in ledger.groupby('step', sort=False)['rho'].sum().items():
        say(f'  {step:<20} {rho:.6f}  {rho / footer["rho"]:4.0%}')
    say(f'  {"total":<20} {ledger["rho"].sum():.6f}  the whole budget, to the last bit')
    fair.verify_fairness()
    roles = census.roles
    say('')
    say('Guaranteed, whatever the data:')
    say(
        f'  - ({footer["epsilon"]:g}, {footer["delta"]:g})-differential privacy; neighbours '
        f'{footer["neighbours"]}.'
    )
    say(
        f'  - {", ".join(roles.outcome)} is independent of {", ".join(roles.protected)} given '
        f'{", ".join(roles.admissible)} (checked on the model).'
    )
    say(
        'Not guaranteed: parity (what acts through admissible columns stays), nor what a classifier'
    )
    say('trained on the table does to real rows: see "Which structure when" in the README.')


def _write(
    fitted: dict[str, PreFairSynthesizer],
    synthetic: dict[str, pd.DataFrame],
    folder: Path,
    say: Callable[[str], None],
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (table,) = synthetic.values()
    table.to_csv(folder / 'synthetic.csv', index=False)
    for structure, name in ((DEFAULT_STRUCTURE, 'fair_graph.html'), ('none', 'plain_tree.html')):
        fitted[structure].visualize().write_html(folder / name, include_plotlyjs=True)
    say('')
    say(f'Written to {folder}: synthetic.csv, fair_graph.html, plain_tree.html')
