"""Is the outcome independent of the protected columns given the admissible ones?"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from sdv_prefair.fairness._statements import Independent
from sdv_prefair.metrics._independence import (
    Independence,
    conditional_entropy,
    independence_test,
)
from sdv_prefair.metrics._strata import encode_groups, stratify
from sdv_prefair.metrics._table_pair import Tables
from sdv_prefair.metrics.properties._role_property import (
    LEGEND_ABOVE,
    RoleProperty,
    given_in_words,
    height,
    joined,
)
from sdv_prefair.plots._style import BLUE, GREY, LIGHT_GREY, plain_text
from sdv_prefair.roles import Roles


class ConditionalIndependence(RoleProperty):
    """I(O; P | A) in the synthetic table, for each outcome and protected column and for all.

    Each of several statements is measured separately, given its own conditioning set.

    The score of a pair is ``1 - excess / H(O | A)``: the share of the remaining uncertainty about
    the outcome, given the admissible columns, that the protected columns do *not* explain.
    ``excess`` is the estimate of I(O; P | A) minus its mean when outcomes are shuffled within
    strata of A, and never below zero. It is NaN if no stratum has two outcomes and two groups.
    ``Strata`` says how rows are compared; with bins of the metric's own, a fair table can score
    below 1.
    """

    def _questions(self, metadata: dict) -> list[Independent]:
        return list(dict.fromkeys(q for s in self.settings.roles.statements for q in _asked(s)))

    measured = (
        'Information', 'Null Mean', 'Null Low', 'Null High', 'P-Value', 'Coverage',
        'Real Information', 'Real Null Mean', 'Strata',
    )  # fmt: skip

    def _unanswered(self, question: Independent) -> list[dict]:
        row = {'Outcome': joined(question.right), 'Protected': joined(question.left)}
        given = given_in_words(self.settings, question.given)
        return [row | given | {'Metric': 'ConditionalMutualInformation'}]

    def _answer(self, question: Independent, tables: Tables) -> Iterator[dict]:
        tables.select('protected, admissible and outcome', question.columns())
        frames, synthesizer = [tables.real, tables.synthetic], self.settings.synthesizer
        strata = stratify(frames, tables.columns, question.given, synthesizer)
        outcome, protected = (
            encode_groups(frames, tables.columns, names, synthesizer)
            for names in (question.right, question.left)
        )
        real, synthetic = (
            dict(zip(('outcome', 'protected', 'admissible'), codes, strict=True))
            for codes in zip(outcome, protected, strata.codes, strict=True)
        )
        found = self._test(synthetic)
        open_question = conditional_entropy(synthetic['outcome'], synthetic['admissible'])
        before = self._test(real)
        (row,) = self._unanswered(question)
        yield row | {
            'Score': _score(found, open_question),
            'Information': found.estimate,
            'Null Mean': found.null_mean,
            'Null Low': found.null_interval[0],
            'Null High': found.null_interval[1],
            'P-Value': found.p_value,
            'Coverage': found.coverage,
            'Real Information': before.estimate,
            'Real Null Mean': before.null_mean,
            'Strata': strata.told,
        }

    def _test(self, codes: dict[str, np.ndarray]) -> Independence:
        settings = self.settings
        return independence_test(
            codes['outcome'],
            codes['protected'],
            codes['admissible'],
            settings.permutations,
            settings.seed,
        )

    def _draw(self, details: pd.DataFrame) -> go.Figure:
        names = [
            plain_text(f'{row.Outcome} and {row.Protected}{_given(row)}')
            for row in details.itertuples(index=False)
        ]
        figure = go.Figure()
        for name, low, high in zip(names, details['Null Low'], details['Null High'], strict=True):
            figure.add_scatter(
                x=[low, high], y=[name, name], mode='lines', name='if independent (95 % range)',
                line={'color': LIGHT_GREY, 'width': 16}, showlegend=name == names[0],
                legendgroup='null', hoverinfo='x+name',
            )  # fmt: skip
        for column, name, marker in (
            ('Real Information', 'real table', {'symbol': 'diamond-open', 'color': GREY}),
            ('Information', 'synthetic table', {'symbol': 'circle', 'color': BLUE}),
        ):
            figure.add_scatter(
                x=details[column], y=names, mode='markers', name=name, marker={**marker, 'size': 11}
            )
        figure.update_layout(
            title=f'Information on the outcome{plain_text(self._admissible())} (nats)',
            template='plotly_white', height=height(len(names), 44),
            xaxis={'rangemode': 'tozero', 'title': 'I(outcome; protected | admissible)'},
            yaxis={'autorange': 'reversed', 'automargin': True},
            legend=LEGEND_ABOVE,
        )  # fmt: skip
        return figure

    def _admissible(self) -> str:
        # Several statements may have different conditioning sets, which are shown in each row.
        roles = self.settings.roles
        return f', given {joined(roles.admissible)}' if isinstance(roles, Roles) else ''


def _asked(statement: Independent) -> list[Independent]:
    pairs = [
        Independent([protected], [outcome], statement.given)
        for outcome in statement.right
        for protected in statement.left
    ]
    return pairs if len(pairs) == 1 else [*pairs, statement]


def _given(row: Any) -> str:
    given = getattr(row, 'Given', '')
    return f' given {given}' if given else ''


def _score(found: Independence, open_question: float) -> float:
    if not found.coverage or np.isnan(found.excess):
        return np.nan
    return float(np.clip(1 - found.excess / open_question, 0.0, 1.0))
