"""The part of a synthesizer that takes constraints and keeps them."""

import warnings

import pandas as pd
from rdt.transformers import BaseTransformer
from sdv.cag import ProgrammableConstraint
from sdv.cag._errors import ConstraintNotMetError
from sdv.cag._utils import _validate_constraints_single_table
from sdv.cag.base import BaseConstraint
from sdv.cag.programmable_constraint import ProgrammableConstraintHarness
from sdv.errors import RefitWarning, SamplingError, SynthesizerInputError
from sdv.single_table.base import BaseSingleTableSynthesizer

from sdv_prefair.constraints.adding import Promise, add_to_plan
from sdv_prefair.constraints.plan import ConstraintPlan
from sdv_prefair.domain import single_table
from sdv_prefair.encoding.processor import CodesProcessor
from sdv_prefair.errors import shown
from sdv_prefair.synthesizer.conditions import without_unknown_ends
from sdv_prefair.transformers import ColumnCodes, transformer_for


class Constrained(BaseSingleTableSynthesizer):
    """SDV's constraints for a synthesizer that is private and fair.

    What the synthesizer provides: ``_roles``, ``_mechanism``, ``public_ranges``, ``_domains``,
    ``_forget_preparation`` and, once it is fitted, ``_encoding`` and ``_model``.
    """

    def add_constraints(self, constraints: list) -> None:
        """Add constraints that all sampled rows will obey.

        They are kept without learning from the rows outside the privacy budget, and together with
        the fairness guarantee. If one cannot be, an error says why and nothing is changed.

        Args:
            constraints: Constraints of ``sdv.cag``, or our ``PublicCombinations``.

        Raises:
            UnfairModelError: If constraints tie a protected to an outcome column.
            SynthesizerInputError: If a constraint cannot be enforced.
        """
        _check_constraints(constraints)
        plan, promise = self._plan, self._promise()
        for constraint in constraints:
            plan = add_to_plan(plan, constraint, promise)
        if plan is self._plan:
            return
        plan.metadata.validate()
        processor = CodesProcessor(
            metadata=plan.metadata._convert_to_single_table(),
            enforce_rounding=self.enforce_rounding,
            enforce_min_max_values=self.enforce_min_max_values,
            locales=self.locales,
        )
        # From here on nothing can fail.
        self._carried_generators = self._generators(plan)
        self._data_processor = processor
        self._use_plan(plan)
        self._forget_preparation()
        if self._fitted:
            self._fitted, self._result = False, None
            warnings.warn(
                "For these constraints to take effect, please refit the synthesizer using 'fit'.",
                RefitWarning,
                stacklevel=2,
            )

    def _generators(self, plan: ConstraintPlan) -> dict[str, BaseTransformer]:
        """Return what makes up columns that are not modelled; a new processor would forget it."""
        known = self._data_processor._hyper_transformer.field_transformers
        columns = set(single_table(plan.metadata).columns) - set(plan.domains)
        return {c: known[c] for c in sorted(columns) if known.get(c) is not None}

    def _promise(self) -> Promise:
        return Promise(self._roles, self._mechanism, self.public_ranges is not False)

    def _start_plan(self) -> None:
        self._carried_generators = {}
        self._use_plan(ConstraintPlan.without_constraints(self._original_metadata, self._domains))

    def _use_plan(self, plan: ConstraintPlan) -> None:
        self._plan, self._domains = plan, plan.domains
        self._modelled_roles = self._promise().roles_after(plan)
        if plan.tied:
            self.metadata = plan.metadata
        self._chained_constraints = [_as_sdv(link.rule.constraint) for link in plan.chain]
        self._reject_sampling_constraints = [_as_sdv(rule.constraint) for rule in plan.rejections]
        self._constraints_fitted = False
        self._chosen_transformers = {
            column: transformer
            for column, transformer in self._chosen_transformers.items()
            if column in plan.domains
        }

    def validate_constraints(self, synthetic_data: pd.DataFrame | dict[str, pd.DataFrame]) -> None:
        """Raise ``ConstraintNotMetError`` unless all rows of a synthetic table obey."""
        if isinstance(synthetic_data, dict):
            synthetic_data = synthetic_data[self._table_name]
        for rule, holds in self._plan.broken_rules(synthetic_data):
            rows = (~holds).nonzero()[0]
            listed = ', '.join(map(str, rows[:5])) + f', +{len(rows) - 5} more' * (len(rows) > 5)
            raise ConstraintNotMetError(
                f'{type(rule.constraint).__name__} over {list(rule.columns)} is not met for row '
                f'indices: {listed}. Leave these rows out, or sample new ones.'
            )

    # -- sampling -----------------------------------------------------------------------------

    def _validate_transform_constraints(
        self, table_data: pd.DataFrame, enforce_constraint_fitting: bool = False
    ) -> pd.DataFrame:
        return self._plan.transform(table_data)

    def reverse_transform_constraints(self, sampled: pd.DataFrame) -> pd.DataFrame:
        """Return the original columns of those rows that obey all constraints."""
        if not self._plan.tied:
            return sampled
        return self._plan.reverse_transform(sampled, self._encode_made)

    def _encode_made(self, frame: pd.DataFrame) -> pd.DataFrame:
        transformers = self._encoding.transformers
        return pd.DataFrame({
            column: transformers[column].encode(frame[column]) for column in frame
        })

    def _sample_with_progress_bar(self, num_rows, *arguments, **options) -> pd.DataFrame:
        sampled = super()._sample_with_progress_bar(num_rows, *arguments, **options)
        if len(sampled) < num_rows:
            message = (
                f'Only {len(sampled)} of {num_rows} rows obeyed the constraints. Raise '
                "'max_tries_per_batch' or 'batch_size', or leave out a constraint that the model "
                'rarely meets.'
            )
            if sampled.empty:
                raise SamplingError(message)
            warnings.warn(message, stacklevel=3)
        return sampled

    def _askable(self) -> dict[str, ColumnCodes]:
        """Return what knows the values that can be asked for, by original column.

        Columns that constraints replace have no codes of their own. What is public of them, and
        their dtype, tells all the same which values they can show.
        """
        modelled = self._encoding.transformers
        consumed = self._plan.consumed_dtypes(modelled)
        return {c: codes for c, codes in modelled.items() if c not in consumed} | {
            column: transformer_for(domain, self.numeric_bins, dtype)
            for column, dtype in consumed.items()
            if (domain := without_unknown_ends(self._plan.original_domains[column])) is not None
        }

    def _check_conditions(self, conditions: pd.DataFrame) -> None:
        """Raise for conditions that no row obeying the constraints can meet."""
        for rule, _ in self._plan.broken_rules(conditions):
            raise ConstraintNotMetError(
                'Provided conditions are not valid for the given constraints: no row that meets '
                f'them obeys {type(rule.constraint).__name__} over {list(rule.columns)}. Ask for '
                'other values.'
            )


def _check_constraints(constraints: list) -> None:
    if isinstance(constraints, list):
        for constraint in constraints:
            if not isinstance(constraint, BaseConstraint | ProgrammableConstraint):
                raise SynthesizerInputError(
                    f'constraints lists {shown(constraint)}, which is not a constraint. Use the '
                    'classes of sdv.cag.'
                )
    _validate_constraints_single_table(constraints, synthesizer_fitted=False)


def _as_sdv(constraint: BaseConstraint | ProgrammableConstraint) -> BaseConstraint:
    if isinstance(constraint, ProgrammableConstraint):
        return ProgrammableConstraintHarness(constraint)
    return constraint
