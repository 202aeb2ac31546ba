"""How differently are groups treated by a classifier trained on the synthetic table?"""

from collections.abc import Hashable, Iterator

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from sdv_prefair.figure_text import plain_text
from sdv_prefair.metrics.downstream import predict_real, with_known
from sdv_prefair.metrics.fairness import MEASURES, MIN_ROWS, group_names, strata_codes
from sdv_prefair.metrics.properties.role_property import (
    LEGEND_ABOVE,
    RoleProperty,
    height,
    joined,
)
from sdv_prefair.metrics.tables import Tables
from sdv_prefair.palette import PATTERNS, SEQUENCE


class GroupRates(RoleProperty):
    """The paper's six measures for every outcome and protected column.

    One classifier for each outcome is trained on the synthetic rows and asked about the real ones.
    The score of a measure is ``1 - gap``, the gap being the largest difference between two groups;
    `sdv_prefair.metrics.group_rates` says how strata of the admissible columns are aggregated.
    """

    def _questions(self, metadata: dict) -> list[str]:
        return list(self.settings.roles.outcome)

    def _unanswered(self, question: str) -> dict:
        return {'Outcome': question, 'Protected': joined(self.settings.roles.protected)}

    def _answer(self, question: str, tables: Tables) -> Iterator[dict]:
        settings, tables = self.settings, with_known(question, tables)
        prediction = predict_real(tables, question, settings.model, settings.seed)
        label = tables.real[question].to_numpy(dtype=object)
        positive = settings.positive.get(question, _second_of_two(label))
        strata = strata_codes(tables, settings.roles.admissible)
        for protected in settings.roles.protected:
            group = group_names(tables, protected)
            for short_name, measure in MEASURES.items():
                breakdown = measure.compare_groups(
                    prediction, label, group, strata if measure.conditional else None, positive,
                    min_rows=MIN_ROWS, bootstraps=settings.bootstraps, seed=settings.seed,
                )  # fmt: skip
                names = {'Outcome': question, 'Protected': protected, 'Metric': measure.name}
                yield names | {'Measure': short_name} | _details(breakdown)

    def _draw(self, details: pd.DataFrame) -> go.Figure:
        figure, known = go.Figure(), details.dropna(subset='Score')
        pairs = known.groupby(['Outcome', 'Protected'], sort=False)
        for position, ((outcome, protected), rows) in enumerate(pairs):
            figure.add_bar(
                y=measures_in_words(rows), x=rows['Gap'], orientation='h',
                name=plain_text(f'{outcome} by {protected}'),
                marker_color=SEQUENCE[position % len(SEQUENCE)],
                marker_pattern_shape=PATTERNS[position % len(PATTERNS)],
                error_x={
                    'array': (rows['Interval High'] - rows['Gap']).clip(lower=0),
                    'arrayminus': (rows['Gap'] - rows['Interval Low']).clip(lower=0),
                    'color': '#444444', 'thickness': 1.5,
                },
                hovertext=_compared(rows),
            )  # fmt: skip
        figure.update_layout(
            title='Difference between groups of a classifier trained on the synthetic table',
            template='plotly_white', barmode='group',
            height=height(len(MEASURES), 18 * max(2, len(pairs)) + 12),
            xaxis={'title': 'largest difference of rates, with 95 % interval'},
            yaxis={'autorange': 'reversed', 'automargin': True},
            legend=LEGEND_ABOVE, showlegend=True,
        )  # fmt: skip
        return figure


def measures_in_words(rows: pd.DataFrame) -> list[str]:
    """Return the measure of each row of the details in words, and its abbreviation."""
    words = rows['Metric'].str.replace('(?<!^)(?=[A-Z])', ' ', regex=True).str.lower()
    return [f'{name} ({short})' for name, short in zip(words, rows['Measure'], strict=True)]


def _compared(rows: pd.DataFrame) -> list[str]:
    pairs = zip(rows['First'], rows['Second'], strict=True)
    return [plain_text(f'{first} over {second}') for first, second in pairs]


def _details(breakdown: dict) -> dict:
    low, high = breakdown['interval']
    return {
        'Score': 1 - breakdown['score'],
        'Gap': breakdown['score'],
        'Interval Low': low,
        'Interval High': high,
        'Positive': breakdown['positive'],
        'First': breakdown['first'],
        'Second': breakdown['second'],
        'Coverage': breakdown['coverage'],
    }


def _second_of_two(label: np.ndarray) -> Hashable | None:
    """Return the greater of two values, which scikit-learn takes as positive too; else None.

    With None the worst of all values is kept. For two values that would make the true positive and
    the true negative rate the same thing.
    """
    values = sorted(pd.unique(label), key=lambda value: (str(type(value)), value))
    return values[1] if len(values) == 2 else None
