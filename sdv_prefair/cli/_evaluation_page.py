"""What ``evaluate`` finds as a page with pictures."""

from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

import pandas as pd

from sdv_prefair._atomic_write import write_whole
from sdv_prefair.cli._evaluating import Evaluation, provenance_lines
from sdv_prefair.fairness._verdicts import Verdict, in_points, worst_in_words
from sdv_prefair.report._elements import num, paragraph, plot, section, strong, table
from sdv_prefair.report._page import page

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
    pictures = [
        section(
            f'property-{place}',
            name,
            plot(report.get_visualization(name), f'{name}, drawn from the numbers of --all.'),
        )
        for place, name in enumerate(report.get_properties()['Property'])
    ]
    sections = [
        section('verdicts', 'Verdicts', *_verdicts(found)),
        section('classifiers', 'Classifiers', paragraph(_RECIPE), _areas(found)),
        *pictures,
    ]
    opening = [
        paragraph(strong('Not private: computed on the real table.')),
        paragraph(' '.join(provenance_lines(found))),
    ]
    closing = 'Keep this page among those who may see the real table.'
    write_whole(path, page('Synthetic and real rows compared', opening, sections, closing))


def _verdicts(found: Evaluation) -> Iterator[Element]:
    for one, synthetic, real in found.verdicts:
        rows = [('synthetic', *_cells(synthetic)), ('real', *_cells(real))]
        yield table(
            str(one),
            ('Rows', 'Verdict', 'Mean gap', 'At least', 'At most', 'Would be seen', 'Compared'),
            rows,
        )
        yield paragraph(f'The two groups that differ most: {worst_in_words(synthetic.worst)}.')


def _cells(verdict: Verdict) -> tuple[Element | str, ...]:
    gaps = verdict.mean, verdict.at_least, verdict.within, verdict.sees
    return str(verdict), *map(_points, gaps), num(f'{verdict.coverage:.0%}')


def _points(gap: float) -> Element:
    return num('cannot be told' if pd.isna(gap) else in_points(max(0.0, gap)))


def _areas(found: Evaluation) -> Element:
    rows = [
        (outcome, name, num(f'{area:.3f}'))
        for outcome, areas in found.areas.items()
        for name, area in {'always the majority': 0.5, **areas}.items()
    ]
    return table('Area under the curve, on real rows', ('Outcome', 'Learnt from', 'AUC'), rows)
