"""What people pass in place of metadata; the error says how to turn each into metadata."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_prefair._metadata_files import FACTS
from sdv_prefair.errors import near

_SDTYPES = ('categorical', 'ordinal', 'boolean', 'numerical', 'datetime', 'id', 'unknown')
_KEYS = (*FACTS, 'pii', 'computer_representation')
_IN_PLACE_OF_METADATA: dict[type, tuple[str, str]] = {
    Mapping: (
        'a dictionary',
        'Use FairMetadata.load_from_dict(metadata), which takes roles too.',
    ),
    str: ('a path', 'Use FairMetadata.load_from_json(metadata), which reads roles too.'),
    Path: ('a path', 'Use FairMetadata.load_from_json(metadata), which reads roles too.'),
    pd.DataFrame: (
        'a DataFrame',
        'Describe the table first: sdv-prefair domain writes a file to fill in.',
    ),
}


def check_metadata(metadata: object) -> None:
    """Raise for what people pass in place of metadata, and say how to turn it into metadata."""
    if isinstance(metadata, tuple) and any(isinstance(part, Metadata) for part in metadata):
        raise SynthesizerInputError(
            'metadata is the pair that load_metadata returns. Take it apart: metadata, roles = '
            'load_metadata(path), then PreFairSynthesizer(metadata, fairness=roles).'
        )
    if isinstance(metadata, Mapping) and any(
        isinstance(part, pd.DataFrame) for part in metadata.values()
    ):
        metadata = next(iter(metadata.values()))  # data in place of metadata, as SDV 2 has it
    for kind, (what, remedy) in _IN_PLACE_OF_METADATA.items():
        if isinstance(metadata, kind):
            raise SynthesizerInputError(f"metadata must be SDV's Metadata, not {what}. {remedy}")
    if not hasattr(metadata, 'to_dict'):  # which SDV 1's metadata of a single table has too
        raise SynthesizerInputError(
            f"metadata (of type {type(metadata).__name__}) must be SDV's Metadata. Load it with "
            'FairMetadata.load_from_json(path), or let sdv-prefair domain write a file to fill in.'
        )
    for table in metadata.tables.values() if isinstance(metadata, Metadata) else ():
        for column, about in table.columns.items():
            _check_spelling(column, about)


def _check_spelling(column: str, about: Mapping[str, Any]) -> None:
    """Raise for a key or sdtype that is nearly a known one; SDV says only that it is not valid."""
    sdtype = str(about.get('sdtype'))
    if sdtype not in _SDTYPES and (meant := near(sdtype, _SDTYPES)):
        raise SynthesizerInputError(
            f"Column '{column}' of the metadata has the sdtype '{sdtype}', which SDV does not "
            f'have. Correct it.{meant}'
        )
    for key in about:
        if key not in _KEYS and (meant := near(key, _KEYS)):
            raise SynthesizerInputError(
                f"Column '{column}' of the metadata has the key '{key}', which nothing reads. "
                f'Correct it.{meant}'
            )
