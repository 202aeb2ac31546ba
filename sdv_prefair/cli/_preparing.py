"""What a newcomer does before a fit: check rows, and find roles."""

import argparse
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sdv.metadata import Metadata

from sdv_prefair._arrays import Integers
from sdv_prefair.before_fit import Remark, TableCheck
from sdv_prefair.cli._fitting import metadata_alone
from sdv_prefair.cli._table_files import check_table, is_parquet, read_cells, read_table
from sdv_prefair.columns import modelled_columns, single_table
from sdv_prefair.columns._dtypes import as_described
from sdv_prefair.counting._csv import (
    SEPARATORS,
    open_csv,
    read_header,
    reading_csv,
    undecodable_lines,
    uneven_lines,
)
from sdv_prefair.errors import RolesError
from sdv_prefair.fairness._dependence import (
    NEARLY_COPIES,
    NOTICEABLE,
    beyond,
    how_much_tells,
    most_that_can_be_told,
    told_by_chance,
)
from sdv_prefair.fairness._joint_test import joint_codes
from sdv_prefair.fairness._statements import check_disjoint
from sdv_prefair.metrics._codes import encode
from sdv_prefair.metrics._tables import read_tables
from sdv_prefair.roles import ADMISSIBLE, OUTCOME, PROTECTED, UNLABELLED
from sdv_prefair.synthesizer import PreFairSynthesizer

# -- The command ``check``: a file before a fit, for the owner only --------------------------------
#
# Privacy: not private.


def check_file(options: argparse.Namespace) -> TableCheck:
    """Return what a fit of a file would silently do to its rows."""
    metadata = metadata_alone(options.metadata)
    check_table(options.data)
    lines: list[Remark] = []
    if not is_parquet(options.data):
        with reading_csv(options.data):
            separated = list(_other_separators(options.data, metadata))
            if separated:
                return TableCheck(separated, separated[0].rows)
            lines += _of_lines(options.data)
    synthesizer = _made(metadata, options)
    table, written = _read(options.data, metadata)
    (name,) = metadata.tables
    found = synthesizer.check({name: table}, {name: written})
    return TableCheck([*lines, *found.findings], found.num_rows)


def _made(metadata: Metadata, options: argparse.Namespace) -> PreFairSynthesizer:
    """Return a synthesizer of the table; roles do not affect how rows are read."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return PreFairSynthesizer(
            metadata,
            structure='none',
            person_column=options.person_column,
            max_rows_per_person=options.max_rows_per_person,
        )


def _read(path: Path, metadata: Metadata) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a table as a fit reads it, and its cells as strings."""
    if is_parquet(path):
        table = read_table(path, metadata)
        return table, table
    cells = read_cells(path, metadata)
    return as_described(cells, single_table(metadata).columns), cells


def _other_separators(path: Path, metadata: Metadata) -> Iterator[Remark]:
    """Yield that there are no commas between cells, judged by names that the metadata has."""
    with open_csv(path) as stream:
        names = read_header(stream)
        _, lines = uneven_lines(stream, len(names))
    described = set(single_table(metadata).columns)
    for separator, called in SEPARATORS.items():
        split = [name.strip('"') for cell in names for name in cell.split(separator)]
        if len(split) > len(names) and len(described & set(split)) > len(described & set(names)):
            yield Remark(
                '',
                f'have {called} between their cells',
                lines,
                1.0,
                'A fit does not find the columns. Save the file with commas between cells, or as '
                'Parquet.',
            )
            return


def _of_lines(path: Path) -> Iterator[Remark]:
    """Yield what is wrong with the lines of a CSV file, before any cell is read."""
    with open_csv(path) as stream:
        names = read_header(stream)
        uneven, lines = uneven_lines(stream, len(names))
    with open_csv(path) as stream:
        read_header(stream)
        undecodable = undecodable_lines(stream)
    if undecodable:
        yield Remark(
            '',
            'hold letters that are not UTF-8',
            undecodable,
            undecodable / lines,
            'A fit counts such cells as missing. Save the file as UTF-8.',
        )
    if uneven:
        yield Remark(
            '',
            f'have other than the {len(names)} cells that the first line names',
            uneven,
            uneven / lines,
            'A fit drops what is too much and takes what is missing for null. Look for commas '
            'within cells, decimal ones too, and put such cells in quotation marks.',
        )


# -- The command ``roles``: which columns predict protected and outcome ones in the real rows ------
#
# Privacy: everything here is computed on the private table and is not private. It is for the owner
# only, before roles are decided.


Lists = Mapping[str, Sequence[str]]

_MOST_ALONE = 0.5


@dataclass(frozen=True)
class Told:
    """The column of a group that another predicts best, and how well; none for an empty group."""

    about: str = ''
    share: float = 0.0

    def __str__(self) -> str:
        return f'{self.share:.2f} of {self.about}' if self.about else ''


def check_lists(lists: Lists, metadata: Metadata) -> None:
    """Raise unless there is something to compare columns with, and it is modelled."""
    if not (lists[PROTECTED] and lists[OUTCOME]):
        raise RolesError(
            'roles compares columns with protected and outcome ones. Name at least one of each, in '
            'the metadata file or by --protected and --outcome; admissible ones can wait.'
        )
    check_disjoint(dict(lists))
    modelled = modelled_columns(single_table(metadata))
    for role, columns in lists.items():
        unknown = [column for column in columns if column not in modelled]
        if unknown:
            raise RolesError(
                f'{role} names {unknown}, which are not modelled columns of the metadata. Correct '
                f'the names: these are {list(modelled)}.'
            )


