"""What a look at the private rows has found, for their owner alone."""

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields

import pandas as pd

NOT_PRIVATE = (
    'NOT PRIVATE: computed on the real rows, for those who may see them. Do not publish it.'
)


@dataclass(frozen=True)
class Remark:
    """Something that a fit would do to rows without a word.

    Attributes:
        column: The column, or several; empty if it is about the whole table.
        finding: What is the matter with the rows.
        rows: How many there are.
        share: Which share of all rows that is.
        remedy: What a fit does to them, and what to do about it.
        examples: A few of the texts that it is about, if there are any.
    """

    column: str
    finding: str
    rows: int
    share: float
    remedy: str
    examples: str = ''

    def lines(self) -> Iterator[str]:
        """Yield the finding as a person reads it."""
        about = f'{self.column}, rows' if self.column else 'Rows'
        yield f'- {about} that {self.finding}: {self.rows:,} ({self.share:.2%}).'
        yield f'  {self.remedy}'
        if self.examples:
            yield f'  As in {self.examples}.'


@dataclass(frozen=True)
class TableCheck:
    """All findings about a table. It is true if there are any.

    Privacy: not private, and nothing of it is kept in a synthesizer.

    Attributes:
        findings: What was found, in the order of the columns.
        num_rows: How many rows a fit would count.
    """

    findings: Sequence[Remark]
    num_rows: int

    def __bool__(self) -> bool:
        return bool(self.findings)

    def to_frame(self) -> pd.DataFrame:
        """Return a line for each finding: column, finding, rows, share, remedy, examples."""
        names = [field.name for field in fields(Remark)]
        return pd.DataFrame([astuple(finding) for finding in self.findings], columns=names)

    def lines(self) -> Iterator[str]:
        """Yield what to print, with the caution first."""
        yield NOT_PRIVATE
        if not self.findings:
            yield f'{self.num_rows:,} rows, and nothing that a fit would change without saying so.'
            return
        yield f'What a fit would do to these {self.num_rows:,} rows without saying so:'
        for finding in self.findings:
            yield from finding.lines()

    def __repr__(self) -> str:
        return '\n'.join(self.lines())
