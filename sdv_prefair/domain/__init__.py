"""The public domain of columns: from metadata and from people, never from rows."""

from sdv_prefair.domain._columns import Categories, ColumnDomain, Datetimes, Numbers, Undeclared
from sdv_prefair.domain._metadata_file import load_metadata, save_metadata
from sdv_prefair.domain._others import OTHER, name_others
from sdv_prefair.domain._public import modelled_columns, public_domain, single_table, strip_ranges

__all__ = [
    'OTHER',
    'Categories',
    'ColumnDomain',
    'Datetimes',
    'Numbers',
    'Undeclared',
    'load_metadata',
    'modelled_columns',
    'name_others',
    'public_domain',
    'save_metadata',
    'single_table',
    'strip_ranges',
]
