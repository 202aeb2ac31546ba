"""SDV's own score of quality on raw tables: with declared and with learnt domains, and beside SDV.

    python benchmarks/quality.py [--data FOLDER] [--fits 5] [--copula-fits 1] [--rows 50000]
        [--tables Adult COMPAS] [--out FILE]

FOLDER holds the tables as in the data README. Lines are added to FILE, a CSV, and a run that was
stopped takes up where it was; the tables of FILE's Markdown twin are made anew each time. Scores
read the real table, outside of any budget.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from sdv.evaluation import evaluate_quality
from sdv.single_table import GaussianCopulaSynthesizer

sys.path.insert(0, str(Path(__file__).parent))
from results_file import ResultsFile, commit

from sdv_prefair import PreFairSynthesizer, Roles
from sdv_prefair.datasets import Dataset, load_adult, load_census_kdd
from sdv_prefair.datasets._dataset import categorical, numerical, ordinal, public_metadata

DATA = Path(__file__).resolve().parents[2] / 'shared' / 'data'
KEY = ['table', 'setting', 'epsilon', 'fit']
SCORES = ('score', 'shapes', 'pairs')
_EPSILONS = (1.0, 10.0)
_LEVELS = ['Low', 'Medium', 'High']

COMPAS = {
    'compas_screening_date': {
        'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d', 'range_min': '2013-01-01',
        'range_max': '2014-12-31', 'range_is_nullable': False,
    },
    'sex': categorical(['Male', 'Female']),
    'age': numerical(18, 100),
    'age_cat': ordinal(['Less than 25', '25 - 45', 'Greater than 45']),
    'race': categorical([
        'African-American', 'Asian', 'Caucasian', 'Hispanic', 'Native American', 'Other',
    ]),
    'juv_fel_count': numerical(0, 20),
    'juv_misd_count': numerical(0, 20),
    'juv_other_count': numerical(0, 20),
    'priors_count': numerical(0, 40),
    'days_b_screening_arrest': numerical(-1000, 2000, nullable=True),
    'c_charge_degree': categorical(['F', 'M']),
    # Texts that nobody has listed: they are learnt with declared domains, too.
    'c_charge_desc': {'sdtype': 'categorical'},
    'decile_score': ordinal(range(1, 11)),
    'score_text': ordinal(_LEVELS),
    'v_decile_score': ordinal(range(1, 11)),
    'v_score_text': ordinal(_LEVELS),
    'two_year_recid': categorical([0, 1]),
}  # fmt: skip


def raw_compas(folder: Path) -> Dataset:
    """Return ProPublica's table of 7,214 defendants, with what its documentation says."""
    path = folder / 'compas' / 'compas-scores-two-years.csv.gz'
    table = pd.read_csv(path, keep_default_na=False, na_values=[''])[list(COMPAS)]
    roles = Roles(['sex', 'race'], ['priors_count', 'c_charge_degree'], ['two_year_recid'])
    return Dataset({'compas': table}, public_metadata('compas', COMPAS), roles)


TABLES: dict[str, Callable[[Path], Dataset]] = {
    'Adult': load_adult,
    'COMPAS': raw_compas,
    'Census KDD': load_census_kdd,
}


def declared(dataset: Dataset, epsilon: float) -> PreFairSynthesizer:
    """Return a synthesizer that takes the codebook's ranges as public."""
    return PreFairSynthesizer(
        dataset.metadata, epsilon=epsilon, public_ranges=True, **dataset.roles.as_dict()
    )


def learnt(dataset: Dataset, epsilon: float) -> PreFairSynthesizer:
    """Return a synthesizer that learns all domains within the budget."""
    return PreFairSynthesizer(
        dataset.metadata, epsilon=epsilon, public_ranges=False, **dataset.roles.as_dict()
    )


def copula(dataset: Dataset, _epsilon: float) -> GaussianCopulaSynthesizer:
    """Return SDV's own synthesizer, which reads everything from the rows."""
    return GaussianCopulaSynthesizer(dataset.metadata)


SETTINGS = {
    'sdv-prefair, declared domains': (declared, _EPSILONS),
    'sdv-prefair, learnt domains': (learnt, _EPSILONS),
    'GaussianCopula (not private)': (copula, (np.inf,)),
}


