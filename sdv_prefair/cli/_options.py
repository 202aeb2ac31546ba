"""From options to metadata with roles, and to an output path.

All of it is checked before any row is read or any budget is spent.
"""

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryFile

from sdv.metadata import Metadata

from sdv_prefair._metadata_files import load_lists, load_metadata
from sdv_prefair.errors import RolesError
from sdv_prefair.fairness._statements import Independent, Statements
from sdv_prefair.roles import Roles


def metadata_alone(path: Path) -> Metadata:
    """Return the metadata of a file, with any roles or statements in it."""
    metadata, _ = load_lists(path)
    _check_one_table(metadata, path)
    return metadata


def metadata_and_lists(options: argparse.Namespace) -> tuple[Metadata, dict[str, list[str]]]:
    """Return the metadata and the roles as lists, some of which may still be empty."""
    metadata, lists = load_lists(options.metadata)
    _check_one_table(metadata, options.metadata)
    given = {role: getattr(options, role) for role in lists}
    return metadata, {r: lists[r] if names is None else names for r, names in given.items()}


def _check_one_table(metadata: Metadata, path: Path) -> None:
    if len(metadata.tables) != 1:
        raise ValueError(
            f"'{path}' must describe one table, not {len(metadata.tables)}. Give each "
            'table a file, and fit one table at a time.'
        )


def metadata_and_roles(options: argparse.Namespace) -> tuple[Metadata, Statements]:
    """Return the metadata of ``--metadata``, with roles or statements that options may replace."""
    metadata, roles = load_metadata(options.metadata)
    _check_one_table(metadata, options.metadata)
    given = {role: getattr(options, role) for role in ('protected', 'admissible', 'outcome')}
    named = {role: names for role, names in given.items() if names is not None}
    if options.fairness and named:
        raise RolesError(
            'Give --fairness, or --protected, --admissible and --outcome, which are the short form '
            'of one statement; not both.'
        )
    if options.fairness:
        return metadata, Statements(Independent(*statement) for statement in options.fairness)
    if named:
        known = roles.as_dict() if isinstance(roles, Roles) else {}
        roles = Roles(**(known | named))
    return metadata, roles


def check_output(
    path: Path,
    endings: Sequence[str],
    inputs: Iterable[Path | None],
    keep: bool = False,
    flag: str = '--out',
) -> None:
    """Raise unless the command can write to the path.

    Args:
        path: What was given.
        endings: How its name may end, in upper or lower case.
        inputs: What the command reads, which must not be replaced; ``None`` for what is not given.
        keep: Whether an existing file must not be replaced.
        flag: The option that it was given with.
    """
    if path.suffix.lower() not in endings:
        raise ValueError(f"{flag} '{path}' must end in {' or '.join(endings)}.")
    if any(_is_same(path, given) for given in inputs if given is not None):
        raise ValueError(
            f"{flag} '{path}' is a file that the command reads. Give another, which may be "
            'replaced.'
        )
    if path.exists() and not path.is_file():
        raise ValueError(f"{flag} '{path}' exists and is not a file. Give the path of a file.")
    if keep and path.exists():
        raise ValueError(
            f"{flag} '{path}' is there already, and may hold your work. Give another, or remove it."
        )
    check_folder(path.parent)


def check_new_folder(path: Path) -> None:
    """Raise unless the folder exists, or can be created with its parents."""
    while not path.exists() and path != path.parent:
        path = path.parent
    if not path.is_dir():
        raise ValueError(f"--out '{path}' is a file. Give a folder to write to.")
    check_folder(path)


def check_folder(folder: Path) -> None:
    """Raise unless a file can be written to the folder; permission bits do not suffice."""
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