def suggestion_lines(table: pd.DataFrame, metadata: Metadata, lists: Lists) -> Iterator[str]:
    """Yield a caution, and a table of all modelled columns with a suggestion for each.

    Privacy: not private.

    Args:
        table: The real rows.
        metadata: What describes them.
        lists: The columns of each role as far as they are decided.
    """
    yield 'NOT PRIVATE: computed on the real rows, for those who may see them. Do not publish it.'
    yield 'How well a column predicts another, beyond chance: 0 independent, 1 fully determined.'
    yield 'Only you can say which roles are right; this shows what they would mean.'
    yield ''
    yield suggestions(table, metadata, lists).to_string(index=False)
    together = admissible_together(table, metadata, lists)
    for about, share in together.items():
        yield f'All admissible columns together predict {about}: {_in_words(share)}'


def suggestions(table: pd.DataFrame, metadata: Metadata, lists: Lists) -> pd.DataFrame:
    """Return how well each column predicts protected and outcome ones, with a suggestion.

    Privacy: not private.
    """
    read = read_tables(None, table, metadata)
    (codes,) = encode([read.synthetic], read.columns, list(read.columns))
    role_of = {column: role for role, columns in lists.items() for column in columns}
    rows = []
    for column in read.columns:
        role = role_of.get(column, UNLABELLED)
        protected, outcome = (_most_told(column, codes, lists[r]) for r in (PROTECTED, OUTCOME))
        advice = suggestion(role, protected, outcome)
        rows.append((column, role, str(protected), str(outcome), advice))
    names = ['column', 'role', 'predicts protected', 'predicts outcome', 'suggestion']
    return pd.DataFrame(rows, columns=names)


def admissible_together(table: pd.DataFrame, metadata: Metadata, lists: Lists) -> dict[str, float]:
    """Return how well all admissible columns together predict each protected one, beyond chance.

    Two columns can say nothing alone and everything together. NaN if most rows are alone with their
    combination of admissible values, so that they cannot show it.

    Privacy: not private.
    """
    admissible = list(lists[ADMISSIBLE])
    if len(admissible) < 2:
        return {}
    read = read_tables(None, table, metadata)
    (codes,) = encode([read.synthetic], read.columns, list(read.columns))
    joint = joint_codes([codes[column] for column in admissible])
    alone = (np.bincount(joint)[joint] == 1).mean()
    return {
        about: float('nan') if alone > _MOST_ALONE else tells_in_rows(joint, codes[about])
        for about in lists[PROTECTED]
    }


def _in_words(share: float) -> str:
    if np.isnan(share):
        return 'cannot be told, could be as high as 1: most rows have a combination of their own'
    return f'{share:.2f}' + (
        ', nearly a copy: take one of them out, or all of it gets through'
        if share >= NEARLY_COPIES
        else ''
    )


def suggestion(role: str, protected: Told, outcome: Told) -> str:
    """Return what to do about a column, and why.

    Args:
        role: Its role so far.
        protected: The other protected column that it predicts best.
        outcome: The other outcome that it predicts best.
    """
    if role == UNLABELLED:
        return _for_unlabelled(protected, outcome)
    if role == ADMISSIBLE and protected.share >= NEARLY_COPIES:
        return f'not admissible: nearly copies {protected.about}, and would let all of it through'
    if role == ADMISSIBLE and outcome.share >= NEARLY_COPIES:
        return f'likely a copy of {outcome.about}: make it an outcome, or leave it out'
    if role == OUTCOME and protected.share >= NEARLY_COPIES:
        return f'nearly determines {protected.about}: little of it can be preserved'
    return 'keep'


def _for_unlabelled(protected: Told, outcome: Told) -> str:
    if outcome.share >= NEARLY_COPIES:
        return f'likely a copy of {outcome.about}: make it an outcome, or leave it out'
    if protected.share >= NEARLY_COPIES:
        return f'likely a proxy for {protected.about}: make it protected; never admissible'
    if outcome.share < NOTICEABLE:
        return f'needs no role: hardly predicts {outcome.about}'
    if protected.share < NOTICEABLE:
        return f'candidate for admissible: predicts {outcome.about}, hardly {protected.about}'
    return (
        f'admissible only if it is a good reason: it predicts {outcome.about} and '
        f'{protected.about}, so it would let part of the difference through'
    )


def _most_told(column: str, codes: Mapping[str, Integers], about: Sequence[str]) -> Told:
    told = [Told(one, tells_in_rows(codes[column], codes[one])) for one in about if one != column]
    return max(told, key=lambda one: one.share, default=Told())


def tells_in_rows(first: Integers, second: Integers) -> float:
    """Return how well the first column predicts the second, beyond chance.

    Privacy: not private.
    """
    table = pd.crosstab(first, second).to_numpy(dtype=np.float64)
    total = table.sum()
    rows, columns = table.sum(axis=1) / total, table.sum(axis=0) / total
    most = most_that_can_be_told(columns) * total
    return beyond(how_much_tells(table), told_by_chance(rows, columns, total) / most) if most else 0
