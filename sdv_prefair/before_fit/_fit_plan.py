"""How much noise a fit will have: a dry run on simulated rows, with the code of a fit.

No row is read. Budget, shares and noise are those of a fit of so many rows; which pairs it
measures, and how columns with wide ranges are binned, depends on the rows: these are examples.
"""

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from sdv_prefair._notebook import as_html
from sdv_prefair.before_fit._made_up_rows import SUPPOSED_VALUES, RepeatedRows, made_up_source
from sdv_prefair.fitting._fitted import Fitted
from sdv_prefair.fitting._pipeline import fit_pipeline
from sdv_prefair.fitting._progress import Progress
from sdv_prefair.fitting._settings import Settings
from sdv_prefair.learning import undeclared_columns
from sdv_prefair.model._noise import (
    CLEAR,
    NOISY,
    SWAMPED,
    Noise,
    hidden_share,
    noise_of_columns,
    noise_of_pairs,
)
from sdv_prefair.plots._charts import plot_noise_by_epsilon
from sdv_prefair.privacy import PrivacyCurve
from sdv_prefair.privacy._curve_words import at_most, guess_in_words
from sdv_prefair.privacy._epsilon_delta import check_delta_of_rows, check_epsilon_delta

# Larger epsilons to compare with by default.
_TIMES = (1, 2, 5, 10)
# A count stands out from noise from so many standard deviations on.
_SEEN_FROM = 2.0
# Differences of shares that the tables show.
_NOTICED = 0.001
VERDICTS = (CLEAR, NOISY, SWAMPED)
_COLUMNS = ['epsilon', 'columns', 'cells', 'sigma', 'seen_from_rows', 'misplaced', 'verdict']


