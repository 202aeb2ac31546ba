"""The doors into a fit besides ``fit``: tables that do not fit in memory, and counts.

Behind each of them is the same corridor: encoders made of public facts, one kernel that counts, one
mechanism. With the same seed all give the same model. The work is done on a draft of the
synthesizer, which takes its place once it is finished: if a table cannot be read to its end,
nothing has changed but the account.
"""

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
import pyarrow as pa

from sdv_prefair.counts import Clique, FrameSource, Source
from sdv_prefair.counts.consistency import check_not_empty
from sdv_prefair.counts.given import counts_of_user
from sdv_prefair.counts.queries import CountQueries, write_queries
from sdv_prefair.counts.reshape import Reshape
from sdv_prefair.counts.tables import open_table
from sdv_prefair.encoding.arrow_schema import check_schema, dtypes_of_metadata, dtypes_of_schema
from sdv_prefair.encoding.public_frame import public_frame
from sdv_prefair.errors import DomainError, PrivateDataError
from sdv_prefair.learning import undeclared_columns
from sdv_prefair.synthesizer.progress import Progress


class Doors:
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
        draft = self._draft()
        source = open_table(
            table,
            draft._describe_schema,
            self.person_column,
            self.max_rows_per_person,
            self._original_metadata.tables[self._table_name].columns,
        )
        self._warn_before_reading()
        draft._fit_source(source)
        self._adopt(draft)

    def fit_counts(self, counts: Mapping[Any, Any]) -> None:
        """Fit the synthesizer to histograms; spends exactly (epsilon, delta) on them.

        The metadata must declare the ranges of all columns. If there is a person column, or
        ``max_rows_per_person`` is not 1, the histograms must not count more rows of a person:
        ``count_queries`` sees to that.

        Args:
            counts: For each clique of ``count_queries()`` its histogram: an array with an axis for
                each column and a cell for each code, or a DataFrame with the columns of the clique,
                which hold codes, and the column ``count``.

        Raises:
            PrivateDataError: If a histogram is missing, or they contradict each other. The
                synthesizer is then as it was before.
        """
        self._log('Fit counts')
        self._check_before_fit()
        draft = self._draft()
        draft._prepare_from_metadata('fit_counts')
        exact = counts_of_user(counts, draft._encoding.domain, draft._cliques())
        self._warn_before_reading()
        with draft._continue_attempt('fit_counts', 0):
            draft._fit_counts(exact, Progress(self.verbose))
        self._adopt(draft)

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
        draft = self._draft()
        dtypes = draft._prepare_from_metadata('count_queries')
        if draft._plan.chain:
            raise DomainError(
                'count_queries cannot write constraints as SQL. Use fit_table, or leave out the '
                'constraints.'
            )
        return write_queries(
            self._table_name,
            dtypes,
            draft._encoding.transformers,
            draft._cliques(),
            (self.person_column, self.max_rows_per_person),
            dialect,
        )

    # -- the corridor -----------------------------------------------------------------------

    def _describe_schema(self, schema: pa.Schema) -> pd.Series:
        columns = self._original_metadata.tables[self._table_name].columns
        check_schema(schema, columns)
        return dtypes_of_schema(schema, columns, self._plan.original_domains)

    def _fit_source(self, source: Source) -> None:
        self._fit_constraints(source.dtypes)
        unknown = self._unknown_columns()
        if unknown and not getattr(source, 'can_be_read_again', True):
            raise PrivateDataError(
                f'The ranges of {unknown} are not public, so they have to be learnt before the '
                'table is counted, but a reader can be read only once. Declare their ranges in '
                'the metadata, or pass what can be read again: files, a dataset, a table.'
            )
        with self._open_attempt('fit_table', self._open_ledger()):
            self._learn_and_count(source)

    def _learn_and_count(self, source: Source) -> None:
        plan, looked_at = self._plan, source
        if plan.chain or plan.domains_to_learn:
            looked_at = self._reshaped(source, plan.table_to_learn)
        domains, edges = self._learn_domains(looked_at, self._attempt.ledger)
        if plan.chain:
            source = self._reshaped(source, plan.transform)
        self._prepare_encoding(domains, edges, source.dtypes)
        progress = Progress(self.verbose)
        counts = source.count(self._encoding.transformers, self._cliques(), progress.counting)
        check_not_empty(counts)
        self._fit_counts(counts, progress)

    def _reshaped(
        self, source: Source, transform: Callable[[pd.DataFrame], pd.DataFrame]
    ) -> Source:
        """Return the table as constraints see it; whatever they make depends on one row alone."""
        read = {c: source.dtypes[c] for c in dict.fromkeys(sum(self._plan.tied, ()))}
        dtypes = self._plan.dtypes_after(transform, source.dtypes)
        made = frozenset(dtypes.index.difference(source.dtypes.index))
        return source.reshaped(Reshape(transform, read, made), dtypes)

    def _prepare_from_metadata(self, caller: str) -> pd.Series:
        columns = self._original_metadata.tables[self._table_name].columns
        dtypes = dtypes_of_metadata(columns, self._plan.original_domains)
        self._fit_constraints(dtypes)
        if unknown := self._unknown_columns():
            raise DomainError(
                f'{caller} needs the ranges of all columns, but those of {unknown} are not public. '
                'Declare range_values, or range_min and range_max, in the metadata.'
            )
        public = public_frame(self._plan.original_domains, dtypes, self._plan.original_metadata)
        # There is nothing to learn, so nothing is spent.
        domains, edges = self._learn_domains(FrameSource(public), self._open_ledger())
        self._prepare_encoding(domains, edges, self._plan.transform(public).dtypes)
        return dtypes

    def _unknown_columns(self) -> list[str]:
        return undeclared_columns(self._unchosen_domains() | self._plan.domains_to_learn)

    def _cliques(self) -> list[Clique]:
        return self._mechanism.declare(self._encoding.domain, self._modelled_roles)
