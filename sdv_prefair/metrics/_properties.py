"""The properties of a ``FairnessReport``: what is measured, scored and plotted."""

import abc
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from sdmetrics.reports.multi_table._properties.base import BaseMultiTableProperty
from sdv.errors import SynthesizerInputError

from sdv_prefair.fairness._statements import Independent, Statements
from sdv_prefair.fairness._verdicts import Verdict, worst_in_words
from sdv_prefair.metrics._downstream import predict_real, with_known
from sdv_prefair.metrics._groups import (
    RowEncoder,
    compare,
    group_names,
    strata_of,
    value_in_words,
)
from sdv_prefair.metrics._independence import judge_compared, tested
from sdv_prefair.metrics._measures import MEASURES
from sdv_prefair.metrics._quality import (
    AverageCorrelationDifference,
    DownstreamAccuracy,
    FrequentValueDifference,
    KolmogorovSmirnovDistance,
    OneWayTotalVariation,
    TwoWayTotalVariation,
)
from sdv_prefair.metrics._rates import MIN_ROWS, Gaps, rate_gap, rate_gaps_given, worst_positive
from sdv_prefair.metrics._tables import TableMetric, Tables, is_number, read_tables
from sdv_prefair.plots._style import BLUE, GREY, LIGHT_GREY, PATTERNS, SEQUENCE, plain_text
from sdv_prefair.roles import Roles

Row = dict[str, Any]

_MOST_VALUES = 10
_REAL = {'name': 'real table', 'marker': {'symbol': 'diamond-open', 'color': GREY, 'size': 11}}
_SYNTHETIC = {'name': 'synthetic table', 'marker': {'symbol': 'circle', 'color': BLUE, 'size': 11}}


@dataclass(frozen=True)
class Settings:
    """What a report measures; the arguments of ``FairnessReport``."""

    roles: Statements
    table_name: str | None = None
    positive: Mapping[str, Hashable] = field(default_factory=dict)
    model: object = 'linear'
    permutations: int = 200
    bootstraps: int = 200
    seed: int | None = None
    synthesizer: RowEncoder | None = None

    @property
    def pairs(self) -> list[Independent]:
        """The statements about one protected and one outcome column each."""
        return list(dict.fromkeys(pair for s in self.roles.statements for pair in _pairs(s)))

    def given_in_words(self, given: Sequence[str]) -> dict[str, str]:
        """Return the conditioning set of a row; with roles it is always the same, and left out."""
        return {} if isinstance(self.roles, Roles) else {'Given': joined(given)}


