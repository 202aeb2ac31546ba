"""Named notions of fairness, as statements of conditional independence.

Each preset returns a list, and lists can be concatenated: ``demographic_parity(['sex'], ['hired'])
+ justifiable(['sex'], ['grade'], ['pay'])``. A preset guarantees what its statement says about the
model: joint independence of all columns of a side, in the graph. That is stronger than equal rates.
"""

from collections.abc import Iterable, Mapping

from sdv_prefair.errors import RolesError
from sdv_prefair.fairness._statements import Independent


def justifiable(
    protected: Iterable[str],
    admissible: Iterable[str] | Mapping[str, Iterable[str]],
    outcome: Iterable[str] | None = None,
) -> list[Independent]:
    """Outcomes depend on protected columns only through admissible ones.

    Paper: Definition "Justifiable Fairness".

    Args:
        protected: Columns that must not influence an outcome in any other way.
        admissible: Columns that may; or for each outcome its own, ``{outcome: [columns]}``.
        outcome: The outcomes; omit them if ``admissible`` names them.

    Raises:
        RolesError: If columns cannot be used as given, or nothing is admissible.
    """
    if isinstance(admissible, Mapping):
        if outcome is not None:
            raise RolesError(
                'outcome is given twice: admissible is a dictionary, whose keys are the outcomes. '
                'Leave outcome out.'
            )
        protected = _kept(protected)
        return [
            statement
            for one, columns in admissible.items()
            for statement in justifiable(protected, columns, [one])
        ]
    statement = Independent(protected, outcome or (), given=admissible)
    if not statement.given:
        raise RolesError(
            'admissible must name at least one column for justifiable fairness. If nothing '
            'justifies a dependence, use demographic_parity(protected, outcome).'
        )
    return [statement]


def demographic_parity(protected: Iterable[str], outcome: Iterable[str]) -> list[Independent]:
    """Outcomes do not depend on protected columns at all.

    No path may connect the two, so the model splits into independent components.

    Args:
        protected: Columns that must not influence an outcome.
        outcome: The outcomes.
    """
    return [Independent(protected, outcome)]


def equalized_odds(
    protected: Iterable[str], decision: Iterable[str], label: Iterable[str]
) -> list[Independent]:
    """Decisions do not depend on protected columns given the true label: separation.

    Error rates, such as false positives among the negatives, are then the same for all groups.

    Args:
        protected: Columns that must not influence a decision beyond the label.
        decision: What was decided or predicted.
        label: What was true.
    """
    return [Independent(protected, decision, given=label)]


def sufficiency(
    protected: Iterable[str], decision: Iterable[str], label: Iterable[str]
) -> list[Independent]:
    """The true label does not depend on protected columns given the decision.

    Predictive values, such as the share of positive decisions that are right, are then the same for
    all groups.

    Args:
        protected: Columns that must carry no information about the label beyond the decision.
        decision: What was decided or predicted.
        label: What was true.
    """
    return [Independent(protected, label, given=decision)]


def _kept(columns: Iterable[str]) -> Iterable[str]:
    """Return columns that can be iterated again; a string stays one, and is refused as such."""
    return columns if isinstance(columns, str) or not isinstance(columns, Iterable) else [*columns]
