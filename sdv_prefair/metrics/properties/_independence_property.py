"""Is the outcome independent of the protected columns given the admissible ones?"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from sdv_prefair.fairness._statements import Independent
from sdv_prefair.fairness._verdicts import Verdict, worst_in_words
from sdv_prefair.metrics._independence import Independence, independence_test
from sdv_prefair.metrics._judged import judge_tables
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

    ``Verdict`` is the verdict of the joint test, with the bounds of the largest gap between two
    groups of a stratum (``At Least``, ``Within``) and the gap that would have been seen. The score
    is ``1 - gap``, the mean unsigned gap within strata minus that of shuffled outcomes. It is NaN,
    and ``Reason`` says why, if the rows are no evidence. ``Strata`` says how rows are compared;
    with bins of the metric's own, a fair table can score below 1.
    """

    def _questions(self, metadata: dict) -> list[Independent]:
        return list(dict.fromkeys(q for s in self.settings.roles.statements for q in _asked(s)))

    measured = (
        'Verdict', 'Gap', 'Gap Low', 'Gap High', 'At Least', 'Within', 'Would Be Seen', 'Worst',
        'Reason', 'Real Verdict', 'Real Gap', 'Information', 'Null Mean', 'Null Low', 'Null High',
        'P-Value', 'Coverage', 'Real Information', 'Real Null Mean', 'Strata',
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
        found, before = self._test(synthetic), self._test(real)
        of_real, verdict = judge_tables(tables, question, synthesizer)
        (row,) = self._unanswered(question)
        yield row | {
            'Score': _score(verdict),
            **_judged(verdict),
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


def _judged(verdict: Verdict) -> dict[str, Any]:
    return {
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


def _score(verdict: Verdict) -> float:
    return float(1 - max(0.0, verdict.mean)) if verdict.is_evidence else np.nan