class RoleProperty(BaseMultiTableProperty, abc.ABC):
    """A property of one table, as SDMetrics reports hold them.

    Subclasses define what to measure (``_questions``) and how (``_answer``); every answer is
    a row of the details with a ``Score`` between 0 and 1, where 1 is best, or NaN if the rows
    are uninformative.

    Attributes:
        measured: Columns of the details that are measured, besides the score.

    Args:
        settings: What the report measures.
    """

    measured: ClassVar[tuple[str, ...]]

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.settings = settings

    @abc.abstractmethod
    def _questions(self) -> list[Any]:
        """Return what is measured, one item for each step of the progress bar."""

    @abc.abstractmethod
    def _answer(self, question: Any, tables: Tables) -> Iterator[Row]:
        """Measure one item: yield rows of the details."""

    @abc.abstractmethod
    def _unanswered(self, question: Any) -> list[Row]:
        """Return the names of an item's rows: all that is known if it cannot be measured."""

    @abc.abstractmethod
    def _draw(self, details: pd.DataFrame) -> go.Figure:
        """Return a figure of the details."""

    def _compute_average(self) -> float:
        """Return the mean score; NaN if one is unknown, because a mean without it says too much."""
        return float(self.details['Score'].mean(skipna=False))

    def _get_num_iterations(self, metadata: Mapping[str, Any]) -> int:
        return len(self._questions())

    def _generate_details(
        self,
        real_data: Mapping[str, pd.DataFrame],
        synthetic_data: Mapping[str, pd.DataFrame],
        metadata: Mapping[str, Any],
        progress_bar: Any = None,
    ) -> None:
        name = self.settings.table_name or next(iter(metadata['tables']))
        real, synthetic = (self._subsample(data[name]) for data in (real_data, synthetic_data))
        tables = read_tables(real, synthetic, metadata, name)
        rows: list[Row] = []
        for question in self._questions():
            try:
                rows += list(self._answer(question, tables))
            except SynthesizerInputError as error:
                # As in SDMetrics: one column that cannot be measured does not stop the report.
                nothing = dict.fromkeys(('Score', *self.measured), np.nan)
                told = {'Error': str(error)}
                rows += [row | nothing | told for row in self._unanswered(question)]
            if progress_bar is not None:
                progress_bar.update()
        self.details = pd.DataFrame(rows)
        self.details.insert(0, 'Table', name)

    def _subsample(self, frame: pd.DataFrame) -> pd.DataFrame:
        if self.num_rows_subsample is None or len(frame) <= self.num_rows_subsample:
            return frame
        return frame.sample(self.num_rows_subsample, random_state=self.settings.seed)

    def get_visualization(self, table_name: str | None = None) -> go.Figure:
        """Return a figure of the details; there is one table, so its name may be left out."""
        return self._draw(self.get_details(table_name))


class ConditionalIndependence(RoleProperty):
    """I(O; P | A) in the synthetic table, for each outcome and protected column and for all.

    Each of several statements is measured separately, given its own conditioning set.

    ``Verdict`` is the verdict of the joint test, with the bounds of the largest gap between two
    groups of a stratum (``At Least``, ``Within``) and the gap that would have been seen. The score
    is ``1 - gap``, the mean unsigned gap within strata minus that of shuffled outcomes. It is NaN,
    and ``Reason`` says why, if the rows are no evidence. ``Strata`` says how rows are compared;
    with bins of the metric's own, a fair table can score below 1.
    """

    measured = (
        'Verdict', 'Gap', 'Gap Low', 'Gap High', 'At Least', 'Within', 'Would Be Seen', 'Worst',
        'Reason', 'Real Verdict', 'Real Gap', 'Information', 'Null Mean', 'Null Low', 'Null High',
        'P-Value', 'Coverage', 'Real Information', 'Real Null Mean', 'Strata',
    )  # fmt: skip

    def _questions(self) -> list[Independent]:
        asked = [[*dict.fromkeys([*_pairs(s), s])] for s in self.settings.roles.statements]
        return list(dict.fromkeys(question for of_one in asked for question in of_one))

    def _unanswered(self, question: Independent) -> list[Row]:
        given = self.settings.given_in_words(question.given)
        return [_sides(question) | given | {'Metric': 'ConditionalMutualInformation'}]

    def _answer(self, question: Independent, tables: Tables) -> Iterator[Row]:
        settings = self.settings
        tables.select('protected, admissible and outcome', question.columns())
        sides = question.left, question.right, question.given
        compared, strata = compare(tables, *sides, settings.synthesizer)
        before, found = (tested(rows, settings.permutations, settings.seed) for rows in compared)
        of_real, verdict = judge_compared(tables, compared)
        (row,) = self._unanswered(question)
        yield (
            row
            | _judged(verdict)
            | {
                'Real Verdict': str(of_real),
                'Real Gap': of_real.mean,
                'Information': found.estimate,
                'Null Mean': found.null_mean,
                'Null Low': found.null_interval[0],
                'Null High': found.null_interval[1],
                'P-Value': found.p_value,
                'Coverage': found.coverage,
                'Real Information': before.estimate,
                'Real Null Mean': before.null_mean,
                'Strata': strata,
            }
        )

    def _draw(self, details: pd.DataFrame) -> go.Figure:
        names = [
            plain_text(f'{row["Outcome"]} and {row["Protected"]}{_given(row)}')
            for row in details.to_dict('records')
        ]
        figure = go.Figure()
        for name, low, high in zip(names, details['Null Low'], details['Null High'], strict=True):
            figure.add_scatter(
                x=[low, high], y=[name, name], mode='lines', name='if independent (95 % range)',
                line={'color': LIGHT_GREY, 'width': 16}, showlegend=name == names[0],
                legendgroup='null', hoverinfo='x+name',
            )  # fmt: skip
        for column, marked in (('Real Information', _REAL), ('Information', _SYNTHETIC)):
            figure.add_scatter(x=details[column], y=names, mode='markers', **marked)
        # Several statements may have different conditioning sets, which are shown in each row.
        roles = self.settings.roles
        given = f', given {joined(roles.admissible)}' if isinstance(roles, Roles) else ''
        return _laid_out(
            figure, len(names), 44, title=f'Information on the outcome{plain_text(given)} (nats)',
            xaxis={'rangemode': 'tozero', 'title': 'I(outcome; protected | admissible)'},
        )  # fmt: skip


