"""Frames on their way into a fit: what they must satisfy, and rows that are already encoded."""

import pandas as pd

from sdv_prefair.columns import ColumnCodes, Undeclared, transformers_for
from sdv_prefair.columns._generated import check_keys
from sdv_prefair.columns._processor import (
    check_codes,
    check_frame,
    integer_names,
    one_frame,
    prepare_processor,
)
from sdv_prefair.counting import Counts, count_codes
from sdv_prefair.counting._frame import bound_rows_per_person
from sdv_prefair.fitting._fitted import Prepared
from sdv_prefair.fitting._pipeline import declared_cliques
from sdv_prefair.fitting._progress import Progress
from sdv_prefair.fitting._settings import Settings
from sdv_prefair.synthesizer._state import Preparation

Frames = dict[str, pd.DataFrame]


def check_data(data: Frames, settings: Settings) -> None:
    """Raise unless names and types of the table match the metadata; values are not read."""
    table = one_frame(data, settings.table_name)
    check_frame(table, settings.columns)
    check_keys(table.dtypes, settings.plan.original_metadata)


def bounded_rows(data: Frames, settings: Settings, person_column: str | None) -> pd.DataFrame:
    """Return the table without the rows of a person above the bound."""
    table = one_frame(data, settings.table_name)
    return bound_rows_per_person(table, person_column, settings.max_rows_per_person)


def given_names(data: Frames, settings: Settings) -> pd.Index:
    """Return the names of the user's columns, if they are not all strings."""
    return integer_names(data[settings.table_name].columns, settings.columns)


def read_codes(data: Frames, table_name: str, preparation: Preparation | None) -> pd.DataFrame:
    """Return rows that ``preprocess`` has encoded; raise if they are not codes."""
    codes = one_frame(data, table_name)
    check_codes(codes, None if preparation is None else preparation.prepared.encoding)
    return codes


def count_read(codes: pd.DataFrame, prepared: Prepared, progress: Progress) -> Counts:
    """Count the declared histograms of encoded rows.

    Privacy: the result is private until a ``PrivateTable`` answers from it.
    """
    domain = prepared.encoding.counted_domain
    columns = {column: codes[column].to_numpy() for column in domain}
    return count_codes(columns, domain, declared_cliques(prepared), progress.counting)


def assign_transformers(settings: Settings, dtypes: pd.Series) -> None:
    """Give the settings' processor the transformers that a fit would use, as far as known.

    Args:
        settings: Prepared for the table's dtypes.
        dtypes: Those of the table as it is modelled.
    """
    # A column without a declared domain has no transformer before a fit learns one.
    declared = {c: d for c, d in settings.unchosen.items() if not isinstance(d, Undeclared)}
    edges = settings.plan.edges(settings.numeric_bins)
    made = transformers_for(
        declared, settings.numeric_bins, dtypes, settings.enforce_rounding, edges
    )
    transformers: dict[str, ColumnCodes | None] = dict.fromkeys(settings.plan.domains)
    transformers |= dict(settings.chosen) | made | dict(settings.generators)
    prepare_processor(settings.processor, dtypes, settings.plan.domains, transformers)
