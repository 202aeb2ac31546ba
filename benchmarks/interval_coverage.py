"""How often intervals hold the truth: fits of many samples of a population that is known.

    python benchmarks/interval_coverage.py [--data FOLDER] [--fits N] [--direct] [--out FOLDER]

Populations are a simulated census of 200,000 rows and the rows of Adult. A sample is drawn from one
with replacement and fitted with the default arguments; then estimates with nominal 95 % intervals
are asked for, for the population and for the sample. A run that is stopped takes up where it was.
``--direct`` leaves out all that needs replicates, for more fits in the same time. The page is made
of all lines by ``coverage_results.py``.
"""

import argparse
import itertools
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from results_file import ResultsFile, commit
from sklearn.linear_model import LogisticRegression

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.datasets import Dataset, load_adult, simulate_census
from sdv_prefair.inference._questions import shown_columns

DATA = Path(__file__).resolve().parents[2] / 'shared' / 'data'
EPSILONS, SIZES = (0.1, 1.0, 10.0), (2_000, 10_000, 50_000)
KEY = ('table', 'epsilon', 'rows', 'fit', 'kind', 'truth', 'basis')
LEVEL, REPLICATES, PAIRS, MOST_CELLS = 0.95, 30, 3, 500
DIRECT = ('one-ways', 'means', 'measured pairs')
KEPT_APART = 'one-ways, values kept apart'
# What a group difference and a regression are of, for each population.
GROUPS = {'census': ('education', 'hours'), 'adult': ('workclass', 'hours-per-week')}
REGRESSED = {'census': ['hours', 'age'], 'adult': ['hours-per-week', 'education-num']}
POSITIVE = '>50K'


def main() -> None:
    """Add the lines of all fits that are not there yet."""
    warnings.simplefilter('ignore')
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--data', type=Path, default=DATA)
    parser.add_argument('--fits', type=int, default=4, help='in each setting')
    parser.add_argument('--first', type=int, default=0, help='number of the first fit')
    parser.add_argument('--direct', action='store_true', help='only what was measured')
    parser.add_argument('--tables', nargs='*', default=list(GROUPS))
    parser.add_argument('--out', type=Path, default=Path(__file__).parent / 'results')
    options = parser.parse_args()
    results = ResultsFile(options.out / 'coverage.csv', KEY)
    done = {key[:4] for key in results.finished()}
    populations = {name: _population(name, options.data) for name in options.tables}
    fits = range(options.first, options.first + options.fits)
    for fit, rows, epsilon, name in itertools.product(fits, SIZES, EPSILONS, options.tables):
        if (name, epsilon, rows, fit) not in done:
            for line in _lines(name, populations[name], epsilon, rows, fit, options.direct):
                results.append(line)
            print(name, epsilon, rows, fit, flush=True)


def _population(name: str, folder: Path) -> Dataset:
    return load_adult(folder) if name == 'adult' else simulate_census(200_000, seed=1)


def _lines(
    name: str, population: Dataset, epsilon: float, rows: int, fit: int, direct: bool
) -> Iterator[dict]:
    ((table_name, whole),) = population.data.items()
    rng = np.random.default_rng([fit, rows, int(10 * epsilon), name == 'adult'])
    sample = whole.iloc[rng.choice(len(whole), rows)].reset_index(drop=True)
    if 'person_id' in sample:
        sample['person_id'] = [f'P{i:08d}' for i in range(rows)]
    roles = population.roles.as_dict()
    synthesizer = PreFairSynthesizer(
        population.metadata, epsilon=epsilon, public_ranges=True, **roles
    )
    synthesizer.fit({table_name: sample})
    seconds = 0.0
    if not direct:
        start = time.perf_counter()
        synthesizer.replicates(REPLICATES, seed=fit, progress=False)
        seconds = (time.perf_counter() - start) / REPLICATES
    asked = list(_asked(synthesizer, population, name, rng, direct))
    setting = {'table': name, 'epsilon': epsilon, 'rows': rows, 'fit': fit}
    for truth, frame in (('population', whole), ('table', sample)):
        # What replicates tell of the table itself takes their rows as well, too long for here.
        questions = asked if truth == 'population' else [q for q in asked if q[0] in DIRECT]
        tallied = _tally(synthesizer, questions, frame, truth == 'population')
        for (kind, basis), (hits, cells, width) in tallied.items():
            yield {
                **setting, 'kind': kind, 'truth': truth, 'basis': basis, 'hits': hits,
                'cells': cells, 'width': round(width / cells, 6), 'seconds': round(seconds, 3),
                'commit': commit(),
            }  # fmt: skip
    if not direct and rows == SIZES[0]:
        hits, cells, width = _regression(synthesizer, name, whole, rows)
        yield {
            **setting, 'kind': 'logistic coefficients', 'truth': 'population', 'basis': 'model',
            'hits': hits, 'cells': cells, 'width': round(width / cells, 6),
            'seconds': round(seconds, 3), 'commit': commit(),
        }  # fmt: skip


