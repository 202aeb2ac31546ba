"""Small tables: subsamples of Adult and COMPAS, on which noise leaves little to learn.

    python benchmarks/small_tables.py [--data FOLDER] [--samples 10] [--out FOLDER]

Each sample is a subsample of the rows, fitted with every structure at every epsilon and compared
with the rows that were fitted. Results go to a CSV line by line, and a table is made of it.
"""

import argparse
import sys
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from compared import KEY, against_default, in_how_many, samples, spread, where_not_best
from fitted_rows import DEFAULT, fit_and_sample, two_way_errors
from paper import DATA, TABLES
from results_file import ResultsFile, commit
from tqdm import tqdm

from sdv_prefair.datasets import Dataset

EPSILONS = (0.1, 0.3, 1.0, 3.0)
SIZES = (500, 1_000, 5_000)
STRUCTURES = (DEFAULT, 'adaptive', 'aim', 'independent')
_NAMES = {
    f'{table}, {rows:,} rows': (table, rows) for table in ('Adult', 'COMPAS') for rows in SIZES
}


def main() -> None:
    """Run what is missing, then write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--data', type=Path, default=DATA)
    parser.add_argument('--samples', type=int, default=10, help='subsamples of each size')
    parser.add_argument('--structures', nargs='+', choices=STRUCTURES, default=list(STRUCTURES))
    parser.add_argument('--tables', nargs='+', choices=_NAMES, default=list(_NAMES))
    parser.add_argument('--epsilons', nargs='+', type=float, default=EPSILONS)
    parser.add_argument('--out', type=Path, default=Path(__file__).parent / 'results')
    options = parser.parse_args()
    warnings.simplefilter('ignore')
    results = ResultsFile(options.out / 'small_tables.csv', KEY)
    _run(results, options)
    write_results(pd.read_csv(results.path), results.path.with_suffix('.md'))


def _run(results: ResultsFile, options: argparse.Namespace) -> None:
    done = results.finished()
    keys = product(options.tables, options.epsilons, options.structures, range(options.samples))
    whole = {table: TABLES[table][0](options.data) for table, _ in _NAMES.values()}
    for key in tqdm([key for key in keys if key not in done], file=sys.stderr):
        name, epsilon, structure, sample = key
        table, num_rows = _NAMES[name]
        dataset = _subsample(whole[table], num_rows, sample)
        rows = fit_and_sample(dataset, structure, epsilon, most_rows=10 * num_rows)
        row = dict(zip(KEY, key, strict=True)) | {'commit': commit(), 'seconds': rows.seconds}
        results.append(row | two_way_errors(dataset, rows.table))


def _subsample(dataset: Dataset, num_rows: int, seed: int) -> Dataset:
    ((name, table),) = dataset.data.items()
    chosen = np.random.default_rng(seed).choice(len(table), num_rows, replace=False)
    return dataset._replace(data={name: table.iloc[chosen].reset_index(drop=True)})


def write_results(results: pd.DataFrame, path: Path) -> None:
    """Write the tables to a Markdown file."""
    place = results['table'].map({name: place for place, name in enumerate(_NAMES)})
    results = results.assign(place=place).sort_values(['place', 'epsilon'], kind='stable')
    compared = against_default(results, ['TVD2'])
    lines = [
        '# Small tables',
        '',
        'Made by `python benchmarks/small_tables.py`, at commit '
        f'{", ".join(results["commit"].astype(str).unique())}: parts of Adult and COMPAS, '
        f'{samples(results)} subsamples of each. Two-way total variation distance to the rows that '
        'were fitted; ± is one standard error of the mean.',
        '',
        spread(results, 'TVD2'),
        *['', f"## Where the default (`'{DEFAULT}'`) is not the best", ''],
        *in_how_many(compared, ['TVD2']),
        *['', where_not_best(compared, ['TVD2']), ''],
        'Differences are those between fits of the same subsample; in bold beyond two standard '
        'errors.',
    ]
    for other in compared['structure'].unique():
        lines += ['', f'## Against {other} alone', '', '']
        lines[-1] = where_not_best(compared[compared['structure'] == other], ['TVD2'])
    path.write_text('\n'.join([*lines, '']))


if __name__ == '__main__':
    main()
