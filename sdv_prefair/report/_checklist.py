"""What only the signer can know, as a checklist."""

from sdv_prefair.fairness._statements import Independent
from sdv_prefair.fitting._explanation import OUTCOME_COPY
from sdv_prefair.privacy._epsilon_delta import is_too_large
from sdv_prefair.report._elements import Content, code
from sdv_prefair.report._facts import Facts
from sdv_prefair.report._words import counted, listed, short, whole
from sdv_prefair.selection._catalogue import GIVEN

_TYPES = (
    'The types of the columns, and whether integers can be missing, are public knowledge too. '
    'Types that a program inferred from the rows, as pandas does with a CSV file, are not.'
)


def confirmed(facts: Facts) -> list[Content]:
    """Return the assumptions of the guarantee that only a person can confirm."""
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
        items.append('The tree of the model was not derived from the private rows.')
    if not facts.is_private:
        items.append('The fit will be repeated without a seed before anything is released.')
    return items


def _vouched_for(statement: Independent) -> str:
    outcomes, protected = listed(statement.right), listed(statement.left)
    if not statement.given:
        return f'It is right that nothing may explain a dependence of {outcomes} on {protected}.'
    return (
        f'It is right that {listed(statement.given)} may influence {outcomes}, and {protected} '
        f'only through {"it" if len(statement.given) == 1 else "them"}.'
    )


def _copies(facts: Facts) -> str:
    """Return what to confirm about copies of outcomes under other names."""
    outcomes, looks = listed(facts.roles.outcome), facts.explanation.of(OUTCOME_COPY)
    copies = list(dict.fromkeys(look.column for look in looks if look.nearly_copies))
    if copies:
        are, have = ('a copy', 'has') if len(copies) == 1 else ('copies', 'have')
        return (
            f'It is intended that {listed(copies)}, nearly {are} of {outcomes} by a noisy score, '
            f'{have} no role: the fairness guarantee for outcomes does not cover them.'
        )
    seen = ' Noisy scores show none.' if looks else ''
    return f'No column without a role records the same as {outcomes} under another name.{seen}'


def _ranges(facts: Facts) -> list[Content]:
    public = facts.assumed_public
    if not public:
        return ['The names and types of the columns are public.']
    asked = facts.parameters['public_ranges']
    doubt = [
        ' Nobody has declared so yet: the fit was made without ', code('public_ranges=True'),
        ', and ranges that SDV detected from the data are not public.',
    ]  # fmt: skip
    return [
        f'The ranges and lists of values of {listed(public)} are public knowledge, not read from '
        'the data.', doubt if asked is None else None,
    ]  # fmt: skip


def _person(facts: Facts) -> str:
    rows = counted(facts.promise['max_rows_per_person'], 'row')
    if facts.parameters['person_column'] is not None:
        return f'If counts were given instead of rows, they include at most {rows} of each person.'
    return f'No person has more than {rows} in the table.'


def _delta(facts: Facts) -> str:
    delta, rows = facts.promise['delta'], facts.model.total
    verdict = 'is well below' if not is_too_large(100 * delta, rows) else 'is NOT well below'
    return (
        f'delta = {short(delta)} {verdict} one over the number of people, which is about '
        f'{whole(rows / facts.promise["max_rows_per_person"])} or more.'
    )
