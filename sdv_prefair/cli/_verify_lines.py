"""The command ``verify``: a release, its rows and its report, checked by the recipient."""

import argparse
import hashlib
import re
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from sdv_prefair.cli._opened_release import open_file, without_bars
from sdv_prefair.cli._table_files import check_table, is_parquet, read_cells, read_table
from sdv_prefair.errors import PrivacyWarning, ReleaseError
from sdv_prefair.release import Check, Verification
from sdv_prefair.release._verifying import in_own_types, verify_fit, verify_table
from sdv_prefair.synthesizer import PreFairSynthesizer
from sdv_prefair.synthesizer._conditional_sampling import askable_columns
from sdv_prefair.synthesizer._written_rows import write_parts

_CANNOT_TELL = (
    'Not checked: who wrote the release, and that its noise was really random; for both, you',
    'rely on the sender.',
)
_CANNOT_TELL_OF_ROWS = (
    'Rows that pass the test of marginals may still come from elsewhere. Rows sampled with',
    '--where, or selected from a sample, fail it.',
)
_NOT_VERIFIED = 'NOT verified: see what has failed above.'
_COMPATIBLE = 'Verified: the release. Its rows are compatible with it; no more can be told of them.'
_DIGEST = re.compile(r'data-of="(release|synthetic)"[^>]*>\s*([0-9a-f]{64})\s*<')


def verification_lines(options: argparse.Namespace) -> Iterator[tuple[str, bool]]:
    """Yield the lines to print, each with whether all checks have passed so far."""
    found: list[Check] = []
    for path, checks in checks_of(options):
        yield f'{path}', True
        yield from _lines(checks)
        found += checks
    if len(found) == 1 and not found[0].passed:  # not a release
        yield _NOT_VERIFIED, False
        return
    yield from ((line, True) for line in _conclusion(found))


def checks_of(options: argparse.Namespace) -> Iterator[tuple[Path, list[Check]]]:
    """Yield the checks of the release, and then those of the rows."""
    if options.rows is not None:
        check_table(options.rows)
    recorded = {} if options.report is None else _recorded(options.report)
    opened = _opened(options.release)
    if isinstance(opened, Check):
        yield options.release, [opened]
        return
    same = _same('release', options.release, recorded)
    yield options.release, [_file(opened), *verify_fit(opened).checks, *same]
    if options.rows is not None:
        same = _same('synthetic', options.rows, recorded)
        yield options.rows, [*rows_verified(opened, options.rows).checks, *same]


def _conclusion(found: Sequence[Check]) -> Iterator[str]:
    """Yield what the checks cannot tell, and what comes of them."""
    yield from _CANNOT_TELL
    tested = any(check.about == 'distribution' for check in found)
    if tested:
        yield from _CANNOT_TELL_OF_ROWS
    if not all(check.passed for check in found):
        yield _NOT_VERIFIED
    else:
        yield _COMPATIBLE if tested else 'Verified.'


