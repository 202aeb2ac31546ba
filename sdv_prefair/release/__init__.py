"""A fit as a file that is safe to hand to others, and safe to open from others.

SDV's ``save`` writes a pickle, which runs code when it is opened. A release is a zip of

=================  ==================================================================
``release.json``   format and version, arguments, columns, ledger, model
``metadata.json``  the metadata, in SDV's own format
``record.json``    the same for programs, see `twin_record`
``*/i.npy``        the arrays of the model, see `model_record`
=================  ==================================================================

without any reference to code: everything is data, and checked as such. Opening one uses memory
within fixed limits, and either returns a synthesizer whose guarantees were checked again, or raises
a ``ReleaseError``. The file has no signature: it does not prove who wrote it.

Privacy: a release contains public arguments, the ledger and noisy values, and nothing else.
"""

import hashlib
import io
import stat
import textwrap
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeVar

import pandas as pd

from sdv_prefair._atomic_write import check_place, write_whole
from sdv_prefair.errors import PrivacyWarning, ReleaseError
from sdv_prefair.fitting import _cautions as cautions
from sdv_prefair.release._archive import Archive, pack
from sdv_prefair.release._contents import Contents, Released, check_same, write_contents
from sdv_prefair.release._verified import Check, Verification
from sdv_prefair.release._verifying import verify_fit

if TYPE_CHECKING:
    from sdv_prefair.synthesizer import PreFairSynthesizer

__all__ = [
    'Check',
    'Contents',
    'Released',
    'Verification',
    'digest_of',
    'load_release',
    'open_release',
    'save_release',
    'verify_release',
    'write_release',
]

Made = TypeVar('Made', bound='PreFairSynthesizer')

_GET_AGAIN = 'Give a file that save_release wrote; get it again if it was changed in transit.'
_USE_SAVE = 'Change that and fit again, or use save.'
_MOST_LETTERS = 200  # part of another library's message


def save_release(synthesizer: 'PreFairSynthesizer', path: str | Path) -> None:
    """Save a fitted synthesizer as a release.

    The write is atomic, and replaces an existing file. The release is read back before it is kept,
    so a file that cannot be opened is never written. The same fit gives the same bytes.

    Raises:
        ReleaseError: If the fit contains code, or a value that a release cannot store.
        UnfairModelError: If the fit promises fairness, and its model was changed since.
        OSError: If no file can be written there.
    """
    synthesizer.save_release(path)


def load_release(path: str | Path) -> 'PreFairSynthesizer':
    """Open a release, yours or someone else's, and return its synthesizer; runs no code from it.

    It samples the same rows as the one that was saved. Privacy and fairness are checked as far as
    possible: the ledger adds up to the budget and pays for the measurements, and the model is one
    that its structure can choose, fair if it claims to be.

    Raises:
        ReleaseError: If the file is not a release, is damaged, or breaks its own guarantees.
    """
    from sdv_prefair.synthesizer import PreFairSynthesizer

    return open_release(path, PreFairSynthesizer)


def verify_release(
    path: str | Path, rows: 'pd.DataFrame | dict[str, pd.DataFrame] | None' = None
) -> Verification:
    """Verify a release, and rows that are said to come from it.

    For the file: that it is complete, that its ledger adds up to the budget and pays for every
    measurement, that its model satisfies every statement, and that its noise was not seeded. For
    rows: the checks of ``synthesizer.verify_rows``.

    Args:
        path: The release.
        rows: Rows that are said to be sampled from it.

    Returns:
        The checks that were made; true.

    Raises:
        ReleaseError: If the file is not a release, or is damaged.
        VerificationError: If a check fails; it says which.
    """
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', PrivacyWarning)  # a seed is one of the checks
        synthesizer = load_release(path)
    checked = verify_fit(synthesizer).or_raise()
    if rows is None:
        return checked
    return Verification([*checked.checks, *synthesizer.verify_rows(rows).checks])


def digest_of(released: Released) -> str:
    """Return the SHA-256 of the file that a release would be, in hexadecimal digits."""
    return hashlib.sha256(pack(write_contents(released))).hexdigest()


def write_release(released: Released, path: str | Path, synthesizer_class: type[Made]) -> None:
    """Write a release after a successful round trip.

    Args:
        released: The fit to save.
        path: Where to write.
        synthesizer_class: The class to construct when it is opened.
    """
    check_place(Path(path))
    content = pack(write_contents(released))
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # they were raised on construction
        again = _read(io.BytesIO(content), synthesizer_class, _USE_SAVE)
        check_same(released.fitted, again.fitted)
    write_whole(Path(path), content)


def open_release(path: str | Path, synthesizer_class: type[Made]) -> Made:
    """Return the synthesizer of a release, as ``load_release`` does, of a given class."""
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(
            f"There is no file '{path}'. Give the path of one that save_release wrote."
        )
    if not stat.S_ISREG(path.stat().st_mode):
        raise ReleaseError(f"'{path}' is not a file. Give the path of one that save_release wrote.")
    with open(path, 'rb') as stream:
        synthesizer = _read(stream, synthesizer_class, _GET_AGAIN)
    cautions.warn_of_seeded_file(synthesizer.fitted.ledger.seeded)
    return synthesizer


def _read(stream: BinaryIO, synthesizer_class: type[Made], remedy: str) -> Made:
    try:
        contents = Contents.of_archive(Archive(stream))
        stream.seek(0)
        digest = hashlib.file_digest(stream, 'sha256').hexdigest()  # type: ignore[arg-type]
        return synthesizer_class.of_release(contents, digest)
    except ReleaseError as error:
        raise ReleaseError(f'{error} {remedy}') from error
    except Exception as error:
        # Every part is checked where it is read. What remains are errors of SDV and other libraries
        # about arguments that are valid one by one; in any case the file is to blame.
        reason = textwrap.shorten(str(error), _MOST_LETTERS, placeholder=' ...').rstrip('.')
        raise ReleaseError(f'The release cannot be opened: {reason}. {remedy}') from error
