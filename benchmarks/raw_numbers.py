"""Numbers as they are: how well spikes, tails and dates come back, measured without bins.

    python benchmarks/raw_numbers.py [--data FOLDER] [--samples 2] [--quick] [--out FOLDER]

Raw Adult, the numerical columns of Census KDD and a simulated table of skewed columns, at epsilon
0.1, 1 and 10: this package's default, equal bins, bins at quantiles of the real rows, which are
not private, and SDV's GaussianCopula, which is not private either. Each is fitted to seven rows
in ten, and classifiers are asked about the rest. Results go to a CSV line by line: a run that is
stopped takes up where it was. `--quick` does one fit of each kind. At the end
`numbers_results.py` makes tables of the CSV. The real tables are read outside any privacy budget:
this is a benchmark. (The file is not called numbers.py: Python has a module of that name.)
"""

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from numbers_results import KEY, NO_NOISE, write_results
from numbers_tables import TABLES, Split, split
from results_file import ResultsFile, commit
from sdv.single_table import GaussianCopulaSynthesizer
from tqdm import tqdm
from value_measures import classifier_auc, column_measures, fine_two_way_distance

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.datasets import Dataset
from sdv_prefair.metrics._tables import read_tables
from sdv_prefair.transformers import DatetimeBins, NumberBins

DATA = Path(__file__).resolve().parents[2] / 'shared' / 'data'
EPSILONS = (0.1, 1.0, 10.0)
_BINS = 32


def prefair(dataset: Dataset, epsilon: float, discretization: str) -> pd.DataFrame:
    """Return rows of this package, as many as were fitted."""
    return _fit(dataset, _synthesizer(dataset, epsilon, discretization))


def quantile_bins(dataset: Dataset, epsilon: float) -> pd.DataFrame:
    """Return rows of this package with bins whose edges are read off the private rows."""
    synthesizer = _synthesizer(dataset, epsilon, 'uniform')
    synthesizer.auto_assign_transformers(dataset.data)
    synthesizer.update_transformers(_at_quantiles(dataset))
    return _fit(dataset, synthesizer)


def gaussian_copula(dataset: Dataset, _epsilon: float) -> pd.DataFrame:
    """Return rows of SDV's default synthesizer."""
    return _fit(dataset, GaussianCopulaSynthesizer(dataset.metadata))


def real_rows(dataset: Dataset, _epsilon: float) -> pd.DataFrame:
    """Return the fitted rows themselves: what a classifier could reach."""
    (table,) = dataset.data.values()
    return table


SETTINGS: dict[str, Callable[[Dataset, float], pd.DataFrame]] = {
    'default': partial(prefair, discretization='private'),
    'equal bins': partial(prefair, discretization='uniform'),
    'quantile bins (not private)': quantile_bins,
    'GaussianCopula (not private)': gaussian_copula,
    'the real rows': real_rows,
}
WITHOUT_EPSILON = ('GaussianCopula (not private)', 'the real rows')


def main() -> None:
    """Run what is missing, then write the tables."""
    options = _options()
    warnings.simplefilter('ignore')
    name = 'numbers_quick.csv' if options.quick else 'numbers.csv'
    results = ResultsFile(options.out / name, KEY)
    done = results.finished()
    for table in options.tables:
        wanted = [key for key in _keys(table, options) if key not in done]
        if wanted:
            _run(results, wanted, *TABLES[table], options.data)
    write_results(pd.read_csv(results.path), results.path.with_suffix('.md'))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--data', type=Path, default=DATA)
    parser.add_argument('--samples', type=int, default=2, help='fits of each kind')
    parser.add_argument('--tables', nargs='+', choices=TABLES, default=list(TABLES))
    parser.add_argument('--settings', nargs='+', choices=SETTINGS, default=list(SETTINGS))
    parser.add_argument('--epsilons', nargs='+', type=float, default=EPSILONS)
    parser.add_argument('--quick', action='store_true', help='one fit of each kind')
    parser.add_argument('--out', type=Path, default=Path(__file__).parent / 'results')
    options = parser.parse_args()
    options.samples = 1 if options.quick else options.samples
    return options


def _keys(table: str, options: argparse.Namespace) -> Iterator[tuple]:
    for sample in range(options.samples):
        for setting in options.settings:
            epsilons = [NO_NOISE] if setting in WITHOUT_EPSILON else options.epsilons
            yield from ((table, epsilon, setting, sample) for epsilon in epsilons)


def _run(
    results: ResultsFile,
    wanted: list[tuple],
    load: Callable[[Path], Dataset],
    positive: object,
    folder: Path,
) -> None:
    dataset = load(folder)
    for key in tqdm(wanted, desc=wanted[0][0], file=sys.stderr):
        row = dict(zip(KEY, key, strict=True))
        measured = _measure(split(dataset, positive, row['sample']), row)
        results.append(row | measured | {'commit': commit()})


def _measure(rows: Split, row: dict) -> dict:
    started = time.perf_counter()
    synthetic = SETTINGS[row['setting']](rows.fitted, row['epsilon'])
    seconds = time.perf_counter() - started
    tables = read_tables(rows.fitted.data, synthetic, rows.fitted.metadata)
    columns = column_measures(tables)
    of_all = pd.DataFrame(columns).T
    return {
        'seconds': round(seconds, 1),
        'KS': of_all['KS'].mean(),
        'worst KS': of_all['KS'].max(),
        'atoms': of_all['atoms'].mean(),
        'worst atom': of_all['atoms'].max(),
        'TVD2': fine_two_way_distance(tables),
        'AUC': classifier_auc(tables, rows, row['sample']),
        'columns': json.dumps(columns),
    }


def _synthesizer(dataset: Dataset, epsilon: float, discretization: str) -> PreFairSynthesizer:
    return PreFairSynthesizer(
        dataset.metadata,
        epsilon=epsilon,
        public_ranges=True,
        discretization=discretization,
        **dataset.roles.as_dict(),
    )


def _fit(dataset: Dataset, synthesizer) -> pd.DataFrame:
    ((name, table),) = dataset.data.items()
    synthesizer.fit(dataset.data)
    return synthesizer.sample(len(table))[name]


def _at_quantiles(dataset: Dataset) -> dict[str, NumberBins | DatetimeBins]:
    """Return bins with as equal shares of the rows as values allow; few values get a bin each."""
    tables = read_tables(dataset.data, dataset.data, dataset.metadata)
    made = {}
    for name in tables.numbers_and_dates:
        about, values = tables.columns[name], tables.real[name]
        levels = np.linspace(0, 1, _BINS + 1)[1:-1]
        edges = sorted(set(values.quantile(levels, interpolation='nearest')))
        if about['sdtype'] == 'datetime':
            form = about['datetime_format']
            texts = [edge.strftime(form) for edge in edges]
            made[name] = DatetimeBins(
                about['range_min'], about['range_max'], form, edges=texts, nullable=False
            )
        elif values.nunique() > _BINS:
            edges += [edge + 10.0 ** -about['decimal_places'] for edge in edges]
            made[name] = NumberBins(
                about['range_min'], about['range_max'], decimal_places=about['decimal_places'],
                edges=sorted(edges), nullable=False,
            )  # fmt: skip
    return made


if __name__ == '__main__':
    main()
