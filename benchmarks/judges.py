"""How often each verdict is given: false accusations, false acquittals, and what is found.

Random tables of known gaps: groups, strata, rows and the gap are drawn, and the gap's direction is
the same everywhere, changes from stratum to stratum, or is the XOR of two protected columns. Writes
``results/judges.md``. Run: ``python benchmarks/judges.py [tables] [own]``; a few minutes.
"""

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
from sdv.metadata import Metadata

from sdv_prefair.cli._table_files import read_cells, read_table
from sdv_prefair.cli._verify_lines import unread_columns
from sdv_prefair.fairness._verdicts import CANNOT_TELL, FAIR, UNFAIR, judge_rows
from sdv_prefair.release._verifying import in_own_types
from sdv_prefair.synthesizer._written_rows import write_parts
from sdv_prefair.transformers import CategoryCodes, DatetimeBins, NumberBins

RESULTS = Path(__file__).parent / 'results'
LIMIT, FEW_ROWS = 0.1, 5_000
KINDS = 'none', 'signed', 'crossed', 'XOR'
BANDS = (0.0, 0.0), (0.0, 0.05), (0.05, 0.1), (0.1, 0.2), (0.2, 0.3)


def draw_table(rng, kinds=KINDS, most_rows=100_000):
    """Return a kind of gap, the true gap, and groups, outcomes and strata."""
    kind = kinds[rng.integers(len(kinds))]
    groups = 4 if kind == 'XOR' else int(rng.integers(2, 7))
    strata = int(round(np.exp(rng.uniform(0, np.log(500)))))
    rows = int(np.exp(rng.uniform(np.log(300), np.log(most_rows))))
    gap = 0.0 if kind == 'none' else rng.uniform(0, 0.3)
    shares = rng.dirichlet(np.full(groups, 4.0), strata)
    size = rng.dirichlet(np.full(strata, 3.0))
    stratum = rng.choice(strata, rows, p=size)
    group = (rng.random(rows)[:, None] > shares.cumsum(axis=1)[stratum][:, :-1]).sum(axis=1)
    middle = rng.uniform(gap / 2, 1 - gap / 2, strata)[stratum]
    up = {
        'none': np.zeros(groups),
        'signed': np.arange(groups) == 0,
        'crossed': np.arange(groups) == 0,
        'XOR': np.array([0, 1, 1, 0]),
    }[kind][group] * 1.0
    if kind == 'crossed':
        up = np.where(stratum % 2, 1 - up, up)
    outcome = rng.random(rows) < middle + gap * (up - 0.5)
    return kind, gap, group, outcome, stratum


def judge_tables(number, rng, **drawn):
    """Return one line for each table: kind, gap, verdict, and whether its bounds hold."""
    lines = []
    for _ in range(number):
        kind, gap, *columns = draw_table(rng, **drawn)
        found = judge_rows(*columns, limit=LIMIT, with_mean=False)
        lines.append({
            'kind': kind, 'gap': gap, 'verdict': found.kind, 'rows': len(columns[0]),
            'above': found.within < gap, 'below': found.at_least > gap,
        })  # fmt: skip
    return pd.DataFrame(lines)


def draw_codes(rng):
    """Return the codes of a random column, and its description in the metadata."""
    kind = rng.integers(4)
    if kind == 0:
        low, high = np.sort(rng.normal(0, 10.0 ** rng.integers(-3, 9), 2))
        dtype = rng.choice(['float64', 'float32', 'Float64'])
        low, high = (float(np.dtype(dtype.lower()).type(end)) for end in (low, high))
        codes = NumberBins(low, high, bins=int(rng.integers(2, 20)), dtype=str(dtype))
        return codes, {'sdtype': 'numerical'}
    if kind == 1:
        places = int(rng.integers(0, 4))
        codes = NumberBins(0, int(rng.integers(1, 2000)), decimal_places=places)
        return codes, {'sdtype': 'numerical', 'decimal_places': places}
    if kind == 2:
        form = str(rng.choice(['%Y-%m-%d', '%d.%m.%Y', '%Y%m%d', '%m/%d/%Y']))
        ends = pd.Timestamp('2001-01-01'), pd.Timestamp('2020-12-31')
        low, high = (end.strftime(form) for end in ends)
        return DatetimeBins(low, high, form), {'sdtype': 'datetime', 'datetime_format': form}
    words = ['a', 'B b', '"c"', 'd,e', '1', '1.0', 'ü', 'NA', '007', ' f']
    chosen = [str(w) for w in rng.choice(words, int(rng.integers(1, 8)), replace=False)]
    about = {'sdtype': 'categorical', 'range_values': chosen}
    return CategoryCodes(chosen, dtype='object'), about