class GroupRates(RoleProperty):
    """The paper's six measures for every outcome and protected column.

    One classifier for each outcome is trained on the synthetic rows and tested on the real ones.
    The score of a measure is ``1 - gap``, the gap being the largest difference between two groups;
    `sdv_prefair.metrics._rates` says how strata of the admissible columns are aggregated.
    With several statements, groups are compared given the conditioning set of each; if that is
    empty, only the three measures without strata apply.
    """

    measured = (
        'Gap', 'Interval Low', 'Interval High', 'Positive', 'First', 'Second', 'Coverage',
        'Left Out', 'Unsigned Gap', 'Unsigned Low', 'Unsigned High', 'Strata',
    )  # fmt: skip

    def _questions(self) -> list[str]:
        return list(self.settings.roles.outcome)

    def _unanswered(self, question: str) -> list[Row]:
        return [row for row, _ in self._comparisons(question)]

    def _comparisons(self, outcome: str) -> list[tuple[Row, tuple[str, ...]]]:
        """Return the names of each row, and its conditioning set."""
        asked = dict.fromkeys(
            (protected, short_name, statement.given if measure.conditional else ())
            for statement in self.settings.roles.statements
            if outcome in statement.right
            for protected in statement.left
            for short_name, measure in MEASURES.items()
            if statement.given or not measure.conditional
        )
        return [
            (
                {'Outcome': outcome, 'Protected': protected}
                | self.settings.given_in_words(given)
                | {'Metric': MEASURES[short_name].name, 'Measure': short_name},
                given,
            )
            for protected, short_name, given in asked
        ]

    def _answer(self, question: str, tables: Tables) -> Iterator[Row]:
        settings, tables = self.settings, with_known(question, tables)
        prediction = predict_real(tables, question, settings.model, settings.seed)
        label = tables.real[question].to_numpy(dtype=object)
        positive = settings.positive.get(question)
        groups = {name: group_names(tables, name) for name in settings.roles.protected}
        strata_by = cache(partial(strata_of, tables, synthesizer=settings.synthesizer))
        for row, given in self._comparisons(question):
            strata = strata_by(given) if given else None
            found = MEASURES[row['Measure']].compare_groups(
                prediction, label, groups[row['Protected']],
                strata and strata.codes[0], positive,
                min_rows=MIN_ROWS, bootstraps=settings.bootstraps, seed=settings.seed,
            )  # fmt: skip
            yield (
                row
                | _compared(found | {'gap': found['score']})
                | {
                    'Coverage': found['coverage'],
                    'Left Out': _left_out(found),
                    'Unsigned Gap': found['unsigned'],
                    'Unsigned Low': found['unsigned_interval'][0],
                    'Unsigned High': found['unsigned_interval'][1],
                    'Strata': strata and strata.told,
                }
            )

    def _draw(self, details: pd.DataFrame) -> go.Figure:
        figure, known = go.Figure(), details.dropna(subset='Score')
        pairs = known.groupby(['Outcome', 'Protected'], sort=False)
        for position, ((outcome, protected), rows) in enumerate(pairs):
            pair = zip(rows['First'], rows['Second'], strict=True)
            figure.add_bar(
                y=measures_in_words(rows), x=rows['Gap'], orientation='h',
                name=plain_text(f'{outcome} by {protected}'),
                marker_color=SEQUENCE[position % len(SEQUENCE)],
                marker_pattern_shape=PATTERNS[position % len(PATTERNS)],
                error_x={**_error_bars(rows), 'color': '#444444', 'thickness': 1.5},
                hovertext=[plain_text(f'{first} over {second}') for first, second in pair],
            )  # fmt: skip
        return _laid_out(
            figure, len(MEASURES), 18 * max(2, len(pairs)) + 12,
            title='Difference between groups of a classifier trained on the synthetic table',
            barmode='group', xaxis={'title': 'largest difference of rates, with 95 % interval'},
            showlegend=True,
        )  # fmt: skip


