"""The ways to fit a synthesizer: each opens an attempt and runs the same pipeline.

Construction is in ``face``, what a synthesizer does with a finished fit in ``after_fit`` and
``estimating``, what it shows the owner of private rows in ``for_the_owner``.
"""

import datetime
import operator
import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sdv._utils import check_synthesizer_version
from sdv.errors import RefitWarning
from sdv.single_table.base import SYNTHESIZER_LOGGER

from sdv_prefair._sdv_versions import as_given_back, takes_tables
from sdv_prefair._users_line import users_line
from sdv_prefair.before_fit import look_first, look_first_at, rehearse
from sdv_prefair.counts import FrameSource
from sdv_prefair.counts._given import counts_of_user
from sdv_prefair.counts._queries import CountQueries
from sdv_prefair.counts._snapshots import held_still
from sdv_prefair.fitting import _cautions as cautions
from sdv_prefair.fitting._fitted import Fitted
from sdv_prefair.fitting._pipeline import declared_cliques, fit_counted, fit_pipeline, prepare
from sdv_prefair.fitting._progress import Progress
from sdv_prefair.privacy import Attempt
from sdv_prefair.synthesizer import _in_memory as in_memory
from sdv_prefair.synthesizer import _out_of_core as out_of_core
from sdv_prefair.synthesizer import _state as state
from sdv_prefair.synthesizer._after_fit import Frames
from sdv_prefair.synthesizer._arguments import check_choice
from sdv_prefair.synthesizer._for_the_owner import ForTheOwner


