"""The page to sign: what is released, to whom, under which guarantee, and who is responsible."""

from xml.etree.ElementTree import Element

from sdv_prefair.report._checklist import confirmed
from sdv_prefair.report._elements import (
    Content,
    blank,
    code,
    facts_list,
    note,
    paragraph,
    section,
    strong,
    tag,
)
from sdv_prefair.report._facts import Facts
from sdv_prefair.report._particulars import ABOUT, Files, Particulars
from sdv_prefair.report._use import use_in_words
from sdv_prefair.report._words import listed, short, whole

_TO_FILL = ('purpose', 'recipient', 'source', 'declared_by', 'contact')


def signing_section(facts: Facts, told: Particulars, files: Files) -> Element:
    """Return the page to sign.

    Args:
        facts: What the synthesizer may show.
        told: What only people know; whatever is missing is left as a line to fill in by hand.
        files: The files that are released.
    """
    boxes = [
        tag('li', tag('span', '☐', aria_hidden='true'), tag('span', item))
        for item in confirmed(facts)
    ]
    lines = [tag('div', tag('span', label)) for label in ('Name', 'Date', 'Signature')]
    return section(
        'signing',
        'Before you sign',
        [note('plain', paragraph(sentence)) for sentence in use_in_words(facts)],
        tag('div', _about(facts, files), _people(told), class_='particulars'),
        paragraph(strong('Promised. '), *_promised(facts)),
        paragraph('The promises depend on a few things that only you can know:'),
        tag('ul', boxes, class_='boxes'),
        tag('div', lines, class_='lines'),
        paragraph('Annexes follow with the details of each line.', class_='quiet after'),
    )


def _about(facts: Facts, files: Files) -> Element:
    return facts_list([
        ('Release', code(files.release_id) if files.release_id else 'cannot be saved as one'),
        ('Table', facts.table_name),
        ('Fitted', f'{facts.fitted_on}, {facts.fitted_with}'),
        ('Structure', facts.structure),
        ('Columns', f'{len(facts.columns)}, of which {len(facts.modelled)} are modelled'),
        ('Rows', _rows(facts, files)),
        ('SHA-256 of release', _digest('release', files.release)),
        ('SHA-256 of rows', _digest('synthetic', files.synthetic_digest)),
    ])  # fmt: skip


def _rows(facts: Facts, files: Files) -> list[Content]:
    private = f'private table: about {whole(facts.model.total)}, as measured with noise'
    if files.num_rows is None:
        return [private]
    return [f'{files.synthetic}: {whole(files.num_rows)}; ', private]


def _digest(kind: str, digest: str | None) -> Element | str:
    if digest is None:
        return 'no file of rows was given' if kind == 'synthetic' else 'none'
    return tag('code', digest, class_='digest', data_of=kind)


def _people(told: Particulars) -> Element:
    return facts_list([(ABOUT[key], told.get(key) or blank()) for key in _TO_FILL])


def _promised(facts: Facts) -> list[Content]:
    promise = facts.promise
    privacy = (
        f'({short(promise["epsilon"])}, {short(promise["delta"])})-differential privacy, when you '
        f'{promise["neighbours"]}. '
        if facts.is_private
        else 'No privacy: the noise comes from a known seed. '
    )
    if not facts.is_fair:
        return [privacy, 'No fairness.']
    return [privacy, 'In the synthetic table ', f'{listed(map(str, facts.roles.statements))}.']
