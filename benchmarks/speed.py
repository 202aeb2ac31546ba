"""Speed and memory beside peers, in one run on one machine: read the ratios, not the seconds.

    python benchmarks/speed.py [--data FOLDER] [--quick] [--out FOLDER]

Every contestant fits Adult's codes in a process of its own, so that imports, compilation and
memory are its own. FOLDER holds the Adult files as in the data README. Growth with rows is
measured on Parquet files of random codes made in a temporary folder.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.express as px

sys.path.insert(0, str(Path(__file__).parent))
from contestants import CONTESTANTS, is_available, quiet

OURS, BASELINE = 'sdv-prefair', 'mbi MST'
DATA = Path(__file__).resolve().parents[2] / 'shared' / 'data'


def main() -> None:
    """Run every contestant, then growth; print and write what came out."""
    options = _options()
    options.out.mkdir(parents=True, exist_ok=True)
    peers = [_in_own_process('peer', name, options) for name in CONTESTANTS if is_available(name)]
    table = _with_ratios(pd.DataFrame(peers).set_index('contestant'))
    print(table.to_string(float_format='{:.3g}'.format))
    growth = pd.DataFrame([
        _in_own_process('growth', f'{kind}:{size}', options) for kind, size in _sizes(options.quick)
    ])
    print(growth.to_string(float_format='{:.3g}'.format))
    _write(table, growth, options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--data', type=Path, default=DATA)
    parser.add_argument('--quick', action='store_true', help='smaller sizes: minutes')
    parser.add_argument('--out', type=Path, default=Path(__file__).parent / 'results')
    parser.add_argument('--one', nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args()


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
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f'{name} failed:\n{done.stderr}')
    return json.loads(done.stdout.splitlines()[-1])


def _with_ratios(table: pd.DataFrame) -> pd.DataFrame:
    for step in ('fit', 'sample_50k', 'sample_1m'):
        if step in table:
            table[f'{step} / ours'] = table[step] / table.loc[OURS, step]
    return table


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


def _write(table: pd.DataFrame, growth: pd.DataFrame, options: argparse.Namespace) -> None:
    command = 'python benchmarks/speed.py' + (' --quick' * options.quick)
    text = [
        '# Speed beside peers',
        '',
        f'Made by `{command}`. Seconds of wall time; all in one run, so the ratios count.',
        'Adult codes, epsilon 1, each contestant in its own process, imports not counted.',
        '',
        '```',
        table.T.to_string(float_format='{:.4g}'.format),
        '```',
        '',
        '`fit_table` on Parquet beside a plain Arrow scan and bincount of the same pairs:',
        '',
        '```',
        growth.to_string(index=False, float_format='{:.4g}'.format),
        '```',
        '',
    ]
    (options.out / 'speed.md').write_text('\n'.join(text))
    for kind, part in growth.groupby('growth'):
        figure = px.line(part, x=kind, y=['fit_table', 'plain scan'], log_x=True, log_y=True)
        figure.write_html(options.out / f'speed_{kind}.html', include_plotlyjs='cdn')


if __name__ == '__main__':
    settings = _options()
    if settings.one is None:
        main()
    elif settings.one[0] == 'peer':
        print(json.dumps(one_peer(settings.one[1], settings)))
    else:
        which, number = settings.one[1].split(':')
        print(json.dumps(one_growth(which, int(number))))
