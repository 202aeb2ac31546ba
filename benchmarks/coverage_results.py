"""How often intervals hold the truth, as a page: of the lines that ``interval_coverage.py`` wrote.

python benchmarks/coverage_results.py [--results FOLDER]
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from compared import markdown

KINDS = [
    *('one-ways', 'one-ways, values kept apart', 'measured pairs', 'means', 'group differences'),
    *('unmeasured pairs', 'protected and outcome', 'logistic coefficients'),
]
INTRODUCTION = (
    'Made by `python benchmarks/coverage_results.py` of what `interval_coverage.py` wrote, at '
    'commit {}. Samples of a simulated census and of Adult, fitted with the default arguments; '
    'nominal 95 % intervals. A number is the share of intervals that hold the truth, over all '
    'cells of all fits; ± is one standard error, from fit to fit, and the number of fits stands '
    'in brackets. '
    '`basis` is what intervals rest on, see [How far off is it?](../../docs/error_bars.md). '
    'Intervals that rest on the model are made of 30 replicates.'
)
CAVEAT = (
    'What was measured is held as often as it should be. Cells of one fit share its noise, so a '
    'setting of few fits strays from 95 by more than the number of its cells suggests. Values that '
    'were kept apart from rare ones because noise made them look frequent are held less often, by '
    'the very noise that chose them; those that were merged a little more often. Means of columns '
    'with bins wider than one value are bounded: rows may lie anywhere in their bins. '
    'Intervals that rest on the model hold the truth as far as the graph does: they know nothing '
    'of dependence that was not measured, which is most of the error at small epsilon. Between '
    'protected and outcome columns the truth that is asked for is the real one, which the model '
    'leaves out on purpose.'
)


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--results', type=Path, default=Path(__file__).parent / 'results')
    folder = parser.parse_args().results
    lines = pd.read_csv(folder / 'coverage.csv')
    commits = ', '.join(map(str, lines['commit'].unique()))
    page = ['# Coverage of intervals', '', INTRODUCTION.format(commits), '', CAVEAT]
    page += ['', '## By epsilon', '', _table(lines, ['epsilon'])]
    page += ['', '## By rows', '', _table(lines, ['rows'])]
    measured = lines[lines['basis'].isin(['measured', 'bounded'])]
    page += ['', '## What was measured, in every setting', '', _settings(measured)]
    seconds = lines[lines['seconds'] > 0].groupby(['table', 'epsilon', 'rows'])['seconds'].mean()
    page += ['', '## Seconds for a replicate', '', _markdown(seconds.unstack().round(3))]
    (folder / 'coverage.md').write_text('\n'.join([*page, '']))


def _markdown(table: pd.DataFrame) -> str:
    return markdown(table.rename(columns=str).reset_index())


def _share(lines: pd.DataFrame) -> str:
    share = lines['hits'].sum() / lines['cells'].sum()
    by_fit = lines.groupby(['table', 'epsilon', 'rows', 'fit'])[['hits', 'cells']].sum()
    off = by_fit['hits'] - share * by_fit['cells']
    # Of a single fit there is nothing but the chance of its cells, taken for independent.
    cells = lines['cells'].sum()
    error = max(np.sqrt((off**2).sum()) / cells, np.sqrt(share * (1 - share) / cells))
    return f'{100 * share:.1f} ± {100 * error:.1f} ({len(by_fit)})'


def _table(lines: pd.DataFrame, across: list[str]) -> str:
    keys = ['kind', 'truth', 'basis']
    found = {key: _share(group) for key, group in lines.groupby([*keys, *across])}
    table = pd.Series(found).rename_axis([*keys, *across]).unstack().fillna('')
    cells = lines.groupby(keys)['cells'].sum().astype(int).map('{:,}'.format)
    table.insert(0, 'intervals', cells)
    order = sorted(table.index, key=lambda key: (KINDS.index(key[0]), key[1:]))
    return _markdown(table.loc[order])


def _settings(lines: pd.DataFrame) -> str:
    keys = ['table', 'rows', 'kind', 'truth', 'basis']
    lines = lines[lines['kind'].isin(['one-ways', 'measured pairs'])]
    found = {key: _share(group) for key, group in lines.groupby([*keys, 'epsilon'])}
    return _markdown(pd.Series(found).rename_axis([*keys, 'epsilon']).unstack().fillna(''))


if __name__ == '__main__':
    main()
