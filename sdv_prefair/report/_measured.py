"""Measuring the release against the real table: reads real rows outside any budget."""

import copy
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd
import plotly.graph_objects as go
from sdv.errors import SynthesizerInputError

from sdv_prefair._sdv_versions import by_name
from sdv_prefair.columns._processor import one_frame
from sdv_prefair.errors import (
    DomainWarning,
    NoiseWarning,
    PrivacyWarning,
)
from sdv_prefair.metrics import (
    AverageCorrelationDifference,
    DownstreamAccuracy,
    FrequentValueDifference,
    KolmogorovSmirnovDistance,
    OneWayTotalVariation,
    TwoWayTotalVariation,
    describe_numbers,
)
from sdv_prefair.metrics._described import column_figure, shown_value
from sdv_prefair.metrics._properties import (
    ConditionalIndependence,
    GroupRates,
    Quality,
    Settings,
    measures_in_words,
)
from sdv_prefair.metrics._tables import read_tables
from sdv_prefair.plots._charts import plot_group_gaps
from sdv_prefair.report._words import percent, short

if TYPE_CHECKING:
    from sdv_prefair.synthesizer import PreFairSynthesizer

RELEASE, PLAIN, REAL = 'this release', 'plain MST', 'the real table itself'

_MOST_ROWS = 50_000

_CANNOT_TELL = 'the rows do not tell'
_DISTANCES = {
    OneWayTotalVariation.name: 'One-way marginals: mean total variation distance',
    TwoWayTotalVariation.name: 'Two-way marginals: mean total variation distance',
    AverageCorrelationDifference.name: "Correlations: mean difference of Cramér's V",
    KolmogorovSmirnovDistance.name: 'Numbers and dates: mean Kolmogorov-Smirnov distance',
    FrequentValueDifference.name: 'Numbers and dates: mean error of a frequent value',
}
_ACCURACIES = {
    'Score': 'Accuracy for {} of a classifier trained on it',
    'Majority': 'Accuracy for {} of always predicting the most frequent value',
}
_SHARES = ('nulls', 'share')
_TITLES = {'nulls': 'Null', 'value': 'Value', 'share': 'Its share', 'mean': 'Mean', 'std': 'Std'}

Frames = dict[str, pd.DataFrame]
Line = tuple[str, list[str]]


@dataclass(frozen=True)
class Measured:
    """Details of the three properties of a ``FairnessReport``, for each table that was measured.

    Privacy: none of these numbers is private.

    Attributes:
        num_rows: How many real rows were compared with as many synthetic ones. A large table is
            subsampled, as in SDMetrics' reports.
        quality: Distances of marginals and accuracy.
        rates: Differences between groups; no tables where there are no roles.
        independence: I(O; P | A); no tables where there are no roles.
        numbers: Numbers and dates of the release next to the real ones, as ``describe_numbers``
            returns them.
        pictures: A figure of each modelled column, real next to synthetic.
    """

    num_rows: int
    quality: dict[str, pd.DataFrame]
    rates: dict[str, pd.DataFrame]
    independence: dict[str, pd.DataFrame]
    numbers: pd.DataFrame
    pictures: dict[str, go.Figure]

    @property
    def sources(self) -> tuple[str, ...]:
        """The tables that were measured, as they are called."""
        return tuple(self.quality)

    @property
    def has_plain_mst(self) -> bool:
        """Whether plain MST was fitted to compare with."""
        return PLAIN in self.quality

    @property
    def quality_lines(self) -> Iterator[Line]:
        """Distances of marginals and accuracy, a line for each measure."""
        first = next(iter(self.quality.values()))
        for metric, words in _DISTANCES.items():
            if metric in set(first['Metric']):
                yield words, [short(_mean(details, metric)) for details in self.quality.values()]
        for outcome in first.loc[first['Metric'] == DownstreamAccuracy.name, 'Columns']:
            for column, words in _ACCURACIES.items():
                cells = [_accuracy(of, outcome, column) for of in self.quality.values()]
                yield words.format(outcome), cells

    @property
    def number_header(self) -> tuple[str, ...]:
        """What the numbers and dates are described by."""
        return ('Column', *(_TITLES.get(name, name) for name in map(str, self.numbers)))

    @property
    def number_lines(self) -> list[Line]:
        """Numbers and dates, a line for each column of each table."""
        records = self.numbers.to_dict('records')
        return [
            (f'{column}, {source}', [_cell(str(name), value) for name, value in row.items()])
            for (column, source), row in zip(self.numbers.index, records, strict=True)
        ]

    @property
    def independence_lines(self) -> Iterator[Line]:
        """The information on outcomes, a line for each pair of roles."""
        # Every source has a row for each pair of roles, measurable or not, in the same order.
        for same in _side_by_side(self.independence):
            name = f'{same[0]["Outcome"]} and {same[0]["Protected"]}{_given(same[0])}'
            yield name, list(map(_information, same))

    @property
    def strata(self) -> str:
        """How strata were made."""
        told = self.independence[RELEASE]['Strata'].dropna()
        return '; '.join(dict.fromkeys(told)) or 'nothing that could be measured'

    @property
    def rate_lines(self) -> Iterator[tuple[str, list[tuple[str, str]]]]:
        """The differences between groups: for each the number of each table, and who differs."""
        names = _named(next(iter(self.rates.values())))
        for name, same in zip(names, _side_by_side(self.rates), strict=True):
            yield name, list(map(_gap, same))

    @property
    def drawing_of_rates(self) -> go.Figure:
        """The same differences as points."""
        return plot_group_gaps({
            source: details.assign(Name=_named(details)).dropna(subset='Score')
            for source, details in self.rates.items()
        })