def _asked(synthesizer, population, name, rng, direct) -> Iterator[tuple[str, object]]:
    """Give what is asked: a kind, and columns or a query."""
    model, roles = synthesizer.fitted.model, population.roles
    measured = {frozenset(m.columns) for m in model.measurements}
    yield from (('one-ways', [column]) for column in model.domain)
    (described,) = population.metadata.tables.values()
    numbers = [c for c in model.domain if described.columns[c]['sdtype'] == 'numerical']
    yield from (('means', f'mean of {column}') for column in numbers)
    pairs = [
        pair for pair in itertools.combinations(model.domain, 2)
        if np.prod([model.domain[c] for c in pair]) <= MOST_CELLS
    ]  # fmt: skip
    known = [p for p in pairs if frozenset(p) in measured]
    chosen = [known[i] for i in rng.permutation(len(known))[:PAIRS]]
    yield from (('measured pairs', list(pair)) for pair in chosen)
    if direct:
        return
    group, number = GROUPS[name]
    yield 'group differences', f'difference in mean of {number} by {group}'
    unknown = [p for p in pairs if not any(set(p) <= m for m in measured)]
    crossing = [p for p in unknown if set(p) & set(roles.protected) and set(p) & set(roles.outcome)]
    others = [p for p in unknown if p not in crossing]
    for kind, found in (('unmeasured pairs', others), ('protected and outcome', crossing)):
        yield from ((kind, list(found[i])) for i in rng.permutation(len(found))[:PAIRS])


def _tally(synthesizer, asked, frame: pd.DataFrame, sampling: bool) -> dict:
    tallied: dict[tuple[str, str], np.ndarray] = {}
    codes = synthesizer.fitted.encoding.encode(frame)
    for kind, query in asked:
        found = synthesizer.estimate(query, LEVEL, sampling, in_the_fair_table=True)
        truth = _truth(synthesizer, found, query, frame, codes)
        hit = (found['lower'] <= truth + 1e-12) & (truth <= found['upper'] + 1e-12)
        for name, basis, own in _parts(synthesizer, kind, query, found):
            own = own & ~np.isnan(truth)
            width = (found['upper'] - found['lower'])[own].sum()
            line = np.array([hit[own].sum(), own.sum(), width], dtype=float)
            key = (name, basis)
            tallied[key] = tallied.get(key, 0) + line
    return {key: line for key, line in tallied.items() if line[1]}


def _parts(synthesizer, kind: str, query, found: pd.DataFrame) -> Iterator[tuple]:
    """Give kinds of lines, what they rest on, and which lines they are."""
    for basis in found['basis'].unique():
        yield kind, basis, (found['basis'] == basis).to_numpy()
    compression = synthesizer.fitted.model.compressions.get(query[0])
    if kind == 'one-ways' and compression is not None and compression.measured is not None:
        # Values that looked frequent by the very noise that is in their intervals.
        shown = shown_columns(synthesizer.fitted.encoding)[query[0]].shown
        number = np.bincount(compression.group_of)[compression.group_of]
        # A column that is shown without its last codes may have them no more.
        kept = np.append(number == 1, np.zeros(shown.size - number.size, dtype=bool))
        yield KEPT_APART, 'measured', kept[shown]


def _truth(synthesizer, found, query, frame: pd.DataFrame, codes: pd.DataFrame) -> np.ndarray:
    """Return what a frame has: shares by code, means of the numbers as they are."""
    if isinstance(query, list):
        columns = shown_columns(synthesizer.fitted.encoding)
        shape = tuple(columns[c].shown.size for c in query)
        places = np.ravel_multi_index([codes[c].to_numpy(dtype=int) for c in query], shape)
        counts = np.bincount(places, minlength=np.prod(shape)).reshape(shape)
        kept = np.ix_(*(np.flatnonzero(columns[c].shown) for c in query))
        return (counts[kept] / len(codes)).ravel()
    if query.startswith('mean of '):
        return np.array([frame[query.removeprefix('mean of ')].mean()])
    number, group = query.removeprefix('difference in mean of ').split(' by ')
    means = frame.groupby(group, observed=True)[number].mean()
    return np.array([means.get(a, np.nan) - means.get(b, np.nan) for a, b in found.index])


def _coefficients(table: pd.DataFrame, name: str) -> pd.Series:
    numbers = REGRESSED[name]
    rows = table.dropna(subset=[*numbers, 'income'])
    if rows['income'].nunique() < 2:
        return pd.Series(np.nan, numbers)
    scaled = rows[numbers].astype(float) / 10
    fitted = LogisticRegression(C=1e6).fit(scaled, rows['income'] == POSITIVE)
    return pd.Series(fitted.coef_[0], numbers)


def _regression(synthesizer, name: str, whole: pd.DataFrame, rows: int) -> np.ndarray:
    found = synthesizer.estimate_statistic(
        lambda table: _coefficients(table, name), rows, LEVEL, progress=False
    )
    truth = _coefficients(whole, name)
    found = found.replace([np.nan], 0.0)
    hit = (found['lower'] <= truth) & (truth <= found['upper'])
    return np.array([hit.sum(), len(hit), (found['upper'] - found['lower']).sum()])


if __name__ == '__main__':
    main()
