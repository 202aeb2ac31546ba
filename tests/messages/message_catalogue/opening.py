"""A sound release, ways to spoil it, and what is said of the spoilt file."""

import functools
import io
import json
import zipfile
from pathlib import Path

import numpy as np
from hostile_releases import PLACES, edited, fitted, npy, replacing
from sdv.cag import FixedIncrements, Inequality

from message_catalogue.message import FOLDER, Message
from sdv_prefair import load_release
from sdv_prefair.errors import ReleaseError
from sdv_prefair.release._archive import pack

GET_AGAIN = 'Give a file that save_release wrote; get it again if it was changed in transit.'


class Opened(Message):
    """A release that is refused; all of them have the same remedy.

    Args:
        spoil: Returns the bytes of the file.
        wrong: What is said of it.
    """

    def __init__(self, spoil, wrong):
        super().__init__(lambda: open_bytes(spoil()), ReleaseError, wrong, GET_AGAIN)


def open_bytes(content):
    path = FOLDER / 'spoilt.prefair'
    path.write_bytes(content)
    return load_release(path)


@functools.cache
def written(constraints=()) -> bytes:
    path = Path(FOLDER / 'sound.prefair')
    fitted(constraints).save_release(path)
    return path.read_bytes()


@functools.cache
def members(constraints=()) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(written(constraints))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def constrained():
    """Return the members of a release whose second constraint rejects rows and is written last."""
    return members((Inequality('starts', 'ends'), FixedIncrements('starts', 1), PLACES))


def with_array(name, change) -> bytes:
    """Return the release with one array changed: a function of the array it was."""
    array = np.load(io.BytesIO(members()[name])).copy()
    return pack(members() | {name: npy(change(array))})


def with_document(content: bytes) -> bytes:
    return pack(members() | {'release.json': content})


def with_field(*path_and_value) -> bytes:
    """Return the release with one value of release.json replaced."""
    *path, value = path_and_value
    return edited(members(), release=replacing(path, value))


def with_metadata(*path_and_value) -> bytes:
    """Return the release with one value in the metadata of a column replaced."""
    *path, value = path_and_value

    def change(metadata):
        holder = metadata['tables']['staff']['columns']
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = value

    return edited(members(), metadata=change)


def model_of(release_members) -> dict:
    return json.loads(release_members['release.json'])['model']
