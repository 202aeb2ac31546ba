"""Conditions of a sample: which values may be asked for, and what asking does to fairness."""

import warnings
from collections.abc import Mapping

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionArray
from sdv.data_processing.data_processor import DataProcessor

from sdv_prefair.errors import FairnessWarning
from sdv_prefair.model import GraphicalModel
from sdv_prefair.roles import Roles
from sdv_prefair.structure import is_justifiably_fair, unblocked_path
from sdv_prefair.transformers import ColumnCodes


def check_values(conditions: pd.DataFrame, transformers: Mapping[str, ColumnCodes]) -> None:
    """Raise ``ValueError`` for a value that the public domain does not hold."""
    for column in conditions.columns:
        if column not in transformers:
            continue
        outside = ~transformers[column].is_declared(conditions[column])
        if outside.any():
            raise ValueError(
                f"Column '{column}' is asked for a value that its domain does not hold. Ask for "
                'one within the range in the metadata, or of those that were learnt.'
            )


def warn_if_unfair(columns: list[str], cliques: list[tuple[str, ...]], roles: Roles) -> None:
    """Warn if asking for these columns re-creates a forbidden dependence.

    Rows asked for by a protected and an outcome value are joined by the asking, as if one more
    clique held both; so are rows asked for by one beside rows asked for by the other.
    """
    if not is_justifiably_fair(cliques, roles):
        return  # nothing is promised that could be lost
    path = unblocked_path([*cliques, columns], roles)
    if path is not None:
        warnings.warn(
            f'Rows asked for by {sorted(columns)} tie protected to outcome columns past the '
            f'admissible ones ({" - ".join(path)}), so the fairness guarantee does not cover them. '
            'To stay within it, ask by the columns of one side only, or by admissible ones.',
            FairnessWarning,
            stacklevel=5,
        )


def sample_lines(
    conditions: pd.DataFrame,
    transformers: Mapping[str, ColumnCodes],
    model: GraphicalModel,
    processor: DataProcessor,
) -> pd.DataFrame:
    """Return one row for every line of the conditions, drawn given it, the asked values exact.

    SDV's own loop samples and rejects for each distinct line. Here all lines are drawn at once:
    each from the model given the line's codes, so no row is rejected; then the asked values
    take the place of those drawn within their bins.
    """
    evidence = {
        column: transformers[column].encode(conditions[column])
        for column in conditions.columns
        if column in transformers
    }
    codes = model.sample_given(evidence) if evidence else model.sample(len(conditions))
    rows = processor.reverse_transform(pd.DataFrame(codes))
    for column in conditions.columns:
        rows[column] = _in_dtype(conditions[column], rows[column].dtype)
    rows.index = conditions.index
    return rows.sort_index(kind='stable')


def _in_dtype(values: pd.Series, dtype: object) -> np.ndarray | ExtensionArray:
    try:
        return values.astype(dtype).array
    except (TypeError, ValueError):  # such as a null among whole numbers
        return values.array
