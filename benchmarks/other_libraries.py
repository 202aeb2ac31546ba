"""PrivBayes and MWEM of other libraries beside ours: time and error on Adult's codes, in one run.

    python benchmarks/other_libraries.py [--python LIBRARY=INTERPRETER ...] [--limit SECONDS]

dpmm and smartnoise-synth cannot be installed beside SDV 2.0, so each runs in an environment of its
own: `--python dpmm=PATH` and `--python snsynth=PATH` name their interpreters. Each contestant
gets the same table of codes and the sizes of its columns, and hands back as many rows as there are.
Read the ratios, not the seconds. The real table is read outside any budget: this is a benchmark.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import pandas as pd

DATA = Path(__file__).resolve().parents[2] / 'shared' / 'data'
DELTA = 1e-9
FIRST = 'Fair PrivBayes'


def ours(frame, sizes, epsilon, structure, fair):
    """Return rows of a fit of ours, from codes with public ranges."""
    from sdv_prefair import PreFairSynthesizer
    from sdv_prefair.datasets import load_adult
    from sdv_prefair.structure import STRATEGIES, UnconstrainedStrategy

    _, metadata, roles = load_adult(Path(sizes['data']), raw=False)
    strategy = STRATEGIES[structure]
    synthesizer = PreFairSynthesizer(
        metadata,
        epsilon=epsilon,
        delta=DELTA,
        public_ranges=True,
        structure=strategy() if fair else strategy(UnconstrainedStrategy()),
        **roles.as_dict(),
    )
    (name,) = metadata.tables
    started = time.perf_counter()
    synthesizer.fit({name: frame})
    return time.perf_counter() - started, synthesizer.sample(len(frame))[name]


def dpmm_priv_bayes(frame, sizes, epsilon):
    """Return rows of dpmm's PrivBayes as it comes: one parent each, 5000 steps of its solver."""
    from dpmm.models.priv_bayes import PrivBayesGM

    model = PrivBayesGM(epsilon=epsilon, delta=DELTA, n_jobs=1)
    started = time.perf_counter()
    model.set_domain(sizes['codes'])
    model.set_random_state(None)
    model.fit(frame)
    return time.perf_counter() - started, model.generate(n_records=len(frame))


def smartnoise_mwem(frame, sizes, epsilon):
    """Return rows of smartnoise-synth's MWEM, which splits the columns into groups of three."""
    from snsynth import Synthesizer

    synthesizer = Synthesizer.create('mwem', epsilon=epsilon, split_factor=3)
    started = time.perf_counter()
    synthesizer.fit(frame, categorical_columns=list(frame), preprocessor_eps=0.0)
    return time.perf_counter() - started, synthesizer.sample(len(frame))


CONTESTANTS = {
    FIRST: (None, ours, {'structure': 'privbayes', 'fair': True}),
    'PrivBayes, not fair': (None, ours, {'structure': 'privbayes', 'fair': False}),
    'dpmm PrivBayes': ('dpmm', dpmm_priv_bayes, {}),
    'Fair MWEM': (None, ours, {'structure': 'mwem', 'fair': True}),
    'MWEM, not fair': (None, ours, {'structure': 'mwem', 'fair': False}),
    'smartnoise MWEM': ('snsynth', smartnoise_mwem, {}),
}


def main() -> None:
    """Run every contestant whose library is there; print and write what came out."""
    options = _options()
    if options.one:
        _run_one(*options.one)
        return
    interpreters = dict(named.split('=', 1) for named in options.python)
    from sdv_prefair.datasets import load_adult

    adult = load_adult(options.data, raw=False)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        _write_table(Path(folder), adult, options.data)
        for epsilon in options.epsilons:
            for name in options.contestants:
                library = CONTESTANTS[name][0]
                if library is None or library in interpreters:
                    python = interpreters.get(library, sys.executable)
                    rows.append(
                        _time_one(Path(folder), adult, python, name, epsilon, options.limit)
                    )
                    print(rows[-1], file=sys.stderr)
    table = pd.DataFrame(rows)
    first = table[table['contestant'] == FIRST].set_index('epsilon')['seconds']
    table[f'seconds / {FIRST}'] = table['seconds'] / table['epsilon'].map(first)
    lines = [f'# {__doc__.splitlines()[0]}', '', 'Made by `python benchmarks/other_libraries.py`.']
    shown = table.to_string(index=False, float_format='{:.4g}'.format)
    options.out.write_text('\n'.join([*lines, '', '```', shown, '```', '']))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--data', type=Path, default=DATA)
    parser.add_argument('--python', nargs='*', default=[], metavar='LIBRARY=INTERPRETER')
    parser.add_argument('--contestants', nargs='+', choices=CONTESTANTS, default=list(CONTESTANTS))
    parser.add_argument('--limit', type=float, default=3600, help='seconds a contestant may take')
    parser.add_argument('--epsilons', nargs='+', type=float, default=[1.0, 10.0])
    results = Path(__file__).parent / 'results'
    parser.add_argument('--out', type=Path, default=results / 'other_libraries.md')
    parser.add_argument('--one', nargs=3, help=argparse.SUPPRESS)
    return parser.parse_args()


def _write_table(folder: Path, adult, data: Path) -> None:
    (frame,) = adult.data.values()
    frame.to_csv(folder / 'real.csv', index=False)
    codes = {column: int(frame[column].max()) + 1 for column in frame}
    (folder / 'sizes.json').write_text(json.dumps({'codes': codes, 'data': str(data)}))


def _time_one(folder: Path, adult, python: str, name: str, epsilon: float, limit: float) -> dict:
    from sdv_prefair.metrics import TwoWayTotalVariation

    command = [python, __file__, '--one', str(folder), name, str(epsilon)]
    row = {'epsilon': epsilon, 'contestant': name}
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=limit)
    except subprocess.SubprocessError as error:
        print(error, getattr(error, 'stderr', ''), file=sys.stderr)
        return row
    (real,) = adult.data.values()
    rows = pd.read_csv(folder / 'rows.csv')[list(real)].astype(real.dtypes.to_dict())
    error = TwoWayTotalVariation.compute(real, rows, adult.metadata)
    return row | {'seconds': json.loads(done.stdout.splitlines()[-1]), '2-way TVD': error}


def _run_one(folder: str, name: str, epsilon: str) -> None:
    warnings.simplefilter('ignore')
    frame = pd.read_csv(Path(folder) / 'real.csv')
    sizes = json.loads((Path(folder) / 'sizes.json').read_text())
    _, fit, settings = CONTESTANTS[name]
    seconds, rows = fit(frame, sizes, float(epsilon), **settings)
    rows.to_csv(Path(folder) / 'rows.csv', index=False)
    print(json.dumps(seconds))


if __name__ == '__main__':
    main()
