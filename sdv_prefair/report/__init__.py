"""The release report: one HTML file for the person who must sign the release.

===================  ====================================================
``facts``            what a fitted synthesizer may show to anybody
``measured``         what is computed on the real table, only on request
``signing``          the page to sign, from facts and what people declared
``answers``          what regulators ask, answered or left to fill in
``record``           the same for programs
``promises`` ...     the annexes, from facts to trees of HTML
``elements``         pieces of HTML
``page``             the page around them, the style and the scripts
===================  ====================================================

Privacy: without ``Measured`` the page is a function of the ledger, of noisy measurements and of
public arguments, and may be published with the release.
"""

import json
from pathlib import Path

from sdv_prefair._atomic_write import write_whole
from sdv_prefair.report._answers import answers, answers_section
from sdv_prefair.report._comparison import comparison_section
from sdv_prefair.report._dictionary import dictionary_section
from sdv_prefair.report._facts import Facts, gather
from sdv_prefair.report._ledger import ledger_section
from sdv_prefair.report._limits import limits_section
from sdv_prefair.report._marginals import marginals_section
from sdv_prefair.report._measured import Measured, check_request, measure
from sdv_prefair.report._model import model_section
from sdv_prefair.report._opening import opening
from sdv_prefair.report._page import page
from sdv_prefair.report._particulars import Files, Particulars
from sdv_prefair.report._promises import promises_section
from sdv_prefair.report._proxies import proxies_section
from sdv_prefair.report._record import record
from sdv_prefair.report._signing import signing_section

__all__ = ['Facts', 'Measured', 'check_request', 'gather', 'measure', 'write_report']


def write_report(
    facts: Facts,
    path: str | Path,
    measured: Measured | None = None,
    told: Particulars | None = None,
    files: Files | None = None,
    record_path: str | Path | None = None,
) -> None:
    """Write the report atomically.

    Args:
        facts: What the synthesizer may show.
        path: Where to write; an existing file is replaced.
        measured: Results computed on the real table, for a copy that stays internal.
        told: What only people know.
        files: The files that are released.
        record_path: Where to write the page for programs, if anywhere.
    """
    told, files = told or Particulars(), files or Files()
    told.check_columns(facts.roles.admissible)
    found = answers(facts, told, files, measured is not None)
    all_sections = [
        signing_section(facts, told, files),
        answers_section(found),
        promises_section(facts),
        model_section(facts),
        proxies_section(facts),
        ledger_section(facts),
        marginals_section(facts),
        comparison_section(facts, measured),
        limits_section(facts),
        dictionary_section(facts),
    ]
    sections = [section for section in all_sections if section is not None]
    closing = f'Fitted on {facts.fitted_on} with {facts.fitted_with}.'
    title = f'Release report: {facts.table_name}'
    write_whole(Path(path), page(title, opening(facts, measured), sections, closing))
    if record_path is not None:
        made = json.dumps(record(facts, told, files, found), indent=1, allow_nan=False)
        write_whole(Path(record_path), made.encode('utf-8', 'replace'))
