"""How much noise a fit will have: a dry run on simulated rows, with the code of a fit.

No row is read. Budget, shares and noise are those of a fit of so many rows; which pairs it
measures, and how columns with wide ranges are binned, depends on the rows: these are examples.
"""

import math
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from sdv.errors import SynthesizerInputError

from sdv_prefair._arrays import Floats, Integers
from sdv_prefair._notebook import as_html
from sdv_prefair.columns import ColumnCodes, transformer_for
from sdv_prefair.columns._facts import Categories, ColumnDomain, Datetimes, Numbers, Undeclared
from sdv_prefair.counting import Counts, FrameSource
from sdv_prefair.counting._arrow import Reshape, dtypes_of_metadata
from sdv_prefair.counting._frame import Tally
from sdv_prefair.counting._source import Encoder
from sdv_prefair.counting._source import Progress as ReadingProgress
from sdv_prefair.fitting._fitted import Fitted, Settings
from sdv_prefair.fitting._pipeline import Progress, fit_pipeline
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
from sdv_prefair.privacy._accounting import check_delta_of_rows, check_epsilon_delta
from sdv_prefair.privacy._curve import at_most, guess_in_words

# -- Rows simulated from public facts alone, for a dry run of a fit --------------------------------
#
# What a fit measures depends on the distribution of the rows, about which nothing is known. It is
# assumed to be as in many tables: a few values are frequent and others rare, numbers are
# bell-shaped, and in half of its rows every column follows a common factor.

MOST_ROWS = 20_000
"""More rows are the same ones repeated: the noise is the same."""

SUPPOSED_VALUES = 8
"""How many values a column without a declared domain is assumed to have."""

_FOLLOWS, _MISSING = 0.5, 0.05
_FINE = 64  # bins between which simulated numbers differ
_SUPPOSED_NUMBERS = 0, 100
_SUPPOSED_DATES = pd.Timestamp('2010-01-01'), pd.Timestamp('2020-12-31')


class RepeatedRows:
    """A table in memory in which every row is repeated.

    Args:
        rows: The table with every row once.
        times: How often each is repeated.
    """

    can_be_read_again = True

    def __init__(self, rows: FrameSource, times: int):
        self._rows, self._times = rows, times

    @property
    def dtypes(self) -> pd.Series:
        """The dtype of each column."""
        return self._rows.dtypes

    def reshaped(self, reshape: Reshape, dtypes: pd.Series) -> 'RepeatedRows':
        """Return the table with some columns replaced."""
        return RepeatedRows(self._rows.reshaped(reshape, dtypes), self._times)

    def count(
        self,
        encoders: Mapping[str, Encoder],
        cliques: Iterable[Sequence[str]],
        progress: ReadingProgress = iter,
    ) -> Counts:
        """Return the histograms of the cliques, over the codes of the encoders."""
        counts = self._rows.count(encoders, cliques, progress)
        once = {clique: counts.observed(clique) for clique in counts.cliques}
        return Counts(counts.domain, {c: (at, n * self._times) for c, (at, n) in once.items()})

    def value_counts(self, columns: Iterable[str]) -> dict[str, Tally]:
        """Return how often each value of each column occurs; nulls are left out."""
        return {
            column: Tally({value: n * self._times for value, n in tally.items()})
            for column, tally in self._rows.value_counts(columns).items()
        }


