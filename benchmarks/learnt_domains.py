"""What is learnt of columns whose domains are not declared, fit by fit.

    python benchmarks/learnt_domains.py [--data FOLDER] [--fits 5] [--epsilon 1] [--out FILE]

FOLDER holds the tables as in the data README. FILE is a Markdown table: of each column what the
real table has, and the least and the most that the fits have learnt. It reads the real tables,
outside of any budget.
"""

import argparse
import sys
import warnings
from pathlib import Path
from typing import Any

import pandas as pd

sys.path.insert(0, str(Path(__file__).parent))
from quality import DATA, learnt, raw_compas
from results_file import commit

from sdv_prefair.datasets import Dataset, load_adult
from sdv_prefair.transformers import CategoryCodes, NumberBins

SHOWN = {
    'Adult': (load_adult, ['native-country', 'age', 'education-num', 'capital-gain']),
    'COMPAS': (raw_compas, ['c_charge_desc', 'age', 'priors_count', 'race']),
}


def found(dataset: Dataset, columns: list[str], epsilon: float) -> dict[str, dict[str, Any]]:
    """Fit once and return what was learnt of some columns."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer = learnt(dataset, epsilon)
        synthesizer.fit(dataset.data)
    model, transformers = synthesizer.fitted.model, synthesizer.fitted.encoding.transformers
    facts: dict[str, dict[str, Any]] = {}
    for column in columns:
        codes = transformers[column]
        if isinstance(codes, CategoryCodes):
            other = model.marginal(column)[codes.other_code] if codes.shows_other else 0.0
            facts[column] = {'values': len(codes.values), 'other %': round(100 * float(other), 1)}
        elif isinstance(codes, NumberBins):
            facts[column] = {'from': codes.low, 'to': codes.high}
    return facts


def real(values: pd.Series, facts: dict[str, Any]) -> str:
    """Return what the table has of a column."""
    if 'values' in facts:
        return f'{values.nunique()} values in {len(values):,} rows'
    return f'{values.min():g} to {values.max():g}'


def spread(fits: list[dict[str, Any]]) -> str:
    """Return the least and the most of each fact."""
    parts = []
    for name in fits[0]:
        least, most = (end(fit[name] for fit in fits) for end in (min, max))
        parts.append(f'{name} {least:g}' if least == most else f'{name} {least:g} to {most:g}')
    return ', '.join(parts)


def main() -> None:
    """Fit, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--data', type=Path, default=DATA)
    parser.add_argument('--fits', type=int, default=5)
    parser.add_argument('--epsilon', type=float, default=1.0)
    out = Path(__file__).parent / 'results/learnt_domains.md'
    parser.add_argument('--out', type=Path, default=out)
    options = parser.parse_args()
    lines = [
        '# Learnt domains',
        '',
        f'Made by `python benchmarks/learnt_domains.py` at commit {commit()}: {options.fits} fits '
        f'at epsilon {options.epsilon:g} of each table, with nothing declared but sdtypes and '
        'formats of dates.',
        '',
        '| column | real | learnt, over all fits |',
        '| --- | --- | --- |',
    ]
    for name, (load, columns) in SHOWN.items():
        dataset = load(options.data)
        fits = [found(dataset, columns, options.epsilon) for _ in range(options.fits)]
        (table,) = dataset.data.values()
        lines += [
            f'| {name} `{c}` | {real(table[c], fits[0][c])} | {spread([fit[c] for fit in fits])} |'
            for c in columns
            if c in fits[0]
        ]
    options.out.write_text('\n'.join([*lines, '']))


if __name__ == '__main__':
    main()
