"""PreFairSynthesizer: the face SDV sees. Fit reads as its steps; the mathematics is elsewhere."""

import datetime
import warnings
from collections.abc import Sequence

import pandas as pd
from sdv.errors import RefitWarning
from sdv.metadata import Metadata
from sdv.single_table.base import SYNTHESIZER_LOGGER

from sdv_prefair.counts import FrameSource, count_codes
from sdv_prefair.counts.frame_persons import bound_rows_per_person
from sdv_prefair.domain import (
    modelled_columns,
    public_domain,
    strip_ranges,
)
from sdv_prefair.encoding.frame_schema import check_frame, integer_names, single_table
from sdv_prefair.encoding.processor import CodesProcessor
from sdv_prefair.encoding.table import check_codes
from sdv_prefair.fitting import cautions
from sdv_prefair.fitting.pipeline import declared_cliques, fit_counted, fit_pipeline, prepare
from sdv_prefair.fitting.progress import Progress
from sdv_prefair.fitting.settings import Settings
from sdv_prefair.mechanisms.budget import resolve_budget
from sdv_prefair.mechanisms.catalogue import DEFAULT_STRUCTURE
from sdv_prefair.mechanisms.from_structure import resolve_mechanism
from sdv_prefair.mechanisms.protocol import Mechanism
from sdv_prefair.privacy import Account
from sdv_prefair.privacy.accounting import check_epsilon_delta
from sdv_prefair.roles import Roles
from sdv_prefair.structure import Strategy
from sdv_prefair.synthesizer import arguments
from sdv_prefair.synthesizer.conditional_sampling import ConditionalSampling
from sdv_prefair.synthesizer.constrained import Constrained
from sdv_prefair.synthesizer.inspection import Inspection
from sdv_prefair.synthesizer.out_of_core import OutOfCore
from sdv_prefair.synthesizer.read_only import ReadOnlyArguments
from sdv_prefair.synthesizer.state import FittedState, Preparation
from sdv_prefair.synthesizer.transformer_choice import TransformerChoice


