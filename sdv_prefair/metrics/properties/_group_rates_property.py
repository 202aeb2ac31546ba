"""How differently are groups treated by a classifier trained on the synthetic table?"""

from collections.abc import Iterator
from functools import cache, partial

import pandas as pd
import plotly.graph_objects as go

from sdv_prefair.metrics._downstream import predict_real, with_known
from sdv_prefair.metrics._fairness import MEASURES, MIN_ROWS
from sdv_prefair.metrics._groups import group_names, strata_of
from sdv_prefair.metrics._table_pair import Tables
from sdv_prefair.metrics.properties._role_property import (
    LEGEND_ABOVE,
    RoleProperty,
    given_in_words,
    height,
)
from sdv_prefair.plots._style import PATTERNS, SEQUENCE, plain_text


class GroupRates(RoleProperty):
    """The paper's six measures for every outcome and protected column.

    One classifier for each outcome is trained on the synthetic rows and tested on the real ones.
    The score of a measure is ``1 - gap``, the gap being the largest difference between two groups;
    `sdv_prefair.metrics._group_rates` says how strata of the admissible columns are aggregated.
    With several statements, groups are compared given the conditioning set of each; if that is
    empty, only the three measures without strata apply.
    """

    measured = (
        'Gap', 'Interval Low', 'Interval High', 'Positive', 'First', 'Second', 'Coverage',
        'Left Out', 'Unsigned Gap', 'Unsigned Low', 'Unsigned High', 'Strata',
    )  # fmt: skip

    def _questions(self, metadata: dict) -> list[str]:
        return list(self.settings.roles.outcome)

    def _unanswered(self, question: str) -> list[dict]:
        return [row for row, _ in self._comparisons(question)]

    def _comparisons(self, outcome: str) -> list[tuple[dict, tuple[str, ...]]]:
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
                | given_in_words(self.settings, given)
                | {'Metric': MEASURES[short_name].name, 'Measure': short_name},
                given,
            )
            for protected, short_name, given in asked
        ]

    def _answer(self, question: str, tables: Tables) -> Iterator[dict]:
        settings, tables = self.settings, with_known(question, tables)
        prediction = predict_real(tables, question, settings.model, settings.seed)
        label = tables.real[question].to_numpy(dtype=object)
        positive = settings.positive.get(question)
        groups = {name: group_names(tables, name) for name in settings.roles.protected}
        strata_by = cache(partial(strata_of, tables, synthesizer=settings.synthesizer))
        for row, given in self._comparisons(question):
            strata = strata_by(given) if given else None
            breakdown = MEASURES[row['Measure']].compare_groups(
                prediction, label, groups[row['Protected']],
                strata and strata.codes[0], positive,
                min_rows=MIN_ROWS, bootstraps=settings.bootstraps, seed=settings.seed,
            )  # fmt: skip
            yield row | _details(breakdown) | {'Strata': strata and strata.told}

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


def left_out_in_words(breakdown: dict) -> str:
    """Return the rate of each group that is too small to compare, with its interval."""
    ends = breakdown['intervals']
    return '; '.join(
        f'{name}: {breakdown["rates"][name]:.3f}, {ends[name][0]:.3f} to {ends[name][1]:.3f}'
        for name in breakdown['left_out']
    )


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
        'Left Out': left_out_in_words(breakdown),
        'Unsigned Gap': breakdown['unsigned'],
        'Unsigned Low': breakdown['unsigned_interval'][0],
        'Unsigned High': breakdown['unsigned_interval'][1],
    }
