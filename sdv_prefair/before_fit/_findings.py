"""Findings in the private rows, for their owner only."""

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields

import pandas as pd

from sdv_prefair._notebook import as_html

NOT_PRIVATE = (
    'NOT PRIVATE: computed on the real rows, for those who may see them. Do not publish it.'
)


@dataclass(frozen=True)
class Remark:
    """Something that a fit would silently do to rows.

    Attributes:
        column: The column, or several; empty if it is about the whole table.
        finding: What is wrong with the rows.
        rows: How many there are.
        share: Their share of all rows.
        remedy: What a fit does to them, and what to do about it.
        examples: A few of the affected strings, if there are any.
        stops: Whether a fit would lose the column, so that it asks first.
    """

    column: str
    finding: str
    rows: int
    share: float
    remedy: str
    examples: str = ''
    stops: bool = False

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

    Privacy: not private, and not stored in a synthesizer.

    Attributes:
        findings: What was found, in the order of the columns.
        num_rows: How many rows a fit would count.
    """

    findings: Sequence[Remark]
    num_rows: int

    def __bool__(self) -> bool:
        return bool(self.findings)

    def to_frame(self) -> pd.DataFrame:
        """Return a line for each finding: column, finding, rows, share, remedy, examples, stops."""
        names = [field.name for field in fields(Remark)]
        return pd.DataFrame([astuple(finding) for finding in self.findings], columns=names)

    def lines(self) -> Iterator[str]:
        """Yield what to print, with the caution first."""
        yield from self._summary()
        for finding in self.findings:
            yield from finding.lines()

    def _summary(self) -> Iterator[str]:
        yield NOT_PRIVATE
        if self.findings:
            yield f'A fit of these {self.num_rows:,} rows would silently do this:'
        else:
            yield f'{self.num_rows:,} rows, and nothing that a fit would silently change.'

    def __repr__(self) -> str:
        return '\n'.join(self.lines())

    def _repr_html_(self) -> str:
        return as_html('\n'.join(self._summary()), self.to_frame(), caution=True)
