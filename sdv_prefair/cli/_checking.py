"""The command ``check``: a file before a fit, for the owner only.

Privacy: not private.
"""

import argparse
import warnings
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from sdv.metadata import Metadata

from sdv_prefair.before_fit import Remark, TableCheck
from sdv_prefair.cli._options import metadata_alone
from sdv_prefair.cli._table_files import check_table, is_parquet, read_cells, read_table
from sdv_prefair.columns import single_table
from sdv_prefair.columns._dtypes import as_described
from sdv_prefair.counting._csv import (
    SEPARATORS,
    open_csv,
    read_header,
    reading_csv,
    undecodable_lines,
    uneven_lines,
)
from sdv_prefair.synthesizer import PreFairSynthesizer


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
