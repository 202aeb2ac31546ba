"""Results of long runs, line by line: a run that is stopped takes up where it was."""

import csv
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd


@dataclass(frozen=True)
class ResultsFile:
    """A CSV to which runs add lines.

    Attributes:
        path: Where it is.
        key: The columns that tell lines apart.
    """

    path: Path
    key: Sequence[str]

    def finished(self) -> set[tuple]:
        """Return the keys of all lines that are there."""
        if not self.path.exists():
            return set()
        self._drop_torn_line()
        return set(pd.read_csv(self.path)[list(self.key)].itertuples(index=False, name=None))

    def append(self, row: Mapping[str, Any]) -> None:
        """Add a line. A file of an older run keeps its columns, and what has none there is lost."""
        new = not self.path.exists()
        columns = list(row) if new else list(pd.read_csv(self.path, nrows=0))
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open('a', newline='') as file:
            writer = csv.DictWriter(file, columns, extrasaction='ignore')
            if new:
                writer.writeheader()
            writer.writerow(row)

    def _drop_torn_line(self) -> None:
        """Cut off a line that a run which was killed has left unfinished."""
        text = self.path.read_bytes()
        whole = text[: text.rfind(b'\n') + 1]
        if whole != text:
            self.path.write_bytes(whole)


@cache
def commit() -> str:
    """Return the commit that a run began with, as far as git knows."""
    asked = ['git', '-C', str(Path(__file__).parent), 'rev-parse', '--short', 'HEAD']
    answer = subprocess.run(asked, capture_output=True, text=True)
    return answer.stdout.strip() or 'unknown'
