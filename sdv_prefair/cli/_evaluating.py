"""The command ``evaluate``: what is measured, and how much of it is shown."""

import argparse
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup
from sdv.metadata import Metadata

from sdv_prefair._atomic_write import write_whole
from sdv_prefair.cli._opened_release import without_bars
from sdv_prefair.cli._table_files import read_table
from sdv_prefair.cli._verify_lines import rows_verified
from sdv_prefair.columns import modelled_columns
from sdv_prefair.fairness import Independent, Statements
from sdv_prefair.fairness._verdicts import Verdict, in_points, worst_in_words
from sdv_prefair.metrics import FairnessReport, describe_numbers
from sdv_prefair.metrics._described import shown_value
from sdv_prefair.metrics._downstream import area_under_curve, half_and_half, with_known
from sdv_prefair.metrics._groups import OWN_BINS, OWN_BINS_CAUTION
from sdv_prefair.metrics._independence import judge_tables
from sdv_prefair.metrics._tables import Tables, read_tables
from sdv_prefair.release import Verification
from sdv_prefair.report._page import plain_page
from sdv_prefair.synthesizer import PreFairSynthesizer

_MOST_SHOWN, _WIDTH = 2, 100
_LEAST_ROWS = 30
_NOT_PRIVATE = 'Computed on the real table: these numbers are not private.'
_MEASURED_ONLY = 'No release was given, so the rows are not made by us: measured only.'


@dataclass(frozen=True)
class Evaluation:
    """A synthetic table beside the real one.

    Attributes:
        synthetic: The synthetic table.
        real: The real one.
        metadata: Their metadata.
        statements: What is judged.
        release: The release that the rows are said to be from, if any.
        verified: Whether they are, as ``verify`` finds it.
    """

    synthetic: pd.DataFrame
    real: pd.DataFrame
    metadata: Metadata
    statements: Statements
    release: PreFairSynthesizer | None
    verified: Verification | None

    @cached_property
    def tables(self) -> Tables:
        """The columns that are measured."""
        return read_tables(self.real, self.synthetic, self.metadata)

    @cached_property
    def verdicts(self) -> list[tuple[Independent, Verdict, Verdict]]:
        """Each statement with the verdicts about the synthetic and about the real rows."""
        judged = []
        for one in self.statements.statements:
            real, synthetic = judge_tables(self.tables, one, self.release)
            judged.append((one, synthetic, real))
        return judged

    @cached_property
    def areas(self) -> dict[str, dict[str, float]]:
        """The area under the curve of classifiers of each outcome, by what they learnt from."""
        return {outcome: self._areas_of(outcome) for outcome in self.statements.outcome}

    def _areas_of(self, outcome: str) -> dict[str, float]:
        try:
            known = with_known(outcome, self.tables)
        except ValueError:  # an outcome with too many values
            return {}
        of_rows, of_real = half_and_half(known, 0)
        if min(map(len, (of_rows.synthetic, of_real.synthetic, self.real))) < _LEAST_ROWS:
            return {}
        seen = list(self.statements.admissible)
        areas = {
            'synthetic rows': area_under_curve(of_rows, outcome, seed=0),
            'real rows': area_under_curve(of_real, outcome, seed=0),
        }
        if seen and outcome not in seen:
            areas['admissible columns of synthetic rows'] = area_under_curve(
                of_rows, outcome, seed=0, features=seen
            )
        return areas

    @cached_property
    def report(self) -> FairnessReport:
        """Everything that is measured besides."""
        report = FairnessReport(self.statements, synthesizer=self.release)
        (name,) = self.metadata.tables
        real, synthetic = {name: self.real}, {name: self.synthetic}
        report.generate(real, synthetic, self.metadata, verbose=False)
        return report


def evaluation(
    options: argparse.Namespace,
    metadata: Metadata,
    statements: Statements,
    release: PreFairSynthesizer | None,
) -> Evaluation:
    """Return what ``evaluate`` is asked about."""
    synthetic, real = (
        read_whole_table(path, metadata) for path in (options.synthetic, options.real)
    )
    with without_bars():
        verified = None if release is None else rows_verified(release, options.synthetic)
    return Evaluation(synthetic, real, metadata, statements, release, verified)


def read_whole_table(path: Path, metadata: Metadata) -> pd.DataFrame:
    """Return a table that has rows and every column that is measured."""
    table = read_table(path, metadata)
    (described,) = metadata.tables.values()
    missing = [column for column in modelled_columns(described) if column not in table]
    if missing:
        raise ValueError(
            f"'{path}' lacks the columns {missing} of the metadata. Add them, or correct the names."
        )
    if table.empty:
        raise ValueError(f"'{path}' has no rows. Give a table with rows.")
    return table


def short_lines(found: Evaluation) -> Iterator[str]:
    """Yield the verdicts and what is most important besides, in lines of at most 100 characters."""
    for line in _most_important(found):
        yield from textwrap.wrap(line, _WIDTH, subsequent_indent=' ' * 18) or ['']


