"""A column: its public facts, its codes, and how it is read and drawn back.

- ``_facts.py``, ``_public.py``: what is known of a column without its rows
- ``_cells.py``, ``_dtypes.py``, ``_moments.py``, ``_texts.py``: how a cell is read, on its own
- ``_categories.py``, ``_bins.py``, ``_binned.py``, ``_column_codes.py``: its codes, as RDT
  transformers; ``_lookups.py`` is what engines interpret in their place
- ``_generated.py``, ``_processor.py``: keys and personal columns, and SDV's data processor
"""

from sdv_prefair.columns._binned import DatetimeBins, NumberBins
from sdv_prefair.columns._bins import BinShape
from sdv_prefair.columns._categories import CategoryCodes, TailedCodes
from sdv_prefair.columns._column_codes import ColumnCodes
from sdv_prefair.columns._facts import (
    OTHER,
    Categories,
    ColumnDomain,
    Datetimes,
    Numbers,
    Undeclared,
    name_others,
)
from sdv_prefair.columns._public import (
    modelled_columns,
    public_domain,
    single_table,
    strip_ranges,
)
from sdv_prefair.columns._transformers import transformer_for, transformers_for

__all__ = [
    'OTHER',
    'BinShape',
    'Categories',
    'CategoryCodes',
    'ColumnCodes',
    'ColumnDomain',
    'DatetimeBins',
    'Datetimes',
    'NumberBins',
    'Numbers',
    'TailedCodes',
    'Undeclared',
    'modelled_columns',
    'name_others',
    'public_domain',
    'single_table',
    'strip_ranges',
    'transformer_for',
    'transformers_for',
]