def made_up_source(settings: Settings, num_rows: int) -> RepeatedRows:
    """Return a table of simulated rows, always the same for the same facts.

    Args:
        settings: Include the public domains of the columns.
        num_rows: The number of rows, met approximately if it is large.
    """
    times = -(-num_rows // MOST_ROWS)
    dtypes = dtypes_of_metadata(settings.columns, settings.plan.original_domains)
    made = made_up_rows(settings, dtypes, -(-num_rows // times))
    dtypes.update(made.dtypes)
    return RepeatedRows(FrameSource(made, dtypes), times)


def made_up_rows(settings: Settings, dtypes: pd.Series, num_rows: int) -> pd.DataFrame:
    """Return simulated rows of the modelled columns.

    Args:
        settings: Include the public domains of the columns.
        dtypes: The dtypes of the columns.
        num_rows: How many.
    """
    rng = np.random.default_rng(0)
    shared, domains = rng.random(num_rows), settings.plan.original_domains
    return pd.DataFrame({c: _column(d, dtypes[c], shared, rng) for c, d in domains.items()})


def _column(domain: ColumnDomain, dtype: Any, shared: Floats, rng: np.random.Generator) -> Any:
    codes = transformer_for(_supposed(domain), _FINE, dtype)
    follows = rng.random(len(shared)) < _FOLLOWS
    places = np.where(follows, shared, rng.random(len(shared)))
    drawn = _codes_at(places, codes)
    if codes.null_code is not None:
        drawn[rng.random(len(shared)) < _MISSING] = codes.null_code
    return codes.decode(drawn, rng)


def _supposed(domain: ColumnDomain) -> ColumnDomain:
    """Return the domain of a column, an assumed one if nothing is declared."""
    if not isinstance(domain, Undeclared):
        return domain
    if domain.kind == 'categories':
        values = tuple(f'value {number}' for number in range(1, SUPPOSED_VALUES + 1))
        return Categories(values, domain.nullable, domain.ordered)
    if domain.kind == 'numbers':
        low = _SUPPOSED_NUMBERS[0] if domain.low is None else domain.low
        high = low + _SUPPOSED_NUMBERS[1] if domain.high is None else domain.high
        return Numbers(min(low, high), high, domain.decimal_places, domain.nullable)
    low = _SUPPOSED_DATES[0] if domain.low is None else domain.low
    high = _SUPPOSED_DATES[1] if domain.high is None else domain.high
    return Datetimes(min(low, high), max(low, high), domain.datetime_format, domain.nullable)


def _codes_at(places: Floats, codes: ColumnCodes) -> Integers:
    """Return the codes at quantiles from 0 to 1, by the assumed shares of values."""
    values = codes.num_codes - (codes.null_code is not None)
    if codes.other_code is not None:
        values -= 1
    number = np.arange(max(values, 1))
    if codes.INPUT_SDTYPE == 'categorical':
        shares = 1 / (1.0 + number)
    else:
        shares = np.exp(-0.5 * ((number - number.mean()) / (0.2 * len(number))) ** 2)
    ends = np.cumsum(shares / shares.sum())
    return np.minimum(np.searchsorted(ends, places), len(number) - 1).astype(np.int64)


# -- Sampling once before a fit, from made-up rows: what would be refused later is refused first.
#
# No row is read, so a refusal shows nothing about any.


_ROWS = 2_000


def rehearse(settings: Settings, dtypes: pd.Series) -> None:
    """Raise if constraints fail on made-up rows, or leave none of them.

    Not rehearsed if a domain is still to be learnt: made-up values of it would prove nothing.

    Args:
        settings: Prepared for the table's dtypes.
        dtypes: The dtypes of the table.

    Raises:
        SynthesizerInputError: If no row satisfies all constraints.
    """
    plan = settings.plan
    is_public = not any(isinstance(d, Undeclared) for d in plan.original_domains.values())
    if not plan.rules or plan.learns_combinations or not is_public:
        return
    rows = made_up_rows(settings, dtypes, _ROWS)
    restored = plan.restore(plan.transform(rows))
    if restored.empty:
        names = ', '.join(type(rule.constraint).__name__ for rule in plan.rules)
        raise SynthesizerInputError(
            f'No row can be made that satisfies all constraints ({names}): of {_ROWS:,} made-up '
            'rows within the declared ranges none does. Leave out constraints that contradict '
            'each other or the ranges, or pass check=False to fit all the same.'
        )


# -- How much noise a fit will have: a dry run on simulated rows, with the code of a fit -----------

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
