"""Models for rows that were not fitted: the AUC on a fifth of the paper's tables.

    python benchmarks/held_out.py [--data FOLDER] [--samples 5] [--out FOLDER]

Four fifths of a table are fitted; gradient boosting is trained on the synthetic rows and asked
about the fifth that is left. Beside it stands the same classifier trained on the real four
fifths, with all columns and with the admissible ones alone: more than the latter a table in
which outcomes depend on admissible columns only cannot give. Results go to a CSV line by line.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from fitted_rows import boosted_auc
from paper import DATA, EPSILONS, SETTINGS, TABLES
from paper_results import KEY
from results_file import ResultsFile, commit
from tqdm import tqdm

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.datasets import Dataset

REAL, REAL_ADMISSIBLE = 'real rows', 'real rows, admissible columns'
NO_NOISE = float('inf')
TRAIN_ROWS = 40_000
_COMPARED = ('Planned', 'Adaptive', 'Fair AIM', 'MST')


def main() -> None:
    """Run what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--data', type=Path, default=DATA)
    parser.add_argument('--samples', type=int, default=5, help='fits of each kind')
    parser.add_argument('--tables', nargs='+', choices=TABLES, default=list(TABLES))
    parser.add_argument('--settings', nargs='+', choices=SETTINGS, default=list(_COMPARED))
    parser.add_argument('--out', type=Path, default=Path(__file__).parent / 'results')
    options = parser.parse_args()
    warnings.simplefilter('ignore')
    results = ResultsFile(options.out / 'held_out.csv', KEY)
    for table in options.tables:
        _run(table, results, options)


def _run(table: str, results: ResultsFile, options: argparse.Namespace) -> None:
    done = results.finished()
    wanted = [key for key in _keys(table, options) if key not in done]
    dataset = TABLES[table][0](options.data) if wanted else None
    for key in tqdm(wanted, desc=table, file=sys.stderr):
        row = dict(zip(KEY, key, strict=True)) | {'commit': commit()}
        results.append(row | _measure(dataset, row))


def _keys(table: str, options: argparse.Namespace) -> Iterator[tuple]:
    for sample in range(options.samples):
        for real in (REAL, REAL_ADMISSIBLE):
            yield table, NO_NOISE, real, sample
        for epsilon in EPSILONS:
            for setting in options.settings:
                yield table, epsilon, setting, sample


def _measure(dataset: Dataset, row: dict) -> dict[str, float]:
    ((name, table),) = dataset.data.items()
    order = np.random.default_rng(row['sample']).permutation(len(table))
    held, kept = (table.iloc[part] for part in np.split(order, [len(table) // 5]))
    roles, features, train, seconds = dataset.roles, list(table), kept, 0.0
    if row['setting'] == REAL_ADMISSIBLE:
        features = list(roles.admissible)
    elif row['setting'] != REAL:
        train, seconds = _synthetic(dataset._replace(data={name: kept}), row)
    # Synthetic rows stand in random order, and so do the real ones here.
    train, held = _as_codes(train.head(TRAIN_ROWS), held, table)
    features = [name for name in features if name not in roles.outcome]
    area = boosted_auc(train, held, features, roles.outcome[0], row['sample'])
    return {'seconds': seconds, 'AUC': area}


def _synthetic(dataset: Dataset, row: dict) -> tuple[pd.DataFrame, float]:
    synthesizer = PreFairSynthesizer(
        dataset.metadata,
        epsilon=row['epsilon'],
        public_ranges=True,
        **SETTINGS[row['setting']],
        **dataset.roles.as_dict(),
    )
    started = time.process_time()
    synthesizer.fit(dataset.data)
    seconds = time.process_time() - started
    (table,) = synthesizer.sample(TRAIN_ROWS).values()
    return table, seconds


def _as_codes(train: pd.DataFrame, held: pd.DataFrame, whole: pd.DataFrame) -> list[pd.DataFrame]:
    """Replace texts by the place of each in the order of its column; numbers stay."""
    texts = [name for name in whole if not pd.api.types.is_numeric_dtype(whole[name])]
    places = {name: _places(whole[name]) for name in texts}
    return [
        frame.assign(**{name: frame[name].map(places[name]).astype(float) for name in texts})
        for frame in (train, held)
    ]


def _places(column: pd.Series) -> dict:
    return {value: place for place, value in enumerate(sorted(column.dropna().unique(), key=str))}


if __name__ == '__main__':
    main()