class RatesGiven(RoleProperty):
    """The rate of every outcome by group, given the conditioning set of its statement.

    If that is empty it is demographic parity. Given one column with few values, such as a label or
    a decision, there is a row for each value: for a decision given the label these are true and
    false positive rates (separation), for a label given the decision positive predictive values
    (sufficiency). Otherwise groups are compared within strata. The score is ``1 - gap``. It is
    measured in the synthetic rows as they are.
    """

    measured = (
        'Gap', 'Interval Low', 'Interval High', 'Positive', 'First', 'Second', 'Rates', 'Coverage',
        'Real Gap',
    )  # fmt: skip

    def _questions(self) -> list[Independent]:
        return self.settings.pairs

    def _unanswered(self, question: Independent) -> list[Row]:
        return [_sides(question) | {'Given': joined(question.given), 'Metric': 'RateGap'}]

    def _answer(self, question: Independent, tables: Tables) -> Iterator[Row]:
        (outcome,), settings = question.right, self.settings
        tables = with_known(outcome, tables)
        synthetic = Tables(tables.synthetic, tables.synthetic, tables.columns)
        options = {'bootstraps': settings.bootstraps, 'seed': settings.seed}
        positive, gaps = worst_positive(
            synthetic.real[outcome].to_numpy(dtype=object),
            settings.positive.get(outcome),
            lambda value: self._gaps(question, synthetic, value, **options),
        )
        before = self._gaps(question, tables, positive)
        (row,) = self._unanswered(question)
        for given, found in gaps.items():
            rates = ', '.join(f'{name}: {rate:.3f}' for name, rate in found.rates.items())
            yield (
                row
                | {'Given': given}
                | _compared(found._asdict() | {'positive': positive})
                | {
                    'Rates': rates,
                    'Coverage': found.coverage,
                    'Real Gap': before[given].gap if given in before else np.nan,
                }
            )

    def _gaps(
        self, question: Independent, tables: Tables, positive: Hashable, **options: Any
    ) -> Gaps:
        (outcome,), (protected,) = question.right, question.left
        event = tables.real[outcome].to_numpy(dtype=object) == positive
        compared = event, group_names(tables, protected)
        options |= {'min_rows': MIN_ROWS}
        if not question.given:
            return {'': rate_gap(*compared, **options)}
        if self._is_listed(question.given, tables):
            (name,) = question.given
            values = np.array([*map(value_in_words, tables.real[name])], dtype=object)
            gaps = rate_gaps_given(*compared, values, **options)
            return {f'{name} = {value}': gap for value, gap in gaps.items()}
        strata = strata_of(tables, question.given, synthesizer=self.settings.synthesizer)
        return {joined(question.given): rate_gap(*compared, strata.codes[0], **options)}

    def _is_listed(self, given: tuple[str, ...], tables: Tables) -> bool:
        if len(given) > 1 or is_number(tables.columns[given[0]]):
            return False
        return int(tables.synthetic[given[0]].nunique(dropna=False)) <= _MOST_VALUES

    def _draw(self, details: pd.DataFrame) -> go.Figure:
        known = details.dropna(subset='Score')
        names = [
            plain_text(f'{outcome} by {protected}{f", {given}" if given else ""}')
            for outcome, protected, given in known[['Outcome', 'Protected', 'Given']].to_numpy()
        ]
        figure = go.Figure()
        figure.add_scatter(x=known['Real Gap'], y=names, mode='markers', **_REAL)
        figure.add_scatter(
            x=known['Gap'], y=names, mode='markers', error_x=_error_bars(known), **_SYNTHETIC
        )
        title = 'Difference between groups of the rates in the rows'
        return _laid_out(figure, len(names), 44, title=title, xaxis={'rangemode': 'tozero'})


