"""What is not promised, and what the signer vouches for."""

from typing import NamedTuple
from xml.etree.ElementTree import Element

from sdv_prefair.fairness.statements import Independent
from sdv_prefair.fitting.explanation import OUTCOME_COPY
from sdv_prefair.mechanisms.catalogue import GIVEN
from sdv_prefair.report.elements import Content, bullets, code, paragraph, section, strong, tag
from sdv_prefair.report.facts import Facts
from sdv_prefair.report.words import counted, listed, short, whole
from sdv_prefair.roles import Roles

_TYPES = (
    'The types of the columns, and whether whole numbers can be missing, are public knowledge too. '
    'Types that a program guessed from the rows, as pandas does with a CSV file, are not.'
)


class _Words(NamedTuple):
    """How the parts of what is promised are called."""

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
    'statements', 'may explain a dependence', 'columns that a statement is given',
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
             'is a judgement about the world that no computation makes.'],
            [strong('Fair classifiers. '), 'A classifier trained on the synthetic rows and used on '
             'real ones may treat groups differently, by way of columns without a role. '
             + _beside_outcomes(facts, words.between)],
            [strong('Fairness given both. '), f'Rows asked for under a condition on {words.both} '
             'together carry the dependence that was asked for.'],
        ]  # fmt: skip
        if justified:
            items.append([
                strong('Fairness given less. '), f'The independence is given the {words.given} as '
                'they are in the rows. Given ones that are rounded, put in coarser bins or left '
                'out, the same rows may show a dependence.',
            ])  # fmt: skip
    return items + [
        [strong('Several fits. '), 'Other releases from the same table add to the epsilon of this '
         'one.'],
        [strong('Accuracy. '), 'Pairs that the graph does not join are kept only as far as the '
         'joined ones imply, and as independent if no path joins them; combinations of three and '
         'more columns likewise.'],
        [strong('Independent rows. '), 'Unless it was asked for when rows were sampled, values are '
         'dealt out evenly among the rows of one sample; standard errors that assume independent '
         'rows do not apply.'],
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
        f'{listed(statement.given)} stays as it was measured.'
    )


def _beside_outcomes(facts: Facts, between: str) -> str:
    outcomes, near = listed(facts.roles.outcome), facts.beside_outcomes
    if not near:
        return f'In this model none is tied to {outcomes} but through {between}.'
    return (
        f'In this model {listed(near)} may tell {outcomes} directly: ask whether among real people '
        f'they tell {listed(facts.roles.protected)} too.'
    )


def signing_section(facts: Facts) -> Element:
    """Return what only the signer can know, and room for a signature."""
    boxes = [
        tag('li', tag('span', '☐', aria_hidden='true'), tag('span', item))
        for item in _confirmed(facts)
    ]
    lines = [tag('div', tag('span', label)) for label in ('Name', 'Date', 'Signature')]
    return section(
        'signing',
        'Before you sign',
        paragraph('The promises above rest on a few things that only you can know:'),
        tag('ul', boxes, class_='boxes'),
        tag('div', lines, class_='lines'),
    )


def _confirmed(facts: Facts) -> list[Content]:
    items = [_ranges(facts), _TYPES, _person(facts)]
    items += [
        f'This is the only release from the table, or the epsilons of all of them, '
        f'{short(facts.promise["epsilon"])} for this one, add up to what is acceptable.',
        _delta(facts),
    ]
    if facts.is_fair:
        items += map(_vouched_for, facts.roles.statements)
        items.append(_copies(facts))
    if facts.structure == GIVEN:
        items.append('The tree of the model was not read off the private rows.')
    if not facts.is_private:
        items.append('The fit will be repeated without a seed before anything is released.')
    return items


def _vouched_for(statement: Independent) -> str:
    outcomes, protected = listed(statement.right), listed(statement.left)
    if not statement.given:
        return f'It is right that nothing may explain a dependence of {outcomes} on {protected}.'
    return (
        f'It is right that {listed(statement.given)} may influence {outcomes}, and {protected} '
        f'only by way of {"it" if len(statement.given) == 1 else "them"}.'
    )


def _copies(facts: Facts) -> str:
    """Return what is to be confirmed of outcomes that go by other names."""
    outcomes, looks = listed(facts.roles.outcome), facts.explanation.of(OUTCOME_COPY)
    copies = list(dict.fromkeys(look.column for look in looks if look.nearly_copies))
    if copies:
        are, have = ('a copy', 'has') if len(copies) == 1 else ('copies', 'have')
        return (
            f'It is meant that {listed(copies)}, nearly {are} of {outcomes} by a private look, '
            f'{have} no role: what is promised of outcomes is not promised of them.'
        )
    seen = ' A private look has found none that noise lets see.' if looks else ''
    return f'No column without a role records the same as {outcomes} under another name.{seen}'


def _ranges(facts: Facts) -> list[Content]:
    public = facts.assumed_public
    if not public:
        return ['The names and the kinds of the columns are public.']
    asked = facts.parameters['public_ranges']
    doubt = [
        ' Nobody has said so yet: the fit was made without ', code('public_ranges=True'),
        ', and ranges that SDV detected from the data are not public.',
    ]  # fmt: skip
    return [
        f'The ranges and lists of values of {listed(public)} are public knowledge, not read from '
        'the data.', doubt if asked is None else None,
    ]  # fmt: skip


def _person(facts: Facts) -> str:
    rows = counted(facts.promise['max_rows_per_person'], 'row')
    if facts.parameters['person_column'] is not None:
        return f'If counts were given, not rows: they count at most {rows} of each person.'
    return f'No person has more than {rows} in the table.'


def _delta(facts: Facts) -> str:
    delta, rows = facts.promise['delta'], facts.model.total
    verdict = 'is well below' if delta * rows < 0.01 else 'is NOT well below'
    return (
        f'delta = {short(delta)} {verdict} one over the number of people, which is about '
        f'{whole(rows / facts.promise["max_rows_per_person"])} or more.'
    )
