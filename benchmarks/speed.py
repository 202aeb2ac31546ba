"""Speed and memory beside peers, in one run on one machine: read the ratios, not the seconds.

    python benchmarks/speed.py [--data FOLDER] [--quick] [--out FOLDER]

Every contestant fits in a process of its own, so that imports, compilation and memory are its own:
Adult as it is, Adult in codes, Census KDD and a table of 200 columns, at epsilon 1 and 10; then
Adult in codes once more, with sampling. FOLDER holds the files as in the data README. Growth with
rows is measured on Parquet files of random codes made in a temporary folder.
"""

import argparse
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parent))
from contestants import CONTESTANTS, is_available, quiet
from results_file import commit
from speed_results import write

OURS, BASELINE = 'sdv-prefair', 'mbi MST'
ADAPTIVE, AIM, COPULA = (
    "sdv-prefair, 'adaptive'",
    "sdv-prefair, 'aim'",
    'GaussianCopula (not private)',
)
DATA = Path(__file__).resolve().parents[2] / 'shared' / 'data'
EPSILONS = (1, 10)
# mbi takes codes alone, and compiles a program for every pair, of which wide tables have hundreds.
FITTED = {
    'Adult': (OURS, ADAPTIVE, AIM, COPULA),
    'Adult in codes': (OURS, BASELINE),
    'Census KDD': (OURS, ADAPTIVE, AIM, COPULA),
    '200 columns': (OURS, ADAPTIVE, AIM, COPULA),
}
# Fits in one process, of which the fastest counts; no further one begins after so many seconds.
FITS, ENOUGH = 3, 20.0
LIMIT = 300.0  # seconds of wall time for one process


