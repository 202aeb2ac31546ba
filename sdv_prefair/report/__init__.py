"""The release report: one HTML file for the person who must sign the release.

===================  ====================================================
``facts``            what a fitted synthesizer may show to anybody
``measured``         what is computed on the real table, only if asked for
``noise``            how much of the measurements is noise
``promises`` ...     the sections, from facts to trees of HTML
``elements``         pieces of HTML
``page``             the page around them, the style and the scripts
===================  ====================================================

Privacy: without ``Measured`` the page is a function of the ledger, of noisy measurements and of
public arguments, and may be published with the release.
"""

from pathlib import Path
from xml.etree.ElementTree import Element

from sdv_prefair.release.archive import write_whole
from sdv_prefair.report.comparison import comparison_section
from sdv_prefair.report.elements import note, paragraph, strong, tag
from sdv_prefair.report.facts import Facts, gather
from sdv_prefair.report.ledger import ledger_section
from sdv_prefair.report.limits import limits_section, signing_section
from sdv_prefair.report.marginals import lost, marginals_section
from sdv_prefair.report.measured import Measured, check_request, measure
from sdv_prefair.report.model import model_section
from sdv_prefair.report.page import page
from sdv_prefair.report.promises import promises_section
from sdv_prefair.report.words import counted, short

__all__ = ['Facts', 'Measured', 'check_request', 'gather', 'measure', 'write_report']


def write_report(facts: Facts, path: str | Path, measured: Measured | None = None) -> None:
    """Write the report; the file is complete or not there.

    Args:
        facts: What the synthesizer may show.
        path: Where to write; a file that is there is replaced.
        measured: What was computed on the real table, for a copy that stays inside.
    """
    sections = [
        promises_section(facts),
        model_section(facts),
        ledger_section(facts),
        marginals_section(facts),
        comparison_section(facts, measured),
        limits_section(facts),
        signing_section(facts),
    ]
    closing = f'Fitted on {facts.fitted_on} with {facts.fitted_with}.'
    title = f'Release report: {facts.table_name}'
    write_whole(Path(path), page(title, _opening(facts, measured), sections, closing))


def _opening(facts: Facts, measured: Measured | None) -> list:
    about = paragraph(
        'Synthetic rows made by a model of private ones: what is promised about them, what is not, '
        'and how much of them is noise.',
        class_='quiet',
    )
    tiles = [_privacy(facts), _fairness(facts), _noise(facts), _copy(facts, measured)]
    return [about, None if facts.is_private else _not_private(), tag('div', tiles, class_='tiles')]


def _not_private() -> Element:
    return note(
        'warning', strong('Not private. Do not release. '), 'The noise was made from a known seed.'
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
    numbers = f'epsilon = {short(promise["epsilon"])}, delta = {short(promise["delta"])}'
    if not facts.is_private:
        return _tile('warning', 'Privacy', 'Not private', f'A seed was given; {numbers}.')
    return _tile('good', 'Privacy', numbers, f'To {promise["neighbours"]}.')


def _fairness(facts: Facts) -> Element:
    if not facts.is_fair:
        return _tile('warning', 'Fairness', 'Not promised', 'See below for the reason.')
    pairs = len(facts.roles.protected) * len(facts.roles.outcome)
    checked = f'{counted(pairs, "pair")} of protected and outcome columns checked.'
    return _tile('good', 'Fairness', 'Justifiably fair', checked)


def _noise(facts: Facts) -> Element:
    swamped, measured = len(lost(facts)), counted(len(facts.modelled), 'column')
    if not swamped:
        return _tile('good', 'Noise', 'Nothing is swamped', f'{measured} and the pairs joined.')
    found = f'Of {measured} and the pairs joined.'
    return _tile('warning', 'Noise', f'{counted(swamped, "marginal")} swamped', found)


def _copy(facts: Facts, measured: Measured | None) -> Element:
    if measured is not None:
        text = 'It holds numbers computed on the real table.'
        return _tile('warning', 'This copy', 'Keep it inside', text)
    if not facts.is_private:
        return _tile('warning', 'This copy', 'Keep it inside', 'The fit is not private.')
    return _tile('good', 'This copy', 'May be published', 'It is covered by the privacy promise.')
