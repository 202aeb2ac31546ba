"""PreFairSynthesizer: what is asked for, and the ways to fit; the mathematics is elsewhere.

Each way opens an attempt and runs the same pipeline. What a synthesizer does with a finished fit is
in ``_after_fit.py``.
"""

import copy
import datetime
import operator
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import pandas as pd
from sdv._utils import check_synthesizer_version
from sdv.errors import RefitWarning
from sdv.metadata import Metadata
from sdv.single_table.base import SYNTHESIZER_LOGGER

from sdv_prefair._metadata_files import Domain, with_facts
from sdv_prefair._notebook import as_html
from sdv_prefair._sdv_versions import accepted, as_given_back, takes_tables, whole
from sdv_prefair._users_line import users_line
from sdv_prefair.before_fit import (
    FitPlan,
    TableCheck,
    check_table,
    look_first,
    look_first_at,
    plan_fit,
    rehearse,
)
from sdv_prefair.columns import OTHER, strip_ranges
from sdv_prefair.columns._dtypes import plain_number
from sdv_prefair.columns._processor import CodesProcessor, check_transformers, one_frame
from sdv_prefair.constraints._adding import Promise
from sdv_prefair.counting import FrameSource
from sdv_prefair.counting._given import CountQueries, counts_of_user
from sdv_prefair.counting._snapshots import held_still
from sdv_prefair.fairness._statements import APART, Independent, Statements
from sdv_prefair.fitting import _cautions as cautions
from sdv_prefair.fitting._fitted import Fitted
from sdv_prefair.fitting._pipeline import declared_cliques, fit_counted, fit_pipeline, prepare
from sdv_prefair.fitting._progress import Progress
from sdv_prefair.fitting._settings import Settings
from sdv_prefair.privacy import Account, Attempt, Risk
from sdv_prefair.roles import Roles
from sdv_prefair.selection._measuring import resolve_budget
from sdv_prefair.selection._mechanism import Mechanism
from sdv_prefair.selection._resolve import resolve_mechanism
from sdv_prefair.selection._strategy import Strategy
from sdv_prefair.synthesizer import _arguments as arguments
from sdv_prefair.synthesizer import _constrained as constrained
from sdv_prefair.synthesizer import _in_memory as in_memory
from sdv_prefair.synthesizer import _inspection as inspection
from sdv_prefair.synthesizer import _out_of_core as out_of_core
from sdv_prefair.synthesizer import _state as state
from sdv_prefair.synthesizer._after_fit import AfterFit
from sdv_prefair.synthesizer._arguments import check_choice, check_whole_number
from sdv_prefair.synthesizer._given_metadata import check_metadata
from sdv_prefair.synthesizer._read_only import copied, keep_arguments
from sdv_prefair.synthesizer._sampling import Frames


