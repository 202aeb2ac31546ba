"""How often outcomes are positive in each group, in the synthetic rows as they are."""

from collections.abc import Hashable, Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from sdv_prefair.fairness._statements import Independent
from sdv_prefair.metrics._downstream import with_known
from sdv_prefair.metrics._fairness import MIN_ROWS, positive_values
from sdv_prefair.metrics._group_rates import RateGap, rate_gap, rate_gaps_given
from sdv_prefair.metrics._groups import group_names, strata_of
from sdv_prefair.metrics._rates_in_rows import largest_gap
from sdv_prefair.metrics._table_pair import Tables
from sdv_prefair.metrics.properties._role_property import (
    LEGEND_ABOVE,
    RoleProperty,
    height,
    joined,
)
from sdv_prefair.plots._style import BLUE, GREY, plain_text

_MOST_VALUES = 10


class RatesGiven(RoleProperty):
    """The rate of every outcome by group, given the conditioning set of its statement.

    If that is empty it is demographic parity. Given one column with few values, such as a label or
    a decision, there is a row for each value: for a decision given the label these are true and
    false positive rates (separation), for a label given the decision positive predictive values
    (sufficiency). Otherwise groups are compared within strata. The score is ``1 - gap``.
    """

    measured = (
        'Gap', 'Interval Low', 'Interval High', 'Positive', 'First', 'Second', 'Rates', 'Coverage',
        'Real Gap',
    )  # fmt: skip

    def _questions(self, metadata: dict) -> list[Independent]:
        pairs = [
            Independent([protected], [outcome], statement.given)
            for statement in self.settings.roles.statements
            for outcome in statement.right
            for protected in statement.left
        ]
        return list(dict.fromkeys(pairs))

    def _unanswered(self, question: Independent) -> list[dict]:
        return [_named(question, joined(question.given))]

    def _answer(self, question: Independent, tables: Tables) -> Iterator[dict]:
        (outcome,), settings = question.right, self.settings
        tables = with_known(outcome, tables)
        synthetic = replace(tables, real=tables.synthetic)
        options = {'bootstraps': settings.bootstraps, 'seed': settings.seed}
        positive, gaps = max(
            (
                (value, self._gaps(question, synthetic, value, options))
                for value in self._positives(outcome, synthetic)
            ),
            key=lambda pair: np.nan_to_num(largest_gap(pair[1]), nan=-1.0),
        )
        before = self._gaps(question, tables, positive, {})
        for given, found in gaps.items():
            real = before[given].gap if given in before else np.nan
            yield _named(question, given) | _details(found, positive) | {'Real Gap': real}

    def _positives(self, outcome: str, tables: Tables) -> list[Hashable]:
        if outcome in self.settings.positive:
            return [self.settings.positive[outcome]]
        return positive_values(tables.real[outcome].to_numpy(dtype=object))

    def _gaps(
        self, question: Independent, tables: Tables, positive: Hashable, options: dict
    ) -> dict[str, RateGap]:
        (outcome,), (protected,) = question.right, question.left
        event = tables.real[outcome].to_numpy(dtype=object) == positive
        group = group_names(tables, protected)
        options = {'min_rows': MIN_ROWS} | options
        if not question.given:
            return {'': rate_gap(event, group, **options)}
        if self._is_listed(question.given, tables):
            (name,) = question.given
            values = tables.real[name].astype(str).to_numpy()
            gaps = rate_gaps_given(event, group, values, **options)
            return {f'{name} = {value}': gap for value, gap in gaps.items()}
        strata = strata_of(tables, question.given, synthesizer=self.settings.synthesizer)
        return {joined(question.given): rate_gap(event, group, strata.codes[0], **options)}

    def _is_listed(self, given: tuple[str, ...], tables: Tables) -> bool:
        if len(given) > 1 or tables.columns[given[0]]['sdtype'] in {'numerical', 'datetime'}:
            return False
        return int(tables.synthetic[given[0]].nunique(dropna=False)) <= _MOST_VALUES

    def _draw(self, details: pd.DataFrame) -> go.Figure:
        known = details.dropna(subset='Score')
        names = [
            plain_text(f'{row.Outcome} by {row.Protected}{f", {row.Given}" if row.Given else ""}')
            for row in known.itertuples(index=False)
        ]
        figure = go.Figure()
        figure.add_scatter(
            x=known['Real Gap'], y=names, mode='markers', name='real table',
            marker={'symbol': 'diamond-open', 'color': GREY, 'size': 11},
        )  # fmt: skip
        figure.add_scatter(
            x=known['Gap'], y=names, mode='markers', name='synthetic table',
            marker={'symbol': 'circle', 'color': BLUE, 'size': 11},
            error_x={
                'array': (known['Interval High'] - known['Gap']).clip(lower=0),
                'arrayminus': (known['Gap'] - known['Interval Low']).clip(lower=0),
            },
        )  # fmt: skip
        figure.update_layout(
            title='Difference between groups of the rates in the rows', template='plotly_white',
            height=height(len(names), 44), xaxis={'rangemode': 'tozero'},
            yaxis={'autorange': 'reversed', 'automargin': True}, legend=LEGEND_ABOVE,
        )  # fmt: skip
        return figure


def _named(question: Independent, given: str) -> dict:
    return {
        'Outcome': joined(question.right),
        'Protected': joined(question.left),
        'Given': given,
        'Metric': 'RateGap',
    }


def _details(found: RateGap, positive: Hashable) -> dict:
    low, high = found.interval
    return {
        'Score': 1 - found.gap,
        'Gap': found.gap,
        'Interval Low': low,
        'Interval High': high,
        'Positive': positive,
        'First': found.first,
        'Second': found.second,
        'Rates': ', '.join(f'{name}: {rate:.3f}' for name, rate in found.rates.items()),
        'Coverage': found.coverage,
    }
