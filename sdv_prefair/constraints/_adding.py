"""Adding SDV's constraints to a plan: transformed, enforced by rejecting rows, or refused."""

import copy
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from sdv.cag import (
    FixedCombinations,
    FixedIncrements,
    Inequality,
    OneHotEncoding,
    ProgrammableConstraint,
    Range,
)
from sdv.cag._errors import ConstraintNotMetError
from sdv.errors import SynthesizerInputError

from sdv_prefair._sdv_versions import accepted
from sdv_prefair.columns import single_table
from sdv_prefair.columns._processor import public_frame
from sdv_prefair.constraints._joint import JointColumn, WhichColumn
from sdv_prefair.constraints._ordered import RisingColumns
from sdv_prefair.constraints._plan import ConstraintPlan
from sdv_prefair.constraints._programmable import (
    ProgrammedColumns,
    check_learns_nothing,
    named_columns,
)
from sdv_prefair.constraints._rules import (
    JointRule,
    ProgrammedRule,
    Rule,
    as_roles,
    modelled_roles,
    modelled_statements,
)
from sdv_prefair.constraints._transformation import Multiples, Transformation
from sdv_prefair.counting._arrow import dtypes_of_metadata
from sdv_prefair.errors import StructureError, UnfairModelError
from sdv_prefair.fairness._predicate import Broken, broken_statements
from sdv_prefair.fairness._statements import Statements, outcomes_beside_unlabelled
from sdv_prefair.roles import Roles
from sdv_prefair.selection._mechanism import Mechanism

LOGGER = logging.getLogger(__name__)

TRANSFORMATIONS: dict[type, Callable[[Any, Iterable[str]], Transformation]] = {
    Inequality: RisingColumns,
    Range: RisingColumns,
    FixedCombinations: JointColumn,
    FixedIncrements: Multiples,
    OneHotEncoding: WhichColumn,
}
"""What enforces each of SDV's constraints."""


@dataclass(frozen=True)
class Promise:
    """What a plan has to satisfy.

    Args:
        roles: The roles of the original columns, or other statements about them.
        mechanism: The mechanism that will select the graph.
        public_ranges: Whether ranges in the metadata are public.
        apart: Whether no outcome may be adjacent to a column that no statement names.
    """

    roles: Statements
    mechanism: Mechanism
    public_ranges: bool
    apart: bool = False

    @property
    def is_fair(self) -> bool:
        """Whether the mechanism respects the roles."""
        return bool(self.roles) and self.mechanism.requires_roles

    def roles_after(self, plan: ConstraintPlan) -> Statements | None:
        """Return the roles of the modelled columns, or the statements about them.

        None if no tree could be fair to the roles.
        """
        if not self.roles or not plan.tied:
            return self.roles
        if not isinstance(self.roles, Roles):
            return modelled_statements(plan.sources, plan.tied, self.roles)
        roles = as_roles(modelled_roles(plan.sources, plan.tied, self.roles))
        return roles if self.is_fair else roles or Roles()

    def check_declared(self, columns: Iterable[str], roles: Statements) -> None:
        """Raise unless the mechanism can select a graph over columns that satisfies the guarantee.

        Args:
            columns: The modelled columns.
            roles: The guarantee for them.
        """
        cliques = self.mechanism.declare(dict.fromkeys(columns, 1), roles)
        beside = outcomes_beside_unlabelled(cliques, roles) if self.apart else []
        if beside:
            outcome, other = beside[0]
            raise StructureError(
                f"structure may connect the outcome '{outcome}' to '{other}', which no statement "
                "names and unlabelled='apart' keeps separate. Give the column a role, or use "
                "unlabelled='free'."
            )


def add_to_plan(plan: ConstraintPlan, constraint: Any, promise: Promise) -> ConstraintPlan:
    """Return the plan with one more constraint.

    A constraint is enforced by a transformation if its columns still exist, and if a tree that
    satisfies the guarantee remains possible; otherwise by rejection sampling.

    Raises:
        UnfairModelError: If the constraint connects a protected to an outcome column.
        SynthesizerInputError: If it cannot be enforced.
    """
    constraint = copy.deepcopy(constraint)
    if isinstance(constraint, ProgrammableConstraint):
        _check_learns_nothing(plan, constraint)
    transformed = _with_transformation(plan, constraint, promise)
    if transformed is not None:
        _check_fair(constraint, transformed, promise)
        if _tree_problem(transformed, promise) is None:
            return transformed
    LOGGER.info('Enforcing constraint %s using reject sampling.', type(constraint).__name__)
    rejecting = plan.with_rejection(_rejection(plan, constraint))
    _check_fair(constraint, rejecting, promise)
    problem = _tree_problem(rejecting, promise)
    if problem is not None:
        raise type(problem)(f'{_described(constraint, rejecting)} cannot be added: {problem}')
    return rejecting


