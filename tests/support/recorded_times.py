"""What each test costs: processor seconds of the test, its fixtures and processes it waited for.

``SUITE_TIMES=folder pytest`` writes one file a worker there; ``benchmarks/suite.py`` reads them.
Servers and Java machines that outlive a test are not counted until they end.
"""

import json
import os
from pathlib import Path

import rings


def processor_seconds() -> float:
    """Return the time of this process and of children it has waited for."""
    return sum(os.times()[:4])


class RecordedTimes:
    """A pytest plug-in that writes a line for each test: its name, rings, seconds and outcome."""

    def __init__(self, folder: Path):
        folder.mkdir(parents=True, exist_ok=True)
        worker = os.environ.get('PYTEST_XDIST_WORKER', 'main')
        self._file = (folder / f'{worker}.jsonl').open('w', encoding='utf-8')
        self._begun, self._outcome, self._ring = 0.0, '', ''

    def pytest_runtest_protocol(self, item) -> None:
        self._ring = rings.ring_of(item)

    def pytest_runtest_logstart(self) -> None:
        self._begun, self._outcome = processor_seconds(), ''

    def pytest_runtest_logreport(self, report) -> None:
        if report.when == 'call' or report.outcome != 'passed':
            self._outcome = report.outcome

    def pytest_runtest_logfinish(self, nodeid) -> None:
        seconds = processor_seconds() - self._begun
        line = {
            'test': nodeid,
            'ring': self._ring,
            'seconds': round(seconds, 4),
            'outcome': self._outcome,
        }
        print(json.dumps(line), file=self._file, flush=True)
