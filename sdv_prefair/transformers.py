"""RDT transformers that learn nothing from rows: columns as codes of a public domain.

================  =================  ==========================
public domain     transformer        sdtypes
================  =================  ==========================
``Categories``    `CategoryCodes`    categorical, ordinal, boolean
``Numbers``       `NumberBins`       numerical
``Datetimes``     `DatetimeBins`     datetime
================  =================  ==========================

They are assigned column by column, by SDV's ``update_transformers`` or by the synthesizer; each
column needs an instance of its own.
"""

from sdv_prefair.columns import (
    BinShape,
    CategoryCodes,
    ColumnCodes,
    DatetimeBins,
    NumberBins,
    TailedCodes,
    transformer_for,
    transformers_for,
)

__all__ = [
    'BinShape',
    'CategoryCodes',
    'ColumnCodes',
    'DatetimeBins',
    'NumberBins',
    'TailedCodes',
    'transformer_for',
    'transformers_for',
]
