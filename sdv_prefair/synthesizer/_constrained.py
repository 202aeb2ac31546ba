"""Constraints: adding them, checking rows, and sampling rows that satisfy them."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import pandas as pd
from rdt.transformers import BaseTransformer
from sdv.cag import ProgrammableConstraint
from sdv.cag._errors import ConstraintNotMetError
from sdv.cag._utils import _validate_constraints
from sdv.cag.base import BaseConstraint
from sdv.errors import SamplingError, SynthesizerInputError

from sdv_prefair._sdv_versions import accepted
from sdv_prefair._users_line import users_line
from sdv_prefair.columns import single_table
from sdv_prefair.columns._processor import CodesProcessor
from sdv_prefair.constraints._adding import add_to_plan
from sdv_prefair.constraints._plan import ConstraintPlan
from sdv_prefair.errors import shown
from sdv_prefair.fitting._fitted import Fitted, Settings


def with_constraints(
    settings: Settings,
    constraints: list[BaseConstraint | ProgrammableConstraint],
    enforce_min_max_values: bool,
    locales: Sequence[str],
) -> Settings:
    """Return settings with more constraints; the same if there are none.

    Args:
        settings: They are not modified.
        constraints: Constraints of ``sdv.cag``, or our ``PublicCombinations``.
        enforce_min_max_values: For SDV's processor of the table as it is then modelled.
        locales: Likewise.

    Raises:
        UnfairModelError: If constraints connect a protected column to an outcome.
        SynthesizerInputError: If a constraint cannot be enforced.
    """
    _check_constraints(constraints)
    plan = settings.plan
    for constraint in constraints:
        plan = add_to_plan(plan, constraint, settings.promise)
    if plan is settings.plan:
        return settings
    described = accepted(plan.metadata)
    described.validate()
    processor = CodesProcessor(
        metadata=described._convert_to_single_table(),
        enforce_rounding=settings.enforce_rounding,
        enforce_min_max_values=enforce_min_max_values,
        locales=locales,
    )
    return replace(
        settings,
        plan=plan,
        chosen={c: codes for c, codes in settings.chosen.items() if c in plan.domains},
        generators=_generators(settings.processor, plan),
        processor=processor,
    )


def assert_obeyed(plan: ConstraintPlan, rows: pd.DataFrame) -> None:
    """Raise ``ConstraintNotMetError`` unless all rows of a synthetic table satisfy them."""
    for rule, holds in plan.broken_rules(rows):
        broken = (~holds).nonzero()[0]
        listed = ', '.join(map(str, broken[:5])) + f', +{len(broken) - 5} more' * (len(broken) > 5)
        raise ConstraintNotMetError(
            f'{type(rule.constraint).__name__} over {list(rule.columns)} is not met for row '
            f'indices: {listed}. Leave these rows out, or sample new ones.'
        )


def restore_columns(fitted: Fitted, sampled: pd.DataFrame) -> pd.DataFrame:
    """Return the original columns of the rows that satisfy all constraints."""
    transformers = fitted.encoding.transformers

    def encode(frame: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({c: transformers[c].encode(frame[c]) for c in frame.columns})

    return fitted.plan.reverse_transform(sampled, encode)


def check_enough(sampled: pd.DataFrame, num_rows: int) -> None:
    """Warn if fewer rows than requested satisfied the constraints; raise if none did."""
    if len(sampled) >= num_rows:
        return
    message = (
        f'Only {len(sampled)} of {num_rows} rows satisfied the constraints. Raise '
        "'max_tries_per_batch' or 'batch_size', or leave out a constraint that the model rarely "
        'satisfies.'
    )
    if sampled.empty:
        raise SamplingError(message)
    warnings.warn(message, stacklevel=users_line())


def _generators(processor: CodesProcessor, plan: ConstraintPlan) -> dict[str, BaseTransformer]:
    """Return the generators of columns that are not modelled; a new processor would lose them."""
    known = processor._hyper_transformer.field_transformers
    columns = set(single_table(plan.metadata).columns) - set(plan.domains)
    return {c: known[c] for c in sorted(columns) if known.get(c) is not None}


def _check_constraints(constraints: object) -> None:
    _validate_constraints(constraints, synthesizer_fitted=False)
    for constraint in cast(list[object], constraints):
        if not isinstance(constraint, BaseConstraint | ProgrammableConstraint):
            raise SynthesizerInputError(
                f'constraints lists {shown(constraint)}, which is not a constraint. Use the '
                'classes of sdv.cag.'
            )
