"""Which transformer a public domain has; ``transformers.py`` is the room for users."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from sdv_prefair.columns._binned import DatetimeBins, NumberBins
from sdv_prefair.columns._bins import BinShape, as_shape
from sdv_prefair.columns._categories import CategoryCodes, TailedCodes
from sdv_prefair.columns._column_codes import ColumnCodes
from sdv_prefair.columns._dtypes import holds_nulls
from sdv_prefair.columns._facts import Categories, ColumnDomain, Datetimes, Numbers
from sdv_prefair.errors import DomainError


def transformer_for(
    domain: ColumnDomain,
    numeric_bins: int,
    dtype: Any = None,
    enforce_rounding: bool = True,
    edges: Sequence[Any] | BinShape | None = None,
) -> ColumnCodes:
    """Return the transformer of one column.

    Args:
        domain: The domain of the column.
        numeric_bins: Number of bins of a range.
        dtype: The column's dtype, if known. If it cannot hold nulls, there is no code for null.
        enforce_rounding: Whether decoded numbers have the declared decimal places.
        edges: Edges between bins of unequal width, for numbers and datetimes; or these, and how
            rows are distributed within the bins.
    """
    nullable = domain.nullable and holds_nulls(dtype)
    if isinstance(domain, Categories) and (domain.tails or domain.form):
        return TailedCodes(
            domain.values,
            nullable,
            dtype=dtype,
            other_value=domain.other,
            shared=domain.shared,
            tails=domain.tails,
            form=domain.form,
            missing=domain.missing,
        )
    if isinstance(domain, Categories):
        return CategoryCodes(
            domain.values,
            nullable,
            other=not domain.complete,
            dtype=dtype,
            other_value=domain.other,
            shared=domain.shared,
            groups=domain.groups,
            missing=domain.missing,
        )
    shape = as_shape(edges)
    cuts: dict[str, Any] = {} if shape is None else vars(shape)
    if isinstance(domain, Numbers):
        places = domain.decimal_places if enforce_rounding else None
        return NumberBins(
            domain.low, domain.high, numeric_bins, places, nullable=nullable, dtype=dtype, **cuts
        )
    if isinstance(domain, Datetimes):
        written = domain.datetime_format
        return DatetimeBins(
            domain.low, domain.high, written, numeric_bins, nullable=nullable, dtype=dtype, **cuts
        )
    raise DomainError('the domain is not declared: learn it before it is encoded.')


def transformers_for(
    domains: Mapping[str, ColumnDomain],
    numeric_bins: int,
    dtypes: Mapping[str, Any] | pd.Series | None = None,
    enforce_rounding: bool = True,
    edges: Mapping[str, Sequence[Any] | BinShape] | None = None,
) -> dict[str, ColumnCodes]:
    """Return a transformer for every column of ``domains``; arguments as in `transformer_for`."""
    transformers = {}
    for column, domain in domains.items():
        dtype = None if dtypes is None else dtypes.get(column)
        cuts = None if edges is None else edges.get(column)
        try:
            transformers[column] = transformer_for(
                domain, numeric_bins, dtype, enforce_rounding, cuts
            )
        except DomainError as error:
            raise DomainError(f"Column '{column}': {error}") from None
    return transformers
