"""The public domain of columns: from metadata and from people, never from rows."""

from sdv_prefair.domain.columns import Categories, ColumnDomain, Datetimes, Numbers, Undeclared
from sdv_prefair.domain.others import OTHER, name_others
from sdv_prefair.domain.public import modelled_columns, public_domain, single_table, strip_ranges

__all__ = [
    'Categories',
    'ColumnDomain',
    'Datetimes',
    'Numbers',
    'OTHER',
    'Undeclared',
    'modelled_columns',
    'name_others',
    'public_domain',
    'single_table',
    'strip_ranges',
]
