"""How close is the synthetic table to the real one?"""

from collections.abc import Iterator

import pandas as pd
import plotly.graph_objects as go

from sdv_prefair.metrics._quality import (
    AverageCorrelationDifference,
    DownstreamAccuracy,
    OneWayTotalVariation,
    TwoWayTotalVariation,
)
from sdv_prefair.metrics._table_pair import Tables
from sdv_prefair.metrics._unbinned import FrequentValueDifference, KolmogorovSmirnovDistance
from sdv_prefair.metrics.properties._role_property import RoleProperty, joined
from sdv_prefair.plots._style import plain_text

_DISTANCES = (
    OneWayTotalVariation,
    TwoWayTotalVariation,
    AverageCorrelationDifference,
    KolmogorovSmirnovDistance,
    FrequentValueDifference,
)


class Quality(RoleProperty):
    """Marginals and correlations, numbers value by value, and accuracy of a classifier.

    The score of a marginal or a correlation is ``1 - distance``, and so is that of a number or a
    date, unbinned; that of an outcome is the accuracy on real rows of a classifier trained on
    synthetic ones. The property's score is the mean of the metrics' means, so that many pairs do
    not outweigh the few outcomes.
    """

    def _questions(self, metadata: dict) -> list:
        outcomes = [(DownstreamAccuracy, outcome) for outcome in self.settings.roles.outcome]
        return [(metric, None) for metric in _DISTANCES] + outcomes

    measured = ('Value', 'Majority')

    def _unanswered(self, question: tuple) -> list[dict]:
        metric, outcome = question
        return [{'Metric': metric.name, 'Columns': outcome}]

    def _answer(self, question: tuple, tables: Tables) -> Iterator[dict]:
        metric, outcome = question
        frames = tables.real, tables.synthetic, {'columns': tables.columns}
        if outcome is None:
            marginals = metric.compute_breakdown(*frames)['marginals']
            for columns, distance in marginals.items():
                yield {
                    'Metric': metric.name, 'Columns': joined(columns), 'Score': 1 - distance,
                    'Value': distance, '_columns': columns,
                }  # fmt: skip
            return
        settings = self.settings
        found = metric.compute_breakdown(
            *frames, outcome=outcome, model=settings.model, seed=settings.seed
        )
        (row,) = self._unanswered(question)
        yield row | {
            'Score': found['score'],
            'Value': found['score'],
            'Majority': found['majority'],
        }

    def _generate_details(self, *arguments, **options) -> None:
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
        figure = go.Figure(
            go.Heatmap(
                z=grid.to_numpy(),
                x=names,
                y=names,
                zmin=min(0.5, grid.min(axis=None)),
                zmax=1,
                colorscale='Viridis',
                colorbar={'title': '1 - TVD'},
                hovertemplate='%{x}<br>%{y}<br>%{z:.3f}<extra></extra>',
            )  # fmt: skip
        )
        means = details.groupby('Metric')['Score'].mean()
        accuracy = means.get(DownstreamAccuracy.name, float('nan'))
        figure.update_layout(
            title='Likeness of one-way (diagonal) and two-way marginals'
            f'<br><sub>accuracy of a classifier {accuracy:.3f}</sub>',
            template='plotly_white', height=max(360, 28 * len(names) + 190),
            xaxis={'automargin': True}, yaxis={'autorange': 'reversed', 'automargin': True},
        )  # fmt: skip
        return figure

    def _score_grid(self, details: pd.DataFrame) -> pd.DataFrame:
        metrics = {OneWayTotalVariation.name, TwoWayTotalVariation.name}
        shown = details['Metric'].isin(metrics)
        scores = dict(zip(self._marginals[shown], details.loc[shown, 'Score'], strict=True))
        columns = [names[0] for names in scores if len(names) == 1]
        grid = pd.DataFrame(float('nan'), index=columns, columns=columns)
        for names, score in scores.items():
            grid.loc[names[0], names[-1]] = grid.loc[names[-1], names[0]] = score
        return grid
