"""The doors into a fit besides ``fit``: tables that do not fit in memory, and counts.

Behind each of them is the same pipeline: encoders made of public facts, one kernel that counts, one
mechanism. If a table cannot be read to its end, nothing has changed but the account.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import pyarrow as pa

from sdv_prefair.counts import FrameSource, Source
from sdv_prefair.counts.given import counts_of_user
from sdv_prefair.counts.queries import CountQueries, write_queries
from sdv_prefair.counts.tables import open_table
from sdv_prefair.encoding.arrow_schema import check_schema, dtypes_of_metadata, dtypes_of_schema
from sdv_prefair.encoding.public_frame import public_frame
from sdv_prefair.errors import DomainError, PrivateDataError
from sdv_prefair.fitting.fitted import Prepared
from sdv_prefair.fitting.pipeline import declared_cliques, fit_counted, fit_pipeline, prepare
from sdv_prefair.fitting.progress import Progress
from sdv_prefair.fitting.settings import Settings
from sdv_prefair.learning import undeclared_columns


class OutOfCore:
    """The part of a synthesizer that fits it to something other than a frame in memory."""

    def fit_table(self, table: Any) -> None:
        """Fit the synthesizer to a table of any size; spends exactly (epsilon, delta) on it.

        Memory does not grow with rows. The columns must be those of the metadata. Sampled columns
        have the dtypes that stand for the table's types, see ``sdv_prefair.encoding.arrow_schema``.

        What is not public is learnt from histograms over public grids, within the budget; for that
        the table is read up to three more times. With ``person_column`` the first rows of each
        person are counted: memory then grows with the number of persons. Databases and Spark have
        no first rows; there it is those that come first when all columns are compared.

        Args:
            table: The path of a Parquet file or folder; an Arrow ``RecordBatchReader``, dataset or
                table; a DuckDB relation, a polars frame, or anything else with an Arrow stream
                (all of these are read here, in batches); a Spark DataFrame, counted by its
                workers; or an ibis table, counted by its database.

        Raises:
            PrivateDataError: If the table does not fit the metadata or could not be read. The
                synthesizer is then as it was before, but for its account.
        """
        self._log('Fit table')
        self._check_before_fit()
        source = open_table(
            table,
            self._describe_schema,
            self.person_column,
            self.max_rows_per_person,
            self._original_metadata.tables[self._table_name].columns,
        )
        self._warn_before_reading()
        settings = self._settings().for_table(source.dtypes)
        _check_readable(source, settings)
        with self._account.open('fit_table', settings.open_ledger()) as attempt:
            fitted = fit_pipeline(source, settings, attempt.ledger, Progress(self.verbose))
        self._adopt(fitted, attempt, pd.Index([]))

    def fit_counts(self, counts: Mapping[Any, Any]) -> None:
        """Fit the synthesizer to histograms; spends exactly (epsilon, delta) on them.

        The metadata must declare the ranges of all columns. If there is a person column, or
        ``max_rows_per_person`` is not 1, the histograms must not count more rows of a person:
        ``count_queries`` sees to that.

        Args:
            counts: For each clique of ``count_queries()`` its histogram: an array with an axis for
                each column and a cell for each code, or a DataFrame with the columns of the clique,
                which hold codes, and the column ``count``. The queries give rows without a value
                that may be shown, as nulls that are not declared, the code after the last one; an
                axis may have a cell for it or not.

        Raises:
            PrivateDataError: If a histogram is missing, or they contradict each other. The
                synthesizer is then as it was before, but for its account.
        """
        self._log('Fit counts')
        self._check_before_fit()
        prepared, _ = self._prepared_from_metadata('fit_counts')
        encoding, cliques = prepared.encoding, declared_cliques(prepared)
        exact = counts_of_user(counts, encoding.counted_domain, cliques, encoding.domain)
        self._warn_before_reading()
        with self._account.open('fit_counts', prepared.open_ledger()) as attempt:
            fitted = fit_counted(exact, prepared, attempt.ledger, Progress(self.verbose))
        self._adopt(fitted, attempt, pd.Index([]))

    def count_queries(self, dialect: str = 'duckdb') -> CountQueries:
        """Return the SQL of every histogram that a fit reads, for people who may run only queries.

        The queries are for a table with the metadata's name and columns, in which moments are
        timestamps, numbers are numbers and all else is text. Their answers, as DataFrames, are
        what ``fit_counts`` takes. They are exact, so they are as private as the rows.

        Args:
            dialect: The database that will run them, in ibis' words: 'duckdb', 'postgres', ...

        Returns:
            A dictionary from cliques to queries; ``print`` shows it as a script.
        """
        self._check_before_fit()
        prepared, dtypes = self._prepared_from_metadata('count_queries')
        if prepared.plan.chain:
            raise DomainError(
                'count_queries cannot write constraints as SQL. Use fit_table, or leave out the '
                'constraints.'
            )
        return write_queries(
            self._table_name,
            dtypes,
            prepared.encoding.transformers,
            declared_cliques(prepared),
            (self.person_column, self.max_rows_per_person),
            dialect,
        )

    def _describe_schema(self, schema: pa.Schema) -> pd.Series:
        columns = self._original_metadata.tables[self._table_name].columns
        check_schema(schema, columns)
        return dtypes_of_schema(schema, columns, self._plan.original_domains)

    def _prepared_from_metadata(self, caller: str) -> tuple[Prepared, pd.Series]:
        """Return encoders made of the metadata alone, and the dtypes that it stands for."""
        columns = self._original_metadata.tables[self._table_name].columns
        dtypes = dtypes_of_metadata(columns, self._plan.original_domains)
        settings = self._settings().for_table(dtypes)
        if unknown := undeclared_columns(settings.to_learn):
            raise DomainError(
                f'{caller} needs the ranges of all columns, but those of {unknown} are not public. '
                'Declare range_values, or range_min and range_max, in the metadata.'
            )
        plan = settings.plan
        public = public_frame(plan.original_domains, dtypes, plan.original_metadata)
        # There is nothing to learn, so nothing is spent.
        return prepare(FrameSource(public), settings, settings.open_ledger()), dtypes


def _check_readable(source: Source, settings: Settings) -> None:
    unknown = undeclared_columns(settings.to_learn)
    if unknown and not source.can_be_read_again:
        raise PrivateDataError(
            f'The ranges of {unknown} are not public, so they have to be learnt before the '
            'table is counted, but a reader can be read only once. Declare their ranges in '
            'the metadata, or pass what can be read again: files, a dataset, a table.'
        )
