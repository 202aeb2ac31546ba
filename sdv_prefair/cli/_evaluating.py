"""The command ``evaluate``: what is measured, and how much of it is shown."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from sdv.metadata import Metadata

from sdv_prefair.cli._table_files import read_table
from sdv_prefair.domain import modelled_columns
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.metrics import FairnessReport, describe_numbers
from sdv_prefair.metrics._column_figures import shown_value
from sdv_prefair.metrics._strata import OWN_BINS, OWN_BINS_CAUTION
from sdv_prefair.synthesizer import PreFairSynthesizer

_PAIRS = ('TwoWayTotalVariation', 'AverageCorrelationDifference')
_MOST_OF_EACH = 5


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


def measure(
    synthetic: pd.DataFrame,
    real: pd.DataFrame,
    metadata: Metadata,
    roles: Statements,
    release: PreFairSynthesizer | None = None,
) -> FairnessReport:
    """Return the report on a synthetic table, by the codes of its release if that is given."""
    report = FairnessReport(roles, synthesizer=release)
    (name,) = metadata.tables
    report.generate({name: real}, {name: synthetic}, metadata, verbose=False)
    return report


def report_lines(report: FairnessReport, show_all: bool) -> Iterator[str]:
    """Yield the properties and their details; only the worst pairs, unless all are requested."""
    yield 'Computed on the real table: these numbers are not private.'
    yield 'Conditional Independence is about the synthetic rows, and is guaranteed for them. Group'
    yield 'Rates are about a classifier trained on them and used on real rows: no guarantee.'
    if _is_by_own_bins(report):
        yield OWN_BINS_CAUTION
        yield 'Give --release, the file the table was sampled from, to compare rows by its codes.'
    yield report.get_properties().to_string(index=False)
    for title in report.get_properties()['Property']:
        details = report.get_details(title)
        shown = details if show_all else _without_good_pairs(details)
        left_out = len(details) - len(shown)
        yield ''
        yield f'{title}{", the worst pairs; all with --all" if left_out else ""}:'
        yield _readable(shown)


def numbers_lines(synthetic: pd.DataFrame, real: pd.DataFrame, metadata: Metadata) -> Iterator[str]:
    """Yield a table of all numbers and dates, compared by value, without bins."""
    described = describe_numbers(real, synthetic, metadata)
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


def _without_good_pairs(details: pd.DataFrame) -> pd.DataFrame:
    """Return the details with only the worst pairs of each metric, at the end."""
    is_pair = details['Metric'].isin(_PAIRS)
    ordered = details[is_pair].sort_values('Score', kind='stable')
    worst = [ordered[ordered['Metric'] == metric].head(_MOST_OF_EACH) for metric in _PAIRS]
    return pd.concat([details[~is_pair], *worst])


def _readable(details: pd.DataFrame) -> str:
    """Return a table without empty columns."""
    told = details.dropna(axis='columns', how='all')
    return told.to_string(index=False, float_format='{:.4f}'.format, na_rep='')
