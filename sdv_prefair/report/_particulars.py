"""What the signing page says about people and files; the synthesizer has data on neither."""

import csv
import hashlib
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet
from sdv.errors import SynthesizerInputError

from sdv_prefair.errors import shown

_MOST_LETTERS = 2000


ABOUT = {
    'version': 'Version of the release',
    'supersedes': 'Release that it replaces',
    'curator': 'Curator: who publishes it',
    'curator_type': 'Kind of curator: Government, Industry or Nonprofit',
    'purpose': 'Purpose',
    'unfit_uses': 'Uses it is unfit for',
    'recipient': 'Recipient',
    'access': 'Conditions of access, licence',
    'source': 'Source of the data',
    'population': 'Population',
    'period': 'Period',
    'legal_basis': 'Legal basis, impact assessment',
    'region': 'Region whose law applies',
    'sector': 'Sector',
    'published': 'Date of publication',
    'declared_by': 'Ranges declared by',
    'actors': 'Who may see what, and who is trusted',
    'plans': 'Other releases from the table, planned or made elsewhere',
    'choices': 'How roles, epsilon and bins were chosen; whether by looking at these rows',
    'security': 'How the private table is kept, and who has access',
    'rationale': 'Why this epsilon, and these other choices',
    'audits': 'Audits and tests by others',
    'analyses': 'Analyses it was made for',
    'biases': 'Known bias in the source',
    'admissible': 'Why each admissible column is one, and who decided',
    'special_categories': 'Special categories of data: why, limits, measures, deletion',
    'attacks': 'Attacks that were tried on it, and how strong they were',
    'retention': 'Retention, updates, withdrawal',
    'contact': 'Contact for questions and objections',
}
"""What only people know, by its key: what it is called on the page."""

_ADMISSIBLE = 'admissible'
_CURATORS = ('Government', 'Industry', 'Nonprofit')


class Particulars:
    """What only people know; whatever is missing is a line to fill in by hand.

    Args:
        about: Texts by the keys of ``ABOUT``; ``'admissible'`` may be a text for each column.
    """

    def __init__(self, about: Mapping[str, Any] | None = None):
        if not isinstance(about or {}, Mapping):
            raise SynthesizerInputError(
                f'about ({shown(about)}) must be a dictionary of texts, such as '
                "{'purpose': 'teaching'}."
            )
        self._told = {key: text for key, text in (about or {}).items() if text is not None}
        if unknown := [key for key in self._told if key not in ABOUT]:
            raise SynthesizerInputError(
                f'about has unknown keys: {shown(unknown)}. Use some of {", ".join(ABOUT)}.'
            )
        for key, text in self._texts():
            if not (isinstance(text, str) and len(text) <= _MOST_LETTERS):
                raise SynthesizerInputError(
                    f'{key} ({shown(text)}) must be a text of at most {_MOST_LETTERS} letters.'
                )

        published = self._told.get('published')
        if published is not None and not re.fullmatch(r'\d{4}-\d\d-\d\d', published):
            raise SynthesizerInputError(
                f'published ({shown(published)}) must be a date, such as 2026-11-30.'
            )
        kind = self._told.get('curator_type')
        if kind is not None and kind not in _CURATORS:
            raise SynthesizerInputError(
                f'curator_type ({shown(kind)}) must be one of {", ".join(_CURATORS)}.'
            )

    def with_more(self, about: Mapping[str, Any] | None) -> 'Particulars':
        """Return these and others; none may be given twice."""
        more = Particulars(about)
        if twice := sorted(self._told.keys() & more._told):
            raise SynthesizerInputError(
                f'{", ".join(twice)} is given in about and on its own. Give it once.'
            )
        return Particulars(self._told | more._told)

    def _texts(self) -> Iterator[tuple[str, Any]]:
        for key, text in self._told.items():
            if key == _ADMISSIBLE and isinstance(text, Mapping):
                yield from ((f'{key} of {shown(column)}', why) for column, why in text.items())
            else:
                yield key, text

    def get(self, key: str) -> str | None:
        """Return what was told, as one text; None if nothing was."""
        told = self._told.get(key)
        if isinstance(told, Mapping):
            return '; '.join(f'{column}: {why}' for column, why in told.items())
        return told

    @staticmethod
    def question(key: str) -> str:
        """Return what a text is called on the page."""
        return ABOUT[key]

    def check_columns(self, admissible: Collection[str]) -> None:
        """Raise if a reason is given for a column that is not admissible."""
        told = self._told.get(_ADMISSIBLE)
        reasons = told if isinstance(told, Mapping) else {}
        if unknown := [column for column in reasons if column not in admissible]:
            raise SynthesizerInputError(
                f'about gives reasons for {shown(unknown)}, which are not admissible columns. '
                'Give them for admissible columns only.'
            )


@dataclass(frozen=True)
class Files:
    """The files that are released.

    Attributes:
        release: SHA-256 of the release; None if the fit cannot be saved as one.
        synthetic: Name of the file of synthetic rows, if one was given.
        synthetic_digest: Its SHA-256.
        num_rows: How many rows it has; None if its format does not say.
    """

    release: str | None = None
    synthetic: str | None = None
    synthetic_digest: str | None = None
    num_rows: int | None = None

    @property
    def release_id(self) -> str | None:
        """A name for the release: the beginning of its SHA-256, easy to read out."""
        return (
            None
            if self.release is None
            else '-'.join(self.release[start : start + 4] for start in range(0, 16, 4))
        )


def described_files(release: str | None, synthetic: str | Path | None = None) -> Files:
    """Return the files that are released.

    Args:
        release: SHA-256 of the release.
        synthetic: The file of synthetic rows.
    """
    if synthetic is None:
        return Files(release)
    path = Path(synthetic)
    if not path.is_file():
        raise FileNotFoundError(f"There is no file '{path}'. Give the file of synthetic rows.")
    with path.open('rb') as stream:
        digest = hashlib.file_digest(stream, 'sha256').hexdigest()
    return Files(release, path.name, digest, _count_rows(path))


def _count_rows(path: Path) -> int | None:
    kind = path.suffix.lower()
    if kind == '.parquet':
        return int(pyarrow.parquet.read_metadata(path).num_rows)
    if kind != '.csv':
        return None
    with path.open(encoding='utf-8', newline='', errors='replace') as stream:
        return max(0, sum(1 for line in csv.reader(stream) if line) - 1)
