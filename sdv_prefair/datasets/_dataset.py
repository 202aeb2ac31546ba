"""A data set: its rows, its public domain and its roles.

The ranges are public facts: they come from a codebook or from the simulator's own bounds, never
from the rows. ``Metadata.detect_from_dataframes`` would fill them from the rows instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import pandas as pd
from sdv.metadata import Metadata

from sdv_prefair._sdv_versions import accepted
from sdv_prefair.roles import Roles

Column = dict[str, Any]


class Dataset(NamedTuple):
    """A table in SDV's format, its public metadata and the roles of its columns.

    Attributes:
        data: The rows, ``{table name: DataFrame}``.
        metadata: The public domain of every column.
        roles: The protected, admissible and outcome columns.
    """

    data: dict[str, pd.DataFrame]
    metadata: Metadata
    roles: Roles

    def drop(self, columns: Iterable[str]) -> Dataset:
        """Return the data set without some columns, which must not have a role."""
        columns = list(columns)
        ((name, table),) = self.data.items()
        described = self.metadata.to_dict()['tables'][name]
        kept = {c: facts for c, facts in described['columns'].items() if c not in columns}
        key = described.get('primary_key')
        metadata = public_metadata(name, kept, None if key in columns else key)
        return Dataset({name: table.drop(columns=columns)}, metadata, self.roles)


def categorical(values: Iterable, nullable: bool = False) -> Column:
    """Return the metadata of a column whose values have no order."""
    return {
        'sdtype': 'categorical',
        'range_values': list(values),
        'range_is_nullable': nullable,
    }


def ordinal(values: Iterable, nullable: bool = False) -> Column:
    """Return the metadata of a column whose values are listed from least to greatest."""
    return categorical(values, nullable) | {'sdtype': 'ordinal'}


def numerical(low: float, high: float, decimals: int = 0, nullable: bool = False) -> Column:
    """Return the metadata of a number between ``low`` and ``high``, both included."""
    return {
        'sdtype': 'numerical',
        'range_min': low,
        'range_max': high,
        'decimal_places': decimals,
        'range_is_nullable': nullable,
    }


def public_metadata(
    table_name: str, columns: dict[str, Column], primary_key: str | None = None
) -> Metadata:
    """Return SDV metadata of one table with exactly these column descriptions."""
    table: dict[str, Any] = {'columns': columns}
    if primary_key is not None:
        table['primary_key'] = primary_key
    metadata = Metadata.load_from_dict({
        'METADATA_SPEC_VERSION': Metadata.METADATA_SPEC_VERSION,
        'tables': {table_name: table},
        'relationships': [],
    })
    accepted(metadata).validate()
    return metadata