@dataclass(frozen=True)
class FitPlan:
    """What fits of so many rows would measure, at one epsilon or several. Nothing was spent.

    Attributes:
        num_rows: How many rows it is about.
        columns: A line for each epsilon and column: ``cells`` that are measured, ``sigma`` of the
            noise of a cell in rows, ``seen_from_rows``, what a value needs to stand out from it,
            ``misplaced``, the share of rows that noise puts in a wrong cell, and the ``verdict``.
        pairs: The same for the pairs measured in the dry run.
        ledgers: By epsilon, where its budget goes.
        reasons: By outcome, the columns that may explain it.
        curves: By epsilon, what could be learnt about a person.
        learnt: Columns whose domains would be learnt, which are assumed to be small.
    """

    num_rows: int
    columns: pd.DataFrame
    pairs: pd.DataFrame
    ledgers: dict[float, pd.DataFrame]
    learnt: Sequence[str]
    curves: Mapping[float, PrivacyCurve]
    reasons: Mapping[str, Sequence[str]]

    def to_frame(self) -> pd.DataFrame:
        """Return the share of rows that noise puts in a wrong cell, by column and epsilon."""
        order = self.columns['columns'].drop_duplicates()
        return self.columns.pivot(index='columns', columns='epsilon', values='misplaced').loc[order]

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the ledgers: tables, and the risk at each epsilon."""
        risks = [
            {'epsilon': e, 'guess': curve.guess(), 'advantage': curve.advantage()}
            for e, curve in self.curves.items()
        ]
        shown = {name: getattr(self, name) for name in ('num_rows', 'columns', 'pairs', 'learnt')}
        hidden = self.hidden_effects(float(self.columns['epsilon'].min()))
        return shown | {'risks': risks, 'hidden_effects': hidden}

    def plot(self) -> go.Figure:
        """Return a figure of how noisy each column is at each epsilon."""
        title = f'How noisy each column is, with {self.num_rows:,} rows'
        return plot_noise_by_epsilon(self.columns, VERDICTS, title)

    def lines(self) -> Iterator[str]:
        """Yield what to print."""
        first = self.columns['epsilon'].min()
        yield f'{self.num_rows:,} rows, epsilon = {first:g}. No row was read, nothing was spent.'
        yield guess_in_words(self.curves[first])
        yield 'Noise of a cell, in rows; how many rows a value needs to stand out from it; the'
        yield 'share of rows that it puts in a wrong cell; and what that means:'
        yield _printed(self.columns[self.columns['epsilon'] == first])
        yield from self._what_is_hidden(first)
        yield ''
        yield 'What a larger epsilon buys:'
        yield _by_epsilon(self.columns, self.pairs, self.curves).to_string(index=False)
        yield 'Pairs are those of simulated rows with moderately dependent columns: an example.'
        if self._has_columns_that_lose():
            yield 'Where a larger epsilon leaves more noise in a column, pairs get that budget.'
        if self.learnt:
            yield (
                f'No range is declared for {", ".join(self.learnt)}: it is learnt within the '
                f'budget, and assumed to be small ({SUPPOSED_VALUES} values).'
            )

    def hidden_effects(self, epsilon: float) -> dict[str, dict[str, float]]:
        """Return, by outcome and reason, the share of rows that an effect must move to be seen."""
        cells = self.columns[self.columns['epsilon'] == epsilon].set_index('columns')['cells']
        sigma = float(self.pairs.loc[self.pairs['epsilon'] == epsilon, 'sigma'].median())
        return {
            outcome: {
                reason: hidden_share(sigma, int(cells[outcome] * cells[reason]), self.num_rows)
                for reason in reasons
                if reason in cells and outcome in cells and not math.isnan(sigma)
            }
            for outcome, reasons in self.reasons.items()
        }

    def _what_is_hidden(self, epsilon: float) -> Iterator[str]:
        for outcome, shares in self.hidden_effects(epsilon).items():
            told = ', '.join(f'{reason} {share:.1%}' for reason, share in shares.items())
            if told:
                yield f'Noise can hide an effect on {outcome} that changes it in fewer rows than'
                yield f'this: {told}. With twice the rows, or about'
                yield 'twice the epsilon, it is half of that.'

    def _has_columns_that_lose(self) -> bool:
        rising = self.to_frame().diff(axis='columns').iloc[:, 1:] > _NOTICED
        return bool(rising.to_numpy().any())

    def __repr__(self) -> str:
        return '\n'.join(self.lines())

    def _repr_html_(self) -> str:
        shares = self.to_frame().map('{:.1%}'.format).rename(columns='epsilon = {:g}'.format)
        words = (
            f'{self.num_rows:,} rows. No row was read, nothing was spent. The share of rows that '
            'noise puts in a wrong cell; print the plan for more:'
        )
        return as_html(words, shares.rename_axis('column', axis='index').reset_index())


def plan_fit(settings: Settings, num_rows: int, epsilons: Sequence[float] | None = None) -> FitPlan:
    """Return what fits of so many rows would measure.

    Privacy: reads no private row.

    Args:
        settings: The input of the fit. They are not modified.
        num_rows: The number of rows, as far as that is public.
        epsilons: Which to try; by default that of the settings and larger ones.
    """
    tried = [times * settings.epsilon for times in _TIMES] if epsilons is None else list(epsilons)
    for epsilon in tried:
        check_epsilon_delta(epsilon, settings.delta)
    check_delta_of_rows(settings.delta, num_rows)
    rows = made_up_source(settings, num_rows)
    fits = {epsilon: _rehearsed(settings, rows, epsilon) for epsilon in sorted(set(tried))}
    of_columns = [(e, n) for e, fit in fits.items() for n in noise_of_columns(fit.model).values()]
    of_pairs = [(e, noise) for e, fit in fits.items() for noise in noise_of_pairs(fit.model)]
    return FitPlan(
        num_rows,
        _as_frame(of_columns),
        _as_frame(of_pairs),
        {epsilon: fit.ledger.to_frame() for epsilon, fit in fits.items()},
        undeclared_columns(settings.to_learn),
        {epsilon: replace(settings, asked=epsilon).curve for epsilon in fits},
        {o: one.given for one in settings.roles.statements for o in one.right},
    )


def _rehearsed(settings: Settings, rows: RepeatedRows, epsilon: float) -> Fitted:
    """Return a fit of simulated rows; its noise need not be secret, so it is seeded."""
    settings = replace(settings, asked=epsilon, seed=0).for_table(rows.dtypes)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return fit_pipeline(rows, settings, settings.open_ledger(), Progress(False))


def _as_frame(measured: Sequence[tuple[float, Noise]]) -> pd.DataFrame:
    lines = [
        (
            epsilon,
            ', '.join(noise.columns),
            noise.cells,
            noise.sigma,
            _SEEN_FROM * noise.sigma,
            noise.misplaced,
            noise.verdict,
        )
        for epsilon, noise in measured
    ]
    return pd.DataFrame(lines, columns=_COLUMNS)


def _printed(lines: pd.DataFrame) -> str:
    return lines.drop(columns='epsilon').to_string(
        index=False,
        formatters={
            'sigma': '{:.1f}'.format,
            'seen_from_rows': '{:.0f}'.format,
            'misplaced': '{:.1%}'.format,
        },
    )


def _by_epsilon(
    columns: pd.DataFrame, pairs: pd.DataFrame, curves: Mapping[float, PrivacyCurve]
) -> pd.DataFrame:
    """Return a line for each epsilon: how many columns are clear, how many pairs are lost."""
    lines = []
    for epsilon, curve in curves.items():
        of_columns = columns[columns['epsilon'] == epsilon]
        of_pairs = pairs[pairs['epsilon'] == epsilon]
        verdicts = of_columns['verdict'].value_counts()
        lines.append({
            'epsilon': f'{epsilon:g}',
            'guess right at most': at_most(curve.guess()),
            **{f'columns {verdict}': int(verdicts.get(verdict, 0)) for verdict in VERDICTS},
            'rows misplaced': f'{of_columns["misplaced"].mean():.1%}',
            'pairs measured': len(of_pairs),
            f'of which {SWAMPED}': int((of_pairs['verdict'] == SWAMPED).sum()),
        })
    return pd.DataFrame(lines)