class Quality(RoleProperty):
    """Marginals and correlations, numbers value by value, and accuracy of a classifier.

    The score of a marginal or a correlation is ``1 - distance``, and so is that of a number or a
    date, unbinned; that of an outcome is the accuracy on real rows of a classifier trained on
    synthetic ones. The property's score is the mean of the metrics' means, so that many pairs do
    not outweigh the few outcomes.
    """

    measured = ('Value', 'Majority')

    def _questions(self) -> list[tuple[type[TableMetric], str | None]]:
        distances = (
            OneWayTotalVariation,
            TwoWayTotalVariation,
            AverageCorrelationDifference,
            KolmogorovSmirnovDistance,
            FrequentValueDifference,
        )
        outcomes = [(DownstreamAccuracy, outcome) for outcome in self.settings.roles.outcome]
        return [*((metric, None) for metric in distances), *outcomes]

    def _unanswered(self, question: tuple[type[TableMetric], str | None]) -> list[Row]:
        return [{'Metric': question[0].name, 'Columns': question[1]}]

    def _answer(
        self, question: tuple[type[TableMetric], str | None], tables: Tables
    ) -> Iterator[Row]:
        metric, outcome = question
        (row,), settings = self._unanswered(question), self.settings
        if outcome is None:
            for columns, distance in metric.measure(tables)['marginals'].items():
                yield row | {
                    'Columns': joined(columns), 'Score': 1 - distance,
                    'Value': distance, '_columns': columns,
                }  # fmt: skip
            return
        found = metric.measure(tables, outcome=outcome, model=settings.model, seed=settings.seed)
        score, majority = found['score'], found['majority']
        yield row | {'Score': score, 'Value': score, 'Majority': majority}

    def _generate_details(self, *arguments: Any, **options: Any) -> None:
        super()._generate_details(*arguments, **options)
        # Names may contain commas: figures need them one by one.
        self._marginals = self.details.pop('_columns')

    def _compute_average(self) -> float:
        means = self.details.groupby('Metric')['Score'].agg(
            lambda scores: scores.mean(skipna=False)
        )
        return float(means.mean(skipna=False))

    def _draw(self, details: pd.DataFrame) -> go.Figure:
        grid = self._score_grid(details)
        names = [plain_text(name) for name in grid.index]
        lowest = float(np.nan_to_num(grid.to_numpy(), nan=1.0).min(initial=0.5))
        heat = go.Heatmap(
            z=grid.to_numpy(), x=names, y=names, zmin=lowest, zmax=1,
            colorscale='Viridis', colorbar={'title': '1 - TVD'},
            hovertemplate='%{x}<br>%{y}<br>%{z:.3f}<extra></extra>',
        )  # fmt: skip
        means = details.groupby('Metric')['Score'].mean()
        accuracy = means.get(DownstreamAccuracy.name, float('nan'))
        return go.Figure(heat).update_layout(
            title='Likeness of one-way (diagonal) and two-way marginals'
            f'<br><sub>accuracy of a classifier {accuracy:.3f}</sub>',
            template='plotly_white', height=max(360, 28 * len(names) + 190),
            xaxis={'automargin': True}, yaxis={'autorange': 'reversed', 'automargin': True},
        )  # fmt: skip

    def _score_grid(self, details: pd.DataFrame) -> pd.DataFrame:
        shown = details['Metric'].isin({OneWayTotalVariation.name, TwoWayTotalVariation.name})
        scores = dict(zip(self._marginals[shown], details.loc[shown, 'Score'], strict=True))
        columns = [names[0] for names in scores if len(names) == 1]
        grid = pd.DataFrame(float('nan'), index=columns, columns=columns)
        for names, score in scores.items():
            grid.loc[names[0], names[-1]] = grid.loc[names[-1], names[0]] = score
        return grid