def _mean(details: pd.DataFrame, metric: str) -> float:
    return float(details.loc[details['Metric'] == metric, 'Value'].mean())


def _accuracy(details: pd.DataFrame, outcome: str, column: str) -> str:
    is_it = (details['Metric'] == DownstreamAccuracy.name) & (details['Columns'] == outcome)
    (row,) = details[is_it].to_dict('records')
    return 'cannot be measured' if pd.isna(row['Score']) else f'{row[column]:.3f}'


def _cell(name: str, value: Any) -> str:
    if pd.isna(value):
        return 'none'
    if isinstance(value, pd.Timestamp):
        return shown_value(value)
    if name in _SHARES:
        return percent(value)
    return shown_value(value) if name == 'value' else short(value)


def _side_by_side(details: dict[str, pd.DataFrame]) -> Iterator[tuple[dict[Any, Any], ...]]:
    return zip(*(frame.to_dict('records') for frame in details.values()), strict=True)


def _given(row: dict[Any, Any]) -> str:
    """Return the conditioning set of a row, if it differs between statements."""
    return f' given {row["Given"]}' if row.get('Given') else ''


def _information(row: dict[Any, Any]) -> str:
    if pd.isna(row['Score']):
        return _CANNOT_TELL
    low, high = row['Null Low'], row['Null High']
    return f'{row["Information"]:.4f} (by chance {low:.4f} to {high:.4f})'


def _named(details: pd.DataFrame) -> list[str]:
    rows, measures = details.to_dict('records'), measures_in_words(details)
    return [
        f'{row["Outcome"]} by {row["Protected"]}{_given(row)}: {measure}'
        for row, measure in zip(rows, measures, strict=True)
    ]


def _gap(row: dict[Any, Any]) -> tuple[str, str]:
    if pd.isna(row['Score']):
        return _CANNOT_TELL, ''
    low, high = row['Interval Low'], row['Interval High']
    who = f'{row["Positive"]}: {row["First"]} over {row["Second"]}'
    if row['Measure'].startswith('C'):
        who += f'; {row["Coverage"]:.0%} of rows'
    return f'{row["Gap"]:.3f} ({low:.3f} to {high:.3f})', who