def _opened(path: Path) -> PreFairSynthesizer | Check:
    """Return the contents of a release, or what is wrong with it."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', PrivacyWarning)  # a seed is one of the checks
        try:
            return open_file(path)
        except ReleaseError as error:
            return Check('file', False, str(error))


def check_rows(synthesizer: PreFairSynthesizer, path: Path) -> None:
    """Raise ``VerificationError`` unless the rows of a file may have come from a release."""
    rows_verified(synthesizer, path).or_raise()


def particulars(options: argparse.Namespace) -> dict[str, Any]:
    """Return what is written on the signing page, as arguments of the report."""
    names = ('purpose', 'recipient', 'contact', 'source', 'declared_by')
    about = None if options.about is None else _read_about(options.about)
    files = {'synthetic_file': options.synthetic, 'record': options.record}
    return {name: getattr(options, name) for name in names} | files | {'about': about}


def _read_about(path: Path) -> Any:
    """Return what a YAML file says; JSON is YAML too."""
    if not path.is_file():
        raise FileNotFoundError(f"There is no file '{path}'. Give a YAML or JSON file of texts.")
    try:
        told = yaml.safe_load(path.read_text(encoding='utf-8'))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ValueError(
            f"'{path}' cannot be read. Give a YAML or JSON file of texts, in UTF-8."
        ) from error
    if not isinstance(told, dict):
        raise ValueError(f"'{path}' must hold texts by name, such as legal_basis: consent.")
    # A date without quotation marks is a text here.
    return {key: str(v) if isinstance(v, date) else v for key, v in told.items()}


def _lines(found: Sequence[Check]) -> Iterator[tuple[str, bool]]:
    for check in found:
        yield _line(check), check.passed


def _line(check: Check) -> str:
    return f'  {"ok    " if check.passed else "FAILED"} {check.about}: {check.told}'


def _file(synthesizer: PreFairSynthesizer) -> Check:
    digest = synthesizer.get_release_digest()
    return Check('file', True, f'complete and consistent; SHA-256 {digest}')


def rows_verified(synthesizer: PreFairSynthesizer, path: Path) -> Verification:
    """Return whether the rows of a file may have come from a release."""
    metadata = synthesizer.get_metadata()
    table = read_table(path, metadata)
    told = Check('file', True, f'SHA-256 {_digest(path)}')
    if not is_parquet(path):
        cells = read_cells(path, metadata)
        table = in_own_types(table, synthesizer.fitted.encoding.transformers, cells)
        (described,) = metadata.tables.values()
        if unread := unread_columns(cells, table, described.columns):
            about = f'columns {unread} contain cells that do not match the metadata'
            return Verification([told, Check('types', False, about)])
    with without_bars():

        def as_read(drawn: pd.DataFrame) -> pd.DataFrame:
            return _written_and_read(drawn, path, synthesizer)

        return Verification([told, *verify_table(synthesizer, table, as_read).checks])


def _written_and_read(
    drawn: pd.DataFrame, path: Path, synthesizer: PreFairSynthesizer
) -> pd.DataFrame:
    """Return sampled rows as they are read from a file of the same kind."""
    metadata, fitted = synthesizer.get_metadata(), synthesizer.fitted
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / ('rows.parquet' if is_parquet(path) else 'rows.csv')
        write_parts([drawn], copy, len(drawn), askable_columns(fitted))
        table = read_table(copy, metadata)
        if is_parquet(path):
            return table
        return in_own_types(table, fitted.encoding.transformers, read_cells(copy, metadata))


def unread_columns(
    cells: pd.DataFrame, table: pd.DataFrame, columns: Mapping[str, dict[str, Any]]
) -> list[str]:
    """Return the columns with a cell whose parsed value differs from its string."""
    return [
        column
        for column, about in columns.items()
        if column in table and (_differs(cells[column], table[column], about['sdtype'])).any()
    ]


def _differs(cells: pd.Series, read: pd.Series, sdtype: str) -> np.ndarray:
    written = cells.notna().to_numpy()
    if sdtype != 'numerical':
        lost: np.ndarray = written & read.isna().to_numpy()
        return lost
    shown = read.astype(str)  # a short float as it is written
    triples = zip(cells, shown, read, strict=True)
    return np.array([text != one and _is_another(text, n) for text, one, n in triples], dtype=bool)


def _is_another(text: Any, number: Any) -> bool:
    """Whether a number is not the one that is written; compared without rounding."""
    if pd.isna(text) or pd.isna(number):
        return bool(pd.notna(text))
    try:
        written = Fraction(Decimal(text.strip()))
    except (InvalidOperation, ValueError, OverflowError):
        return True
    if isinstance(number, Integral):
        return written != int(number)
    return float(written) != float(number)


def _digest(path: Path) -> str:
    if path.is_dir():
        return 'none: it is a folder'
    with path.open('rb') as stream:
        return hashlib.file_digest(stream, 'sha256').hexdigest()


def _recorded(report: Path) -> dict[str, str]:
    """Return the SHA-256 of each file that is written on a report."""
    if not report.is_file():
        raise FileNotFoundError(f"There is no file '{report}'. Give a report that report wrote.")
    found = dict(_DIGEST.findall(report.read_text(encoding='utf-8', errors='replace')))
    if 'release' not in found:
        raise ValueError(
            f"'{report}' names no SHA-256 of a release. Give a report that report wrote."
        )
    return found


def _same(kind: str, path: Path, recorded: dict[str, str]) -> list[Check]:
    """Return whether a file is the one on the report, if there is a report."""
    if not recorded:
        return []
    if kind not in recorded:
        told = 'no file of rows is written on it. Write it with report --synthetic'
        return [Check('report', False, told)]
    if recorded[kind] == _digest(path):
        return [Check('report', True, 'the SHA-256 on it is that of this file')]
    return [Check('report', False, 'the SHA-256 on it is that of another file')]
