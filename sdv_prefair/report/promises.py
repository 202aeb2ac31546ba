"""What is promised, in the words of the person who has to sign for it."""

import math
from xml.etree.ElementTree import Element

import networkx as nx

from sdv_prefair.privacy.ledger_words import GDP, ZCDP
from sdv_prefair.report.elements import (
    Content,
    badge,
    code,
    facts_list,
    note,
    paragraph,
    section,
    strong,
    table,
    tag,
)
from sdv_prefair.report.facts import Facts
from sdv_prefair.report.words import listed, percent, short
from sdv_prefair.roles import ADMISSIBLE, OUTCOME, PROTECTED, UNLABELLED
from sdv_prefair.structure import unblocked_path

_ADDED_UP = {
    ZCDP: 'Zero-concentrated differential privacy (zCDP), which bounds what noise of any kind adds '
    'up to.',
    GDP: 'Gaussian differential privacy (GDP): all noise is Gaussian, and what it adds up to is '
    'known exactly.',
}
_WITHOUT_ADMISSIBLE = (
    ' There are many ways, so look at what hangs together once the admissible columns are taken '
    'out: protected and outcome columns must never be in the same connected '
    'component.'
)


def promises_section(facts: Facts) -> Element:
    """Return what is promised about privacy and about fairness."""
    privacy = tag('h3', 'Privacy'), *_privacy(facts)
    fairness = tag('h3', 'Fairness'), *_fairness(facts)
    return section('promises', 'What is promised', privacy, fairness)


def _privacy(facts: Facts) -> list[Content]:
    promise = facts.promise
    if not facts.is_private:
        return [
            note(
                'warning',
                strong('Nothing. This fit is not private. '),
                'It was made with a seed, and whoever knows the seed can compute the noise and '
                'subtract it. Such a fit is for experiments; what follows describes what it would '
                'promise without a seed.',
            ),
            _privacy_numbers(promise, facts),
        ]
    return [
        paragraph(
            'The release is ',
            strong(f'({short(promise["epsilon"])}, {short(promise["delta"])})'),
            '-differentially private. The release is the fitted model, every row that is ever '
            'sampled from it, and this page as long as nothing on it is marked not private.',
        ),
        paragraph(
            'In plain words: take someone who wants to find out whether ',
            _unit(promise),
            ' in the table, thinks yes and no equally likely, knows everything else, and studies '
            'the release for as long as they like. They will be right at most ',
            strong(percent(_best_guess(promise['epsilon'], promise['delta']))),
            ' of the time. A coin is right 50 % of the time.',
        ),
        _privacy_numbers(promise, facts),
    ]


def _unit(promise: dict) -> str:
    rows = promise['max_rows_per_person']
    return 'one given row is' if rows == 1 else f'the up to {rows} rows of one given person are'


def _best_guess(epsilon: float, delta: float) -> float:
    """Return how often the best test between two neighbours is right, if both are as likely.

    (epsilon, delta)-DP bounds the true minus the false positive rate of any test by
    (e^epsilon - 1 + 2 delta) / (e^epsilon + 1).
    """
    ratio = math.exp(-epsilon)
    return min(1.0, (1 + delta * ratio) / (1 + ratio))


def _privacy_numbers(promise: dict, facts: Facts) -> Element:
    rows = promise['max_rows_per_person']
    person = facts.parameters['person_column']
    if person is not None:
        bound = [code(str(person)), f' tells persons apart; of each, at most {rows} count.']
    else:
        bound = [
            'No column was named that tells persons apart. That nobody has more than ',
            f'{rows} row{"" if rows == 1 else "s"} is the word of whoever made the fit.',
        ]
    return facts_list([
        ('epsilon', [short(promise['epsilon']), '; smaller is more private.']),
        ('delta', [short(promise['delta']), ', the chance with which the bound may fail.']),
        ('Added up by', _ADDED_UP[promise['accounting']]),
        ('Neighbouring tables', f'Those that differ when you {promise["neighbours"]}.'),
        ('Unit of privacy', ['One row. ' if rows == 1 else 'One person. ', bound]),
    ])  # fmt: skip


def _fairness(facts: Facts) -> list[Content]:
    if not facts.is_fair:
        return [note('warning', *_no_fairness(facts))]
    roles = facts.roles
    outcome, protected = listed(roles.outcome), listed(roles.protected)
    admissible = listed(roles.admissible)
    verb = 'is' if len(roles.outcome) == 1 else 'are'
    is_tree = nx.is_forest(facts.ties)
    return [
        paragraph(
            'In the distribution that rows are sampled from, ', strong(outcome),
            f' {verb} independent of ', strong(protected), ' once ', strong(admissible),
            ' are known'
            if len(roles.admissible) > 1 else ' is known',
            ', and whatever else is known besides. This is justifiable fairness.',
        ),
        paragraph(
            f'In plain words: among synthetic people with the same {admissible}, the chances of '
            f'each value of {outcome} are the same whatever their {protected}.',
        ),
        paragraph(
            'It is a property of the model, not an estimate. It was checked again when this page '
            'was written, and you can check it by eye: on ', 'the way' if is_tree else 'every way',
            ' from each protected to each outcome column there is an admissible one.',
            None if is_tree else _WITHOUT_ADMISSIBLE,
        ),
        _paths(facts),
        None if is_tree else _components(facts),
    ]  # fmt: skip


def _no_fairness(facts: Facts) -> list[Content]:
    if not facts.roles:
        return [strong('Nothing. '), 'No protected, admissible and outcome columns were named.']
    path = unblocked_path(list(facts.ties.edges), facts.roles)
    reason = [strong('Nothing. '), 'The model was fitted without regard to fairness.']
    if path:
        reason.append(
            ' It joins a protected and an outcome column with no admissible one between: '
        )
        reason += [' - '.join(map(str, path)), '.']
    return reason


def _paths(facts: Facts) -> Element:
    rows = []
    for protected in facts.roles.protected:
        for outcome in facts.roles.outcome:
            rows.append((protected, outcome, _path(facts, protected, outcome)))
    return table('Ways from protected to outcome columns', ('From', 'To', 'Way'), rows)


def _components(facts: Facts) -> Element:
    ties = facts.ties.copy()
    ties.remove_nodes_from(facts.roles.admissible)
    place = {column: position for position, column in enumerate(facts.ties)}
    found = [sorted(columns, key=place.get) for columns in nx.connected_components(ties)]
    rows = []
    for number, columns in enumerate(sorted(found, key=lambda c: place[c[0]]), start=1):
        held_by_role = [
            [badge('plain', role), f' {listed(held)} ']
            for role in (PROTECTED, OUTCOME, UNLABELLED)
            if (held := [name for name in columns if facts.roles.of(name) == role])
        ]
        rows.append((str(number), held_by_role))
    caption = 'What hangs together without the admissible columns'
    return table(caption, ('Component', 'Columns'), rows)


def _path(facts: Facts, protected: str, outcome: str) -> list[Content]:
    nodes = {protected, outcome} <= set(facts.ties)
    if not nodes or not nx.has_path(facts.ties, protected, outcome):
        return ['none: the model does not join them at all']
    content = []
    for name in nx.shortest_path(facts.ties, protected, outcome):
        is_admissible = facts.roles.of(name) == ADMISSIBLE
        content += [' → ' if content else None, str(name)]
        content += [' ', badge('good', 'admissible')] if is_admissible else []
    if not nx.is_forest(facts.ties):
        content.append(' (the shortest; the check covers all)')
    return content
