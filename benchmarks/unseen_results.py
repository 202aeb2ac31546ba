"""Tables of what `unseen.py` wrote: every structure, and where the default is not the best.

python benchmarks/unseen_results.py [--results FILE]
"""

import argparse
from pathlib import Path

import pandas as pd
from compared import (
    MEASURES,
    SAME_RULE,
    against_default,
    in_how_many,
    samples,
    spread,
    where_not_best,
)
from fitted_rows import DEFAULT
from generated_tables import SHAPES

REAL, REAL_ADMISSIBLE = 'real rows', 'real rows, admissible columns'
_RESULTS = Path(__file__).parent / 'results' / 'unseen.csv'

_PICKED = (
    'Below are all cells where another structure is better on average. The best of several others '
    'is picked after the fact, which favours it; differences beyond two standard errors are in '
    'bold. A shape with one network has no error.'
)
_RULES = (
    "`'adaptive'` and `'exact'` may tie an outcome to a column without a role. In these tables one "
    'in five of those is caused by an outcome, and so tells more about it than its reasons do: '
    'real rows have a higher AUC with all columns than with the admissible ones. The default does '
    "not, as `'aim'` does not; against the structures that keep the same rule:"
)
_GAP = (
    'How much more often one group of the first protected column is predicted to have the first '
    'outcome than the other, within strata of the admissible columns; as many fresh rows are '
    'predicted to have it as do. Where strata are small, or a classifier has learnt nothing, it is '
    'mostly noise.'
)


def main() -> None:
    """Write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--results', type=Path, default=_RESULTS)
    options = parser.parse_args()
    write_results(read_results(options.results), options.results.with_suffix('.md'))


def read_results(path: Path) -> pd.DataFrame:
    """Read the CSV, in the order of the shapes."""
    results = pd.read_csv(path)
    place = results['table'].map({shape.name: place for place, shape in enumerate(SHAPES)})
    return results.assign(place=place).sort_values(['place', 'epsilon'], kind='stable')


def write_results(results: pd.DataFrame, path: Path) -> None:
    """Write all tables to a Markdown file."""
    compared = against_default(results, list(MEASURES))
    same_rule = compared[compared['structure'].isin(SAME_RULE)]
    lines = [
        '# Tables that nobody tuned on',
        '',
        'Made by `python benchmarks/unseen.py` from the shapes in '
        '`benchmarks/generated_tables.py`, at commit '
        f'{", ".join(results["commit"].astype(str).unique())}. Networks of each shape: '
        f'{samples(results)}. Errors are total variation distances to the table that was fitted; '
        'the AUC is that of gradient boosting trained on synthetic rows and asked about fresh '
        'ones. ± is one standard error of the mean over networks.',
        *['', f"## Where the default (`'{DEFAULT}'`) is not the best", ''],
        *in_how_many(compared, list(MEASURES)),
        *['', _RULES, ''],
        *in_how_many(same_rule, list(MEASURES)),
        *['', _PICKED, '', where_not_best(compared, list(MEASURES))],
        *['', f'The same among the default, {" and ".join(SAME_RULE)}:', ''],
        where_not_best(same_rule, ['outcome TVD2', 'AUC']),
    ]
    for measure, words in MEASURES.items():
        title = f'## {words[0].upper()}{words[1:]}'
        lines += ['', title, '', spread(_with(results, measure), measure)]
    lines += ['', '## Conditional gap of the classifier', '', _GAP, '', spread(results, 'gap')]
    path.write_text('\n'.join([*lines, '']))


def _with(results: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Leave out the real rows where there is nothing to compare them with."""
    return results if measure == 'AUC' else results.query("not structure.str.startswith('real')")


if __name__ == '__main__':
    main()
