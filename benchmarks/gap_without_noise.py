"""Where the conditional gap of a classifier comes from, on the COMPAS file as it was released.

    python benchmarks/gap_without_noise.py [--data FOLDER] [--samples 10] [--out FOLDER]

A logistic regression is trained on rows that are exactly fair, and asked about real ones. There
are two kinds of such rows, neither with any noise: real rows whose outcome is drawn anew from
real rows of the same stratum of the admissible columns; and real rows whose outcome is drawn from
the whole table, so that it depends on nothing. What gap is left is the classifier's own. Beside
them stands the default at epsilon 10.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from compared import markdown
from paper import DATA, SETTINGS, TABLES, _downstream
from results_file import commit

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.datasets import Dataset
from sdv_prefair.metrics.downstream import with_known
from sdv_prefair.metrics.table_pair import Tables, read_tables

_TABLE, _EPSILON = 'COMPAS as released', 10.0
_CLASSIFIERS = ('linear', 'forest', 'mlp')


def main() -> None:
    """Train on all kinds of rows, and write a table of the gaps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--data', type=Path, default=DATA)
    parser.add_argument('--samples', type=int, default=10)
    parser.add_argument('--classifiers', nargs='+', choices=_CLASSIFIERS, default=['linear'])
    parser.add_argument('--out', type=Path, default=Path(__file__).parent / 'results')
    options = parser.parse_args()
    warnings.simplefilter('ignore')
    load, column, groups = TABLES[_TABLE]
    dataset = load(options.data)
    lines = []
    for sample in range(options.samples):
        for kind, make in _KINDS.items():
            tables = read_tables(dataset.data, make(dataset, sample), dataset.metadata)
            known = with_known(dataset.roles.outcome[0], tables)
            known = Tables(known.real, known.synthetic, known.columns)
            for name in options.classifiers:
                found = _downstream(known, dataset, column, groups, name, sample)
                gap, accuracy = found[f'{name} CDP'], found[f'{name} accuracy']
                lines.append({'rows': kind, 'classifier': name, 'CDP': gap, 'accuracy': accuracy})
    _write(pd.DataFrame(lines), options.out / 'gap_without_noise.md')


def _drawn_in_strata(dataset: Dataset, seed: int) -> dict[str, pd.DataFrame]:
    return _shuffled(dataset, seed, list(dataset.roles.admissible))


def _drawn_from_all(dataset: Dataset, seed: int) -> dict[str, pd.DataFrame]:
    return _shuffled(dataset, seed, [])


def _shuffled(dataset: Dataset, seed: int, given: list[str]) -> dict[str, pd.DataFrame]:
    ((name, table),) = dataset.data.items()
    rng, (outcome,) = np.random.default_rng(seed), dataset.roles.outcome
    stratum = table.groupby(given, dropna=False).ngroup() if given else np.zeros(len(table))
    drawn = (
        table[outcome]
        .groupby(np.asarray(stratum))
        .transform(lambda values: values.to_numpy()[rng.integers(len(values), size=len(values))])
    )
    return {name: table.assign(**{outcome: drawn})}


def _default(dataset: Dataset, seed: int) -> dict[str, pd.DataFrame]:
    synthesizer = PreFairSynthesizer(
        dataset.metadata,
        epsilon=_EPSILON,
        public_ranges=True,
        **SETTINGS['Planned'],
        **dataset.roles.as_dict(),
    )
    synthesizer.fit(dataset.data)
    return synthesizer.sample(max(1, round(synthesizer._model.total)))


_KINDS = {
    'the default, epsilon 10': _default,
    'real, outcome drawn within strata of the admissible columns': _drawn_in_strata,
    'real, outcome drawn from all rows': _drawn_from_all,
}


def _write(results: pd.DataFrame, path: Path) -> None:
    groups = results.groupby(['rows', 'classifier'], sort=False)
    spread = groups.agg(['mean', 'sem'])
    table = pd.DataFrame([
        {
            'trained on': rows,
            'classifier': name,
            'conditional gap': f'{of["CDP", "mean"]:.4f} ± {of["CDP", "sem"]:.4f}',
            'accuracy': f'{of["accuracy", "mean"]:.4f} ± {of["accuracy", "sem"]:.4f}',
        }
        for (rows, name), of in spread.iterrows()
    ])
    fits = len(results) // len(table)
    text = [
        '# The conditional gap without noise',
        '',
        f'Made by `python benchmarks/gap_without_noise.py`, at commit {commit()}: {_TABLE}, gap '
        f'between the groups within strata of the admissible columns, on real rows. {fits} '
        'trainings of each kind; ± is one standard error of the mean.',
        '',
        markdown(table),
        '',
    ]
    path.write_text('\n'.join(text))


if __name__ == '__main__':
    main()
