"""What fairness costs each mechanism in two-way error, and which pairs pay for it.

    python benchmarks/cost_of_fairness.py [--results FILE]

Reads the CSV that paper.py wrote of PrivBayes and MWEM, fair and not, with the error of each kind
of pair. Differences of all pairs are those of a kind, weighed by how many pairs it has.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from compared import markdown
from pair_kinds import FORBIDDEN, KINDS, OTHER, REASON, pairs_by_kind
from paper import DATA, TABLES
from paper_results import read_results

_RESULTS = Path(__file__).parent / 'results' / 'other_mechanisms' / 'paper.csv'
_MECHANISMS = {
    'PrivBayes': ('Fair PrivBayes', 'PrivBayes, not fair'),
    'MWEM': ('Fair MWEM', 'MWEM, not fair'),
}
_WORDS = {
    FORBIDDEN: 'outcome with what it must not touch',
    REASON: 'outcome with admissible',
    OTHER: 'without an outcome',
}
_DEMAND = 0.1


def main() -> None:
    """Write the page beside the CSV."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--results', type=Path, default=_RESULTS)
    parser.add_argument('--data', type=Path, default=DATA)
    options = parser.parse_args()
    results = read_results(options.results)
    pairs = {table: _pairs(table, options.data) for table in results['table'].unique()}
    commits = ', '.join(map(str, results['commit'].dropna().unique()))
    lines = [
        '# What fairness costs, and which pairs pay',
        '',
        'Made by `python benchmarks/cost_of_fairness.py` of `paper.csv`, whose fits were made at '
        f'commit {commits} (lines without a commit '
        'are of earlier runs, and say nothing of kinds). Error is the mean total variation '
        'distance of pairs; ± is one standard error.',
        *['', '## All pairs', '', markdown(_whole(results, pairs))],
        *['', '## By kind of pair', '', _kinds_in_words(pairs), ''],
        markdown(_by_kind(results.dropna(subset=f'{OTHER} TVD2'), pairs)),
    ]
    options.results.with_name('cost_of_fairness.md').write_text('\n'.join([*lines, '']))


def _pairs(table: str, data: Path) -> dict[str, int]:
    dataset = TABLES[table][0](data)
    (frame,) = dataset.data.values()
    return pairs_by_kind(list(frame), dataset.roles)


def _kinds_in_words(pairs: dict[str, dict[str, int]]) -> str:
    counted = '; '.join(
        f'{table} {", ".join(str(numbers[kind]) for kind in KINDS)}'
        for table, numbers in pairs.items()
    )
    return (
        'A fair model holds no clique of an outcome with a protected column or one without a role, '
        'so the first kind can only follow from the others. Pairs of each kind '
        f'({"; ".join(_WORDS.values())}): {counted}. Where fair is above by more than 10 per cent, '
        'each kind has its share of that excess, which is a sum over all pairs.'
    )


def _cells(results: pd.DataFrame):
    """Yield table, epsilon, mechanism, and the fits of it that are fair and that are not."""
    for (table, epsilon), fits in results.groupby(['table', 'epsilon'], sort=False):
        for mechanism, names in _MECHANISMS.items():
            fair, free = (fits[fits['setting'] == name] for name in names)
            if len(fair) and len(free):
                yield table, epsilon, mechanism, fair, free


def _whole(results: pd.DataFrame, pairs: dict[str, dict[str, int]]) -> pd.DataFrame:
    lines = []
    for table, epsilon, mechanism, fair, free in _cells(results):
        ratio = fair['TVD2'].mean() / free['TVD2'].mean()
        allowed = _allowed(fair, free, pairs[table])
        lines.append({
            'table': table,
            'epsilon': f'{epsilon:g}',
            'mechanism': mechanism,
            'fits': f'{len(fair)}, {len(free)}',
            'fair': _spread(fair['TVD2']),
            'not fair': _spread(free['TVD2']),
            'fair is above by': f'{100 * (ratio - 1):.0f} %',
            'within 10 %': 'yes' if ratio <= 1 + _DEMAND else '**no**',
            'above by, over allowed pairs': ''
            if np.isnan(allowed)
            else f'{100 * allowed - 100:.0f} %',
        })
    return pd.DataFrame(lines)


def _allowed(fair: pd.DataFrame, free: pd.DataFrame, pairs: dict[str, int]) -> float:
    """Return the ratio of errors over the pairs that a fair model may hold."""
    sums = [
        sum(pairs[kind] * np.nan_to_num(_mean(fits, kind)) for kind in (REASON, OTHER))
        for fits in (fair, free)
    ]
    return sums[0] / sums[1] if sums[1] else np.nan


def _by_kind(results: pd.DataFrame, pairs: dict[str, dict[str, int]]) -> pd.DataFrame:
    lines = []
    for table, epsilon, mechanism, fair, free in _cells(results):
        line = {'table': table, 'epsilon': f'{epsilon:g}', 'mechanism': mechanism}
        excess = {
            kind: pairs[table][kind] * np.nan_to_num(_mean(fair, kind) - _mean(free, kind))
            for kind in KINDS
        }
        large = fair['TVD2'].mean() > (1 + _DEMAND) * free['TVD2'].mean()
        for kind in KINDS:
            share = f', {100 * excess[kind] / sum(excess.values()):.0f} %' if large else ''
            line[f'{_WORDS[kind]}: fair / not, share of the excess'] = (
                f'{_mean(fair, kind):.4f} / {_mean(free, kind):.4f}{share}'
            )
        lines.append(line)
    return pd.DataFrame(lines)


def _mean(fits: pd.DataFrame, kind: str) -> float:
    return fits[f'{kind} TVD2'].mean()


def _spread(values: pd.Series) -> str:
    return f'{values.mean():.4f}' + (f' ± {values.sem():.4f}' if len(values) > 1 else '')


if __name__ == '__main__':
    main()
