"""Checks that a model is fair as promised, in its codes and in its values."""

from collections.abc import Sequence

from sdv_prefair.columns._processor import Encoding
from sdv_prefair.columns._telling import untold_columns
from sdv_prefair.constraints._plan import ConstraintPlan
from sdv_prefair.constraints._rules import cliques_in_original_columns
from sdv_prefair.counting import Clique
from sdv_prefair.errors import UnfairModelError
from sdv_prefair.fairness._predicate import Broken, broken_statements
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.model import GraphicalModel
from sdv_prefair.model._junction import is_junction_tree
from sdv_prefair.roles import Roles


def tied_columns(model: GraphicalModel, plan: ConstraintPlan) -> list[Clique]:
    """Return the cliques of original columns: those of the model, and those of the constraints."""
    return cliques_in_original_columns(model.cliques, plan.sources, plan.tied)


def assert_separated(model: GraphicalModel, plan: ConstraintPlan, roles: Statements) -> None:
    """Raise, and name the path, unless every statement is kept.

    With roles: unless admissible columns separate protected columns from outcomes.

    Args:
        model: Its cliques are checked, and the tables that rows are sampled from.
        plan: The constraints, whose columns are dependent as well.
        roles: The roles of the original columns, or the statements about them.
    """
    if not is_junction_tree(model.nodes):
        raise UnfairModelError(
            'The tables that rows are sampled from do not form a junction tree, so the fairness '
            'of the model cannot be checked. Do not release it; fit again.'
        )
    tied = [*model.cliques, *(node.columns for node in model.nodes)]
    broken = broken_statements(cliques_in_original_columns(tied, plan.sources, plan.tied), roles)
    if broken:
        reason = _against_roles if isinstance(roles, Roles) else _against_statement
        raise UnfairModelError(
            f'{reason(broken[0])}. Do not release it; fit again with another structure, such as '
            "'adaptive'."
        )


def _against_roles(broken: Broken) -> str:
    return (
        f'The model is not justifiably fair: {" - ".join(broken.path)} connects a protected '
        'column and an outcome with no admissible column between them'
    )


def _against_statement(broken: Broken) -> str:
    return f'The model does not promise that {broken.statement}: {broken}'


def assert_apart(beside: Sequence[tuple[str, str]]) -> None:
    """Raise if outcomes are adjacent to columns that ``unlabelled='apart'`` separates from them."""
    if beside:
        outcome, other = beside[0]
        raise UnfairModelError(
            f"The model connects the outcome '{outcome}' to '{other}', which no statement names. "
            "Do not release it; fit again with another structure, or without unlabelled='apart'."
        )


def assert_told(encoding: Encoding) -> None:
    """Raise unless the values in a table determine the codes of the model."""
    untold = untold_columns(encoding.transformers)
    if untold:
        raise UnfairModelError(
            f"Rows are fair in terms of the model's codes, but values of {untold} do not "
            'determine their codes, so the values shown need not be fair. Do not release it; fit '
            'again.'
        )
