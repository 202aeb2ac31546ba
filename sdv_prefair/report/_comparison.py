"""The release compared with the real table and with plain MST: numbers that are not private."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

import pandas as pd
import plotly.graph_objects as go

from sdv_prefair.metrics import (
    AverageCorrelationDifference,
    DownstreamAccuracy,
    FrequentValueDifference,
    KolmogorovSmirnovDistance,
    OneWayTotalVariation,
    TwoWayTotalVariation,
)
from sdv_prefair.metrics._properties import measures_in_words
from sdv_prefair.plots._style import BLUE, GREY, VERMILION, plain_text
from sdv_prefair.report._compared_columns import columns_by_value, marked
from sdv_prefair.report._elements import (
    Content,
    code,
    note,
    num,
    paragraph,
    plot,
    section,
    strong,
    table,
    tag,
)
from sdv_prefair.report._facts import Facts
from sdv_prefair.report._measured import PLAIN, REAL, RELEASE, Measured
from sdv_prefair.report._words import short, whole

_MARKERS = {
    RELEASE: {'color': BLUE, 'symbol': 'circle'},
    PLAIN: {'color': VERMILION, 'symbol': 'diamond'},
    REAL: {'color': GREY, 'symbol': 'square-open'},
}
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


def comparison_section(facts: Facts, measured: Measured | None) -> Element:
    """Return the comparison, or why there is none."""
    title = 'Compared with the real table'
    if measured is None:
        return section(
            'comparison',
            title,
            paragraph(
                'Left out. Numbers computed on the real table are not covered by the privacy '
                'guarantee, so they are not on this page. For an internal copy, request them '
                'with ',
                code('show_real_numbers=True'),
                '.',
            ),
        )
    return section(
        'comparison',
        title,
        _warning(facts, measured),
        _quality_table(measured),
        columns_by_value(measured),
        _fairness(measured) if measured.rates else None,
    )


def _warning(facts: Facts, measured: Measured) -> Element:
    again = (
        f' Plain MST was fitted for this comparison with an epsilon of '
        f'{short(facts.promise["epsilon"])} of its own, allocated in the same way (budget '
        f"'{facts.parameters['budget']}'); neither it nor its rows may be released."
    )
    return note(
        'warning',
        strong('Not private. '),
        'All numbers in this section were computed on the real table, outside the budget. They '
        f'compare {whole(measured.num_rows)} real rows with as many synthetic ones. '
        'A classifier trained on "the real table itself" is tested on the very rows it was '
        'trained on. Keep this copy internal.',
        again if PLAIN in measured.quality else None,
    )


def _quality_table(measured: Measured) -> Element:
    first = next(iter(measured.quality.values()))
    rows = [
        (words, *(num(short(_mean(details, metric))) for details in measured.quality.values()))
        for metric, words in _DISTANCES.items()
        if metric in set(first['Metric'])
    ]
    for outcome in first.loc[first['Metric'] == DownstreamAccuracy.name, 'Columns']:
        for column, words in _ACCURACIES.items():
            cells = [_accuracy(details, outcome, column) for details in measured.quality.values()]
            rows.append((words.format(outcome), *cells))
    header = ('Quality', *measured.quality)
    return marked(table('Quality: distances are best at 0, accuracy at 1', header, rows))


def _mean(details: pd.DataFrame, metric: str) -> float:
    return details.loc[details['Metric'] == metric, 'Value'].mean()


def _accuracy(details: pd.DataFrame, outcome: str, column: str) -> Element:
    is_it = (details['Metric'] == DownstreamAccuracy.name) & (details['Columns'] == outcome)
    (row,) = details[is_it].to_dict('records')
    return num('cannot be measured' if pd.isna(row['Score']) else f'{row[column]:.3f}')


def _fairness(measured: Measured) -> list[Content]:
    return [
        marked(_independence_table(measured)),
        paragraph(
            'I(outcome; protected | admissible) is the information, in nats, that the protected '
            'columns carry about the outcome given the admissible ones. On a table of this size '
            'it is above zero even under independence: the range covers 95 % of its values '
            f'then. Rows are in the same stratum if they agree on the admissible columns by: '
            f'{_strata(measured)}. All tables use these strata, which need not be '
            'those that their own models used.'
        ),
        marked(_rates_table(measured)),
        paragraph(
            'Differences between the two groups that differ most, with 95 % intervals that '
            'account for this selection, for a '
            'classifier trained on each table and applied to the real rows: in the rate of '
            'positive predictions (demographic parity), the true positive rate and the true '
            'negative rate. The conditional '
            'ones compare people with the same admissible values; a stratum is informative '
            'only if it contains two groups, and the share of rows in such strata is given.'
        ),
        marked(
            plot(_gaps(measured), 'The same differences as points with intervals.', is_wide=True)
        ),
    ]


def _independence_table(measured: Measured) -> Element:
    # Every source has a row for each pair of roles, measurable or not, in the same order.
    rows = [
        (
            f'{same[0]["Outcome"]} and {same[0]["Protected"]}{_given(same[0])}',
            *map(_information, same),
        )
        for same in _side_by_side(measured.independence)
    ]
    header = ('Information', *measured.independence)
    return table('I(outcome; protected | admissible), best at what chance gives', header, rows)


def _pair(row: dict) -> str:
    return f'{row["Outcome"]} and {row["Protected"]}{_given(row)}'


def _given(row: dict) -> str:
    """Return the conditioning set of a row, if it differs between statements."""
    return f' given {row["Given"]}' if row.get('Given') else ''


def _strata(measured: Measured) -> str:
    told = measured.independence[RELEASE]['Strata'].dropna()
    return '; '.join(dict.fromkeys(told)) or 'nothing that could be measured'


def _side_by_side(details: dict[str, pd.DataFrame]) -> Iterator[tuple[dict, ...]]:
    return zip(*(frame.to_dict('records') for frame in details.values()), strict=True)


def _information(row: dict) -> Element:
    if pd.isna(row['Score']):
        return num('the rows do not tell')
    low, high = row['Null Low'], row['Null High']
    return num(f'{row["Information"]:.4f} (by chance {low:.4f} to {high:.4f})')


def _rates_table(measured: Measured) -> Element:
    names = _named(next(iter(measured.rates.values())))
    rows = [
        (name, *map(_gap, same))
        for name, same in zip(names, _side_by_side(measured.rates), strict=True)
    ]
    header = ('Difference', *measured.rates)
    return table('Differences between groups, best at 0', header, rows)


def _named(details: pd.DataFrame) -> list[str]:
    names = [
        f'{row["Outcome"]} by {row["Protected"]}{_given(row)}' for row in details.to_dict('records')
    ]
    measures = measures_in_words(details)
    return [f'{name}: {measure}' for name, measure in zip(names, measures, strict=True)]


def _gap(row: dict) -> Element:
    if pd.isna(row['Score']):
        return num('the rows do not tell')
    low, high = row['Interval Low'], row['Interval High']
    who = f'{row["Positive"]}: {row["First"]} over {row["Second"]}'
    if row['Measure'].startswith('C'):
        who += f'; {row["Coverage"]:.0%} of rows'
    return num(f'{row["Gap"]:.3f} ({low:.3f} to {high:.3f})', tag('br'), tag('small', who))


def _gaps(measured: Measured) -> go.Figure:
    figure = go.Figure()
    for source, details in measured.rates.items():
        known = details.dropna(subset='Score')
        figure.add_scatter(
            y=[plain_text(name) for name in _named(known)], x=known['Gap'],
            mode='markers', name=source, marker={**_MARKERS[source], 'size': 10},
            error_x={'array': (known['Interval High'] - known['Gap']).clip(lower=0),
                     'arrayminus': (known['Gap'] - known['Interval Low']).clip(lower=0),
                     'thickness': 1},
        )  # fmt: skip
    rows = len(next(iter(measured.rates.values())))
    figure.update_layout(
        template='plotly_white', height=max(320, 34 * rows + 110),
        margin={'l': 10, 'r': 10, 't': 50, 'b': 40},
        yaxis={'autorange': 'reversed', 'automargin': True},
        xaxis={'title': 'difference between groups'},
        legend={'orientation': 'h', 'y': 1.0, 'yanchor': 'bottom', 'x': 0},
    )  # fmt: skip
    return figure
