"""Tables of how numbers come back, made of the CSV that raw_numbers.py wrote.

python benchmarks/numbers_results.py [--results FILE]
"""

import argparse
import json
from pathlib import Path

import numpy as np
import pandas as pd

KEY = ['table', 'epsilon', 'setting', 'sample']
MEASURES = {
    'KS': 'KS, mean',
    'worst KS': 'KS, worst column',
    'atoms': 'atom error, mean',
    'worst atom': 'atom error, worst column',
    'TVD2': '2-way TVD',
    'AUC': 'AUC',
}
NO_NOISE = np.inf
"""The epsilon that is written for what is not private."""

_RESULTS = Path(__file__).parent / 'results' / 'numbers.csv'


def main() -> None:
    """Write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--results', type=Path, default=_RESULTS)
    options = parser.parse_args()
    write_results(pd.read_csv(options.results), options.results.with_suffix('.md'))


def write_results(results: pd.DataFrame, path: Path) -> None:
    """Write all tables to a Markdown file."""
    lines = [
        '# How numbers come back',
        '',
        'Made by `python benchmarks/raw_numbers.py` and `python benchmarks/numbers_results.py`. '
        f'Fits of each kind: {_fits(results)}. KS is the Kolmogorov-Smirnov distance of a column; '
        'the atom error is the largest difference in the share of one value, of the ten most '
        'frequent ones of either table; the 2-way TVD is over all pairs, on a grid of the real '
        "rows' quantiles and frequent values; the AUC is that of gradient boosting trained on "
        'synthetic rows and asked about real ones that were held out. Less is better for all but '
        'the AUC. What is marked so is not private.',
    ]
    for table in results['table'].unique():
        chosen = results[results['table'] == table]
        lines += ['', f'## {table}', '', _markdown(overview(chosen))]
        by_column = columns(chosen)
        lines += ['', f'KS and atom error of each column of {table}, epsilon 1:']
        lines += ['', _markdown(by_column)]
    path.write_text('\n'.join([*lines, '']))


def overview(results: pd.DataFrame) -> pd.DataFrame:
    """Return the mean of each measure for every epsilon and setting, in the order of epsilons."""
    groups = results.groupby(['epsilon', 'setting'], sort=False)[list(MEASURES)]
    means = groups.mean().sort_index(level='epsilon', sort_remaining=False)
    shown = means.map('{:.3f}'.format).rename(columns=MEASURES).reset_index()
    shown['epsilon'] = [_epsilon(epsilon) for epsilon in shown['epsilon']]
    return shown


def columns(results: pd.DataFrame, epsilon: float = 1.0) -> pd.DataFrame:
    """Return KS and atom error of every column for each setting, at one epsilon."""
    chosen = results[results['epsilon'].isin([epsilon, NO_NOISE])]
    chosen = chosen[chosen['setting'] != 'the real rows']
    means: dict[str, dict[str, str]] = {}
    for setting, fits in chosen.groupby('setting', sort=False):
        measured = [pd.DataFrame(json.loads(text)).T for text in fits['columns']]
        mean = sum(measured) / len(measured)
        means[setting] = {
            name: f'{row["KS"]:.3f} / {row["atoms"]:.3f}' for name, row in mean.iterrows()
        }
    return pd.DataFrame(means).rename_axis('column').reset_index()


def _epsilon(epsilon: float) -> str:
    return 'none' if np.isinf(epsilon) else f'{epsilon:g}'


def _fits(results: pd.DataFrame) -> str:
    counts = results.groupby(['table', 'epsilon', 'setting'])['sample'].nunique()
    least, most = counts.min(), counts.max()
    return f'{least}' if least == most else f'{least} to {most}'


def _markdown(frame: pd.DataFrame) -> str:
    rows = [list(frame), ['---'] * len(list(frame)), *frame.astype(str).to_numpy().tolist()]
    return '\n'.join(f'| {" | ".join(row)} |' for row in rows)


if __name__ == '__main__':
    main()
