"""PrivBayes and MWEM of other libraries beside ours: time and error on the same codes, in one run.

    make bench-libraries
    python benchmarks/other_libraries.py [--python LIBRARY=INTERPRETER ...] [--limit SECONDS]
        [--most-codes NUMBER]

dpmm and smartnoise-synth cannot be installed beside SDV 2.0, so each runs in an environment of its
own: `--python dpmm=PATH` and `--python snsynth=PATH` name their interpreters. Each contestant gets
the same codes and the sizes of the columns, and hands back as many rows as there are. Seconds are
of the processor, in one thread. Results go to a CSV line by line, those that took longer than
`--limit` too. The real table is read outside any budget: this is a benchmark.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

DATA = Path(__file__).resolve().parents[2] / 'shared' / 'data'
DELTA = 1e-9
KEY = ['table', 'epsilon', 'contestant', 'sample']
_ONE_THREAD = dict.fromkeys(('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS'), '1')


def ours(folder, frame, epsilon, structure, fair):
    """Fit ours, from codes whose number is public."""
    from coded_tables import as_codes
    from paper import TABLES

    from sdv_prefair import PreFairSynthesizer
    from sdv_prefair.structure import MwemStrategy, PrivBayesStrategy, UnconstrainedStrategy

    told = json.loads((folder / 'told.json').read_text())
    coded = as_codes(TABLES[told['table']][0](Path(told['data'])), told['most_codes'])
    made = {'privbayes': PrivBayesStrategy, 'mwem': MwemStrategy}[structure]
    synthesizer = PreFairSynthesizer(
        coded.metadata,
        epsilon=epsilon,
        delta=DELTA,
        public_ranges=True,
        structure=made() if fair else made(UnconstrainedStrategy()),
        **coded.roles.as_dict(),
    )
    (name,) = coded.data
    started = time.process_time()
    synthesizer.fit({name: frame})
    return time.process_time() - started, synthesizer.sample(len(frame))[name]


def dpmm_priv_bayes(folder, frame, epsilon):
    """Fit dpmm's PrivBayes as it comes: one parent each, 5000 steps of its solver."""
    from dpmm.models.priv_bayes import PrivBayesGM
    from numpy.random import RandomState

    model = PrivBayesGM(epsilon=epsilon, delta=DELTA, n_jobs=1)
    started = time.process_time()
    model.set_domain(json.loads((folder / 'told.json').read_text())['sizes'])
    model.set_random_state(RandomState())
    model.fit(frame)
    return time.process_time() - started, model.generate(n_records=len(frame))


def smartnoise_mwem(folder, frame, epsilon, group):
    """Fit smartnoise-synth's MWEM, which holds columns together in groups of a few only."""
    from snsynth import Synthesizer

    synthesizer = Synthesizer.create('mwem', epsilon=epsilon, split_factor=group)
    started = time.process_time()
    synthesizer.fit(frame.copy(), categorical_columns=list(frame), preprocessor_eps=0.0)
    return time.process_time() - started, _smartnoise_rows(synthesizer, len(frame))


def _smartnoise_rows(synthesizer, num_rows):
    """Draw what its `sample` draws, all rows at once: one by one it takes hours."""
    rng, drawn = np.random.default_rng(), []
    for histogram, _, _ in synthesizer.synthetic_histograms:
        cells = rng.choice(histogram.size, num_rows, p=histogram.ravel() / histogram.sum())
        drawn += np.unravel_index(cells, histogram.shape)
    codes = np.column_stack(drawn)[:, synthesizer._reorder(synthesizer.splits)]
    return synthesizer._transformer.inverse_transform(codes)


CONTESTANTS = {
    'Fair PrivBayes': (None, ours, {'structure': 'privbayes', 'fair': True}),
    'PrivBayes, not fair': (None, ours, {'structure': 'privbayes', 'fair': False}),
    'dpmm PrivBayes': ('dpmm', dpmm_priv_bayes, {}),
    'Fair MWEM': (None, ours, {'structure': 'mwem', 'fair': True}),
    'MWEM, not fair': (None, ours, {'structure': 'mwem', 'fair': False}),
    'smartnoise MWEM, groups of 2': ('snsynth', smartnoise_mwem, {'group': 2}),
    'smartnoise MWEM, groups of 3': ('snsynth', smartnoise_mwem, {'group': 3}),
}


