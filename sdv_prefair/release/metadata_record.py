"""Metadata as JSON: SDV's own format, with the types of values that JSON does not know."""

from typing import Any

from sdv.metadata import Metadata

from sdv_prefair.release.metadata_checks import check_metadata
from sdv_prefair.release.values import TYPE, read_value, write_value


def write_metadata(metadata: Metadata) -> Any:
    """Return metadata as JSON; ``Metadata.load_from_json`` reads it if all values are plain."""
    return _write(metadata.to_dict())


def read_metadata(written: Any) -> Metadata:
    """Return the metadata that a document holds, once it is known to be harmless."""
    document = _read(written)
    check_metadata(document)
    return Metadata.load_from_dict(document)


def _write(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _write(item) for key, item in value.items()}
    return write_value(list(value) if isinstance(value, tuple) else value)


def _read(written: Any) -> Any:
    # A column may be called as the key that tells types, but then it is described by an object.
    if isinstance(written, dict) and not isinstance(written.get(TYPE), str):
        return {key: _read(item) for key, item in written.items()}
    if isinstance(written, list):
        return [_read(item) for item in written]
    return read_value(written)
