"""Structures compared with the default on the same tables, and written down as Markdown.

Results have a line for each table, epsilon, structure and sample. Structures of one sample were
given the same rows, so they are compared sample by sample, and differences between samples do
not count as errors.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from fitted_rows import DEFAULT

KEY = ['table', 'epsilon', 'structure', 'sample']
MEASURES = {'TVD2': 'two-way error', 'outcome TVD2': 'two-way error with an outcome', 'AUC': 'AUC'}
MORE_IS_BETTER = {'AUC'}
SAME_RULE = ('aim', 'independent')
"""Structures that, as the default, never tie an outcome to a column without a role."""

_DIGITS = {'TVD2': 4, 'outcome TVD2': 4, 'AUC': 3, 'gap': 3}


def against_default(results: pd.DataFrame, measures: Sequence[str]) -> pd.DataFrame:
    """Return by how much each other structure is better than the default.

    One line for each measure, table, epsilon and structure: the means of both, and the mean and
    the standard error of their differences, positive where the other structure is better.
    """
    fits = results[np.isfinite(results['epsilon'])]
    wide = fits.pivot_table(list(measures), ['table', 'epsilon', 'sample'], 'structure', sort=False)
    return pd.concat(
        [
            _against(wide[measure], other, 1 if measure in MORE_IS_BETTER else -1).assign(
                measure=measure, structure=other
            )
            for measure in measures
            for other in fits['structure'].unique()
            if other != DEFAULT
        ],
        ignore_index=True,
    )


def _against(values: pd.DataFrame, other: str, sign: int) -> pd.DataFrame:
    better = sign * (values[other] - values[DEFAULT])
    by = {'level': ['table', 'epsilon'], 'sort': False}
    return pd.DataFrame({
        'by': better.groupby(**by).mean(),
        'error': better.groupby(**by).sem(),
        'default': values[DEFAULT].groupby(**by).mean(),
        'other': values[other].groupby(**by).mean(),
    }).reset_index()


def best_others(compared: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Return for every table and epsilon the line of the best other structure."""
    cells = compared[compared['measure'] == measure]
    return cells.loc[cells.groupby(['table', 'epsilon'], sort=False)['by'].idxmax()]


def in_how_many(compared: pd.DataFrame, measures: Sequence[str]) -> list[str]:
    """Say in how many cells the default is the best, and in how many clearly not."""
    lines = []
    for measure in measures:
        cells = best_others(compared, measure)
        worse = cells[cells['by'] > 0]
        clear = worse[worse['by'] > 2 * worse['error']]
        lines.append(
            f'- {MEASURES[measure]}: of {len(cells)} cells of table and epsilon the default is the '
            f'best in {len(cells) - len(worse)}; in {len(worse)} another is better on average, in '
            f'{len(clear)} of these by more than two standard errors.'
        )
    return lines


def where_not_best(compared: pd.DataFrame, measures: Sequence[str]) -> str:
    """Return a table of all cells where another structure is better on average."""
    lines = [
        _written(cell)
        for measure in measures
        for cell in best_others(compared, measure).query('by > 0').itertuples()
    ]
    return markdown(pd.DataFrame(lines)) if lines else 'There are none.'


def _written(cell) -> dict[str, str]:
    digits = _DIGITS[cell.measure]
    by = f'{cell.by:.{digits}f}{_error(cell.error, digits)}'
    return {
        'measure': MEASURES[cell.measure],
        'table': cell.table,
        'epsilon': f'{cell.epsilon:g}',
        'default': f'{cell.default:.{digits}f}',
        'best': f'{cell.structure} {cell.other:.{digits}f}',
        'better by': f'**{by}**' if cell.by > 2 * cell.error else by,
    }


def spread(results: pd.DataFrame, measure: str) -> str:
    """Return a table of means and standard errors, with structures across.

    What was measured without noise (epsilon infinite) stands in columns at the end.
    """
    noisy = np.isfinite(results['epsilon'])
    fits, digits = results[noisy], _DIGITS[measure]
    groups = fits.groupby(['table', 'epsilon', 'structure'], sort=False)[measure]
    mean, error = groups.mean(), groups.sem()
    written = [f'{m:.{digits}f}{_error(e, digits)}' for m, e in zip(mean, error, strict=True)]
    frame = pd.Series(written, mean.index).unstack('structure', fill_value='')
    rows, columns = mean.index.droplevel('structure').unique(), _in_order(fits['structure'])
    frame = frame.loc[rows, columns]
    ceilings = results[~noisy].groupby(['structure', 'table'], sort=False)[measure].mean()
    for name in ceilings.index.unique('structure'):
        frame[name] = [f'{ceilings[name, table]:.{digits}f}' for table, _ in frame.index]
    frame = frame.reset_index().assign(epsilon=lambda f: f['epsilon'].map('{:g}'.format))
    return markdown(frame.assign(table=frame['table'].mask(frame['table'].duplicated(), '')))


def _in_order(structures: pd.Series) -> list[str]:
    """Return the structures, the default first."""
    return sorted(structures.unique(), key=lambda name: name != DEFAULT)


def _error(error: float, digits: int) -> str:
    """Return a standard error as it is written; one sample alone has none."""
    return '' if np.isnan(error) else f' ± {error:.{digits}f}'


def markdown(frame: pd.DataFrame) -> str:
    """Return a frame as a table in Markdown."""
    rows = [list(frame.columns), ['---'] * frame.shape[1], *frame.astype(str).to_numpy().tolist()]
    return '\n'.join(f'| {" | ".join(row)} |' for row in rows)


def samples(results: pd.DataFrame) -> str:
    """Say how many samples each table has."""
    counts = results.groupby('table', sort=False)['sample'].nunique()
    if counts.nunique() == 1:
        return str(counts.iloc[0])
    return '; '.join(f'{table}: {count}' for table, count in counts.items())
