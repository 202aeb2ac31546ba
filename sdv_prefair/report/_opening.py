"""The answers in short: how private, how fair, how noisy, and what covers this copy."""

from xml.etree.ElementTree import Element

from sdv_prefair.fairness._statements import Statements
from sdv_prefair.model._noise import lost
from sdv_prefair.privacy._curve_words import (
    DELTA_TOO_LARGE,
    Strength,
    guess_in_words,
    strength_of,
)
from sdv_prefair.privacy._epsilon_delta import is_too_large
from sdv_prefair.report._elements import note, paragraph, strong, tag
from sdv_prefair.report._facts import Facts
from sdv_prefair.report._measured import Measured
from sdv_prefair.report._words import counted, short
from sdv_prefair.roles import Roles


def opening(facts: Facts, measured: Measured | None) -> list:
    """Return the top of the page: four tiles, and a warning where needed."""
    about = paragraph(
        'Synthetic rows sampled from a model of private ones: what is promised about them, what is '
        'not, and how much of them is noise.',
        class_='quiet',
    )
    tiles = [_privacy(facts), _fairness(facts), _noise(facts), _copy(facts, measured)]
    warning = _weak(facts) if facts.is_private else _not_private()
    return [about, warning, tag('div', tiles, class_='tiles')]


def _strength(facts: Facts) -> Strength:
    """Return the guarantee for anyone who is in the table of every attempt."""
    return DELTA_TOO_LARGE if _allows_a_row(facts) else strength_of(facts.whole_curve)


def _allows_a_row(facts: Facts) -> bool:
    return is_too_large(facts.promise['delta_all_attempts'], facts.model.total)


def _weak(facts: Facts) -> Element | None:
    strength = _strength(facts)
    if not strength.advice:
        return None
    return note(strength.kind, strong(f'{_named(facts)}. '), strength.advice)


def _named(facts: Facts) -> str:
    """Return epsilon and delta with what they promise together."""
    promise = facts.promise
    numbers = f'epsilon = {short(promise["epsilon"])}, delta = {short(promise["delta"])}'
    return f'{numbers}: {_strength(facts).words}'


def _not_private() -> Element:
    return note(
        'warning', strong('Not private. Do not release. '), 'The noise comes from a known seed.'
    )


def _tile(kind: str, label: str, value: str, more: str) -> Element:
    return tag(
        'div',
        paragraph(label, class_='label'),
        paragraph(value, class_='value'),
        paragraph(more),
        class_=f'tile {kind}',
    )


def _privacy(facts: Facts) -> Element:
    promise = facts.promise
    if not facts.is_private:
        return _tile('warning', 'Privacy', 'Not private', 'A seed was given.')
    more = guess_in_words(facts.curve)
    if facts.spent_elsewhere:
        more += f' All {promise["attempts"]} attempts together: {_all_attempts(promise)}.'
    if promise['ranges'] == 'assumed public':
        more += ' Ranges are assumed to be public.'
    return _tile(_strength(facts).kind, 'Privacy', _named(facts), more)


def _all_attempts(promise: dict) -> str:
    if not promise['private_all_attempts']:
        return 'not private'
    return f'epsilon = {short(promise["epsilon_all_attempts"])}'


def _fairness(facts: Facts) -> Element:
    if not facts.is_fair:
        return _tile('warning', 'Fairness', 'Not promised', 'See below for the reason.')
    statements = facts.roles.statements
    pairs = sum(len(statement.left) * len(statement.right) for statement in statements)
    checked = f'{counted(pairs, "pair")} of protected and outcome columns checked.'
    return _tile('good', 'Fairness', _notion(facts.roles), checked)


def _notion(roles: Statements) -> str:
    if isinstance(roles, Roles):
        return 'Justifiably fair'
    if any(statement.given for statement in roles.statements):
        return f'{counted(len(roles.statements), "statement")} kept'
    return 'Demographic parity'


def _noise(facts: Facts) -> Element:
    swamped, measured = len(lost(facts.model)), counted(len(facts.modelled), 'column')
    found = f'Among {measured} and the pairs joined.'
    if not swamped:
        return _tile('good', 'Noise', 'No marginal swamped', found)
    return _tile('warning', 'Noise', f'{counted(swamped, "marginal")} swamped', found)


def _copy(facts: Facts, measured: Measured | None) -> Element:
    if measured is not None:
        text = 'It contains numbers computed on the real table.'
        return _tile('warning', 'This copy', 'Keep it inside', text)
    if not facts.is_private:
        return _tile('warning', 'This copy', 'Keep it inside', 'The fit is not private.')
    if facts.parameters['public_ranges'] is None and facts.assumed_public:
        text = 'It depends on ranges that nobody has declared to be public; see the checklist.'
        return _tile('warning', 'This copy', 'Confirm ranges first', text)
    strength = _strength(facts)
    covered = 'Covered by the promise' if not strength.advice else f'Covered by a {strength.words}'
    if strength.kind == 'alarm':
        covered = 'Hardly covered'
    return _tile(strength.kind, 'This copy', covered, 'Publishing is your decision.')