def main() -> None:
    """Fit and score what is missing, then write the tables."""
    options = _options()
    results = ResultsFile(options.out, KEY)
    finished = results.finished()
    for fit in range(options.fits):
        for name in options.tables:
            load, dataset = TABLES[name], None
            for setting, (make, epsilons) in SETTINGS.items():
                for epsilon in epsilons:
                    enough = make is copula and fit >= options.copula_fits
                    if enough or (name, setting, epsilon, fit) in finished:
                        continue
                    dataset = dataset or _shortened(load(options.data), options.rows)
                    row = {'table': name, 'setting': setting, 'epsilon': epsilon, 'fit': fit}
                    results.append(row | measured(dataset, make, epsilon) | {'commit': commit()})
    write_results(pd.read_csv(options.out), options.out.with_suffix('.md'))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--data', type=Path, default=DATA)
    parser.add_argument('--fits', type=int, default=5)
    parser.add_argument('--copula-fits', type=int, default=1, help="fits of SDV's own")
    parser.add_argument('--tables', nargs='+', choices=list(TABLES), default=list(TABLES))
    parser.add_argument('--rows', type=int, default=50_000, help='most rows of a table')
    parser.add_argument('--out', type=Path, default=Path(__file__).parent / 'results/quality.csv')
    return parser.parse_args()


def _shortened(dataset: Dataset, most: int) -> Dataset:
    ((name, table),) = dataset.data.items()
    chosen = table.sample(min(most, len(table)), random_state=0).reset_index(drop=True)
    return dataset._replace(data={name: chosen})


def measured(dataset: Dataset, make: Callable, epsilon: float) -> dict[str, float]:
    """Fit once and return SDV's scores and the processor time that the fit took."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer = make(dataset, epsilon)
        begin = time.process_time()
        synthesizer.fit(dataset.data)
        seconds = time.process_time() - begin
        ((_, table),) = dataset.data.items()
        rows = synthesizer.sample(len(table))
        report = evaluate_quality(dataset.data, rows, dataset.metadata, verbose=False)
    by_property = report.get_properties().set_index('Property')['Score']
    return {
        'score': report.get_score(),
        'shapes': by_property['Column Shapes'],
        'pairs': by_property['Column Pair Trends'],
        'seconds': seconds,
    }


def write_results(results: pd.DataFrame, path: Path) -> None:
    """Write a table of the means for each of the tables."""
    lines = [
        "# SDV's score of quality",
        '',
        'Made by `python benchmarks/quality.py`: `evaluate_quality` of raw tables, of at most '
        '50,000 rows each, means with standard errors. Higher is better. Declared domains are '
        'those of the codebooks; with learnt ones nothing of the metadata is used but the sdtypes '
        'and the format of dates, and what is learnt is paid from the same epsilon. The free text '
        'of COMPAS, `c_charge_desc` with 437 values, is learnt in both. GaussianCopula reads '
        'everything from the rows and promises neither privacy nor fairness; it draws no noise, so '
        'one fit is enough. Times are processor times of one thread.',
    ]
    for name, of_table in results.groupby('table', sort=False):
        lines += ['', f'## {name}', '', *_rows(of_table)]
    path.write_text('\n'.join([*lines, '']))


def _rows(results: pd.DataFrame) -> list[str]:
    kinds = results.groupby(['setting', 'epsilon'], sort=False)
    means, errors = kinds[[*SCORES, 'seconds']].mean(), kinds[[*SCORES]].sem()
    fits = kinds.size()
    copula = means['seconds'].xs(np.inf, level='epsilon').iloc[0] if _has_copula(means) else np.nan
    head = (
        '| setting | epsilon | fits | score | column shapes | column pair trends | fit time / '
        'copula |'
    )
    lines = [head, '| --- | --- | --- | --- | --- | --- | --- |']
    for kind, row in means.iterrows():
        setting, epsilon = kind
        shown = '' if np.isinf(epsilon) else f'{epsilon:g}'
        scores = ' | '.join(_with_error(row[s], errors.loc[kind, s]) for s in SCORES)
        ratio = row['seconds'] / copula
        time_taken = 'not timed' if np.isnan(ratio) else f'{ratio:.2f}'
        lines.append(f'| {setting} | {shown} | {fits[kind]} | {scores} | {time_taken} |')
    return lines


def _with_error(mean: float, error: float) -> str:
    return f'{mean:.3f}' if np.isnan(error) else f'{mean:.3f} ± {error:.3f}'


def _has_copula(means: pd.DataFrame) -> bool:
    return bool(np.isinf(means.index.get_level_values('epsilon')).any())


if __name__ == '__main__':
    main()
