"""Proxies that the fairness guarantee lets through, shown before anyone signs."""

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from sdv_prefair.fairness._dependence import NOTICEABLE
from sdv_prefair.fitting._explanation import HEADINGS, Finding, could_be, rest_in_words
from sdv_prefair.report._elements import Content, badge, note, num, paragraph, section, table, tag
from sdv_prefair.report._facts import Facts
from sdv_prefair.report._group_gaps import gaps_part


def proxies_section(facts: Facts) -> Element | None:
    """Return how well columns predict protected and outcome ones; None without a guarantee."""
    if not facts.is_fair:
        return None
    return section(
        'proxies',
        'Proxies',
        paragraph(
            'Every statement can hold and still let through what nobody intended: through an '
            'admissible column that copies a protected one, or a copy of an outcome without a '
            'role. Numbers say how well one column predicts another beyond chance and noise, '
            'from 0, independent, to 1, fully determined.'
        ),
        [_copied(finding) for finding in facts.explanation.findings if finding.nearly_copies],
        [_part(heading, facts.explanation.of(part)) for part, heading in HEADINGS.items()],
        gaps_part(facts.gaps),
    )


def _copied(finding: Finding) -> Element:
    return note(
        'warning',
        paragraph(f'{finding.column} is nearly a copy of {finding.about} ({finding.part}).'),
    )


def _part(heading: str, findings: Sequence[Finding]) -> Element | None:
    if not findings:
        return None
    shown = [finding for finding in findings if finding.surely >= NOTICEABLE]
    less = rest_in_words(findings)
    rows = [_row(finding) for finding in shown]
    return tag(
        'div',
        tag('h3', heading),
        table(heading, ('Column', 'Predicts', 'How well'), rows) if rows else None,
        [paragraph(f'{line[0].upper()}{line[1:]}.') for line in less],
    )


def _row(finding: Finding) -> Sequence[Content]:
    could = f', {could_be(finding.at_most)}' if finding.at_most >= NOTICEABLE else ''
    mark = [' ', badge('warning', 'nearly a copy')] if finding.nearly_copies else None
    return finding.column, finding.about, num(f'{finding.surely:.2f}{could}', mark)
