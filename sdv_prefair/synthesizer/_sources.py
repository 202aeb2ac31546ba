"""Tables on their way into a fit: in memory, or read as a stream; what they must satisfy."""

from dataclasses import replace
from typing import Any

import pandas as pd
import pyarrow as pa

from sdv_prefair.columns import ColumnCodes, Undeclared, transformers_for
from sdv_prefair.columns._generated import check_keys
from sdv_prefair.columns._processor import (
    check_codes,
    check_columns,
    check_frame,
    integer_names,
    one_frame,
    prepare_processor,
    public_frame,
)
from sdv_prefair.counting import Counts, FrameSource, Source, count_codes
from sdv_prefair.counting._arrow import (
    check_clocks,
    check_schema,
    dtypes_of_metadata,
    dtypes_of_schema,
)
from sdv_prefair.counting._frame import bound_rows_per_person
from sdv_prefair.counting._given import CountQueries, write_queries
from sdv_prefair.counting._tables import has_session_clock, open_table
from sdv_prefair.errors import DomainError, PrivateDataError
from sdv_prefair.fitting import _cautions as cautions
from sdv_prefair.fitting._fitted import Prepared, Settings
from sdv_prefair.fitting._pipeline import Progress, coarse_columns, declared_cliques, prepare
from sdv_prefair.learning import undeclared_columns
from sdv_prefair.synthesizer._state import Preparation

# -- Frames on their way into a fit: what they must satisfy, and rows that are already encoded -----

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


# -- Tables that do not fit in memory, and counts, on their way into a fit -------------------------
#
# All of them share one pipeline: encoders built from public facts, one counting kernel, one
# mechanism. If a table cannot be read to its end, only the account has changed.


def table_source(
    table: Any, settings: Settings, person_column: str | None, rows_stay: bool | None = None
) -> Source:
    """Return the counter for a table of any size, after checking its names and types."""
    columns = settings.columns

    def describe(found: pa.Schema | pd.DataFrame) -> pd.Series:
        if isinstance(found, pd.DataFrame):
            check_columns(found, columns)
            dtypes = found[list(columns)].dtypes
        else:
            check_schema(found, columns)
            if has_session_clock(table):
                check_clocks(found, settings.plan.original_domains)
            dtypes = dtypes_of_schema(found, columns, settings.plan.original_domains)
        check_keys(dtypes, settings.plan.original_metadata)
        return dtypes

    max_rows = settings.max_rows_per_person
    return open_table(table, describe, person_column, max_rows, columns, rows_stay)


def readable(source: Source, settings: Settings) -> Settings:
    """Return settings for a table, depending on whether it can be read more than once.

    A table that can be read only once is counted in one pass: its bins have equal width.

    Args:
        source: The table.
        settings: Prepared for its dtypes.

    Raises:
        PrivateDataError: If domains must be learnt from what can be read only once.
    """
    unknown = undeclared_columns(settings.to_learn)
    if unknown and not source.can_be_read_again:
        raise PrivateDataError(
            f'The ranges of {unknown} are not public, so they have to be learnt before the '
            'table is counted, but a reader can be read only once. Declare their ranges in '
            'the metadata, or pass what can be read again: files, a dataset, a table.'
        )
    if source.can_be_read_again or settings.discretization == 'uniform':
        return settings
    cautions.warn_of_one_reading(list(coarse_columns(settings, settings.unchosen, source.dtypes)))
    return replace(settings, discretization='uniform')


def prepare_from_metadata(settings: Settings, caller: str) -> Prepared:
    """Return encoders built from the metadata alone, for a table with the dtypes it implies.

    Raises:
        DomainError: If something would have to be learnt.
    """
    dtypes = _dtypes(settings)
    settings = settings.for_table(dtypes)
    if unknown := undeclared_columns(settings.to_learn):
        raise DomainError(
            f'{caller} needs the ranges of all columns, but those of {unknown} are not public. '
            'Declare range_values, or range_min and range_max, in the metadata.'
        )
    plan = settings.plan
    public = public_frame(plan.original_domains, dtypes, plan.original_metadata)
    # Codes must be known before anything is counted: no bins are learnt, so nothing is spent.
    settings = replace(settings, discretization='uniform')
    return prepare(FrameSource(public), settings, settings.open_ledger())


def queries_of(prepared: Prepared, person_column: str | None, dialect: str) -> CountQueries:
    """Return the SQL of every histogram that a fit reads."""
    if prepared.plan.chain:
        raise DomainError(
            'count_queries cannot write constraints as SQL. Use fit_table, or leave out the '
            'constraints.'
        )
    settings = prepared.settings
    return write_queries(
        settings.table_name,
        dict(_dtypes(settings)),
        prepared.encoding.transformers,
        declared_cliques(prepared),
        (person_column, settings.max_rows_per_person),
        dialect,
    )


def _dtypes(settings: Settings) -> pd.Series:
    return dtypes_of_metadata(settings.columns, settings.plan.original_domains)
