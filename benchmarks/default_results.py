"""What the default structure was to show, and whether it does: a page made of all results.

    python benchmarks/default_results.py [--results FOLDER]

Reads what paper.py, held_out.py and small_tables.py wrote. A demand is met, or not met, or not
met by so little that it is within two standard errors.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from compared import against_default, markdown
from held_out import REAL, REAL_ADMISSIBLE
from paper_results import CLASSIFIERS, TABLES

DEFAULT, TREE, AIM, BASELINE = 'Planned', 'Adaptive', 'Fair AIM', 'MST'
_SETTINGS = [BASELINE, TREE, AIM, DEFAULT]
_NAMES = {DEFAULT: 'Planned (the default)'}
_QUARTER, _SMALL_GAP, _NEAR_CEILING = 0.25, 0.02, 0.02
_WITH_A_GAP = TABLES[:3]


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--results', type=Path, default=Path(__file__).parent / 'results')
    folder = parser.parse_args().results
    paper, held_out, small = (
        pd.read_csv(folder / f'{name}.csv') for name in ('paper', 'held_out', 'small_tables')
    )
    trained = paper.dropna(subset='forest CDP').query('epsilon >= 1 and table in @_WITH_A_GAP')
    commits = pd.concat([frame['commit'] for frame in (paper, held_out, small)]).dropna().unique()
    lines = [
        '# What the default was to show',
        '',
        'Made by `python benchmarks/default_results.py` of what `paper.py`, `held_out.py` and '
        f'`small_tables.py` wrote, at commit {", ".join(map(str, commits))} (lines of `paper.csv` '
        'without a commit are of earlier runs). MST has no fairness and the budget of the paper, '
        'Adaptive is the tree that was the default before. ± is one standard error of the mean.',
        *['', '## Two-way error', '', _fits(paper), '', _errors(paper)],
        *[
            '',
            '## Conditional gap of classifiers on real rows',
            '',
            _fits(trained),
            '',
            _gaps(paper),
        ],
        *['', '## AUC on rows that were not fitted', '', _fits(held_out), '', _areas(held_out)],
        *['', '## Small tables', '', _small(small)],
    ]
    (folder / 'default.md').write_text('\n'.join([*lines, '']))


def _fits(results: pd.DataFrame) -> str:
    counts = (
        results[results['setting'] == DEFAULT].groupby(['table', 'epsilon'])['sample'].nunique()
    )
    least, most = counts.min(), counts.max()
    told = f'{least if least == most else f"{least} to {most}"}'
    few = [
        f'{table}, epsilon {epsilon:g}: {n}' for (table, epsilon), n in counts.items() if n < most
    ]
    fewer = f' ({"; ".join(few)})' if few else ''
    return f'Fits of the default in each line: {told}{fewer}.'


def _verdict(met: bool, nearly: bool, error: float) -> str:
    """Return whether a demand is met; of one fit alone, whose error is not known, say so."""
    found = 'yes' if met else 'within errors' if nearly else '**no**'
    return f'{found} (one fit)' if np.isnan(error) else found


def _means(results: pd.DataFrame, measure: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    groups = results.groupby(['table', 'epsilon', 'setting'])[measure]
    return groups.mean().unstack(), groups.sem().unstack()


def _lines(mean: pd.DataFrame, tables: list[str]) -> list[tuple[str, float]]:
    found = [(t, e) for t in tables for e in sorted(mean.index.unique('epsilon')) if np.isfinite(e)]
    return [key for key in found if key in mean.index and not np.isnan(mean.loc[key, DEFAULT])]


def _shown(mean: pd.DataFrame, error: pd.DataFrame, key: tuple, digits: int) -> dict[str, str]:
    return {
        _NAMES.get(name, name): _written(mean.loc[key, name], error.loc[key, name], digits)
        for name in _SETTINGS
    }


def _written(mean: float, error: float, digits: int) -> str:
    if np.isnan(mean):
        return 'not run'
    return f'{mean:.{digits}f}' + ('' if np.isnan(error) else f' ± {error:.{digits}f}')


def _errors(paper: pd.DataFrame) -> str:
    mean, error = _means(paper, 'TVD2')
    lines = []
    for key in _lines(mean, TABLES):
        of, off = mean.loc[key], error.loc[key]
        better = TREE if of[TREE] <= of[AIM] else AIM
        verdicts = {
            f'at most {words}': _verdict(
                of[DEFAULT] <= of[name],
                of[DEFAULT] <= of[name] + 2 * np.hypot(off[DEFAULT], off[name]),
                off[DEFAULT],
            )
            for words, name in (("MST's", BASELINE), ('the better of tree and AIM', better))
        }
        head = {'table': key[0], 'epsilon': f'{key[1]:g}'}
        lines.append(head | _shown(mean, error, key, 4) | verdicts)
    return markdown(pd.DataFrame(lines))


def _gaps(paper: pd.DataFrame) -> str:
    lines = []
    for classifier, words in CLASSIFIERS.items():
        mean, error = _means(paper, f'{classifier} CDP')
        for key in _lines(mean, _WITH_A_GAP):
            if key[1] < 1:
                continue
            of, off = mean.loc[key], error.loc[key]
            most = max(_QUARTER * of[BASELINE], _SMALL_GAP)
            met = of[DEFAULT] <= most
            nearly = of[DEFAULT] <= most + 2 * np.hypot(off[DEFAULT], _QUARTER * off[BASELINE])
            head = {'classifier': words, 'table': key[0], 'epsilon': f'{key[1]:g}'}
            shown = _shown(mean, error, key, 4)
            lines.append(
                head
                | shown
                | {"at most a quarter of MST's, or .02": _verdict(met, nearly, off[DEFAULT])}
            )
    return markdown(pd.DataFrame(lines))


def _areas(held_out: pd.DataFrame) -> str:
    mean, error = _means(held_out, 'AUC')
    lines = []
    for key in _lines(mean, TABLES):
        of, off = mean.loc[key], error.loc[key]
        ceilings = mean.loc[(key[0], np.inf)]
        least = ceilings[REAL_ADMISSIBLE] - _NEAR_CEILING
        verdict = _verdict(
            of[DEFAULT] >= least, of[DEFAULT] + 2 * off[DEFAULT] >= least, off[DEFAULT]
        )
        lines.append(
            {'table': key[0], 'epsilon': f'{key[1]:g}'}
            | _shown(mean, error, key, 3)
            | {name: f'{ceilings[name]:.3f}' for name in (REAL, REAL_ADMISSIBLE)}
            | {'within .02 of the last': verdict}
        )
    return markdown(pd.DataFrame(lines))


def _small(small: pd.DataFrame) -> str:
    compared = against_default(small, ['TVD2']).query("structure in ('adaptive', 'independent')")
    clear = compared[compared['by'] > 2 * compared['error']]
    lines = [
        f'- {cell.table}, epsilon {cell.epsilon:g}: {cell.default:.4f}, {cell.structure} '
        f'{cell.other:.4f} ({100 * cell.by / cell.other:.1f} per cent worse, '
        f'{cell.by / cell.error:.1f} standard errors)'
        for cell in clear.itertuples()
    ]
    return '\n'.join([
        'Two-way error against the tree and independent columns on the same subsamples, in '
        f'[small_tables.md](small_tables.md): of {len(compared)} comparisons the default is worse '
        f'by more than two standard errors in {len(clear)}.',
        '',
        *lines,
    ])


if __name__ == '__main__':
    main()
