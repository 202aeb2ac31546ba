"""What options stand for: metadata with roles, and a place to write to.

All of it is checked before any row is read or any budget is spent.
"""

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryFile

from sdv.metadata import Metadata

from sdv_prefair.domain.metadata_file import load_lists
from sdv_prefair.roles import Roles


def metadata_and_roles(options: argparse.Namespace) -> tuple[Metadata, Roles]:
    """Return the metadata of ``--metadata``, with roles that options may replace."""
    metadata, lists = metadata_and_lists(options)
    return metadata, Roles(**lists)


def metadata_and_lists(options: argparse.Namespace) -> tuple[Metadata, dict[str, list[str]]]:
    """Return the same with roles as lists, some of which may be empty yet."""
    metadata, lists = load_lists(options.metadata)
    if len(metadata.tables) != 1:
        raise ValueError(
            f"'{options.metadata}' must describe one table, not {len(metadata.tables)}. Give each "
            'table a file, and fit one table at a time.'
        )
    given = {role: getattr(options, role) for role in lists}
    return metadata, {r: lists[r] if names is None else names for r, names in given.items()}


def check_output(
    path: Path, endings: Sequence[str], inputs: Iterable[Path | None], keep: bool = False
) -> None:
    """Raise unless ``--out`` is a place for what the command writes.

    Args:
        path: What was given.
        endings: How its name may end, in upper or lower case.
        inputs: What the command reads, which must not be replaced; ``None`` for what is not given.
        keep: Whether a file that is there must stay.
    """
    if path.suffix.lower() not in endings:
        raise ValueError(f"--out '{path}' must end in {' or '.join(endings)}.")
    if any(_is_same(path, given) for given in inputs if given is not None):
        raise ValueError(
            f"--out '{path}' is a file that the command reads. Give another, which may be replaced."
        )
    if path.exists() and not path.is_file():
        raise ValueError(f"--out '{path}' is there and is no file. Give the path of a file.")
    if keep and path.exists():
        raise ValueError(
            f"--out '{path}' is there already, and may hold your work. Give another, or remove it."
        )
    check_folder(path.parent)


def check_new_folder(path: Path) -> None:
    """Raise unless the folder is there, or can be made with all that it is in."""
    while not path.exists() and path != path.parent:
        path = path.parent
    if not path.is_dir():
        raise ValueError(f"--out '{path}' is a file. Give a folder to write to.")
    check_folder(path)


def check_folder(folder: Path) -> None:
    """Raise unless a file can be written to the folder; rights alone do not tell."""
    if not folder.is_dir():
        raise FileNotFoundError(
            f"There is no folder '{folder}' to write to. Make it, or correct --out."
        )
    try:
        with TemporaryFile(dir=folder):
            pass
    except OSError:
        raise PermissionError(
            f"Nothing can be written to the folder '{folder}'. Correct --out, or the rights to it."
        ) from None


def _is_same(path: Path, other: Path) -> bool:
    return path.exists() and other.exists() and path.samefile(other)
