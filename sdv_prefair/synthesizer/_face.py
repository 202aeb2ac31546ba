"""PreFairSynthesizer: the SDV interface. Construction is here; the mathematics is elsewhere."""

import copy
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import pandas as pd
from sdv.errors import RefitWarning
from sdv.metadata import Metadata

from sdv_prefair._notebook import as_html
from sdv_prefair._sdv_versions import accepted, takes_tables, whole
from sdv_prefair._users_line import users_line
from sdv_prefair.constraints._adding import Promise
from sdv_prefair.domain import OTHER, strip_ranges
from sdv_prefair.domain._given_facts import Domain, with_facts
from sdv_prefair.encoding._frame_schema import single_table
from sdv_prefair.encoding._processor import CodesProcessor
from sdv_prefair.encoding._table import check_transformers
from sdv_prefair.fairness._statements import Independent, Statements
from sdv_prefair.fairness._unlabelled import APART
from sdv_prefair.fitting import _cautions as cautions
from sdv_prefair.fitting._extreme_budget import warn_of_budget
from sdv_prefair.fitting._settings import Settings
from sdv_prefair.privacy import Account, Risk
from sdv_prefair.roles import Roles
from sdv_prefair.selection._measuring import resolve_budget
from sdv_prefair.selection._mechanism import Mechanism
from sdv_prefair.selection._resolve import resolve_mechanism
from sdv_prefair.selection._strategy import Strategy
from sdv_prefair.synthesizer import _arguments as arguments
from sdv_prefair.synthesizer import _constrained as constrained
from sdv_prefair.synthesizer import _in_memory as in_memory
from sdv_prefair.synthesizer import _inspection as inspection
from sdv_prefair.synthesizer import _state as state
from sdv_prefair.synthesizer._after_fit import Frames
from sdv_prefair.synthesizer._given_metadata import check_metadata
from sdv_prefair.synthesizer._read_only import copied, keep_arguments
from sdv_prefair.synthesizer._ways_to_fit import WaysToFit
from sdv_prefair.values._given_numbers import plain_number


@keep_arguments
class PreFairSynthesizer(WaysToFit):
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
        warn_of_budget(settings.epsilon, delta, settings.curve)
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
        table = single_table(data, self._table_name)
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


def _without_private_ranges(metadata: Metadata, public_ranges: bool | None) -> Metadata:
    """Return the metadata to keep: ranges that are not public must not reach the pickle."""
    is_private = public_ranges is False and isinstance(metadata, Metadata)
    return strip_ranges(metadata) if is_private else metadata