def main() -> None:
    """Run every contestant whose library is there; write what came out."""
    options = _options()
    if options.one:
        _run_one(*options.one)
        return
    from results_file import ResultsFile

    results = ResultsFile(options.out / 'other_libraries.csv', KEY)
    for table in options.tables:
        with tempfile.TemporaryDirectory() as folder:
            _run_table(table, Path(folder), results, options)
    if results.path.exists():
        _write(pd.read_csv(results.path), results.path.with_suffix('.md'))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--data', type=Path, default=DATA)
    parser.add_argument('--tables', nargs='+', default=['Adult', 'Census KDD'])
    parser.add_argument('--most-codes', type=int, help='leave out columns of more codes')
    parser.add_argument('--python', nargs='*', default=[], metavar='LIBRARY=INTERPRETER')
    parser.add_argument('--contestants', nargs='+', choices=CONTESTANTS, default=list(CONTESTANTS))
    parser.add_argument('--limit', type=float, default=3600, help='seconds a contestant may take')
    parser.add_argument('--epsilons', nargs='+', type=float, default=[1.0, 10.0])
    parser.add_argument('--samples', type=int, default=1, help='fits of each kind')
    parser.add_argument('--out', type=Path, default=Path(__file__).parent / 'results')
    parser.add_argument('--one', nargs=3, help=argparse.SUPPRESS)
    return parser.parse_args()


def _run_table(table: str, folder: Path, results, options: argparse.Namespace) -> None:
    from coded_tables import as_codes, sizes
    from paper import TABLES
    from results_file import commit

    coded = as_codes(TABLES[table][0](options.data), options.most_codes)
    (real,) = coded.data.values()
    real.to_csv(folder / 'real.csv', index=False)
    told = {'table': table, 'data': str(options.data), 'most_codes': options.most_codes}
    (folder / 'told.json').write_text(json.dumps(told | {'sizes': sizes(real)}))
    if options.most_codes is not None:
        table += f', {real.shape[1]} columns of at most {options.most_codes} codes'
    interpreters = {None: sys.executable} | dict(n.split('=', 1) for n in options.python)
    for sample in range(options.samples):
        for epsilon in options.epsilons:
            for name in options.contestants:
                key = (table, epsilon, name, sample)
                library = CONTESTANTS[name][0]
                if key not in results.finished() and library in interpreters:
                    found = _measure(folder, coded, interpreters[library], key, options.limit)
                    results.append(found | {'limit': options.limit, 'commit': commit()})
                    print(found, file=sys.stderr)


def _measure(folder: Path, coded, python: str, key: tuple, limit: float) -> dict:
    from sdv_prefair.metrics import TwoWayTotalVariation

    found = dict(zip(KEY, key, strict=True)) | {'seconds': None, 'TVD2': None, 'end': 'finished'}
    command = [python, __file__, '--one', str(folder), key[2], str(key[1])]
    environment = os.environ | _ONE_THREAD
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, timeout=limit, env=environment
        )
    except subprocess.TimeoutExpired:
        return found | {'end': 'out of time'}
    except subprocess.CalledProcessError as error:
        print(error.stderr, file=sys.stderr)
        return found | {'end': error.stderr.strip().splitlines()[-1][:120]}
    (real,) = coded.data.values()
    rows = pd.read_csv(folder / 'rows.csv')[list(real)].astype(real.dtypes.to_dict())
    tvd = TwoWayTotalVariation.compute(real, rows, coded.metadata)
    return found | {'seconds': json.loads(done.stdout.splitlines()[-1]), 'TVD2': tvd}


def _run_one(folder: str, name: str, epsilon: str) -> None:
    warnings.simplefilter('ignore')
    frame = pd.read_csv(Path(folder) / 'real.csv')
    _, fit, settings = CONTESTANTS[name]
    seconds, rows = fit(Path(folder), frame, float(epsilon), **settings)
    rows.to_csv(Path(folder) / 'rows.csv', index=False)
    print(json.dumps(seconds))


def _write(results: pd.DataFrame, path: Path) -> None:
    from compared import markdown

    keys = ['table', 'epsilon', 'contestant']
    groups = results.groupby(keys, sort=False)
    table = groups.agg(
        fits=('TVD2', 'count'), TVD2=('TVD2', 'mean'), error=('TVD2', 'sem'),
        seconds=('seconds', 'mean'), limit=('limit', 'max'), end=('end', 'last'),
    ).reset_index()  # fmt: skip
    shown = pd.DataFrame({
        **{key: table[key] for key in keys},
        'fits': table['fits'],
        '2-way TVD': [_spread(line) for line in table.itertuples()],
        'seconds of processor': [_seconds(line) for line in table.itertuples()],
    })
    text = [
        f'# {__doc__.splitlines()[0]}',
        '',
        f'Made by `python benchmarks/other_libraries.py`, at commit '
        f'{", ".join(map(str, results["commit"].unique()))}. ± is one standard error.',
        '',
        markdown(shown),
        '',
    ]
    path.write_text('\n'.join(text))


def _spread(line) -> str:
    if line.fits == 0:
        return line.end
    return f'{line.TVD2:.4f}' + (f' ± {line.error:.4f}' if line.fits > 1 else '')


def _seconds(line) -> str:
    return f'more than {line.limit:.0f}' if line.end == 'out of time' else f'{line.seconds:.3g}'


if __name__ == '__main__':
    main()
