"""How long generated personal columns take, beside RDT's own generator: read the ratios.

    python benchmarks/personal_columns.py [--rows 20000] [--out FILE]

Both make the same values with the same seed; what differs is that lists of names are added up once.
"""

import argparse
import contextlib
import time
from pathlib import Path

import pandas as pd
from rdt.transformers import AnonymizedFaker

from sdv_prefair.columns._generated import quick_fakers

KINDS = {
    'email': ('internet', 'email'),
    'name': ('person', 'name'),
    'address': ('address', 'address'),
    'city': ('address', 'city'),
    'company': ('company', 'company'),
    'phone_number': ('phone_number', 'phone_number'),
    'ssn': ('ssn', 'ssn'),
}


def main() -> None:
    """Measure every kind both ways, and write a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--rows', type=int, default=20_000)
    folder = Path(__file__).parent / 'results'
    parser.add_argument('--out', type=Path, default=folder / 'personal_columns.md')
    options = parser.parse_args()
    lines = [
        '# Generated personal columns',
        '',
        f'Made by `python benchmarks/personal_columns.py`: {options.rows:,} values of each kind by '
        "RDT's generator and by the same one within ours, as a sample makes them; values "
        'are the same.',
        '',
        '| column | RDT, microseconds a value | here | ratio |',
        '| --- | --- | --- | --- |',
    ]
    for name, kind in KINDS.items():
        (theirs, values), (ours, same) = (timed(kind, options.rows, q) for q in (False, True))
        if not values.equals(same):
            raise SystemExit(f'{name} differs')
        shown = (f'{seconds / options.rows * 1e6:.0f}' for seconds in (theirs, ours))
        lines.append(f'| {name} | {" | ".join(shown)} | {theirs / ours:.1f} |')
    options.out.write_text('\n'.join([*lines, '']))


def timed(kind: tuple[str, str], num_rows: int, is_quick: bool) -> tuple[float, pd.DataFrame]:
    """Return how long values take, and the values."""
    generator = AnonymizedFaker(*kind, locales=['en_US'])
    generator.fit(pd.DataFrame({'x': ['a', 'b', 'c']}), 'x')
    begin = time.perf_counter()
    with quick_fakers([generator]) if is_quick else contextlib.nullcontext():
        values = generator.reverse_transform(pd.DataFrame(index=range(num_rows)))
    return time.perf_counter() - begin, values


if __name__ == '__main__':
    main()
