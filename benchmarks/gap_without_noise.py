"""Where the conditional gap of a classifier comes from, on the COMPAS file as it was released.

    python benchmarks/gap_without_noise.py [--data FOLDER] [--samples 30] [--out FOLDER]

The classifiers of `paper.py` are trained on rows that are exactly fair, and asked about real ones.
There are two kinds of such rows, neither with any noise: real rows whose outcome is drawn anew from
real rows of the same stratum of the admissible columns; and real rows whose outcome is drawn from
the whole table, so that it depends on nothing. What gap is left is the classifier's own. Beside
them stands the default at epsilon 1 and 10. Each is tried with as many rows as the table has, and
with ten times as many: what is random in a training set falls with its rows, and a user may sample
as many as they like. Results go to a CSV line by line: a run that is stopped takes up where it was.
"""

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from compared import markdown
from paper import DATA, SETTINGS, TABLES, _downstream
from paper_results import BASELINE, CLASSIFIERS, _written
from results_file import ResultsFile, commit
from tqdm import tqdm

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.datasets import Dataset
from sdv_prefair.metrics._downstream import with_known
from sdv_prefair.metrics._tables import Tables, read_tables

KEY = ['rows', 'times', 'classifier', 'sample']
_TABLE, _QUARTER = 'COMPAS as released', 0.25
_TIMES = (1, 10)

Rows = dict[str, pd.DataFrame]


def main() -> None:
    """Train on all kinds of rows, and write a table of the gaps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--data', type=Path, default=DATA)
    parser.add_argument('--samples', type=int, default=30)
    parser.add_argument('--classifiers', nargs='+', choices=CLASSIFIERS, default=list(CLASSIFIERS))
    parser.add_argument('--kinds', nargs='+', choices=_KINDS, default=list(_KINDS))
    parser.add_argument('--times', nargs='+', type=int, choices=_TIMES, default=list(_TIMES))
    parser.add_argument('--out', type=Path, default=Path(__file__).parent / 'results')
    options = parser.parse_args()
    warnings.simplefilter('ignore')
    results = ResultsFile(options.out / 'gap_without_noise.csv', KEY)
    _run(results, options)
    paper = pd.read_csv(options.out / 'paper.csv')
    _write(pd.read_csv(results.path), paper, results.path.with_suffix('.md'))


def _run(results: ResultsFile, options: argparse.Namespace) -> None:
    load, column, groups = TABLES[_TABLE]
    dataset, done = load(options.data), results.finished()
    wanted = [key for key in _keys(options) if not set(_lines(key, options)) <= done]
    for key in tqdm(wanted, file=sys.stderr):
        kind, times, sample = key
        tables = read_tables(dataset.data, _KINDS[kind](dataset, sample, times), dataset.metadata)
        known = with_known(dataset.roles.outcome[0], tables)
        known = Tables(known.real, known.synthetic, known.columns)
        for line in _lines(key, options):
            if line not in done:
                found = _downstream(known, dataset, column, groups, line[2], sample)
                row = dict(zip(KEY, line, strict=True)) | {'commit': commit()}
                results.append(row | {m: found[f'{line[2]} {m}'] for m in ('CDP', 'accuracy')})


def _keys(options: argparse.Namespace) -> Iterator[tuple[str, int, int]]:
    for sample in range(options.samples):
        for times in options.times:
            for kind in options.kinds:
                yield kind, times, sample


def _lines(key: tuple[str, int, int], options: argparse.Namespace) -> list[tuple]:
    kind, times, sample = key
    return [(kind, times, classifier, sample) for classifier in options.classifiers]


def _redrawn(dataset: Dataset, seed: int, times: int, in_strata: bool) -> Rows:
    """Return real rows, each so many times, with outcomes drawn from rows of the same stratum."""
    ((name, table),) = dataset.data.items()
    rng, (outcome,) = np.random.default_rng(seed), dataset.roles.outcome
    admissible = list(dataset.roles.admissible)
    stratum = table.groupby(admissible, dropna=False).ngroup() if in_strata else 0 * table[outcome]
    real = {key: values.to_numpy() for key, values in table[outcome].groupby(stratum)}
    rows = table.loc[table.index.repeat(times)].reset_index(drop=True)
    drawn = rows[outcome].to_numpy(copy=True)
    strata = np.repeat(stratum.to_numpy(), times)
    for key, values in real.items():
        inside = strata == key
        drawn[inside] = rng.choice(values, inside.sum())
    return {name: rows.assign(**{outcome: drawn})}


def _default(dataset: Dataset, seed: int, times: int, epsilon: float) -> Rows:
    """Fit the default and sample; the noise is the system's, so the seed has no part in it."""
    synthesizer = PreFairSynthesizer(
        dataset.metadata,
        epsilon=epsilon,
        public_ranges=True,
        **SETTINGS['Planned'],
        **dataset.roles.as_dict(),
    )
    synthesizer.fit(dataset.data)
    return synthesizer.sample(times * max(1, round(synthesizer._model.total)))


_KINDS: dict[str, Callable[[Dataset, int, int], Rows]] = {
    'the default, epsilon 1': partial(_default, epsilon=1.0),
    'the default, epsilon 10': partial(_default, epsilon=10.0),
    'real, outcome drawn within strata': partial(_redrawn, in_strata=True),
    'real, outcome drawn from all rows': partial(_redrawn, in_strata=False),
}


def _write(results: pd.DataFrame, paper: pd.DataFrame, path: Path) -> None:
    quarter = _quarter_of_mst(paper)
    groups = results.groupby(['classifier', 'times', 'rows'], sort=False)
    spread = groups[['CDP', 'accuracy']].agg(['mean', 'sem', 'count'])
    order = [(c, t, k) for c in CLASSIFIERS for t in _TIMES for k in _KINDS]
    lines = [_line(key, spread.loc[key], quarter[key[0]]) for key in order if key in spread.index]
    commits = ', '.join(results['commit'].astype(str).unique())
    text = [
        '# The conditional gap without noise',
        '',
        f'Made by `python benchmarks/gap_without_noise.py`, at commit {commits}: {_TABLE}, gap '
        'between the groups within strata of the admissible columns, on real rows; ± is one '
        "standard error of the mean. A quarter of MST's gap, the mean of epsilon 1 and 10 in "
        '`paper.csv`, stands beside it.',
        '',
        markdown(pd.DataFrame(lines)),
        '',
    ]
    path.write_text('\n'.join(text))


def _line(key: tuple[str, int, str], of: pd.Series, quarter: float) -> dict[str, str]:
    classifier, times, rows = key
    gap, error = of['CDP', 'mean'], of['CDP', 'sem']
    verdict = 'yes' if gap <= quarter else '**no**'
    if quarter < gap <= quarter + 2 * error:
        verdict = 'within errors'
    return {
        'classifier': CLASSIFIERS[classifier],
        'rows for one real row': str(times),
        'trained on': rows,
        'trainings': f'{of["CDP", "count"]:.0f}',
        'conditional gap': _written(gap, error, 4),
        "a quarter of MST's": f'{quarter:.4f}',
        'at most that': 'one training' if np.isnan(error) else verdict,
        'accuracy': _written(of['accuracy', 'mean'], of['accuracy', 'sem'], 4),
    }


def _quarter_of_mst(paper: pd.DataFrame) -> dict[str, float]:
    mst = paper[(paper['table'] == _TABLE) & (paper['setting'] == BASELINE)].query('epsilon >= 1')
    return {name: _QUARTER * mst[f'{name} CDP'].mean() for name in CLASSIFIERS}


if __name__ == '__main__':
    main()