def _most_important(found: Evaluation) -> Iterator[str]:
    yield _NOT_PRIVATE
    yield from provenance_lines(found)
    for one, synthetic, real in found.verdicts[:_MOST_SHOWN]:
        yield f'{one}:'
        yield f'  synthetic rows  {synthetic}'
        yield f'  real rows       {real}'
        yield f'  on average      {_on_average(synthetic)}; real rows {_on_average(real)}'
    if len(found.verdicts) > _MOST_SHOWN:
        yield f'{len(found.verdicts) - _MOST_SHOWN} more statements with --all.'
    if _is_by_own_bins(found.report):
        yield 'Strata are bins of the metric: a gap may be an effect of the binning alone.'
    for outcome, areas in list(found.areas.items())[:_MOST_SHOWN]:
        yield _areas_line(outcome, areas)
    yield from _score_lines(found.report)
    yield 'Everything: --all. As a page: --out page.html. For machines: --json.'


def provenance_lines(found: Evaluation) -> Iterator[str]:
    """Yield whose rows these are, and so what is guaranteed."""
    if found.verified is None:
        yield _MEASURED_ONLY
    elif not found.verified:
        yield f'NOT rows of the release: {found.verified.failed[0].about}. Measured only.'
    elif any(check.about == 'origin' for check in found.verified.checks):
        yield 'These are the rows of the release: its statements are guaranteed for their'
        yield 'distribution. Below is what the rows themselves show.'
    else:
        yield 'The rows are compatible with the release; if they are from it, its statements are'
        yield 'guaranteed for their distribution. Below is what the rows themselves show.'


def all_lines(found: Evaluation) -> Iterator[str]:
    """Yield everything: all statements, all properties with their details, all numbers."""
    yield _NOT_PRIVATE
    yield from provenance_lines(found)
    if _is_by_own_bins(found.report):
        yield OWN_BINS_CAUTION
        yield 'Give --release, the file the table was sampled from, to compare rows by its codes.'
    for one, synthetic, real in found.verdicts:
        yield f'{one}:'
        for name, verdict in (('synthetic rows', synthetic), ('real rows', real)):
            yield f'  {name}: {verdict}'
            yield f'  on average {_on_average(verdict)}'
            yield f'  worst: {worst_in_words(verdict.worst)}'
            yield _readable(verdict.groups.reset_index(names='group'))
    for outcome, areas in found.areas.items():
        yield _areas_line(outcome, areas)
    for title in found.report.get_properties()['Property']:
        yield ''
        yield f'{title}:'
        yield _readable(found.report.get_details(title))
    yield from numbers_lines(found)


def as_record(found: Evaluation) -> dict[str, Any]:
    """Return everything, for ``as_json``."""
    report = found.report
    return {
        'provenance': ' '.join(provenance_lines(found)),
        'verdicts': [
            {'statement': str(one), 'synthetic': _as_record(synthetic), 'real': _as_record(real)}
            for one, synthetic, real in found.verdicts
        ],
        'areas_under_the_curve': found.areas,
        'properties': {
            name: report.get_details(name).to_dict('records')
            for name in report.get_properties()['Property']
        },
    }


def _as_record(verdict: Verdict) -> dict[str, Any]:
    worst = None if verdict.worst is None else vars(verdict.worst)
    kept = {name: value for name, value in vars(verdict).items() if name != 'groups'}
    return kept | {'sentence': str(verdict), 'worst': worst}


def _on_average(verdict: Verdict) -> str:
    if np.isnan(verdict.mean):
        return 'cannot be told'
    low, high = (f'{100 * end:.1f}' for end in verdict.interval)
    return f'{in_points(max(0.0, verdict.mean))} ({low} to {high})'


def _areas_line(outcome: str, areas: dict[str, float]) -> str:
    if not areas:
        return f'AUC for {outcome}: cannot be told, with too many values or too few rows.'
    told = ', '.join(f'{area:.3f} from {name}' for name, area in areas.items())
    return f'AUC for {outcome} (majority .5): {told}'


def _score_lines(report: FairnessReport) -> Iterator[str]:
    rates = report.get_details('Group Rates')
    worst = rates.dropna(subset='Gap').sort_values('Gap').tail(1)
    for row in worst.itertuples(index=False):
        yield (
            f'Group Rates of a classifier, no guarantee: {row.Measure} of {row.Outcome} by '
            f'{row.Protected} {in_points(row.Gap)}'
        )
    details = report.get_details('Quality')
    means = details[details['Metric'] != 'DownstreamAccuracy'].groupby('Metric')['Value'].mean()
    yield 'Distances: ' + ', '.join(f'{name} {mean:.3f}' for name, mean in means.items())


def numbers_lines(found: Evaluation) -> Iterator[str]:
    """Yield a table of all numbers and dates, compared by value, without bins."""
    described = describe_numbers(found.real, found.synthetic, found.metadata)
    if described.empty:
        return
    yield ''
    yield 'Numbers and dates, unbinned. KS is the largest difference of the distribution functions,'
    yield 'value the frequent one whose share differs most; std of dates is in days.'
    yield described.map(_short).rename_axis(index=['', '']).to_string()


def _short(value: Any) -> str:
    if isinstance(value, pd.Timestamp):
        return shown_value(value)
    return '' if pd.isna(value) else f'{value:.4g}' if abs(value) < 1 else f'{value:,.6g}'


def _is_by_own_bins(report: FairnessReport) -> bool:
    told = report.get_details('Conditional Independence')['Strata'].dropna()
    return any(str(strata).startswith(OWN_BINS) for strata in told)


def _readable(details: pd.DataFrame) -> str:
    """Return a table without empty columns."""
    told = details.dropna(axis='columns', how='all')
    return told.to_string(index=False, float_format='{:.4f}'.format, na_rep='')


# -- What ``evaluate`` finds as a page with pictures -----------------------------------------------


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
