"""What the signing page says about people and files; the synthesizer has data on neither."""

import csv
import hashlib
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet

from sdv_prefair.errors import SynthesizerInputError, shown

_MOST_LETTERS = 2000


@dataclass(frozen=True)
class Particulars:
    """What only people know; each a string, or None if not given.

    Attributes:
        purpose: What the release is for.
        recipient: Who gets it.
        contact: Whom to ask about it.
        source: Where the private table comes from.
        declared_by: Who declared the ranges that were taken as public.
    """

    purpose: str | None = None
    recipient: str | None = None
    contact: str | None = None
    source: str | None = None
    declared_by: str | None = None

    def __post_init__(self) -> None:
        for name, text in vars(self).items():
            if text is not None and not (isinstance(text, str) and len(text) <= _MOST_LETTERS):
                raise SynthesizerInputError(
                    f'{name} ({shown(text)}) must be a text of at most {_MOST_LETTERS} letters.'
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
