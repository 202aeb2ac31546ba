"""Releases as the command line knows them: files that ``fit`` wrote."""

from pathlib import Path

from sdv_prefair.errors import ReleaseError
from sdv_prefair.release import load_release
from sdv_prefair.synthesizer import PreFairSynthesizer


def open_file(path: Path) -> PreFairSynthesizer:
    """Return what a release holds; what is wrong with it is said with its path."""
    if not path.exists():
        raise FileNotFoundError(f"There is no file '{path}'. Give a release that fit wrote.")
    try:
        return load_release(path)
    except ReleaseError as error:
        in_our_words = str(error).replace(
            'a file that save_release wrote', 'a release that fit wrote'
        )
        raise ReleaseError(f"'{path}': {in_our_words}") from error
