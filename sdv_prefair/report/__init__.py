"""The release report: one HTML file for the person who must sign the release.

===============  ====================================================
``facts``        every figure of page and record, each computed once
``measured``     what is computed on the real table, only on request
``particulars``  what only people know
``answers``      what regulators ask, answered or left to fill in
``record``       the same for programs
``templates``    the words, and the page around them
``page``         the templates filled in
===============  ====================================================

Privacy: without ``Measured`` the page is a function of the ledger, of noisy measurements and of
public arguments, and may be published with the release.
"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdv_prefair._atomic_write import write_whole
from sdv_prefair.model import _noise as limits
from sdv_prefair.report._answers import Answer, answers
from sdv_prefair.report._facts import Facts
from sdv_prefair.report._page import page
from sdv_prefair.report._record import record

if TYPE_CHECKING:
    from sdv_prefair.synthesizer import PreFairSynthesizer

__all__ = ['Facts', 'record_of', 'write_report']

_SECTIONS = {
    'signing': 'Before you sign',
    'answers': 'Questions and answers',
    'promises': 'What is promised',
    'model': 'The model',
    'proxies': 'Proxies',
    'ledger': 'Where the privacy budget went',
    'noise': 'How much of it is noise',
    'comparison': 'Compared with the real table',
    'limits': 'What is not promised',
    'dictionary': 'Data dictionary',
}


def write_report(facts: Facts, path: str | Path, record_path: str | Path | None = None) -> None:
    """Write the report atomically.

    Args:
        facts: What it is made from.
        path: Where to write; an existing file is replaced.
        record_path: Where to write the page for programs, if anywhere.
    """
    found = answers(facts)
    topics: dict[str, list[Answer]] = {}
    for answer in found:
        topics.setdefault(answer.topic, []).append(answer)
    sections = {k: v for k, v in _SECTIONS.items() if k != 'proxies' or facts.is_fair}
    closing = f'Fitted on {facts.fitted_on} with {facts.fitted_with}.'
    title = f'Release report: {facts.table_name}'
    made = page(
        'report', title, sections, facts=facts, topics=topics, limits=limits, closing=closing
    )
    write_whole(Path(path), made)
    if record_path is not None:
        written = json.dumps(record(facts, found), indent=1, allow_nan=False)
        write_whole(Path(record_path), written.encode('utf-8', 'replace'))


def record_of(synthesizer: 'PreFairSynthesizer') -> dict[str, Any]:
    """Return the record that follows from a fit alone, as JSON has it; it is quickly made.

    Answers that need replicates of the model are left out.
    """
    facts = Facts(synthesizer)
    made = record(facts, answers(facts, with_replicates=False))
    return dict(json.loads(json.dumps(made, allow_nan=False)))
