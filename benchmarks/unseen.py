"""Tables that nobody tuned on: every structure on generated tables of many shapes.

    python benchmarks/unseen.py [--samples 5] [--quick] [--out FOLDER]

For every shape of `generated_tables.py` some networks are made, and of each a table is drawn and
fitted with every structure at every epsilon. Rows are compared with the table, and gradient
boosting is trained on them and asked about fresh rows of the same network; beside it stands the
same classifier trained on the real rows, with all columns and with the admissible ones alone.
Structures of one network are compared with each other, so differences between networks do not
count as errors. Results go to a CSV line by line: a run that is stopped takes up where it was.
At the end `unseen_results.py` makes tables of it. `--quick` makes one network of each shape, at
epsilon 1, and leaves the million rows out.
"""

import argparse
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from compared import KEY
from fitted_rows import STRUCTURES, boosted_auc, boosted_scores, fit_and_sample, two_way_errors
from generated_tables import SHAPES, Network, Shape, make_network
from results_file import ResultsFile, commit
from tqdm import tqdm
from unseen_results import REAL, REAL_ADMISSIBLE, read_results, write_results

from sdv_prefair.datasets import Dataset
from sdv_prefair.metrics import demographic_parity, strata_codes
from sdv_prefair.metrics._tables import read_tables

EPSILONS = (0.3, 1.0, 3.0)
NO_NOISE = float('inf')
TRAIN_ROWS = TEST_ROWS = 20_000
MOST_ROWS = 200_000
LARGE = 500_000
# One network of each shape below this number was looked at while the default was being made.
FIRST_NETWORK = 100


def main() -> None:
    """Run what is missing, then write the tables."""
    options = _options()
    warnings.simplefilter('ignore')
    name = 'unseen_quick.csv' if options.quick else 'unseen.csv'
    results = ResultsFile(options.out / name, KEY)
    for shape in [shape for shape in SHAPES if shape.name in options.shapes]:
        for sample in range(_samples(shape, options)):
            _run(shape, FIRST_NETWORK + sample, results, options)
    write_results(read_results(results.path), results.path.with_suffix('.md'))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--samples', type=int, default=5, help='networks of each shape')
    names = [shape.name for shape in SHAPES]
    parser.add_argument('--shapes', nargs='+', choices=names, default=names)
    parser.add_argument('--structures', nargs='+', choices=STRUCTURES, default=list(STRUCTURES))
    parser.add_argument('--epsilons', nargs='+', type=float, default=EPSILONS)
    parser.add_argument('--quick', action='store_true', help='one network, epsilon 1: minutes')
    parser.add_argument('--out', type=Path, default=Path(__file__).parent / 'results')
    options = parser.parse_args()
    if options.quick:
        options.samples, options.epsilons = 1, [1.0]
        options.shapes = [shape.name for shape in SHAPES if shape.rows < LARGE]
    return options


def _samples(shape: Shape, options: argparse.Namespace) -> int:
    """Small tables are cheap and noisy, so they get twice as many networks; a huge one gets one."""
    if shape.rows >= LARGE:
        return 1
    return options.samples * (2 if shape.rows <= 5_000 and not options.quick else 1)


def _run(shape: Shape, sample: int, results: ResultsFile, options: argparse.Namespace) -> None:
    done = results.finished()
    wanted = [key for key in _keys(shape, sample, options) if key not in done]
    if not wanted:
        return
    network = make_network(shape, sample)
    dataset, fresh = _draw(network, shape.rows, sample)
    for key in tqdm(wanted, desc=f'{shape.name}, {sample}', file=sys.stderr):
        row = dict(zip(KEY, key, strict=True)) | {'commit': commit()}
        results.append(row | _measure(row, dataset, fresh))


def _keys(shape: Shape, sample: int, options: argparse.Namespace) -> Iterator[tuple]:
    for real in (REAL, REAL_ADMISSIBLE):
        yield shape.name, NO_NOISE, real, sample
    for epsilon in options.epsilons:
        for structure in options.structures:
            yield shape.name, epsilon, structure, sample


def _draw(network: Network, num_rows: int, sample: int) -> tuple[Dataset, pd.DataFrame]:
    (fresh,) = network.draw(TEST_ROWS, seed=2 * sample + 1).data.values()
    return network.draw(num_rows, seed=2 * sample), fresh


def _measure(row: dict, dataset: Dataset, fresh: pd.DataFrame) -> dict[str, float]:
    (train,) = dataset.data.values()
    if row['structure'] in {REAL, REAL_ADMISSIBLE}:
        only = dataset.roles.admissible if row['structure'] == REAL_ADMISSIBLE else list(train)
        measured = {'seconds': 0.0, 'TVD2': 0.0, 'outcome TVD2': 0.0}
        return measured | _classifier(train, fresh, only, dataset, row['sample'])
    rows = fit_and_sample(dataset, row['structure'], row['epsilon'], MOST_ROWS)
    measured = {'seconds': rows.seconds} | two_way_errors(dataset, rows.table)
    return measured | _classifier(rows.table, fresh, list(train), dataset, row['sample'])


def _classifier(
    train: pd.DataFrame, fresh: pd.DataFrame, columns: list[str], dataset: Dataset, seed: int
) -> dict[str, float]:
    """Return the mean AUC over the outcomes, and the conditional gap of the first.

    Rows stand in random order, so the first ones are as good as any.
    """
    train, (first, *_) = train.head(TRAIN_ROWS), dataset.roles.outcome
    features = [name for name in columns if name not in dataset.roles.outcome]
    areas = [boosted_auc(train, fresh, features, name, seed) for name in dataset.roles.outcome]
    scores = boosted_scores(train, fresh, features, first, seed)
    return {'AUC': float(np.mean(areas)), **_conditional_gap(scores, fresh, dataset)}


def _conditional_gap(scores: np.ndarray, fresh: pd.DataFrame, dataset: Dataset) -> dict[str, float]:
    """Return the gap between groups within strata, where as many are predicted 1 as are."""
    (first, *_), (column, *_) = dataset.roles.outcome, dataset.roles.protected
    predicted = scores > np.quantile(scores, 1 - fresh[first].mean())
    tables = read_tables(fresh, fresh, dataset.metadata)
    strata = strata_codes(tables, dataset.roles.admissible, num_bins=None)
    gap = demographic_parity(predicted, fresh[column].to_numpy(), True, strata, min_rows=1)
    return {'gap': gap.gap, 'coverage': gap.coverage}


if __name__ == '__main__':
    main()