class WaysToFit(ForTheOwner):
    """A synthesizer that can be fitted. This class alone has no arguments."""

    @takes_tables
    def fit(self, data: Frames, check: bool = True) -> None:
        """Fit the synthesizer; spends exactly (epsilon, delta) on the table.

        A fit that fails changes nothing except the account, see ``get_privacy_account``: what it
        has spent is spent.

        Args:
            data: The private table, as a DataFrame or ``{table_name: DataFrame}``. It is not
                modified.
            check: Whether to look at the rows first, for their owner: an ``OwnerWarning`` says what
                would silently happen to them, and the fit stops before anything is spent where it
                would lose a column. **Not private**: pass False where others see warnings, or
                whether a fit fails.
        """
        self._begin('Fit')
        check_choice('check', check, (True, False))
        in_memory.check_data(data, self._settings)
        self._warn_before_reading()
        table = in_memory.bounded_rows(data, self._settings, self.person_column)
        settings = self._settings.for_table(table.dtypes)
        if check:
            rehearse(settings, table.dtypes)
            look_first(table, settings, None)
        self._log('Fit processed data')
        with self._account.open('fit', settings.open_ledger()) as attempt:
            source, progress = FrameSource(table), Progress(self.verbose)
            fitted = fit_pipeline(source, settings, attempt.ledger, progress)
        self._adopt(replace(fitted, names=in_memory.given_names(data, settings)), attempt)

    def fit_table(self, table: Any, rows_stay: bool | None = None, check: bool = True) -> None:
        """Fit the synthesizer to a table of any size; spends exactly (epsilon, delta) on it.

        Memory does not grow with the number of rows. The columns must match the metadata. Sampled
        columns have the dtypes that correspond to the table's types, see
        ``sdv_prefair.encoding._arrow_schema``.

        Domains that are not public, and data-dependent bins, are learnt from histograms over public
        grids, within the budget; for that the table is read up to three more times. With
        ``person_column`` the first rows of each person are counted: memory then grows with the
        number of persons. Databases and Spark have no row order; there it is the first rows in the
        sort order over all columns.

        Args:
            table: The path of a Parquet file or folder or of a CSV file, several paths, or a
                pattern; an Arrow ``RecordBatchReader``, dataset or table; a DuckDB relation, a
                polars or Dask frame, a Ray dataset, a Delta or Iceberg table, or anything else with
                an Arrow stream (all of these are read here, in batches); a Spark DataFrame, counted
                by its workers; or an ibis table, of one snapshot where its database has them.
            rows_stay: Whether the database of an ibis table counts its rows itself, so that only
                counts leave it. By default the rows of DuckDB, PostgreSQL, MariaDB, MySQL and
                SQLite are streamed, which costs the database less, and all others stay.
            check: As in ``fit``, by one more pass that counts: the fit stops where a column would
                be lost. A table that can be read only once is not looked at. **Not private.**

        Raises:
            PrivateDataError: If the table does not match the metadata or could not be read. The
                synthesizer then stays as it was, except for its account.
        """
        self._begin('Fit table')
        check_choice('check', check, (True, False))
        with held_still(table):
            before, person_column = self._settings, self.person_column
            source = out_of_core.table_source(table, before, person_column, rows_stay)
            self._warn_before_reading()
            settings = out_of_core.readable(source, before.for_table(source.dtypes))
            if check:
                rehearse(settings, source.dtypes)
                look_first_at(source, settings)
            with self._account.open('fit_table', settings.open_ledger()) as attempt:
                fitted = fit_pipeline(source, settings, attempt.ledger, Progress(self.verbose))
        self._adopt(fitted, attempt)

    def fit_counts(self, counts: Mapping[Any, Any]) -> None:
        """Fit the synthesizer to histograms; spends exactly (epsilon, delta) on them.

        The metadata must declare the ranges of all columns. If there is a person column, or
        ``max_rows_per_person`` is not 1, the histograms must not count more rows of a person:
        ``count_queries`` ensures that.

        Args:
            counts: The histogram of each clique of ``count_queries()``: an array with one axis per
                column and one cell per code, or a DataFrame with the codes of the clique's columns
                and a column ``count``. For rows without a valid value, such as undeclared nulls,
                the queries return the code after the last one; an axis may or may not have a cell
                for it.

        Raises:
            PrivateDataError: If a histogram is missing, or they contradict each other. The
                synthesizer then stays as it was, except for its account.
        """
        self._begin('Fit counts')
        prepared = out_of_core.prepare_from_metadata(self._settings, 'fit_counts')
        encoding, cliques = prepared.encoding, declared_cliques(prepared)
        exact = counts_of_user(counts, encoding.counted_domain, cliques, encoding.domain)
        self._warn_before_reading()
        with self._account.open('fit_counts', prepared.open_ledger()) as attempt:
            fitted = fit_counted(exact, prepared, attempt.ledger, Progress(self.verbose))
        self._adopt(fitted, attempt)

    def count_queries(self, dialect: str = 'duckdb') -> CountQueries:
        """Return the SQL for every histogram that a fit reads, for people who may only run queries.

        The queries are for a table with the metadata's name and columns, in which dates and times
        are timestamps, numbers are numeric and everything else is text. Pass their answers, as
        DataFrames, to ``fit_counts``. They are exact, so they are as private as the rows.

        Args:
            dialect: The database that will run them, as ibis names it: 'duckdb', 'postgres', ...

        Returns:
            A dictionary from cliques to queries; ``print`` shows it as a script.
        """
        self._check_before_fit()
        prepared = out_of_core.prepare_from_metadata(self._settings, 'count_queries')
        return out_of_core.queries_of(prepared, self.person_column, dialect)

    @takes_tables
    def preprocess(self, data: Frames) -> Frames:
        """Encode the private rows as integer codes. The result is as private as the rows.

        An earlier fit stays as it is until ``fit_processed_data`` has finished.

        Privacy: learns only the domains that are not public, each paid for in the ledger.
        """
        in_memory.check_data(data, self._settings)
        if self._fitted:
            warnings.warn(
                'This model has already been fitted. To use the new preprocessed data, please '
                "refit the model using 'fit' or 'fit_processed_data'.",
                RefitWarning,
                stacklevel=users_line(),
            )
        self._warn_before_reading()
        table = in_memory.bounded_rows(data, self._settings, self.person_column)
        settings = self._settings.for_table(table.dtypes)
        with self._account.open('preprocess', settings.open_ledger()) as attempt:
            prepared = prepare(FrameSource(table), settings, attempt.ledger)
            codes = prepared.encoding.encode(settings.plan.transform(table))
        names = in_memory.given_names(data, settings)
        preparation = state.Preparation(prepared, attempt, names)
        self.__dict__.update(state.of_preparation(preparation, self._fitted))
        processed: Frames = as_given_back({self._table_name: codes})
        return processed

    @takes_tables
    def fit_processed_data(self, processed_data: Frames) -> None:
        """Fit the model to rows that ``preprocess`` has encoded.

        Privacy: every call spends the budget again, except for the cost of learning domains.
        """
        preparation = self._preparation
        codes = in_memory.read_codes(processed_data, self._table_name, preparation)
        assert preparation is not None, 'read_codes has raised'
        if preparation.attempt.is_over:
            self._warn_before_reading()
        self._log('Fit processed data')
        prepared, progress = preparation.prepared, Progress(self.verbose)
        with preparation.continued(self._account) as attempt:
            counts = in_memory.count_read(codes, prepared, progress)
            fitted = fit_counted(counts, prepared, attempt.ledger, progress)
        self._adopt(replace(fitted, names=preparation.names), attempt)

    @takes_tables
    def validate(self, data: Frames) -> None:
        """Check that column names and types match the metadata; values are not checked."""
        in_memory.check_data(data, self._settings)

    def _begin(self, event: str) -> None:
        self._log(event)
        self._check_before_fit()

    def _log(self, event: str) -> None:
        # SDV logs the number of rows here, which is private.
        SYNTHESIZER_LOGGER.info({
            'EVENT': event,
            'TIMESTAMP': datetime.datetime.now(),
            'SYNTHESIZER CLASS NAME': type(self).__name__,
            'SYNTHESIZER ID': self._synthesizer_id,
            'TOTAL NUMBER OF TABLES': 1,
        })

    def _check_before_fit(self) -> None:
        check_synthesizer_version(self, is_fit_method=True, compare_operator=operator.lt)
        self._check_input_metadata_updated()

    def _warn_before_reading(self) -> None:
        settings = self._settings
        cautions.warn_of_seed(settings.seed)
        if self._account.spent:
            cautions.warn_of_refit(self._account, settings.open_ledger())

    def _adopt(self, fitted: Fitted, attempt: Attempt) -> None:
        attempt.finish()
        self.__dict__.update(state.of_fit(fitted, attempt))
