"""What is not promised."""

from typing import NamedTuple
from xml.etree.ElementTree import Element

from sdv_prefair.fairness._statements import Independent
from sdv_prefair.report._elements import Content, bullets, section, strong
from sdv_prefair.report._facts import Facts
from sdv_prefair.report._words import listed
from sdv_prefair.roles import Roles


class _Words(NamedTuple):
    """What the parts of the guarantee are called."""

    promise: str
    may_explain: str
    between: str
    both: str
    given: str


_ROLES = _Words(
    'roles', 'are admissible', 'admissible ones', 'protected and outcome columns',
    'admissible columns',
)  # fmt: skip
_STATEMENTS = _Words(
    'statements', 'may explain a dependence', 'columns that a statement conditions on',
    'both sides of a statement', 'columns that a statement names',
)  # fmt: skip


def limits_section(facts: Facts) -> Element:
    """Return what is not promised."""
    return section('limits', 'What is not promised', bullets(_limits(facts)))


def _limits(facts: Facts) -> list[Content]:
    items = []
    if facts.is_fair:
        words = _ROLES if isinstance(facts.roles, Roles) else _STATEMENTS
        justified = [statement for statement in facts.roles.statements if statement.given]
        items += [
            *([strong('Parity. '), _unparity(statement)] for statement in justified),
            [strong(f'That the {words.promise} are right. '), f'Which columns {words.may_explain} '
             'is a judgement about the world that no computation can make.'],
            [strong('Fair classifiers. '), 'A classifier trained on the synthetic rows and used on '
             'real ones may treat groups differently, by way of columns without a role. '
             + _beside_outcomes(facts, words.between)],
            [strong('Fairness given both. '), f'Rows sampled under a condition on {words.both} '
             'together have the dependence that was requested.'],
        ]  # fmt: skip
        if justified:
            items.append([
                strong('Fairness given less. '), f'Independence holds given the {words.given} as '
                'they are in the rows. If some are rounded, binned more coarsely or left out, '
                'the same rows may show a dependence.',
            ])  # fmt: skip
    return items + [
        [strong('Several fits. '), 'Other releases from the same table add to the epsilon of this '
         'one.'],
        [strong('Accuracy. '), 'Pairs without an edge are preserved only as far as the '
         'edges imply, and are independent if no path connects them; the same holds for '
         'combinations of three or more columns.'],
        [strong('Independent rows. '), 'Unless independent rows were requested, sampling is '
         'systematic, so the rows of one sample are dependent; standard errors that assume '
         'independent rows do not apply.'],
        [strong('Secrets of groups. '), 'Facts about the population can be learnt from the '
         'release; that is what it is for. One row, in the table or not, makes little '
         'difference to it.'],
        [strong('Side channels. '), 'Time and memory used by the fit, and anything published about '
         'the table by other means.'],
    ]  # fmt: skip


def _unparity(statement: Independent) -> str:
    does = 'does' if len(statement.left) == 1 else 'do'
    return (
        f'What {listed(statement.left)} {does} to {listed(statement.right)} through '
        f'{listed(statement.given)} remains as measured.'
    )


def _beside_outcomes(facts: Facts, between: str) -> str:
    outcomes, near = listed(facts.roles.outcome), facts.beside_outcomes
    if not near:
        return f'In this model none is connected to {outcomes} except through {between}.'
    return (
        f'In this model {listed(near)} may predict {outcomes} directly: ask whether among real '
        f'people they also predict {listed(facts.roles.protected)}.'
    )
