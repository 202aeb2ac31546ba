"""What each test file costs, and in which ring it runs; before the rings, and now.

    SUITE_TIMES=folder CI=true make test                                  # records every test
    SUITE_TIMES=other CI=true python -m pytest -n 2 --dist worksteal -m slow
    python benchmarks/suite.py folder other                               # writes results/suite.md

Seconds are processor seconds of the test, its fixtures and the processes it waited for. Those of
the suite as it was before it had three rings stand in ``results/suite_before.csv``.
"""

import csv
import json
import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

RESULTS = Path(__file__).parent / 'results'
BEFORE = RESULTS / 'suite_before.csv'
RINGS = {'change': 'every change', 'pull_request': 'pull request', 'slow': 'night'}
# Test files that are no longer there, and what became of what could fail in them.
GONE = {
    'tests/test_style_examples.py': 'held a hundred sentences in place, which stopped every edit '
    'of the documentation; the list of phrases in tests/test_docs.py stays',
}


@dataclass
class Cost:
    """How many tests a file has in each ring, and what they cost."""

    tests: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    def add(self, ring: str, tests: int, seconds: float) -> None:
        """Add tests."""
        self.tests[ring] += tests
        self.seconds[ring] += seconds

    def told(self) -> str:
        """Return rings and numbers of tests."""
        return ', '.join(f'{RINGS[ring]} {self.tests[ring]}' for ring in RINGS if self.tests[ring])


def recorded(folders: Iterable[str]) -> dict[str, Cost]:
    """Return the cost of each file from what ``recorded_times.py`` wrote."""
    costs: dict[str, Cost] = defaultdict(Cost)
    for path in sorted(path for folder in folders for path in Path(folder).glob('*.jsonl')):
        for line in map(json.loads, path.read_text('utf-8').splitlines()):
            costs[line['test'].partition('::')[0]].add(line['ring'], 1, line['seconds'])
    return costs


def before() -> dict[str, Cost]:
    """Return the costs before there were three rings."""
    costs: dict[str, Cost] = defaultdict(Cost)
    with BEFORE.open(newline='') as file:
        for row in csv.DictReader(file):
            costs[row['file']].add(row['ring'], int(row['tests']), float(row['seconds']))
    return costs


def table(old: dict[str, Cost], new: dict[str, Cost]) -> Iterable[str]:
    """Write a row for each file."""
    yield '| test file | ring and tests before | s | ring and tests now | s |'
    yield '|---|---|--:|---|--:|'
    for file in sorted(old.keys() | new.keys()):
        was, is_now = old.get(file, Cost()), new.get(file, Cost())
        if not is_now.tests and file not in GONE:
            raise SystemExit(f'{file} is gone: say in GONE what became of it.')
        told = is_now.told() or GONE[file]
        seconds = [f'{sum(cost.seconds.values()):.1f}' for cost in (was, is_now)]
        yield f'| {file} | {was.told() or "-"} | {seconds[0]} | {told} | {seconds[1]} |'


def sums(old: dict[str, Cost], new: dict[str, Cost]) -> Iterable[str]:
    """Write the sums of each ring with the earlier ones, which it contains."""
    yield '| ring | tests before | s | tests now | s |'
    yield '|---|--:|--:|--:|--:|'
    for place, ring in enumerate(RINGS):
        cells = []
        for costs in (old, new):
            inside = list(RINGS)[: place + 1]
            tests = sum(cost.tests[r] for cost in costs.values() for r in inside)
            seconds = sum(cost.seconds[r] for cost in costs.values() for r in inside)
            cells += [f'{tests:,}', f'{seconds:,.0f}']
        yield f'| {RINGS[ring]} | {" | ".join(cells)} |'


def main(folders: Iterable[str]) -> None:
    """Write ``results/suite.md``."""
    old, new = before(), recorded(folders)
    page = [
        '# The suite',
        '',
        'Which ring each test file runs in, how many tests it has there, and what they cost in '
        'processor seconds; before the three rings, and now. A ring contains those above it. '
        'Before, there were two: what is now "every change" ran with every pull request. Property '
        'tests try 25 examples for a pull request and 1,000 new ones at night; seconds are those '
        'of 25. Those of the night are the last that were recorded, not of one run; a test that '
        'was not recorded yet counts as 0. Written by `benchmarks/suite.py`.',
        '',
        *sums(old, new),
        '',
        *table(old, new),
    ]
    (RESULTS / 'suite.md').write_text('\n'.join(page) + '\n', 'utf-8')


if __name__ == '__main__':
    main(sys.argv[1:])
