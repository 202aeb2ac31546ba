"""Tables that do not fit in memory, and counts, on their way into a fit.

All of them share one pipeline: encoders built from public facts, one counting kernel, one
mechanism. If a table cannot be read to its end, only the account has changed.
"""

from dataclasses import replace
from typing import Any

import pandas as pd
import pyarrow as pa

from sdv_prefair.columns._generated import check_keys
from sdv_prefair.columns._processor import check_columns, public_frame
from sdv_prefair.counting import FrameSource, Source
from sdv_prefair.counting._arrow import (
    check_clocks,
    check_schema,
    dtypes_of_metadata,
    dtypes_of_schema,
)
from sdv_prefair.counting._given import CountQueries, write_queries
from sdv_prefair.counting._tables import has_session_clock, open_table
from sdv_prefair.errors import DomainError, PrivateDataError
from sdv_prefair.fitting import _cautions as cautions
from sdv_prefair.fitting._fitted import Prepared
from sdv_prefair.fitting._pipeline import coarse_columns, declared_cliques, prepare
from sdv_prefair.fitting._settings import Settings
from sdv_prefair.learning import undeclared_columns


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
