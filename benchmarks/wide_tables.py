"""What a fit of very many columns costs, and what it keeps: time, memory and two-way errors.

    python benchmarks/wide_tables.py [--columns 100 1000] [--rows 20000] [--epsilon 1 10] [--near]

Columns have 2 to 8 values, and ten of them at a time depend on the same hidden value. These are
spread over the whole table, so that columns which depend on each other are far apart; with
``--near`` they are side by side. Roles are within one such group. Errors are total variation
distances of two-way marginals: of the outcome with admissible columns, and of pairs that depend on
each other; beside each is the error of columns that are independent and otherwise exact. Each fit
runs in a process of its own. ``--profile`` prints where one fit spends its time.
"""

import argparse
import cProfile
import itertools
import json
import pstats
import resource
import subprocess
import sys
import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
from sdv.metadata import Metadata

_IN_A_GROUP = 10


def in_groups(
    num_columns: int, num_rows: int, is_near: bool = False
) -> tuple[pd.DataFrame, Metadata]:
    """Return a table whose columns depend on each other in groups, side by side or far apart."""
    rng = np.random.default_rng(0)
    groups = [rng.integers(0, 4, num_rows) for _ in range(max(1, num_columns // _IN_A_GROUP))]
    cells, columns = {}, {}
    for place in range(num_columns):
        size = 2 + place % 7
        group = place // _IN_A_GROUP if is_near else place
        shared = groups[group % len(groups)] * size // 4
        alone = rng.integers(0, size, num_rows)
        cells[f'c{place}'] = np.where(rng.random(num_rows) < 0.7, shared, alone)
        columns[f'c{place}'] = {
            'sdtype': 'categorical',
            'range_values': list(range(size)),
            'range_is_nullable': False,
        }
    return pd.DataFrame(cells), Metadata.load_from_dict({'tables': {'wide': {'columns': columns}}})


def dependent_groups(num_columns: int, is_near: bool) -> list[list[str]]:
    """Return the columns of ``in_groups`` that depend on each other, group by group."""
    number = max(1, num_columns // _IN_A_GROUP)
    groups: list[list[str]] = [[] for _ in range(number)]
    for place in range(num_columns):
        groups[(place // _IN_A_GROUP if is_near else place) % number].append(f'c{place}')
    return groups


def errors(real: pd.DataFrame, synthetic: pd.DataFrame, pairs: list) -> tuple[float, float]:
    """Return the mean error of pairs in synthetic rows, and if their columns were independent."""
    found = []
    for pair in pairs:
        true = real.value_counts(list(pair), normalize=True, sort=False).unstack(fill_value=0)
        given = synthetic.value_counts(list(pair), normalize=True, sort=False).unstack(fill_value=0)
        given = given.reindex(index=true.index, columns=true.columns, fill_value=0)
        alone = np.outer(true.sum(axis=1), true.sum(axis=0))
        found.append([np.abs(true - other).to_numpy().sum() / 2 for other in (given, alone)])
    mean = np.mean(found, axis=0)
    return float(mean[0]), float(mean[1])


def measured(num_columns: int, num_rows: int, epsilon: float, is_near: bool) -> dict[str, Any]:
    """Return what one fit and a sample as large as the table cost in this process."""
    from sdv_prefair import PreFairSynthesizer

    data, metadata = in_groups(num_columns, num_rows, is_near)
    groups = dependent_groups(num_columns, is_near)
    roles = {'protected': groups[0][:2], 'admissible': groups[0][2:5], 'outcome': groups[0][5:6]}
    synthesizer = PreFairSynthesizer(metadata, epsilon=epsilon, public_ranges=True, **roles)
    before = time.process_time()
    synthesizer.fit({'wide': data})
    fitted = time.process_time()
    rows = synthesizer.sample(num_rows=num_rows)['wide']
    sampled = time.process_time()
    with_outcome = [(column, groups[0][5]) for column in roles['admissible']]
    dependent = [pair for group in groups[:20] for pair in itertools.combinations(group[6:], 2)]
    of_outcome, of_dependent = (errors(data, rows, pairs) for pairs in (with_outcome, dependent))
    return {
        'columns': num_columns,
        'rows': num_rows,
        'epsilon': epsilon,
        'dependent columns': 'near' if is_near else 'far',
        'fit, CPU s': round(fitted - before, 1),
        'sample, CPU s': round(sampled - fitted, 1),
        'pairs measured': synthesizer.get_fair_graph().number_of_edges(),
        'error with the outcome': [round(error, 3) for error in of_outcome],
        'error of dependent pairs': [round(error, 3) for error in of_dependent],
        'most memory, MB': resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def main() -> None:
    """Measure each size in a process of its own, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--columns', type=int, nargs='+', default=[100, 200, 400, 1000])
    parser.add_argument('--rows', type=int, default=20_000)
    parser.add_argument('--epsilon', type=float, nargs='+', default=[1.0, 10.0])
    parser.add_argument('--near', action='store_true')
    parser.add_argument('--profile', action='store_true')
    options = parser.parse_args()
    sizes = list(itertools.product(options.columns, options.epsilon))
    if len(sizes) > 1:
        for columns, epsilon in sizes:
            given = ['--columns', columns, '--rows', options.rows, '--epsilon', epsilon]
            given += ['--near'] * options.near
            subprocess.run([sys.executable, __file__, *map(str, given)], check=True)
        return
    warnings.simplefilter('ignore')
    profile = cProfile.Profile()
    if options.profile:
        profile.enable()
    columns, epsilon = sizes[0]
    print(json.dumps(measured(columns, options.rows, epsilon, options.near)), flush=True)
    if options.profile:
        profile.disable()
        pstats.Stats(profile).sort_stats('cumtime').print_stats(60)


if __name__ == '__main__':
    main()