def own_rows_verify(number, rng):
    """Return how many columns came back from a CSV file in the release's types, and as they were.

    Twenty columns a file, each of another kind; the rest of ``verify`` looks at codes.
    """
    verified = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'rows.csv'
        for _ in range(0, number, 20):
            drawn = [draw_codes(rng) for _ in range(20)]
            names = [f'c{place}' for place in range(20)]
            codes = {name: one for name, (one, _) in zip(names, drawn, strict=True)}
            columns = {name: about for name, (_, about) in zip(names, drawn, strict=True)}
            metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
            rows = pd.DataFrame({name: _values(one, rng) for name, one in codes.items()})
            write_parts([rows], path, len(rows), codes)
            cells = read_cells(path, metadata)
            read = in_own_types(read_table(path, metadata), codes, cells)
            unread = set(unread_columns(cells, read, columns))
            verified += sum(
                name not in unread
                and bool(one.is_declared(read[name]).all())
                and one.encode(read[name]).tolist() == one.encode(rows[name]).tolist()
                for name, one in codes.items()
            )
    return verified


def _values(codes, rng):
    kinds = [code for code in range(codes.num_codes) if code != codes.hidden_code]
    return codes.decode(rng.choice(kinds, 40), rng)


def write(lines, fair_lines, own, tried, seconds):
    """Write the page."""
    text = [
        '# How often each verdict is given',
        '',
        f'`python benchmarks/judges.py {len(lines)} {tried}`: {len(lines):,} random tables with 2 '
        'to 6 groups, 1 to 500 strata and 300 to 100,000 rows (the last two log-uniform), the '
        'outcome rate of each stratum drawn at random. The true gap is the largest difference '
        f'between two groups of a stratum. Rows count as fair within {100 * LIMIT:.0f} points.',
        '',
        '| gap | true gap, points | tables | fair within | unfair by at least | cannot be told |',
        '|---|---|---|---|---|---|',
    ]
    for kind in KINDS:
        for low, high in BANDS:
            in_band = (lines['gap'] == 0) if high == 0 else lines['gap'].between(low, high, 'right')
            mine = lines[in_band & (lines['kind'] == kind)]
            if len(mine):
                count = Counter(mine['verdict'])
                band = '0' if high == 0 else f'{100 * low:.0f} to {100 * high:.0f}'
                told = ' | '.join(f'{count[one]:,}' for one in (FAIR, UNFAIR, CANNOT_TELL))
                text.append(f'| {kind} | {band} | {len(mine):,} | {told} |')
    fair, unfair = lines['gap'] == 0, lines['gap'] > LIMIT
    accused = int((fair & (lines['verdict'] == UNFAIR)).sum())
    acquitted = int((unfair & (lines['verdict'] == FAIR)).sum())
    text += [
        '',
        f'- False accusations: {accused} of {int(fair.sum()):,} fair tables.',
        f'- And {int((fair_lines["verdict"] == UNFAIR).sum())} of another {len(fair_lines):,} fair '
        f'tables, of 300 to {FEW_ROWS:,} rows.',
        f'- False acquittals: {acquitted} of {int(unfair.sum()):,} tables whose true gap is above '
        f'{100 * LIMIT:.0f} points.',
        f'- The true gap was above "could be as large as" in {int(lines["above"].sum())}, and '
        f'below "by at least" in {int(lines["below"].sum())} of {len(lines):,} tables.',
        f'- Own rows: {own:,} of {tried:,} generated columns (real, rounded, dates in four '
        'formats, words with commas, quotes and digits) came back from a CSV file as they were '
        'written.',
        '',
        f'*{seconds:.0f} s on one core, seed 0.*',
        '',
    ]
    (RESULTS / 'judges.md').write_text('\n'.join(text), encoding='utf-8')


def main():
    """Judge the tables, read the columns, write the page."""
    tables, own = (int(text) for text in (sys.argv[1:] + ['4000', '10000'])[:2])
    began, rng = time.perf_counter(), np.random.default_rng(0)
    lines = judge_tables(tables, rng)
    fair_lines = judge_tables(2 * tables, rng, kinds=('none',), most_rows=FEW_ROWS)
    verified = own_rows_verify(own, rng)
    write(lines, fair_lines, verified, own, time.perf_counter() - began)
    print((RESULTS / 'judges.md').read_text(encoding='utf-8'))


if __name__ == '__main__':
    main()
