"""Notions of fairness on Adult and COMPAS: what each leaves of the others, and what it costs.

    python benchmarks/notions.py [--data FOLDER] [--samples 5] [--out FOLDER]

A decision stands beside a label. In COMPAS the decision is a risk score above low and the label
recidivism within two years. Adult has no decision: it is what gradient boosting, trained on one
half of the rows, says of the income of the other half, which is fitted. Four fifths of the rows
are fitted and a fifth is held out for the AUC. Of each model the conditional mutual information
of every notion is worked out exactly, from its tables; rates are those of sampled rows.
"""

import argparse
import sys
import warnings
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from compared import markdown
from fitted_rows import boosted_auc, boosted_scores
from paper import DATA
from results_file import ResultsFile, commit
from tqdm import tqdm

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.datasets import Dataset, load_adult, load_compas
from sdv_prefair.datasets._dataset import categorical, public_metadata
from sdv_prefair.fairness import (
    Independent,
    demographic_parity,
    equalized_odds,
    justifiable,
    sufficiency,
)
from sdv_prefair.metrics import TwoWayTotalVariation
from sdv_prefair.structure import PlannedStrategy, UnconstrainedStrategy

KEY = ['table', 'epsilon', 'notion', 'unlabelled', 'sample']
NONE, REAL, NO_NOISE = 'none', 'real rows', float('inf')
NOTIONS = ('justifiable', 'demographic parity', 'equalized odds', 'sufficiency')
EPSILONS = (1.0, 10.0)
ROWS = 40_000


class Case(NamedTuple):
    """A table with a decision and a label, and the two groups whose rates are compared."""

    dataset: Dataset
    protected: list[str]
    admissible: list[str]
    decision: str
    label: str
    group: str
    groups: tuple[int, int]

    def statements(self) -> dict[str, list[Independent]]:
        """Return what each notion says of this table."""
        decided = [self.decision], [self.label]
        return {
            'justifiable': justifiable(self.protected, self.admissible, [self.decision]),
            'demographic parity': demographic_parity(self.protected, [self.decision]),
            'equalized odds': equalized_odds(self.protected, *decided),
            'sufficiency': sufficiency(self.protected, *decided),
        }


def compas(folder: Path) -> Case:
    """Return COMPAS; its score is a decision, and recidivism the label."""
    dataset = load_compas(folder, aligned=True)
    admissible = ['Number_of_Priors', 'Misdemeanor']
    decided = 'score_factor', 'Two_yr_Recidivism'
    return Case(dataset, ['Sex', 'Race'], admissible, *decided, 'Race', (0, 1))


def adult(folder: Path) -> Case:
    """Return one half of Adult, with the decision of a classifier trained on the other."""
    dataset = load_adult(folder, raw=False)
    ((name, table),) = dataset.data.items()
    order = np.random.default_rng(0).permutation(len(table))
    train, rows = (table.iloc[part] for part in np.array_split(order, 2))
    label, features = 'income>50K', [column for column in table if column != 'income>50K']
    decision = (boosted_scores(train, rows, features, label, 0) > 0.5).astype(int)
    columns = dataset.metadata.to_dict()['tables'][name]['columns']
    metadata = public_metadata(name, columns | {'decision': categorical(range(2))})
    rows = rows.assign(decision=decision).reset_index(drop=True)
    made = Dataset({name: rows}, metadata, dataset.roles)
    protected, admissible = ['sex', 'race'], ['education-num', 'occupation']
    return Case(made, protected, admissible, 'decision', label, 'sex', (0, 1))


TABLES = {'COMPAS': compas, 'Adult': adult}


