"""What intervals leave out when the graph stays as it was chosen: whole fits repeated beside them.

    python benchmarks/graph_choice.py [--fits N] [--replicates N] [--out FOLDER]

Replicates hold the graph. Here rows drawn of a fit are fitted again with all that belongs to a
fit, the choice of the graph included, and errors of both kinds make intervals for the same shares:
those of pairs of columns that were not measured together, in a simulated census. The page is made
of the lines of all runs; one that is stopped takes up where it was.
"""

import argparse
import itertools
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from compared import markdown
from results_file import ResultsFile, commit

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.datasets import simulate_census
from sdv_prefair.inference._replication import interval_of_errors

EPSILONS, ROWS, PAIRS, MOST_CELLS, LEVEL = (0.1, 1.0, 10.0), 2_000, 12, 500, 0.95
KEY = ('epsilon', 'fit', 'choice')
HELD, REPEATED = 'held', 'repeated'


def main() -> None:
    """Add the lines of all fits that are not there yet, and write the page."""
    warnings.simplefilter('ignore')
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--fits', type=int, default=8, help='at each epsilon')
    parser.add_argument('--replicates', type=int, default=20)
    parser.add_argument('--out', type=Path, default=Path(__file__).parent / 'results')
    options = parser.parse_args()
    results = ResultsFile(options.out / 'graph_choice.csv', KEY)
    done = {key[:2] for key in results.finished()}
    population = simulate_census(200_000, seed=1)
    for fit, epsilon in itertools.product(range(options.fits), EPSILONS):
        if (epsilon, fit) not in done:
            for line in _lines(population, epsilon, fit, options.replicates):
                results.append(line)
            print(epsilon, fit, flush=True)
    _write_page(pd.read_csv(results.path), options)


def _lines(population, epsilon: float, fit: int, number: int) -> list[dict]:
    ((name, whole),) = population.data.items()
    rng = np.random.default_rng([fit, int(10 * epsilon)])
    rows = whole.iloc[rng.choice(len(whole), ROWS)].reset_index(drop=True)
    # Bins are held: of others, shares could not be compared.
    fitted = _fit(population, epsilon, name, rows)
    pairs = _unmeasured(fitted.fitted.model, rng)
    codes = fitted.fitted.encoding.encode(whole)
    truth = np.concatenate([_shares(codes, pair, fitted.fitted.model.domain) for pair in pairs])
    own = _answers(fitted, pairs)
    held = [_of_model(m, pairs) for m in fitted.replicates(number, fit, False).models]
    again = []
    for _ in range(number):
        table = fitted.sample(ROWS, independent_rows=True)[name]
        again.append(_answers(_fit(population, epsilon, name, table), pairs))
    return [
        {'epsilon': epsilon, 'fit': fit, 'choice': choice, 'commit': commit()}
        | _held(own, np.array(answers) - own, truth)
        for choice, answers in ((HELD, held), (REPEATED, again))
    ]


def _fit(population, epsilon: float, name: str, rows: pd.DataFrame) -> PreFairSynthesizer:
    rows = rows.assign(person_id=[f'P{i:08d}' for i in range(len(rows))])
    synthesizer = PreFairSynthesizer(
        population.metadata, epsilon=epsilon, public_ranges=True, discretization='uniform',
        **population.roles.as_dict(),
    )  # fmt: skip
    synthesizer.fit({name: rows})
    return synthesizer


def _unmeasured(model, rng: np.random.Generator) -> list[tuple[str, str]]:
    measured = [set(m.columns) for m in model.measurements]
    pairs = [
        pair for pair in itertools.combinations(model.domain, 2)
        if np.prod([model.domain[c] for c in pair]) <= MOST_CELLS
        and not any(set(pair) <= columns for columns in measured)
    ]  # fmt: skip
    return [pairs[place] for place in rng.permutation(len(pairs))[:PAIRS]]


def _shares(codes: pd.DataFrame, pair, domain) -> np.ndarray:
    shape = tuple(domain[c] for c in pair)
    places = np.ravel_multi_index([codes[c].to_numpy(dtype=int) for c in pair], shape)
    return np.bincount(places, minlength=np.prod(shape)) / len(codes)


def _of_model(model, pairs) -> np.ndarray:
    return np.concatenate([model.marginal(pair).ravel() for pair in pairs])


def _answers(synthesizer: PreFairSynthesizer, pairs) -> np.ndarray:
    return _of_model(synthesizer.fitted.model, pairs)


def _held(own: np.ndarray, errors: np.ndarray, truth: np.ndarray) -> dict:
    intervals = [
        interval_of_errors(estimate, errors[:, place], LEVEL, (0.0, 1.0), 1 / ROWS)
        for place, estimate in enumerate(own.tolist())
    ]
    hits = [i.lower <= t <= i.upper for i, t in zip(intervals, truth.tolist(), strict=True)]
    width = float(np.mean([i.upper - i.lower for i in intervals]))
    return {'hits': sum(hits), 'cells': len(hits), 'width': round(width, 6)}


def _write_page(lines: pd.DataFrame, options: argparse.Namespace) -> None:
    found = lines.groupby(['epsilon', 'choice']).agg(
        fits=('fit', 'nunique'), hits=('hits', 'sum'), intervals=('cells', 'sum'),
        width=('width', 'mean'),
    )  # fmt: skip
    found.insert(1, 'held the truth, %', (100 * found['hits'] / found['intervals']).round(1))
    found['width'] = found['width'].round(4)
    page = (
        '# The choice of the graph\n\n'
        'Made by `python benchmarks/graph_choice.py` at commit '
        f'{", ".join(map(str, lines["commit"].unique()))}: shares of pairs of columns that were '
        f'not measured together, in a simulated census of {ROWS:,} rows with bins of equal width; '
        f'nominal 95 % intervals from {options.replicates} replicates of the fit with its graph '
        '`held`, as `estimate` makes them, and from as many whole fits of rows of the model, with '
        'the choice of the graph `repeated`.\n\n'
    )
    table = markdown(found.drop(columns='hits').reset_index())
    (options.out / 'graph_choice.md').write_text(page + table + '\n')


if __name__ == '__main__':
    main()