def check_request(real_data: object, show_real_numbers: bool, compare_with_mst: bool) -> None:
    """Raise unless the arguments are consistent."""
    if isinstance(real_data, str) or hasattr(real_data, '__fspath__'):
        raise SynthesizerInputError(
            'real_data must be a dictionary of DataFrames, or None. To say where to write, use '
            'path=.'
        )
    if show_real_numbers and real_data is None:
        raise SynthesizerInputError(
            'show_real_numbers needs real_data, the table that the numbers are computed on.'
        )
    if compare_with_mst and not show_real_numbers:
        raise SynthesizerInputError(
            'compare_with_mst fits plain MST to the real table and shows numbers that are not '
            'private. Ask for them: show_real_numbers=True, and give real_data.'
        )


def measure(
    synthesizer: 'PreFairSynthesizer', real_data: Frames, compare_with_mst: bool
) -> Measured:
    """Sample as many rows as the real table has, and compare.

    Privacy: reads the real rows; nothing is debited, and the result is not private.

    Args:
        synthesizer: A fitted synthesizer. Its own random state is not changed.
        real_data: The real table.
        compare_with_mst: Whether to fit plain MST to the real table, to compare with.
    """
    synthesizer.validate(real_data)
    name = synthesizer.fitted.settings.table_name
    real = one_frame(by_name(real_data, name), name)
    sampled = {RELEASE: copy.deepcopy(synthesizer).sample(len(real))}
    if compare_with_mst:
        sampled[PLAIN] = _plain_mst(synthesizer, real_data).sample(len(real))
    tables = {source: one_frame(by_name(rows, name), name) for source, rows in sampled.items()}
    tables[REAL] = real
    metadata = synthesizer.get_metadata().to_dict()
    roles = synthesizer.get_roles()
    quality, rates, independence = {}, {}, {}
    for source, rows in tables.items():
        data = {name: real}, {name: rows}, metadata
        quality[source] = _details(Quality, synthesizer, data)
        if roles:
            rates[source] = _details(GroupRates, synthesizer, data)
            independence[source] = _details(ConditionalIndependence, synthesizer, data)
    numbers, pictures = _by_value(real, tables[RELEASE], metadata)
    num_rows = min(len(real), _MOST_ROWS)
    return Measured(num_rows, quality, rates, independence, numbers, pictures)


def _by_value(
    real: pd.DataFrame, synthetic: pd.DataFrame, metadata: Mapping[str, Any]
) -> tuple[pd.DataFrame, dict[str, go.Figure]]:
    """Return numbers and dates side by side, and a figure of every column."""
    real, synthetic = (
        rows.sample(min(len(rows), _MOST_ROWS), random_state=0) for rows in (real, synthetic)
    )
    tables = read_tables(real, synthetic, dict(metadata))
    pictures = {column: column_figure(tables, column) for column in tables.columns}
    return describe_numbers(real, synthetic, metadata), pictures


def _details(
    kind: type, synthesizer: 'PreFairSynthesizer', data: tuple[Frames, Frames, Mapping[str, Any]]
) -> pd.DataFrame:
    # All sources are treated alike: the same seed for training and shuffles, and the strata of
    # the release for every table.
    made = kind(Settings(synthesizer.get_roles(), seed=0, synthesizer=synthesizer))
    made.num_rows_subsample = _MOST_ROWS
    made.get_score(*data)
    details: pd.DataFrame = made.details
    return details


def _plain_mst(synthesizer: 'PreFairSynthesizer', real_data: Frames) -> 'PreFairSynthesizer':
    """Return the same synthesizer without roles, fitted to the same table."""
    changes: dict[str, Any] = {
        'structure': 'none',
        'protected': (),
        'admissible': (),
        'outcome': (),
    }
    changes |= {'fairness': None, 'unlabelled': None}
    with warnings.catch_warnings():
        # Already raised for the first one.
        for given_before in (PrivacyWarning, DomainWarning, NoiseWarning):
            warnings.simplefilter('ignore', given_before)
        warnings.filterwarnings('ignore', 'Replacing the default transformer')
        plain = type(synthesizer)(
            synthesizer.get_metadata(), **synthesizer.get_parameters() | changes
        )
        if constraints := synthesizer.get_constraints():
            plain.add_constraints(constraints)
        if chosen := copy.deepcopy(dict(synthesizer.fitted.settings.chosen)):
            plain.auto_assign_transformers(real_data)
            plain.update_transformers(chosen)
        plain.fit(real_data)
    return plain