def main() -> None:
    """Run what is missing, then write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--data', type=Path, default=DATA)
    parser.add_argument('--samples', type=int, default=5, help='fits of each kind')
    parser.add_argument('--tables', nargs='+', choices=TABLES, default=list(TABLES))
    parser.add_argument('--out', type=Path, default=Path(__file__).parent / 'results')
    options = parser.parse_args()
    warnings.simplefilter('ignore')
    results = ResultsFile(options.out / 'notions.csv', KEY)
    cases = {name: TABLES[name](options.data) for name in options.tables}
    done, wanted = results.finished(), _keys(options.samples, options.tables)
    for key in tqdm([key for key in wanted if key not in done], file=sys.stderr):
        row = dict(zip(KEY, key, strict=True))
        results.append(row | {'commit': commit()} | _measured(cases[row['table']], row))
    write_results(pd.read_csv(results.path), results.path.with_suffix('.md'))


def _keys(samples: int, tables: Sequence[str]) -> list[tuple]:
    """Return all runs, so ordered that a run which is stopped leaves whole samples."""
    kinds = [(NONE, 'free'), *product(NOTIONS, ('apart', 'free'))]
    return [
        (table, epsilon, notion, unlabelled, sample)
        for sample, table in product(range(samples), tables)
        for epsilon, (notion, unlabelled) in [
            (NO_NOISE, (REAL, 'free')),
            *product(EPSILONS, kinds),
        ]
    ]


def _measured(case: Case, row: dict) -> dict[str, float]:
    ((name, table),) = case.dataset.data.items()
    order = np.random.default_rng(row['sample']).permutation(len(table))
    held, kept = (table.iloc[part] for part in np.split(order, [len(table) // 5]))
    rows, told = kept, {}
    if row['notion'] != REAL:
        synthesizer = _fitted(case, row, {name: kept})
        (rows,) = synthesizer.sample(ROWS).values()
        told = informations(case, synthesizer._model)
    error = TwoWayTotalVariation.compute_breakdown(kept, rows, case.dataset.metadata)['score']
    features = [column for column in table if column not in (case.decision, case.label)]
    areas = {
        f'AUC of the {what}': boosted_auc(rows, held, features, column, row['sample'])
        for what, column in (('decision', case.decision), ('label', case.label))
    }
    nothing = dict.fromkeys((f'I of {notion}' for notion in NOTIONS), np.nan)
    return nothing | told | gaps(case, rows) | {'TVD2': error} | areas


def _fitted(case: Case, row: dict, data: dict[str, pd.DataFrame]) -> PreFairSynthesizer:
    notion = 'demographic parity' if row['notion'] == NONE else row['notion']
    structure = 'planned'
    if row['notion'] == NONE:  # outcomes weigh as much as with a promise, and nothing is kept
        structure = PlannedStrategy(UnconstrainedStrategy())
    synthesizer = PreFairSynthesizer(
        case.dataset.metadata,
        epsilon=row['epsilon'],
        public_ranges=True,
        structure=structure,
        fairness=case.statements()[notion],
        unlabelled=None if row['notion'] == NONE else row['unlabelled'],
    )
    synthesizer.fit(data)
    return synthesizer


def informations(case: Case, model) -> dict[str, float]:
    """Return for each notion I(left; right | given) in the model, in bits, worked out exactly."""
    return {
        f'I of {notion}': sum(map(lambda s: _information(s, model), statements))
        for notion, statements in case.statements().items()
    }


def _information(statement: Independent, model) -> float:
    sides = statement.left, statement.right, statement.given
    joint = model.marginal([column for side in sides for column in side])
    joint = joint.reshape([int(np.prod([model.domain[c] for c in side])) for side in sides])
    alone = joint.sum(axis=(0, 1), keepdims=True)
    first, second = joint.sum(axis=1, keepdims=True), joint.sum(axis=0, keepdims=True)
    with np.errstate(divide='ignore', invalid='ignore'):
        ratio = np.where(joint > 0, joint * alone / (first * second), 1.0)
    return float((joint * np.log2(ratio)).sum())


def gaps(case: Case, rows: pd.DataFrame) -> dict[str, float]:
    """Return by how much rates of the two groups differ in the rows."""
    decision, label = rows[case.decision], rows[case.label]
    among = {'positive rate': label >= 0, 'FPR': label == 0, 'TPR': label == 1, 'PPV': decision > 0}
    found = {}
    for rate, chosen in among.items():
        counted = label if rate == 'PPV' else decision
        first, second = (counted[chosen & (rows[case.group] == g)].mean() for g in case.groups)
        found[f'{rate} gap'] = abs(first - second)
    return found


def write_results(results: pd.DataFrame, path: Path) -> None:
    """Write a table for each data set and epsilon to a Markdown file."""
    lines = [
        '# Notions of fairness, and what each costs',
        '',
        'Made by `python benchmarks/notions.py`, at commit '
        f'{", ".join(results["commit"].astype(str).unique())}, with the default structure '
        f"(`'planned'`); means and, if there are several fits, ± one standard error. I is "
        'the conditional mutual information of a notion in the model, in bits, worked out exactly; '
        f'gaps are differences between two groups in {ROWS:,} sampled rows, which are within 0.03 '
        'of zero by chance where they are zero in the model. The AUC is that of gradient '
        'boosting trained on synthetic rows without decision and label, and asked about real rows '
        'held out. `none` is the same mechanism without a promise.',
    ]
    for (table, epsilon), part in results.groupby(['table', 'epsilon'], sort=False):
        if epsilon == NO_NOISE:
            continue
        real = results[(results['table'] == table) & (results['notion'] == REAL)]
        shown = _summary(pd.concat([real, part]))
        fits = part.groupby(['notion', 'unlabelled']).size().min()
        title = f'## {table}, epsilon {epsilon:g}, {fits} fits of each'
        lines += ['', title, '', markdown(shown)]
    path.write_text('\n'.join([*lines, '']))


def _summary(results: pd.DataFrame) -> pd.DataFrame:
    measures = [c for c in results if c.endswith(' gap') or c.startswith(('I of', 'TVD2', 'AUC'))]
    lines = []
    for (notion, unlabelled), part in results.groupby(['notion', 'unlabelled'], sort=False):
        name = notion if notion in (NONE, REAL) else f"{notion}, `'{unlabelled}'`"
        lines.append({'notion': name} | {c: _spread(c, part[c].dropna()) for c in measures})
    return pd.DataFrame(lines)


def _spread(measure: str, values: pd.Series) -> str:
    if values.empty:
        return ''
    if measure.startswith('I of'):
        return '**0**' if values.abs().max() < 1e-12 else f'{values.mean():.4f}'
    error = f' ± {values.sem():.3f}' if len(values) > 1 else ''
    return f'{values.mean():.3f}{error}'


if __name__ == '__main__':
    main()
