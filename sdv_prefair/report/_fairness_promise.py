"""The fairness guarantee, statement by statement, and how to check it by eye."""

from xml.etree.ElementTree import Element

import networkx as nx

from sdv_prefair.fairness._broken import broken_statements
from sdv_prefair.fairness._statements import Independent
from sdv_prefair.report._elements import Content, badge, note, paragraph, strong, table, tag
from sdv_prefair.report._facts import Facts
from sdv_prefair.report._words import listed
from sdv_prefair.roles import Roles

_WITHOUT_ADMISSIBLE = (
    ' There are many paths, so look at the connected components without the admissible columns: '
    'protected and outcome columns must never be in the same one.'
)
_CHECKED = (
    'These are properties of the model, not estimates. They were checked again when this page was '
    'written, and you can check them by eye: every path from one side of a statement to the '
    'other contains a column of its conditioning set; if that is empty, there is no path.'
)
_NOTIONS = (
    'What such a statement is called depends on what the columns mean. For a decision given '
    'the true label, it is separation, or equalised odds: true and false positive rates are the '
    'same in all groups. For the label given the decision, it is sufficiency: a decision is '
    'correct equally often in every group. Given columns that may justify a difference, it is '
    'justifiable fairness.'
)


def fairness_promise(facts: Facts) -> list[Content]:
    """Return what is promised about fairness."""
    if not facts.is_fair:
        return [note('warning', *_no_fairness(facts))]
    if isinstance(facts.roles, Roles):
        (statement,) = facts.roles.statements
        return [
            *_in_words(statement, ' This is justifiable fairness.'),
            _to_be_checked(facts),
            *_tables(facts, statement, 'admissible'),
        ]
    return _several(facts)


def _several(facts: Facts) -> list[Content]:
    statements = facts.roles.statements
    told = [
        [tag('h4', f'Statement {number}'), *_in_words(statement, _parity(statement))]
        for number, statement in enumerate(statements, start=1)
    ]
    tables = [_tables(facts, statement, 'given') for statement in statements]
    named = paragraph(_NOTIONS) if any(statement.given for statement in statements) else None
    return [told, named, paragraph(_CHECKED), tables]


def _in_words(statement: Independent, notion: str) -> list[Element]:
    outcome, protected = listed(statement.right), listed(statement.left)
    verb = 'is' if len(statement.right) == 1 else 'are'
    return [
        paragraph(
            'In the distribution that rows are sampled from, ', strong(outcome),
            f' {verb} independent of ', strong(protected), *_once_known(statement), notion,
        ),
        paragraph(
            f'In plain words: among synthetic people{_alike(statement)}, the chances of '
            f'each value of {outcome} are the same whatever their {protected}.',
        ),
    ]  # fmt: skip


def _once_known(statement: Independent) -> list[Content]:
    if not statement.given:
        return [', whatever else is known.']
    known = ' are known' if len(statement.given) > 1 else ' is known'
    given = strong(listed(statement.given))
    return [' once ', given, known, ', and whatever else is known besides.']


def _alike(statement: Independent) -> str:
    return f' with the same {listed(statement.given)}' if statement.given else ''


def _parity(statement: Independent) -> str:
    return '' if statement.given else ' This is demographic parity.'


def _to_be_checked(facts: Facts) -> Element:
    is_tree = nx.is_forest(facts.ties)
    return paragraph(
        'It is a property of the model, not an estimate. It was checked again when this page '
        'was written, and you can check it by eye: ', 'the path' if is_tree else 'every path',
        ' from each protected to each outcome column contains an admissible one.',
        None if is_tree else _WITHOUT_ADMISSIBLE,
    )  # fmt: skip


def _no_fairness(facts: Facts) -> list[Content]:
    if not facts.roles:
        return [strong('Nothing. '), 'No protected, admissible and outcome columns were named.']
    broken = broken_statements(list(facts.ties.edges), facts.roles)
    reason = [strong('Nothing. '), 'The model was fitted without regard to fairness.']
    for statement, path in broken[:1] if isinstance(facts.roles, Roles) else broken:
        along = ' - '.join(map(str, path))
        if isinstance(facts.roles, Roles):
            why = ' A path without an admissible column connects protected and outcome columns: '
        else:
            why = f' It does not promise that {statement}: '
        reason.append(f'{why}{along}.')
    return reason


def _tables(facts: Facts, statement: Independent, word: str) -> list[Element | None]:
    """Return paths and, unless the graph is a forest, components of a statement.

    Args:
        facts: The facts of the report.
        statement: The statement.
        word: What the columns of its conditioning set are called.
    """
    of = '' if word == 'admissible' else f': {statement}'
    is_tree = nx.is_forest(facts.ties)
    return [
        _paths(facts, statement, word, of),
        None if is_tree else _components(facts, statement, word, of),
    ]


def _paths(facts: Facts, statement: Independent, word: str, of: str) -> Element:
    rows = [
        (left, right, _path(facts, statement, left, right, word))
        for left in statement.left
        for right in statement.right
    ]
    return table(f'Paths from protected to outcome columns{of}', ('From', 'To', 'Path'), rows)


def _components(facts: Facts, statement: Independent, word: str, of: str) -> Element:
    ties = facts.ties.copy()
    ties.remove_nodes_from(statement.given)
    place = {column: position for position, column in enumerate(facts.ties)}
    found = [sorted(columns, key=place.get) for columns in nx.connected_components(ties)]
    rows = [
        (str(number), _by_side(columns, statement))
        for number, columns in enumerate(sorted(found, key=lambda c: place[c[0]]), start=1)
    ]
    caption = f'Connected components without the {word} columns{of}'
    return table(caption, ('Component', 'Columns'), rows)


def _by_side(columns: list[str], statement: Independent) -> list[Content]:
    sides = {'protected': statement.left, 'outcome': statement.right}
    held = {side: [c for c in columns if c in named] for side, named in sides.items()}
    held['unlabelled'] = [c for c in columns if c not in statement.left + statement.right]
    return [[badge('plain', side), f' {listed(names)} '] for side, names in held.items() if names]


def _path(facts: Facts, statement: Independent, left: str, right: str, word: str) -> list[Content]:
    nodes = {left, right} <= set(facts.ties)
    if not nodes or not nx.has_path(facts.ties, left, right):
        return ['none: the model does not connect them at all']
    content: list[Content] = []
    for name in nx.shortest_path(facts.ties, left, right):
        content += [' → ' if content else None, str(name)]
        content += [' ', badge('good', word)] if name in statement.given else []
    if not nx.is_forest(facts.ties):
        content.append(' (the shortest; the check covers all)')
    return content