def _pairs(statement: Independent) -> list[Independent]:
    return [
        Independent([protected], [outcome], statement.given)
        for outcome in statement.right
        for protected in statement.left
    ]


def _sides(question: Independent) -> Row:
    return {'Outcome': joined(question.right), 'Protected': joined(question.left)}


def _given(row: Mapping[Any, Any]) -> str:
    return f' given {row["Given"]}' if row.get('Given') else ''


def _judged(verdict: Verdict) -> Row:
    return {
        'Score': float(1 - max(0.0, verdict.mean)) if verdict.is_evidence else np.nan,
        'Verdict': str(verdict),
        'Gap': verdict.mean,
        'Gap Low': verdict.interval[0],
        'Gap High': verdict.interval[1],
        'At Least': verdict.at_least,
        'Within': verdict.within,
        'Would Be Seen': verdict.sees,
        'Worst': worst_in_words(verdict.worst),
        'Reason': verdict.reason,
    }


def _compared(found: Row) -> Row:
    """Return the two groups that differ most, and by how much."""
    low, high = found['interval']
    return {
        'Score': 1 - found['gap'],
        'Gap': found['gap'],
        'Interval Low': low,
        'Interval High': high,
        'Positive': found['positive'],
        'First': found['first'],
        'Second': found['second'],
    }


def _left_out(found: Row) -> str:
    """Return the rate of each group that is too small to compare, with its interval."""
    ends = found['intervals']
    return '; '.join(
        f'{name}: {found["rates"][name]:.3f}, {ends[name][0]:.3f} to {ends[name][1]:.3f}'
        for name in found['left_out']
    )


def measures_in_words(rows: pd.DataFrame) -> list[str]:
    """Return the measure of each row of the details in words, and its abbreviation."""
    words = rows['Metric'].str.replace('(?<!^)(?=[A-Z])', ' ', regex=True).str.lower()
    return [f'{name} ({short})' for name, short in zip(words, rows['Measure'], strict=True)]


def joined(names: str | Iterable[object]) -> str:
    """Return names of columns as one text."""
    return names if isinstance(names, str) else ', '.join(map(str, names))


def _error_bars(rows: pd.DataFrame) -> dict[str, Any]:
    return {
        'array': (rows['Interval High'] - rows['Gap']).clip(lower=0),
        'arrayminus': (rows['Gap'] - rows['Interval Low']).clip(lower=0),
    }


def _laid_out(figure: go.Figure, rows: int, a_row: int, **layout: Any) -> go.Figure:
    """Return a figure of so many rows, each of so many pixels."""
    return figure.update_layout(
        template='plotly_white', height=max(280, rows * a_row + 160),
        yaxis={'autorange': 'reversed', 'automargin': True},
        legend={'orientation': 'h', 'y': 1.0, 'yanchor': 'bottom', 'x': 0}, **layout,
    )  # fmt: skip