class PreFairSynthesizer(
    ReadOnlyArguments,
    Inspection,
    OutOfCore,
    FittedState,
    TransformerChoice,
    ConditionalSampling,
    Constrained,
):
    """Synthetic rows that are differentially private and justifiably fair.

    No dependence of an outcome column on a protected one is left in the model but through
    admissible columns, and the whole fit is (epsilon, delta)-differentially private: neighbouring
    tables differ by adding or removing one row, or all rows of one person.

    Paper: PreFair (Marginals-MST with Algorithm 1, Algorithm 2 or our adaptive selection); beyond
    it, with ``structure='aim'``, more pairs than a tree holds.

    Every argument but the metadata is an attribute that stays as it was given.

    Args:
        metadata: SDV's metadata of one table. Its ranges are the public domain.
        epsilon: Privacy budget; smaller is more private.
        delta: Probability with which the guarantee may fail; well below one over the rows.
        protected: Columns that must not influence an outcome except through admissible ones.
        admissible: Columns that may.
        outcome: The decision or label columns.
        structure: ``'adaptive'``, ``'greedy'``, ``'exact'``, ``'aim'`` (more pairs than a tree
            holds: closer to the data, slower), ``'privbayes'``, ``'mwem'``, ``'none'`` (no
            fairness, no roles needed), a list of column pairs that form a tree, or a strategy or
            mechanism object.
        budget: ``'tuned'``, or ``'paper'`` for the paper's thirds and plain scores.
        numeric_bins: Number of bins of a numerical or datetime column with a wide range.
        public_ranges: Whether the ranges in the metadata are public. ``None`` takes them as
            public and warns; ``False`` ignores them and learns domains from the budget.
        max_rows_per_person: Rows one person may have; noise protects all of them together.
        person_column: Column that tells persons apart; rows above the bound are dropped.
        estimator: ``'auto'`` solves trees and other chordal graphs directly and gives everything
            else to mbi, ``'mbi'`` gives everything to mbi.
        enforce_min_max_values: Kept for SDV's signature: samples never leave the public ranges.
        enforce_rounding: Whether numbers are rounded to the declared decimal places.
        locales: Locales of generated personal columns.
        seed: Makes the noise reproducible, for experiments: such a fit is not private.
        verbose: Whether to show a progress bar; it tells nothing of the rows.
    """

    def __init__(
        self,
        metadata,
        epsilon: float = 1.0,
        delta: float = 1e-9,
        protected: Sequence[str] = (),
        admissible: Sequence[str] = (),
        outcome: Sequence[str] = (),
        structure: str | Sequence[tuple[str, str]] | Strategy | Mechanism = DEFAULT_STRUCTURE,
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
    ):
        super().__init__(
            _without_private_ranges(metadata, public_ranges),
            enforce_min_max_values=enforce_min_max_values,
            enforce_rounding=enforce_rounding,
            locales=locales,
        )
        self._data_processor = CodesProcessor(
            metadata=self.metadata._convert_to_single_table(),
            enforce_rounding=enforce_rounding,
            enforce_min_max_values=enforce_min_max_values,
            locales=self.locales,
        )
        self.epsilon, self.delta = epsilon, delta
        self.protected, self.admissible, self.outcome = protected, admissible, outcome
        self.structure, self.budget, self.estimator = structure, budget, estimator
        self.numeric_bins, self.public_ranges = numeric_bins, public_ranges
        self.max_rows_per_person, self.person_column = max_rows_per_person, person_column
        self.seed, self.verbose = seed, verbose
        self._roles = Roles(protected, admissible, outcome)
        self._mechanism = resolve_mechanism(structure)
        self._chosen_transformers = {}
        self._account = Account()
        self._check_arguments()
        if public_ranges is None and arguments.declares_ranges(self._domains):
            cautions.warn_of_ranges()

    def _check_arguments(self) -> None:
        check_epsilon_delta(self.epsilon, self.delta)
        resolve_budget(self.budget)
        arguments.check_whole_number('numeric_bins', self.numeric_bins, 2)
        arguments.check_whole_number(
            'max_rows_per_person', self.max_rows_per_person, 1, arguments.MOST_ROWS_PER_PERSON
        )
        arguments.check_choice('estimator', self.estimator, arguments.ESTIMATORS)
        arguments.check_choice('public_ranges', self.public_ranges, (None, True, False))
        arguments.check_choice('verbose', self.verbose, (True, False))
        arguments.check_seed(self.seed)
        table_metadata = self._get_table_metadata()
        columns, modelled = list(table_metadata.columns), modelled_columns(table_metadata)
        arguments.check_modelled(modelled)
        arguments.check_roles(self._roles, self._mechanism, columns, set(modelled))
        arguments.check_person_column(self.person_column, columns, set(modelled))
        self._mechanism.declare(dict.fromkeys(modelled, 1), self._roles)
        self._domains = public_domain(table_metadata, self.public_ranges is not False)
        self._start_plan()

    # -- fit: every door opens an attempt, and ends in the one pipeline ----------------------

    def fit(self, data: dict[str, pd.DataFrame]) -> None:
        """Fit the synthesizer; spends exactly (epsilon, delta) on the table.

        A fit that fails leaves everything as it was, but for the account, see
        ``get_privacy_account``: what it had spent by then is spent.

        Args:
            data: The private table, as ``{table_name: DataFrame}``. It is left as it is.
        """
        self._log('Fit')
        self._check_before_fit()
        self._check_frame(data)
        self._warn_before_reading()
        source, settings = FrameSource(self._bounded(data)), self._settings()
        settings = settings.for_table(source.dtypes)
        self._log('Fit processed data')
        with self._account.open('fit', settings.open_ledger()) as attempt:
            fitted = fit_pipeline(source, settings, attempt.ledger, Progress(self.verbose))
        self._adopt(fitted, attempt, self._given_names(data))

    def preprocess(self, data: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
        """Turn the private rows into integer codes. The result is as private as the rows.

        What was fitted before stays as it is until ``fit_processed_data`` has finished.

        Privacy: learns only the domains that are not public, each paid for in the ledger.
        """
        self._check_frame(data)
        if self._fitted:
            warnings.warn(
                'This model has already been fitted. To use the new preprocessed data, please '
                "refit the model using 'fit' or 'fit_processed_data'.",
                RefitWarning,
                stacklevel=2,
            )
        self._warn_before_reading()
        table = self._bounded(data)
        settings = self._settings().for_table(table.dtypes)
        with self._account.open('preprocess', settings.open_ledger()) as attempt:
            prepared = prepare(FrameSource(table), settings, attempt.ledger)
            codes = prepared.encoding.encode(settings.plan.transform(table))
        self._keep(Preparation(prepared, attempt, self._given_names(data)))
        return {self._table_name: codes}

    def fit_processed_data(self, processed_data: dict[str, pd.DataFrame]) -> None:
        """Fit the model to rows that ``preprocess`` has turned into codes.

        Privacy: every call spends the budget again, but for what learning domains has cost.
        """
        codes = single_table(processed_data, self._table_name)
        preparation = self._preparation
        check_codes(codes, None if preparation is None else preparation.prepared.encoding)
        if preparation.attempt.is_over:
            self._warn_before_reading()
        self._log('Fit processed data')
        prepared, progress = preparation.prepared, Progress(self.verbose)
        with preparation.continued(self._account) as attempt:
            domain = prepared.encoding.domain
            columns = {column: codes[column].to_numpy() for column in domain}
            cliques = declared_cliques(prepared)
            counts = count_codes(columns, domain, cliques, progress.counting)
            fitted = fit_counted(counts, prepared, attempt.ledger, progress)
        self._adopt(fitted, attempt, preparation.names)

    def _check_frame(self, data: dict[str, pd.DataFrame]) -> None:
        columns = self._original_metadata.tables[self._table_name].columns
        check_frame(single_table(data, self._table_name), columns)

    def _bounded(self, data: dict[str, pd.DataFrame]) -> pd.DataFrame:
        table = single_table(data, self._table_name)
        return bound_rows_per_person(table, self.person_column, self.max_rows_per_person)

    def _given_names(self, data: dict[str, pd.DataFrame]) -> pd.Index:
        columns = self._original_metadata.tables[self._table_name].columns
        return integer_names(data[self._table_name].columns, columns)

    def _settings(self) -> Settings:
        return Settings(
            self.epsilon,
            self.delta,
            self.max_rows_per_person,
            self.seed,
            self.numeric_bins,
            self.enforce_rounding,
            resolve_budget(self.budget),
            self.estimator,
            self._promise(),
            self._plan,
            self._chosen_transformers,
            self._carried_generators,
            self._data_processor,
        )

    # -- SDV's hooks ------------------------------------------------------------------------

    def validate(self, data: dict[str, pd.DataFrame]) -> None:
        """Check that names and types of the table fit the metadata; values are not looked at."""
        self._check_frame(data)

    def _check_ranges(self, data) -> None:
        """SDV would warn whether the rows cover the declared range, which is private."""

    def _log(self, event: str) -> None:
        # SDV logs the number of rows here, which is private.
        SYNTHESIZER_LOGGER.info({
            'EVENT': event,
            'TIMESTAMP': datetime.datetime.now(),
            'SYNTHESIZER CLASS NAME': type(self).__name__,
            'SYNTHESIZER ID': self._synthesizer_id,
            'TOTAL NUMBER OF TABLES': 1,
        })


def _without_private_ranges(metadata: Metadata, public_ranges: bool | None) -> Metadata:
    """Return the metadata to keep: ranges that are not public must not reach the pickle."""
    is_private = public_ranges is False and isinstance(metadata, Metadata)
    return strip_ranges(metadata) if is_private else metadata