def _with_transformation(
    plan: ConstraintPlan, constraint: Any, promise: Promise
) -> ConstraintPlan | None:
    """Return the plan with a transformation, or None if rows have to be rejected."""
    columns = single_table(plan.metadata).columns
    try:
        if isinstance(constraint, ProgrammableConstraint):
            return _with_programmed(plan, constraint, promise)
        kind = _kind(constraint)
        constraint.get_updated_metadata(accepted(plan.metadata))  # SDV's own checks
    except ConstraintNotMetError:
        return None
    transformation: Transformation = TRANSFORMATIONS[kind](constraint, columns)
    _check_modelled(constraint, transformation.columns, plan.domains)
    if isinstance(transformation, JointColumn):
        return plan.with_transformation(transformation, JointRule(transformation))
    return plan.with_transformation(transformation, Rule(constraint, transformation.columns))


def _with_programmed(
    plan: ConstraintPlan, constraint: ProgrammableConstraint, promise: Promise
) -> ConstraintPlan | None:
    present = list(single_table(plan.metadata).columns)
    every = [*single_table(plan.original_metadata).columns, *present]
    columns = named_columns(constraint, dict.fromkeys(every))
    if not getattr(constraint, 'row_wise', False) or not set(columns) <= set(present):
        return None
    constraint.validate(plan.metadata)
    _check_modelled(constraint, columns, plan.domains)
    transformation = ProgrammedColumns(constraint, plan.metadata, columns, promise.public_ranges)
    rule = ProgrammedRule(constraint, columns, *plan.metadata.tables)
    return plan.with_transformation(transformation, rule)


def _check_learns_nothing(plan: ConstraintPlan, constraint: ProgrammableConstraint) -> None:
    metadata, domains = plan.original_metadata, plan.original_domains
    described = single_table(metadata).columns
    public = public_frame(domains, dtypes_of_metadata(described, domains), metadata)
    for frame, about in ((public, metadata), (plan.transform(public), plan.metadata)):
        columns = named_columns(constraint, dict.fromkeys([*public.columns, *frame.columns]))
        if set(columns) <= set(frame.columns):
            (name,) = about.tables
            check_learns_nothing(constraint, name, frame[list(columns)], about)
            return


def _rejection(plan: ConstraintPlan, constraint: Any) -> Rule:
    metadata = plan.original_metadata
    columns = single_table(metadata).columns
    if isinstance(constraint, ProgrammableConstraint):
        constraint.validate(metadata)
        return ProgrammedRule(constraint, named_columns(constraint, columns), *metadata.tables)
    constraint.get_updated_metadata(accepted(metadata))
    taken = [*columns, *single_table(plan.metadata).columns]
    transformation = TRANSFORMATIONS[_kind(constraint)](constraint, taken)
    _check_modelled(constraint, transformation.columns, plan.original_domains)
    transformation.derive(plan.original_domains, {})
    if isinstance(transformation, JointColumn):
        return JointRule(transformation)
    return Rule(constraint, transformation.columns)


def _kind(constraint: Any) -> type:
    for kind in TRANSFORMATIONS:
        if isinstance(constraint, kind):
            return kind
    names = [kind.__name__ for kind in TRANSFORMATIONS] + ['ProgrammableConstraint']
    raise SynthesizerInputError(
        f'{type(constraint).__name__} is not a constraint that can be enforced privately. Use one '
        f'of {names}.'
    )


def _check_modelled(constraint: Any, columns: Iterable[str], modelled: Iterable[str]) -> None:
    generated = [column for column in columns if column not in modelled]
    if generated:
        raise SynthesizerInputError(
            f'{type(constraint).__name__} cannot be added: {generated} are generated, not '
            'modelled, so they cannot depend on other columns. Leave the constraint out, or give '
            "them a statistical sdtype such as 'categorical' in the metadata."
        )


def _check_fair(constraint: Any, plan: ConstraintPlan, promise: Promise) -> None:
    broken = broken_statements(plan.tied, promise.roles) if promise.is_fair else []
    if not broken:
        return
    reason = _against_roles if isinstance(promise.roles, Roles) else _against_statement
    raise UnfairModelError(
        f'{_described(constraint, plan)} cannot be added: with it, constraints tie '
        f'{reason(broken[0])}'
    )


def _against_roles(broken: Broken) -> str:
    path = broken.path
    return (
        f"protected '{path[0]}' to outcome '{path[-1]}'{_through(path)}. The two would depend on "
        'each other given any admissible columns, so no model could be justifiably fair. Leave '
        'the constraint out, or give one of these columns another role.'
    )


def _against_statement(broken: Broken) -> str:
    path = broken.path
    return (
        f"'{path[0]}' to '{path[-1]}'{_through(path)}. So no model could promise that "
        f'{broken.statement}. Leave the constraint out, or the statement.'
    )


def _through(path: list[str]) -> str:
    return f' through {path[1:-1]}' if path[1:-1] else ''


def _tree_problem(plan: ConstraintPlan, promise: Promise) -> Exception | None:
    """Return why the mechanism cannot choose a graph over the modelled columns, or None."""
    roles = promise.roles_after(plan)
    if roles is None:
        return StructureError(
            'no admissible column would be left in the model. Leave the constraint out, or give '
            'another column the role admissible.'
        )
    try:
        promise.check_declared(plan.domains, roles)
    except SynthesizerInputError as error:
        return error
    return None


def _described(constraint: Any, plan: ConstraintPlan) -> str:
    rules = [*plan.rejections, *(link.rule for link in plan.chain)]
    columns = next(rule.columns for rule in rules if rule.constraint is constraint)
    return f'{type(constraint).__name__} over {list(columns)}'