@keep_arguments
class PreFairSynthesizer(AfterFit):
    """Synthetic rows that are differentially private and justifiably fair.

    In the model, outcomes depend on protected columns only through admissible ones, and the whole
    fit is (epsilon, delta)-differentially private: neighbouring tables differ by adding or removing
    one row, or all rows of one person.

    Paper: PreFair (Marginals-MST with Algorithm 1, Algorithm 2 or our adaptive selection); beyond
    it, with ``structure='planned'`` and ``'aim'``, more pairs than a tree has.

    Every argument except the metadata is a read-only attribute.

    Args:
        metadata: SDV's metadata of one table, or ``FairMetadata``, which includes the roles. Its
            ranges are the public domain.
        epsilon: Privacy budget; smaller is more private. Or the risk that is acceptable:
            ``sdv_prefair.risk(guess=.55)``.
        delta: What is added to the bound that epsilon sets on probabilities; well below one over
            the number of rows. It is not the probability of a failure, see ``privacy_curve``.
        protected: Columns that must not influence an outcome except through admissible ones; by
            default those that ``FairMetadata`` names.
        admissible: Columns that may.
        outcome: The decision or label columns.
        structure: ``'planned'``, the default (as many pairs as the noise allows); the trees
            ``'adaptive'``, ``'greedy'``, ``'exact'``; ``'aim'`` (a tree plus more pairs);
            ``'privbayes'`` and ``'mwem'`` (pairs and triples); ``'none'`` (a tree without
            fairness); a list of column pairs that form a tree; or a strategy or mechanism object.
            Without roles, only those may be asked for that need none: ``'none'``, and by name
            ``'planned'``, ``'aim'``, ``'privbayes'``, ``'mwem'``, which then promise no fairness.
        budget: ``'tuned'``, or ``'paper'`` for the paper's thirds and plain scores.
        numeric_bins: Number of bins of a numerical or datetime column with a wide range.
        discretization: ``'private'`` learns data-dependent bin edges for such columns within the
            budget, with single bins for frequent values; ``'uniform'`` makes bins of equal width
            and costs nothing.
        spikes: Values that many rows share, by column, as in ``{'gain': [0, 99999]}``: public
            knowledge, so they need not be found. Each gets a code of its own.
        other: The value that replaces values too rare to be learnt: a string for all text columns,
            or a value per column, as in ``{'country': 'elsewhere', 'floor': -1}``. In columns
            without one, the rows are redistributed over the learnt values. In a column with
            declared values it replaces everything else.
        look_for_copies: Whether a hundredth of the budget goes into noisy scores of columns without
            a role and outcomes, so that a fit can warn about copies of an outcome.
        public_ranges: Whether the ranges in the metadata are public. ``None`` treats them as public
            and warns; ``False`` ignores them and learns domains within the budget.
        max_rows_per_person: Maximum number of rows per person; noise protects them together.
        person_column: Column that identifies persons; rows above the maximum are dropped.
        estimator: ``'auto'`` solves trees and other chordal graphs directly and uses mbi for
            everything else; ``'mbi'`` always uses mbi.
        enforce_min_max_values: Kept for SDV's signature: samples never leave the public ranges.
        enforce_rounding: Whether numbers are rounded to the declared decimal places.
        locales: Locales of generated personal columns.
        seed: Makes the noise reproducible, for experiments: such a fit is not private.
        verbose: Whether to show a progress bar, which reveals nothing about the rows.
        fairness: Statements of conditional independence, in place of the three lists, which are
            short for one: ``[Independent(left, right, given), ...]``, or the result of a preset of
            ``sdv_prefair.fairness``, such as ``demographic_parity(['sex'], ['income'])``.
        unlabelled: ``'apart'``: no outcome is adjacent to a column that no list or statement names;
            ``'free'``: it may be. ``None`` is ``'apart'`` for ``'planned'``, ``'aim'``,
            ``'privbayes'``, ``'mwem'`` and ``'greedy'``, ``'free'`` for all other structures. If an
            outcome depends on a proxy for a protected column, the synthetic table is fair, but a
            model trained on it can be as unfair to real people as if nothing had been done.
        domain: Public facts in addition to the metadata, which has no place for them in SDV 1: by
            column, as in ``{'age': {'range_min': 0, 'range_max': 99}}``, with the keys of SDV 2's
            metadata, or a metadata file (its path or its contents). What is given here is public,
            whatever ``public_ranges`` says; facts that contradict the metadata are refused.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        keep_arguments(cls)

    @arguments.with_known_names
    def __init__(
        self,
        metadata: Metadata,
        epsilon: float | Risk = 1.0,
        delta: float = 1e-9,
        protected: Sequence[str] = (),
        admissible: Sequence[str] = (),
        outcome: Sequence[str] = (),
        structure: str | Sequence[tuple[str, str]] | Strategy | Mechanism | None = None,
        budget: str = 'tuned',
        numeric_bins: int = 32,
        public_ranges: bool | None = None,
        max_rows_per_person: int = 1,
        person_column: str | None = None,
        estimator: str = 'auto',
        enforce_min_max_values: bool = True,
        enforce_rounding: bool = True,
        locales: Sequence[str] = ['en_US'],
        seed: int | None = None,
        verbose: bool = False,
        discretization: str = 'private',
        spikes: Mapping[str, Sequence[Any]] | None = None,
        fairness: Independent | Sequence[Independent] | Statements | None = None,
        unlabelled: str | None = None,
        other: str | Mapping[str, Any] | None = OTHER,
        domain: Domain | None = None,
        look_for_copies: bool = True,
    ):
        check_metadata(metadata)
        epsilon, delta, seed = map(plain_number, (epsilon, delta, seed))
        numeric_bins, max_rows_per_person = map(plain_number, (numeric_bins, max_rows_per_person))
        metadata = _without_private_ranges(metadata, public_ranges)
        super().__init__(
            accepted(metadata),
            enforce_min_max_values=enforce_min_max_values,
            enforce_rounding=enforce_rounding,
            locales=locales,
        )
        given = arguments.resolve_statements(Roles(protected, admissible, outcome), fairness)
        roles = arguments.agreed_roles(metadata, given)
        if not given and isinstance(roles, Roles):
            protected, admissible, outcome = roles.as_dict().values()
        structure, named = arguments.resolve_structure(structure, bool(roles))
        self.epsilon, self.delta = epsilon, delta
        self.protected, self.admissible, self.outcome = protected, admissible, outcome
        self.structure, self.budget, self.estimator = structure, budget, estimator
        self.numeric_bins, self.public_ranges = numeric_bins, public_ranges
        self.max_rows_per_person, self.person_column = max_rows_per_person, person_column
        self.seed, self.verbose = seed, verbose
        self.discretization, self.spikes, self.other = discretization, spikes, other
        self.domain = domain
        self.fairness, self.unlabelled = fairness, unlabelled
        self.look_for_copies = look_for_copies
        self._account = Account()
        described = whole(metadata, self._original_metadata)
        arguments.check_amounts(epsilon, delta, numeric_bins, max_rows_per_person, seed)
        arguments.check_choice('look_for_copies', look_for_copies, (True, False))
        arguments.check_choices(
            budget, estimator, public_ranges, verbose, discretization, unlabelled
        )
        mechanism = resolve_mechanism(named, unlabelled)
        are_public = arguments.are_public(public_ranges, domain)
        promise = Promise(roles, mechanism, are_public, unlabelled == APART)
        settings = Settings(
            epsilon,
            delta,
            max_rows_per_person,
            seed,
            numeric_bins,
            discretization,
            self.spikes or {},
            enforce_rounding,
            resolve_budget(budget),
            estimator,
            promise,
            arguments.first_plan(with_facts(described, domain), promise, person_column, self.other),
            {},
            {},
            CodesProcessor(
                metadata=copy.deepcopy(self.metadata._convert_to_single_table()),
                enforce_rounding=enforce_rounding,
                enforce_min_max_values=enforce_min_max_values,
                locales=self.locales,
            ),
            look_for_copies,
        )
        self.__dict__.update(state.of_settings(settings))
        arguments.check_spikes(self.spikes, settings.plan.domains)
        arguments.warn_of_forced(roles)
        cautions.warn_of_budget(settings.epsilon, delta, settings.curve)
        if person_column is None and max_rows_per_person == 1:
            sequence_key = self.metadata._convert_to_single_table().sequence_key
            cautions.warn_of_many_rows(sequence_key, settings.curve, settings.epsilon, delta)
        if public_ranges is None and arguments.says_ranges(described):
            cautions.warn_of_ranges()

    def get_parameters(self) -> dict[str, Any]:
        """Return the arguments of the constructor, except the metadata.

        Lists are copies: changing them has no effect.
        """
        return copied(super().get_parameters())

    def __repr__(self) -> str:
        """Return roles, budget and state in a few lines; nothing that was not released."""
        return inspection.in_words(type(self).__name__, self._settings, self._result, self._account)

    def _repr_html_(self) -> str:
        return as_html(repr(self))

    # -- constraints and transformers --------------------------------------------------------

    def add_constraints(self, constraints: list[Any]) -> None:
        """Add constraints that all sampled rows will satisfy.

        They are enforced without learning from rows outside the privacy budget and without breaking
        the fairness guarantee. If that is impossible, an error says why and nothing changes.

        Args:
            constraints: Constraints of ``sdv.cag``, or our ``PublicCombinations``.

        Raises:
            UnfairModelError: If constraints tie a protected column to an outcome.
            SynthesizerInputError: If a constraint cannot be enforced.
        """
        settings = constrained.with_constraints(
            self._settings, constraints, self.enforce_min_max_values, self.locales
        )
        if settings is self._settings:
            return
        was_fitted = self._fitted
        self.__dict__.update(state.of_constraints(settings))
        if was_fitted:
            warnings.warn(
                "For these constraints to take effect, please refit the synthesizer using 'fit'.",
                RefitWarning,
                stacklevel=users_line(),
            )

    def validate_constraints(self, synthetic_data: pd.DataFrame | Frames) -> None:
        """Raise ``ConstraintNotMetError`` unless all rows of a synthetic table satisfy them."""
        if isinstance(synthetic_data, dict):
            synthetic_data = synthetic_data[self._table_name]
        constrained.assert_obeyed(self._settings.plan, synthetic_data)

    def _get_all_constraints_list(self) -> list[Any]:
        # SDV lists chained constraints first; these come in the order in which they were added.
        return [copy.deepcopy(rule.constraint) for rule in self._settings.plan.rules]

    def update_transformers(
        self, column_name_to_transformer: dict[str, Any], table_name: str | None = None
    ) -> None:
        """Replace transformers: ours for modelled columns, generators for all others."""
        settings = self._settings
        chosen = check_transformers(column_name_to_transformer, set(settings.plan.domains))
        named = {} if table_name is None else {'table_name': table_name}
        super().update_transformers(column_name_to_transformer, **named)
        settings = replace(settings, chosen={**settings.chosen, **chosen})
        self.__dict__.update(state.of_settings(settings))

    def auto_assign_transformers(self, data: Frames) -> None:
        """Assign the transformers that a fit would use, as far as they are known without rows."""
        self.validate(data)
        self._auto_assign_transformers(data)

    @takes_tables
    def _auto_assign_transformers(self, data: Frames) -> None:
        table = one_frame(data, self._table_name)
        settings = self._settings.for_table(table.dtypes)
        in_memory.assign_transformers(settings, settings.plan.transform(table.iloc[:0]).dtypes)
        self.__dict__.update(state.of_settings(settings))

    # -- copies and pickles -------------------------------------------------------------------

    def __copy__(self) -> Self:
        twin = type(self).__new__(type(self))
        twin.__dict__ = dict(vars(self))
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = memo[id(self)] = type(self).__new__(type(self))
        twin.__dict__ = copy.deepcopy(self.__dict__, memo)
        return twin

    def __setstate__(self, attributes: Mapping[str, Any]) -> None:
        self.__dict__.update(attributes)
        self._is_opened = self._fitted
        if self._fitted:
            cautions.warn_of_seeded_file(self.fitted.ledger.seeded)

    # -- before a fit -------------------------------------------------------------------------

    def plan(self, num_rows: int, epsilons: Sequence[float] | None = None) -> FitPlan:
        """Return how much noise a fit of so many rows will have, without reading any.

        It is simulated on generated rows, with the code of a fit. ``print`` it, ``plot()`` it, or
        use its frames.

        Args:
            num_rows: The number of rows, as far as that is public.
            epsilons: Which to try; by default this synthesizer's and larger ones.
        """
        num_rows = plain_number(num_rows)
        check_whole_number('num_rows', num_rows, 1)
        tried = None if epsilons is None else [plain_number(epsilon) for epsilon in epsilons]
        return plan_fit(self._settings, num_rows, tried)

    @takes_tables
    def check(self, data: Frames, written: Frames | None = None) -> TableCheck:
        """Return what a fit would silently do to rows, before any budget is spent.

        Rows outside ranges, nulls where none are declared, numbers and dates that cannot be parsed,
        values that are not listed or differ by case or space, repeated keys, constraints that are
        not met, columns that are nearly constant or nearly unique. ``print`` it, or use
        ``to_frame()``; it is true if anything was found.

        Privacy: **not private**, for the owner of the rows only. Nothing is stored here.

        Args:
            data: The private table, as for ``fit``.
            written: The same with all cells as strings, if it was read from a text file: shows
                the strings that became null.
        """
        in_memory.check_data(data, self._settings)
        name = self._settings.table_name
        table = one_frame(data, name)
        texts = None if written is None else one_frame(written, name)
        return check_table(table, self._settings, self.person_column, texts)

    # -- fits ---------------------------------------------------------------------------------

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
        ``sdv_prefair.counting._arrow``.

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


def _without_private_ranges(metadata: Metadata, public_ranges: bool | None) -> Metadata:
    """Return the metadata to keep: ranges that are not public must not reach the pickle."""
    is_private = public_ranges is False and isinstance(metadata, Metadata)
    return strip_ranges(metadata) if is_private else metadata
