"""The public domain of columns, from metadata and from people; the names for users."""

from sdv_prefair._metadata_files import load_metadata, save_metadata
from sdv_prefair.columns import (
    Categories,
    ColumnDomain,
    Datetimes,
    Numbers,
    Undeclared,
    modelled_columns,
    public_domain,
    strip_ranges,
)

__all__ = [
    'Categories',
    'ColumnDomain',
    'Datetimes',
    'Numbers',
    'Undeclared',
    'load_metadata',
    'modelled_columns',
    'public_domain',
    'save_metadata',
    'strip_ranges',
]