def main() -> None:
    """Run every contestant, then growth; print and write what came out."""
    options, began_with = _options(), commit()
    options.out.mkdir(parents=True, exist_ok=True)
    fits = pd.DataFrame([_in_own_process('fit', name, options) for name in _fits()])
    print(fits.to_string(float_format='{:.3g}'.format))
    peers = [_in_own_process('peer', name, options) for name in CONTESTANTS if is_available(name)]
    table = _with_ratios(pd.DataFrame(peers).set_index('contestant'))
    print(table.to_string(float_format='{:.3g}'.format))
    growth = pd.DataFrame([
        _in_own_process('growth', f'{kind}:{size}', options) for kind, size in _sizes(options.quick)
    ])
    print(growth.to_string(float_format='{:.3g}'.format))
    command = 'python benchmarks/speed.py' + (' --quick' * options.quick)
    made = f'`{command}` at commit {began_with}'
    limits = f'the least of up to {FITS}', f'within {LIMIT:.0f} seconds'
    write(fits, table, growth, options.out, made, limits)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--data', type=Path, default=DATA)
    parser.add_argument('--quick', action='store_true', help='smaller sizes: minutes')
    parser.add_argument('--out', type=Path, default=Path(__file__).parent / 'results')
    parser.add_argument('--one', nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args()


def _fits() -> list[str]:
    """Return table, contestant and epsilon of every fit that is timed."""
    return [
        f'{table}:{name}:{epsilon}'
        for table, names in FITTED.items()
        for epsilon in EPSILONS
        for name in names
        if is_available(name) and (name != COPULA or epsilon == EPSILONS[0])
    ]


def _sizes(quick: bool) -> list[tuple[str, int]]:
    rows = [10**4, 10**5, 10**6, 10**7] + ([] if quick else [10**8])
    columns = [10, 20, 40] + ([] if quick else [70, 100])
    codes = [8, 32, 128] + ([] if quick else [512])
    return [
        (k, n) for k, ns in (('rows', rows), ('columns', columns), ('codes', codes)) for n in ns
    ]


def _in_own_process(kind: str, name: str, options: argparse.Namespace) -> dict:
    print(f'... {kind} {name}', file=sys.stderr)
    command = [sys.executable, __file__, '--one', kind, name, '--data', str(options.data)]
    command += ['--quick'] if options.quick else []
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return dict(zip(('table', 'contestant', 'epsilon'), name.split(':'), strict=False))
    if done.returncode:
        raise SystemExit(f'{name} failed:\n{done.stderr}')
    return json.loads(done.stdout.splitlines()[-1])


def _with_ratios(table: pd.DataFrame) -> pd.DataFrame:
    for step in ('fit', 'sample_50k', 'sample_1m'):
        if step in table:
            table[f'{step} / ours'] = table[step] / table.loc[OURS, step]
    return table


def one_fit(table: str, name: str, epsilon: int, options: argparse.Namespace) -> dict:
    """Time the fit of one contestant to one table, and count the cells that it keeps."""
    from timed_tables import TABLES

    quiet()
    given, took, fitted = TABLES[table](options.data), [], None
    started = time.perf_counter()
    while len(took) < FITS and time.perf_counter() - started < ENOUGH:
        cpu = time.process_time()
        fitted = CONTESTANTS[name](*given, epsilon=epsilon)
        took.append(time.process_time() - cpu)
    result = {'table': table, 'contestant': name, 'epsilon': epsilon}
    result |= {'cpu s': min(took), 'first': took[0], 'fits': len(took)}
    result['peak MB'] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return result | ({} if fitted.synthesizer is None else _cells(fitted.synthesizer))


def _cells(synthesizer) -> dict:
    """Return how many cells were counted, and how many the model has: what memory depends on."""
    fitted = synthesizer.fitted
    sizes = fitted.encoding.domain
    declared = fitted.settings.mechanism.declare(sizes, synthesizer.get_roles())
    return {
        'counted cells': sum(math.prod(sizes[c] for c in clique) for clique in declared),
        'model cells': sum(node.table.size for node in fitted.model.nodes),
    }


def one_peer(name: str, options: argparse.Namespace) -> dict:
    """Time one contestant on Adult's codes."""
    from sdv_prefair.datasets import load_adult
    from sdv_prefair.metrics import TwoWayTotalVariation

    quiet()
    adult = load_adult(options.data, raw=False)
    started, cpu = time.perf_counter(), time.process_time()
    fitted = CONTESTANTS[name](*adult)
    result = {
        'contestant': name,
        'fit': time.perf_counter() - started,
        'fit cpu': time.process_time() - cpu,
    }
    for label, num_rows in (('sample_50k', 50_000), ('sample_1m', 1_000_000)):
        started = time.perf_counter()
        sampled = fitted.sample(num_rows)
        result[label] = time.perf_counter() - started
        if label == 'sample_50k':
            few = sampled
    result['peak MB'] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    (real,) = adult.data.values()
    result['2-way TVD'] = TwoWayTotalVariation.compute(real, few, adult.metadata)
    return result


def one_growth(kind: str, size: int) -> dict:
    """Time `fit_table` on a Parquet file beside a plain scan and bincount of the same pairs."""
    import pyarrow.parquet as pq

    from sdv_prefair import PreFairSynthesizer

    quiet()
    num_rows, num_columns, num_codes = _shape(kind, size)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'table.parquet'
        metadata, roles = _random_table(path, num_rows, num_columns, num_codes)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        synthesizer = PreFairSynthesizer(metadata, public_ranges=True, **roles.as_dict())
        started, cpu = time.perf_counter(), time.process_time()
        synthesizer.fit_table(path)
        fit, fit_cpu = time.perf_counter() - started, time.process_time() - cpu
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        sizes = dict.fromkeys(synthesizer.fitted.plan.domains, num_codes)
        cliques = synthesizer.fitted.settings.mechanism.declare(sizes, synthesizer.get_roles())
        started, cpu = time.perf_counter(), time.process_time()
        _plain_scan(pq.ParquetFile(path), [c for c in cliques if len(c) == 2], num_codes)
        scan, scan_cpu = time.perf_counter() - started, time.process_time() - cpu
    return {
        'growth': kind,
        'rows': num_rows,
        'columns': num_columns,
        'codes': num_codes,
        'fit_table': fit,
        'plain scan': scan,
        'ratio': fit / scan,
        'cpu ratio': fit_cpu / scan_cpu,
        'MB before': before,
        'peak MB': after,
    }


def _shape(kind: str, size: int) -> tuple[int, int, int]:
    defaults = {'rows': 10**6, 'columns': 15, 'codes': 16}
    return tuple((defaults | {kind: size}).values())


def _random_table(path: Path, num_rows: int, num_columns: int, num_codes: int):
    import pyarrow as pa
    import pyarrow.parquet as pq
    from sdv.metadata import Metadata

    from sdv_prefair import Roles

    rng = np.random.default_rng(0)
    names = [f'c{i}' for i in range(num_columns)]
    small = np.min_scalar_type(num_codes - 1)
    schema = pa.schema([(name, pa.from_numpy_dtype(small)) for name in names])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, num_rows, 10**6):
            count = min(10**6, num_rows - start)
            hidden = rng.integers(0, num_codes, count)
            arrays = [
                pa.array(
                    ((hidden + rng.integers(0, num_codes, count) // 2) % num_codes).astype(small)
                )
                for _ in names
            ]
            writer.write_batch(pa.record_batch(arrays, schema=schema))
    whole = {'sdtype': 'numerical', 'range_min': 0, 'range_max': num_codes - 1, 'decimal_places': 0}
    whole['range_is_nullable'] = False
    tables = {'table': {'columns': {name: dict(whole) for name in names}}}
    third = max(1, num_columns // 3)
    roles = Roles(names[:1], names[1 : 1 + third], names[-1:])
    return Metadata.load_from_dict({'tables': tables}), roles


def _plain_scan(file, pairs, num_codes: int) -> None:
    """Count the pairs with nothing but Arrow batches and bincount: the least it can take."""
    histograms = {pair: np.zeros(num_codes**2, dtype=np.int64) for pair in pairs}
    for batch in file.iter_batches(batch_size=131_072):
        codes = {n: batch.column(n).to_numpy().astype(np.intp) for n in batch.schema.names}
        for first, second in pairs:
            flat = codes[first] * num_codes + codes[second]
            histograms[first, second] += np.bincount(flat, minlength=num_codes**2)


if __name__ == '__main__':
    settings = _options()
    if settings.one is None:
        main()
    elif settings.one[0] == 'fit':
        of_table, contestant, at = settings.one[1].split(':')
        print(json.dumps(one_fit(of_table, contestant, int(at), settings)))
    elif settings.one[0] == 'peer':
        print(json.dumps(one_peer(settings.one[1], settings)))
    else:
        which, number = settings.one[1].split(':')
        print(json.dumps(one_growth(which, int(number))))
