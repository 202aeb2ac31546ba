"""Metadata and roles: what the file says, and what the options say instead."""

import argparse

from sdv.metadata import Metadata

from sdv_prefair.domain.metadata_file import load_metadata
from sdv_prefair.roles import Roles


def metadata_and_roles(options: argparse.Namespace) -> tuple[Metadata, Roles]:
    """Return the metadata of ``--metadata``, with roles that options may replace."""
    metadata, roles = load_metadata(options.metadata)
    if len(metadata.tables) != 1:
        raise ValueError(
            f"'{options.metadata}' must describe one table, not {len(metadata.tables)}. Give each "
            'table a file, and fit one table at a time.'
        )
    given = {role: getattr(options, role) for role in ('protected', 'admissible', 'outcome')}
    if any(names is not None for names in given.values()):
        known = roles.as_dict()
        roles = Roles(**{r: known[r] if names is None else names for r, names in given.items()})
    return metadata, roles
