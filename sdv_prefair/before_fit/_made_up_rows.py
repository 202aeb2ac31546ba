"""Rows simulated from public facts alone, for a dry run of a fit.

What a fit measures depends on the distribution of the rows, about which nothing is known. It is
assumed to be as in many tables: a few values are frequent and others rare, numbers are
bell-shaped, and in half of its rows every column follows a common factor.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair._arrays import Floats, Integers
from sdv_prefair.columns import ColumnCodes, transformer_for
from sdv_prefair.columns._facts import Categories, ColumnDomain, Datetimes, Numbers, Undeclared
from sdv_prefair.counting import Counts, FrameSource
from sdv_prefair.counting._arrow import Reshape, dtypes_of_metadata
from sdv_prefair.counting._frame import Tally
from sdv_prefair.counting._source import Encoder, Progress
from sdv_prefair.fitting._settings import Settings

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
        progress: Progress = iter,
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
