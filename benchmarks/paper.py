"""The paper's experiments: Adult, COMPAS and Census KDD, three classifiers, against plain MST.

    python benchmarks/paper.py [--data FOLDER] [--samples 10] [--quick] [--out FOLDER]

For every table, epsilon and setting so many fits are made. Of each so many rows are sampled as its
noisy total says; they are compared with the real table and trained on, by classifiers that see at
most `--train-rows` of them, so that the whole run takes hours on a laptop and not days. Results
go to a CSV line by line: a run that is stopped takes up where it was, and several runs may share
the work by `--tables`, `--settings` or `--first`. `--quick` does one fit of each and the linear
classifier only. At the end `paper_results.py` makes tables of the CSV. The real tables are read
outside any privacy budget: this is a benchmark.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from pair_kinds import errors_by_kind
from paper_results import KEY, QUALITY, read_results, write_results
from results_file import ResultsFile, commit
from tqdm import tqdm

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.datasets import Dataset, load_adult, load_census_kdd, load_compas
from sdv_prefair.metrics import (
    AverageCorrelationDifference,
    OneWayTotalVariation,
    TwoWayTotalVariation,
    demographic_parity,
    group_names,
    strata_codes,
    true_negative_rate_balance,
    true_positive_rate_balance,
)
from sdv_prefair.metrics._downstream import predict_real, with_known
from sdv_prefair.metrics._tables import Tables, read_tables
from sdv_prefair.structure import (
    AimStrategy,
    MwemStrategy,
    PrivBayesStrategy,
    UnconstrainedStrategy,
)

DATA = Path(__file__).resolve().parents[2] / 'shared' / 'data'
SETTINGS = {
    'MST': {'structure': 'none', 'budget': 'paper'},
    'Greedy': {'structure': 'greedy', 'budget': 'paper'},
    'Exact': {'structure': 'exact', 'budget': 'paper'},
    'Adaptive': {'structure': 'adaptive', 'budget': 'tuned'},
    'Greedy, tuned': {'structure': 'greedy', 'budget': 'tuned'},
    'Fair AIM': {'structure': 'aim', 'budget': 'tuned'},
    'AIM, not fair': {'structure': AimStrategy(UnconstrainedStrategy()), 'budget': 'tuned'},
    'Planned': {'structure': 'planned', 'budget': 'tuned'},
    'Fair PrivBayes': {'structure': 'privbayes'},
    'PrivBayes, not fair': {'structure': PrivBayesStrategy(UnconstrainedStrategy())},
    'Fair MWEM': {'structure': 'mwem'},
    'MWEM, not fair': {'structure': MwemStrategy(UnconstrainedStrategy())},
}
# Table: how it is loaded, the column of the groups S and the two groups that are compared.
TABLES = {
    'Adult': (lambda folder: load_adult(folder, raw=False), 'sex', None),
    'COMPAS': (lambda folder: load_compas(folder, aligned=True), 'Race', (0, 1)),
    'COMPAS as released': (lambda folder: load_compas(folder, aligned=False), 'Race', (0, 1)),
    'Census KDD': (load_census_kdd, 'sex', None),
}
EPSILONS = (0.1, 1.0, 10.0)


def main() -> None:
    """Run what is missing, then write the tables."""
    options = _options()
    warnings.simplefilter('ignore')
    name = 'paper_quick.csv' if options.quick else 'paper.csv'
    results = ResultsFile(options.out / name, KEY)
    _run(results, options)
    write_results(read_results(results.path), results.path.with_suffix('.md'))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--data', type=Path, default=DATA)
    parser.add_argument('--samples', type=int, default=10, help='fits of each kind')
    parser.add_argument('--first', type=int, default=0, help='number of the first fit')
    parser.add_argument('--tables', nargs='+', choices=TABLES, default=list(TABLES))
    parser.add_argument('--settings', nargs='+', choices=SETTINGS, default=list(SETTINGS))
    parser.add_argument('--classifiers', nargs='*', default=['linear', 'forest', 'mlp'])
    parser.add_argument('--epsilons', nargs='+', type=float, default=EPSILONS)
    parser.add_argument('--train-rows', type=int, default=20_000, help='rows a classifier sees')
    parser.add_argument('--quick', action='store_true', help='one fit, linear classifier: minutes')
    parser.add_argument('--out', type=Path, default=Path(__file__).parent / 'results')
    options = parser.parse_args()
    if options.quick:
        options.samples, options.classifiers = 1, ['linear']
    return options


def _run(results: ResultsFile, options: argparse.Namespace) -> None:
    done = results.finished()
    for name in options.tables:
        load, column, groups = TABLES[name]
        wanted = [key for key in _keys(name, options) if key not in done]
        if not wanted:
            continue
        dataset = load(options.data)
        for key in tqdm(wanted, desc=name, file=sys.stderr):
            row = dict(zip(KEY, key, strict=True))
            row |= _measure(dataset, column, groups, row, options)
            results.append(row | {'commit': commit()})


def _keys(table: str, options: argparse.Namespace) -> Iterator[tuple]:
    for sample in range(options.first, options.samples):
        for epsilon in options.epsilons:
            for setting in options.settings:
                yield table, epsilon, setting, sample


def _measure(dataset: Dataset, column: str, groups, row: dict, options: argparse.Namespace) -> dict:
    synthesizer = PreFairSynthesizer(
        dataset.metadata,
        epsilon=row['epsilon'],
        public_ranges=True,
        **SETTINGS[row['setting']],
        **dataset.roles.as_dict(),
    )
    started = time.perf_counter()
    synthesizer.fit(dataset.data)
    measured = {'seconds': time.perf_counter() - started}
    synthetic = synthesizer.sample(max(1, round(synthesizer._model.total)))
    tables = read_tables(dataset.data, synthetic, dataset.metadata)
    for name, metric in zip(
        QUALITY,
        (OneWayTotalVariation, TwoWayTotalVariation, AverageCorrelationDifference),
        strict=True,
    ):
        found = metric.compute_breakdown(dataset.data, synthetic, dataset.metadata)
        measured[name] = found['score']
        if metric is TwoWayTotalVariation:
            measured |= errors_by_kind(found['marginals'], dataset.roles)
    known = with_known(dataset.roles.outcome[0], tables)
    # Sampled rows stand in random order.
    known = Tables(known.real, known.synthetic.head(options.train_rows), known.columns)
    for classifier in options.classifiers:
        measured |= _downstream(known, dataset, column, groups, classifier, row['sample'])
    return measured


def _downstream(
    tables: Tables, dataset: Dataset, column: str, groups, classifier: str, seed: int
) -> dict:
    outcome = dataset.roles.outcome[0]
    prediction = predict_real(tables, outcome, classifier, seed)
    label = tables.real[outcome].to_numpy(dtype=object)
    positive = sorted(set(label), key=str)[-1]
    if groups is not None:
        kept = tables.real[column].isin(groups).to_numpy()
        tables = Tables(tables.real[kept], tables.synthetic, tables.columns)
        prediction, label = prediction[kept], label[kept]
    group = group_names(tables, column)
    strata = strata_codes(tables, dataset.roles.admissible)
    found = {'accuracy': float((prediction == label).mean())}
    for prefix, given in (('', None), ('C', strata)):
        parity = demographic_parity(prediction, group, positive, given)
        found[f'{prefix}DP'] = parity.gap
        for name, measure in (
            ('TPRB', true_positive_rate_balance),
            ('TNRB', true_negative_rate_balance),
        ):
            found[prefix + name] = measure(prediction, label, group, positive, given).gap
    found['coverage'] = parity.coverage
    found |= _as_the_authors_compute(prediction == positive, label == positive, group, strata)
    return {f'{classifier} {name}': value for name, value in found.items()}


def _as_the_authors_compute(predicted, actual, group, strata) -> dict:
    """Return the conditional measures by the formula of the authors' code.

    Rates of cells are averaged without weights, over all cells that hold a group, and so over
    other cells for one group than for the other. The printed shares are of these numbers.
    """
    rows = pd.DataFrame({'group': group, 'stratum': strata, 'rate': predicted})
    cases = {'CDP': slice(None), 'CTPRB': actual, 'CTNRB': ~actual}
    found = {}
    for name, kept in cases.items():
        rates = rows[kept].groupby(['group', 'stratum'], observed=True)['rate'].mean()
        found[f"{name}, authors' formula"] = float(np.ptp(rates.groupby('group').mean()))
    return found


if __name__ == '__main__':
    main()
