"""What ``evaluate`` finds as a page with pictures."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup

from sdv_prefair._atomic_write import write_whole
from sdv_prefair.cli._evaluating import Evaluation, provenance_lines
from sdv_prefair.fairness._verdicts import Verdict, in_points, worst_in_words
from sdv_prefair.report._page import plain_page

_RECIPE = (
    'A classifier that sees the admissible columns only treats people alike who agree on them, on '
    'any rows. One that sees all columns may differ between groups even if its training rows are '
    'fair, and parity between whole groups may move either way.'
)


def write_evaluation(found: Evaluation, path: Path) -> None:
    """Write the page; it needs no network.

    Args:
        found: What was measured.
        path: Where to write.
    """
    report = found.report
    sections: dict[str, tuple[str, list[Any]]] = {
        'verdicts': ('Verdicts', list(_verdicts(found))),
        'classifiers': ('Classifiers', [_RECIPE, _areas(found)]),
    }
    for place, name in enumerate(report.get_properties()['Property']):
        described = f'{name}, drawn from the numbers of --all.'
        drawn = {'figure': report.get_visualization(name), 'described': described}
        sections[f'property-{place}'] = name, [drawn]
    warning = Markup('<strong>Not private: computed on the real table.</strong>')
    opening = [warning, ' '.join(provenance_lines(found))]
    closing = 'Keep this page among those who may see the real table.'
    write_whole(path, plain_page('Synthetic and real rows compared', opening, sections, closing))


def _verdicts(found: Evaluation) -> Iterator[Any]:
    header = ('Rows', 'Verdict', 'Mean gap', 'At least', 'At most', 'Would be seen', 'Compared')
    for one, synthetic, real in found.verdicts:
        rows = [('synthetic', *_cells(synthetic)), ('real', *_cells(real))]
        yield {'caption': str(one), 'header': header, 'rows': rows, 'nums': range(2, 7)}
        yield f'The two groups that differ most: {worst_in_words(synthetic.worst)}.'


def _cells(verdict: Verdict) -> tuple[str, ...]:
    gaps = verdict.mean, verdict.at_least, verdict.within, verdict.sees
    return str(verdict), *map(_points, gaps), f'{verdict.coverage:.0%}'


def _points(gap: float) -> str:
    return 'cannot be told' if pd.isna(gap) else in_points(max(0.0, gap))


def _areas(found: Evaluation) -> dict[str, Any]:
    rows = [
        (outcome, name, f'{area:.3f}')
        for outcome, areas in found.areas.items()
        for name, area in {'always the majority': 0.5, **areas}.items()
    ]
    header = ('Outcome', 'Learnt from', 'AUC')
    caption = 'Area under the curve, on real rows'
    return {'caption': caption, 'header': header, 'rows': rows, 'nums': (2,)}
