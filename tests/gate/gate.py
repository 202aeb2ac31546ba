"""The gate: seeded fits, compared with a baseline to the last bit.

With ``seed=`` a fit is a function of the table and the arguments. A change of the code's shape
leaves every fit as it was: its noisy counts, its ledger, and 1,000 rows sampled from it. A change
of what the code does changes some fits, and says which.

Usage: gate.py [--write] [words of fits]
"""

import argparse
import contextlib
import hashlib
import io
import json
import os
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'support'), str(HERE.parents[1])]
BASELINE = HERE / 'baseline.json'
PARTS = ('noisy counts', 'ledger', 'rows')
LIBRARIES = ('numpy', 'pandas', 'scipy', 'sdv', 'rdt', 'pyarrow', 'mbi', 'jax', 'Faker')
NUM_ROWS = 1000


def digests(name):
    """Return the name of a fit and the digests of its parts, or why it failed."""
    from gate_fits import fits

    warnings.simplefilter('ignore')
    try:
        with contextlib.redirect_stderr(io.StringIO()):  # progress bars
            synthesizer = fits()[name].run()
            (rows,) = synthesizer.sample(NUM_ROWS).values()
    except Exception as error:
        return name, {'failed': f'{type(error).__name__}: {error}'[:300]}
    parts = (_counts(synthesizer), _ledger(synthesizer), _rows(rows))
    return name, {
        part: hashlib.sha256(text).hexdigest() for part, text in zip(PARTS, parts, strict=True)
    }


def _counts(synthesizer):
    told = []
    for measured in synthesizer.fitted.model.measurements:
        told += [repr((measured.columns, measured.values.shape)).encode()]
        told += [measured.values.tobytes(), measured.variance.tobytes()]
    return b'\n'.join(told)


def _ledger(synthesizer):
    return synthesizer.get_privacy_ledger().to_csv().encode()


def _rows(rows):
    return f'{rows.dtypes.to_dict()}\n{rows.to_csv()}'.encode()


def changed(before, now):
    """Return the parts of a fit that are not as they were."""
    return [part for part in sorted({*before, *now}) if before.get(part) != now.get(part)]


def compare(baseline, found):
    """Return lines about the fits that are not as in the baseline."""
    lines = []
    for name, now in found.items():
        if 'failed' in now:
            lines.append(f'{name}: failed: {now["failed"]}')
        elif name not in baseline['fits']:
            lines.append(f'{name}: not in the baseline')
        elif parts := changed(baseline['fits'][name], now):
            lines.append(f'{name}: {", ".join(parts)} changed')
    if lines and (others := changed(baseline['libraries'], _libraries())):
        lines.append(f'(The baseline was made with other versions of {", ".join(others)}.)')
    return lines


def _libraries():
    return {library: version(library) for library in LIBRARIES}


def main():
    """Run the fits; write the baseline or compare with it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--write', action='store_true', help='make this the new baseline')
    parser.add_argument('--jobs', type=int, default=os.cpu_count(), help='processes')
    parser.add_argument('words', nargs='*', help='run the fits whose names contain one of these')
    arguments = parser.parse_args()
    from gate_fits import fits

    started, words = time.monotonic(), arguments.words or ['']
    names = [name for name in fits() if any(word in name for word in words)]
    with ProcessPoolExecutor(arguments.jobs) as pool:
        found = dict(pool.map(digests, names))
    seconds = time.monotonic() - started
    if arguments.write:
        if failed := [f'{name}: {now["failed"]}' for name, now in found.items() if 'failed' in now]:
            sys.exit('\n'.join(failed))
        kept = {} if not arguments.words else json.loads(BASELINE.read_text())['fits']
        told = {'libraries': _libraries(), 'fits': {**kept, **found}}
        BASELINE.write_text(json.dumps(told, indent=1) + '\n')
        print(f'{len(found)} fits written in {seconds:.0f} s')
        return
    baseline = json.loads(BASELINE.read_text())
    lines = compare(baseline, found)
    missing = {name for name in baseline['fits'] if any(word in name for word in words)} - {*found}
    lines += [f'{name}: no such fit any more' for name in sorted(missing)]
    print(f'{len(found)} fits in {seconds:.0f} s, {len(lines) or "none"} changed')
    if lines:
        sys.exit('\n'.join(lines))


if __name__ == '__main__':
    main()
