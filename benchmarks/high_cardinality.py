"""Columns with thousands of values: SDV's score of quality, beside SDV's own synthesizer.

    python benchmarks/high_cardinality.py [--fits 5] [--rows 10000] [--values 5000] [--out FILE]

The table is simulated: postal codes of five digits, of which a few are frequent and most are rare
(Zipf), and of which the first two digits are a region that education depends on. Lines are added
to FILE, a CSV, and a run that was stopped takes up where it was; its Markdown twin is made anew.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sdv.evaluation import evaluate_quality
from sdv.metadata import Metadata
from sdv.single_table import GaussianCopulaSynthesizer

sys.path.insert(0, str(Path(__file__).parent))
from results_file import ResultsFile, commit

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.datasets._dataset import categorical, public_metadata

KEY = ['rows', 'values', 'setting', 'epsilon', 'fit']
SCORES = ['score', 'shapes', 'pairs', 'postcode', 'region']
_EPSILONS = (1.0, 10.0)
_ROLES: dict[str, Any] = {
    'protected': ['sex'],
    'admissible': ['education'],
    'outcome': ['income'],
}
_LEVELS = 6
_REGION, _AREA = 2, 1  # digits
_FORM = '[0-9]{5}'


def simulated(rows: int, values: int, seed: int = 0) -> tuple[pd.DataFrame, list[str]]:
    """Return a table, and all postal codes that there are."""
    rng = np.random.default_rng(seed)
    codes = [f'{n:05d}' for n in np.sort(rng.choice(100_000, values, replace=False))]
    weights = 1 / np.arange(1, values + 1)
    held = rng.permutation(values)[rng.choice(values, rows, p=weights / weights.sum())]
    region = np.array([int(code[:_REGION]) for code in codes])[held]
    education = np.clip(rng.binomial(_LEVELS - 1, 0.2 + 0.6 * (region % 10) / 9), 0, _LEVELS - 1)
    sex = rng.random(rows) < 0.45
    income = rng.random(rows) < 0.1 + 0.12 * education + 0.1 * sex
    table = pd.DataFrame({
        'postcode': np.array(codes)[held],
        'sex': np.where(sex, 'm', 'f'),
        'education': education,
        'income': np.where(income, 'high', 'low'),
    })
    return table, codes


def metadata_of(codes: list[str] | None) -> Metadata:
    """Return what is public of the table; the postal codes only if they are given."""
    return public_metadata(
        'people',
        {
            'postcode': {'sdtype': 'categorical'} if codes is None else categorical(codes),
            'sex': categorical(['f', 'm']),
            'education': categorical(range(_LEVELS)),
            'income': categorical(['low', 'high']),
        },
    )


def synthesizer(
    is_declared: bool, **facts: Any
) -> Callable[[list[str], float], PreFairSynthesizer]:
    """Return what makes a synthesizer.

    Args:
        is_declared: Whether the postal codes are public; else they are learnt.
        **facts: What else is public of them.
    """

    def make(codes: list[str], epsilon: float) -> PreFairSynthesizer:
        domain = {'postcode': facts} if facts else None
        metadata = metadata_of(codes if is_declared else None)
        return PreFairSynthesizer(
            metadata, epsilon=epsilon, public_ranges=True, domain=domain, **_ROLES
        )

    return make


def copula(codes: list[str], _epsilon: float) -> GaussianCopulaSynthesizer:
    """Return SDV's own synthesizer, which reads everything from the rows."""
    return GaussianCopulaSynthesizer(metadata_of(codes))


SETTINGS: dict[str, tuple[Callable[[list[str], float], Any], tuple[float, ...]]] = {
    'declared': (synthesizer(True), _EPSILONS),
    'declared, with regions': (synthesizer(True, range_groups=_REGION), _EPSILONS),
    'learnt': (synthesizer(False), _EPSILONS),
    'learnt, high_cardinality': (synthesizer(False, high_cardinality=True), _EPSILONS),
    'learnt, with areas and form': (
        synthesizer(False, range_groups=_AREA, regex_format=_FORM),
        _EPSILONS,
    ),
    'GaussianCopula (not private)': (copula, (np.inf,)),
}


def measured(make: Callable, table: pd.DataFrame, codes: list[str], epsilon: float) -> dict:
    """Fit once and return scores, and how long the fit took."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        model = make(codes, epsilon)
        begin = time.perf_counter()
        model.fit({'people': table})
        seconds = time.perf_counter() - begin
        rows = model.sample(len(table))['people']
        tables = {'people': table}, {'people': rows}
        report = evaluate_quality(*tables, metadata_of(codes), verbose=False)
    by_property = report.get_properties().set_index('Property')['Score']
    shapes = report.get_details('Column Shapes', 'people').set_index('Column')['Score']
    return {
        'score': report.get_score(),
        'shapes': by_property['Column Shapes'],
        'pairs': by_property['Column Pair Trends'],
        'postcode': shapes['postcode'],
        'region': 1 - _distance(*(t['postcode'].str[:_REGION] for t in (table, rows))),
        'of the form': float(rows['postcode'].str.fullmatch(_FORM).fillna(False).mean()),
        'seconds': seconds,
    }


def _distance(real: pd.Series, synthetic: pd.Series) -> float:
    shares = [column.value_counts(normalize=True) for column in (real, synthetic)]
    return float(shares[0].sub(shares[1], fill_value=0).abs().sum() / 2)


def main() -> None:
    """Fit and score what is missing, then write the table of results."""
    options = _options()
    results = ResultsFile(options.out, KEY)
    finished = results.finished()
    table, codes = simulated(options.rows, options.values)
    for fit in range(options.fits):
        for setting, (make, epsilons) in SETTINGS.items():
            for epsilon in epsilons:
                key = (options.rows, options.values, setting, epsilon, fit)
                if key not in finished:
                    row = dict(zip(KEY, key, strict=True))
                    row |= measured(make, table, codes, epsilon)
                    results.append(row | {'commit': commit()})
    write_results(pd.read_csv(options.out), options.out.with_suffix('.md'))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--fits', type=int, default=5)
    parser.add_argument('--rows', type=int, default=10_000)
    parser.add_argument('--values', type=int, default=5_000)
    out = Path(__file__).parent / 'results/high_cardinality.csv'
    parser.add_argument('--out', type=Path, default=out)
    return parser.parse_args()


def write_results(results: pd.DataFrame, path: Path) -> None:
    """Write the means over fits as Markdown."""
    groups = results.groupby(['rows', 'values', 'setting', 'epsilon'], sort=False)
    means = groups[[*SCORES, 'of the form', 'seconds']].mean().round(3)
    means.insert(0, 'fits', groups.size())
    lines = [_line(row) for row in [['setting', 'epsilon', *means], *_cells(means)]]
    lines.insert(1, _line(['---'] * (2 + means.shape[1])))
    path.write_text('\n'.join([_HEAD, *lines, '']))


def _cells(means: pd.DataFrame) -> list[list[str]]:
    return [
        [setting, '' if np.isinf(epsilon) else f'{epsilon:g}', *(f'{cell:g}' for cell in row)]
        for (_, _, setting, epsilon), row in zip(means.index, means.to_numpy(), strict=True)
    ]


def _line(cells: list[str]) -> str:
    return f'| {" | ".join(map(str, cells))} |'


_HEAD = """# Columns with thousands of values

Made by `benchmarks/high_cardinality.py`. Means over fits of SDV's `evaluate_quality` (`score`, and
its two properties), of its score of the postal codes alone, and of one minus the total variation
distance of their first two digits. `of the form`: the share of rows with five digits.

"""

if __name__ == '__main__':
    main()
