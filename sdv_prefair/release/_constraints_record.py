"""SDV's constraints as JSON, if they consist of names and numbers alone."""

import inspect
from typing import Any

from sdv.cag import FixedCombinations, FixedIncrements, Inequality, OneHotEncoding, Range

from sdv_prefair.columns._facts import Categories, ColumnDomain
from sdv_prefair.constraints import PublicCombinations
from sdv_prefair.constraints._plan import ConstraintPlan
from sdv_prefair.constraints._rules import JointRule, Rule
from sdv_prefair.errors import ReleaseError
from sdv_prefair.release._fields import MOST_CODES, Fields, read_list
from sdv_prefair.release._values import read_value, write_value

MOST_CONSTRAINTS = 200
_KINDS = {
    kind.__name__: kind
    for kind in (
        *(Inequality, Range, FixedCombinations, FixedIncrements, OneHotEncoding),
        PublicCombinations,
    )
}


def write_constraints(plan: ConstraintPlan) -> list[dict[str, Any]]:
    """Return all constraints of a plan as JSON, in the order in which they were added.

    Raises:
        ReleaseError: If one of them is code.
    """
    return [_write_rule(rule) for rule in plan.rules]


def _write_rule(rule: Rule) -> dict[str, Any]:
    constraint = rule.constraint
    kind = type(constraint).__name__
    if _KINDS.get(kind) is not type(constraint):
        raise ReleaseError(
            f'{kind} cannot be written into a release: it is code, and a release holds none. Use '
            'save, or leave the constraint out and fit again.'
        )
    return {
        'kind': kind,
        'arguments': {
            name: write_value(_argument(constraint, name)) for name in _arguments(type(constraint))
        },
        'learnt': _learnt_combinations(rule),
    }


def _arguments(kind: type) -> list[str]:
    return list(inspect.signature(kind).parameters)


def _argument(constraint: Any, name: str) -> Any:
    # SDV's own get_constraint_dict adds the table's name that the constraint was fitted with.
    return getattr(constraint, name) if hasattr(constraint, name) else vars(constraint)[f'_{name}']


def _learnt_combinations(rule: Rule) -> list[str] | None:
    if not isinstance(rule, JointRule) or not rule.joint.must_learn:
        return None
    cells = rule.joint._cells
    return None if cells is None else ['[' + ', '.join(row) + ']' for row in cells]


def read_constraints(written: Any) -> list[Any]:
    """Return the constraints that ``write_constraints`` has written.

    Raises:
        ReleaseError: If one is of a kind that is not known.
    """
    return [_read_rule(item) for item in read_list(written, 'constraints', MOST_CONSTRAINTS)]


def _read_rule(written: Any) -> Any:
    fields = Fields(written, 'a constraint', ('kind', 'arguments', 'learnt'))
    kind = _KINDS[fields.choice('kind', tuple(_KINDS))]
    names = _arguments(kind)
    arguments = Fields(fields.raw('arguments'), 'a constraint', names)
    return kind(**{name: read_value(arguments.raw(name)) for name in names})


def read_combinations(written: list[Any], plan: ConstraintPlan) -> dict[str, ColumnDomain]:
    """Return the combinations that were learnt although they are not modelled.

    Args:
        written: What ``write_constraints`` returned.
        plan: The plan with these constraints, added in the order in which they are written.
    """
    found: dict[str, ColumnDomain] = {}
    for item, rule in zip(written, plan.rules, strict=True):
        if isinstance(rule, JointRule) and rule.joint.name in plan.domains_to_learn:
            labels = read_list(item['learnt'], 'learnt', MOST_CODES)
            found[rule.joint.name] = Categories(tuple(map(str, labels)), nullable=False)
    return found
