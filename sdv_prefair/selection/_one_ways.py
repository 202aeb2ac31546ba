"""The first measurements of most mechanisms: one-way marginals, and which codes to merge."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sdv_prefair.model import (
    Compression,
    Measurement,
    compress_rare_codes,
)
from sdv_prefair.model._compression import RARE, weigh_again
from sdv_prefair.model._measurement import by_columns
from sdv_prefair.privacy import PrivateTable
from sdv_prefair.privacy._ledger_words import MEASURE_ONE_WAYS
from sdv_prefair.privacy._private_table import HiddenCode, HiddenCodes
from sdv_prefair.selection._budget import Budget, measure
from sdv_prefair.values._arrays import Floats, Integers

# More standard deviations than this are not attributed to noise.
_CLEAR = 5.0


@dataclass(frozen=True)
class OneWays:
    """The one-way marginals once rare codes are merged.

    Attributes:
        measurements: A measurement of each column, in groups of codes.
        compressions: How the codes of each column were merged.
        mostly_outside: Columns in which most rows hold values outside the domain.
        over_codes: The measurements before codes were merged.
    """

    measurements: list[Measurement]
    compressions: dict[str, Compression]
    mostly_outside: list[str]
    over_codes: list[Measurement]

    def with_more(self, more: list[Measurement], hidden: HiddenCodes) -> 'OneWays':
        """Return the one-ways with further measurements over codes; groups stay the same."""
        over_codes = list(by_columns([*self.over_codes, *more]).values())
        compressions = {
            (c := m.columns[0]): weigh_again(
                self.compressions[c], m, hidden.get(c, HiddenCode()).get('other')
            )
            for m in over_codes
        }
        merged = [compressions[m.columns[0]].compress(m) for m in over_codes]
        return OneWays(merged, compressions, self.mostly_outside, over_codes)

    def merged_codes(self, over_codes: Mapping[str, Floats]) -> dict[str, Floats]:
        """Return the expected counts of the codes that tables hold as one, by column.

        Args:
            over_codes: The expected counts of all codes.
        """
        return {
            column: over_codes[column][np.bincount(c.group_of)[c.group_of] > 1]
            for column, c in self.compressions.items()
            if not c.is_identity
        }

    def merged_further(
        self, columns: Iterable[str], hidden: HiddenCodes
    ) -> tuple['OneWays', dict[str, Integers]]:
        """Merge, in some columns, the groups that are rare according to all measurements.

        Args:
            columns: Columns that are in no table.
            hidden: As for ``PrivateTable``.

        Returns:
            The one-way marginals, and for each column that changes, the new group of every group.
        """
        compressions, again = dict(self.compressions), {}
        for m in self.over_codes:
            c = m.columns[0]
            new = compressions[c].rare_groups_merged(m) if c in set(columns) else None
            if new is not None:
                other = hidden.get(c, HiddenCode()).get('other')
                coarser = compressions[c].coarser(new)
                again[c], compressions[c] = new, weigh_again(coarser, m, other)
        merged = [compressions[m.columns[0]].compress(m) for m in self.over_codes]
        return OneWays(merged, compressions, self.mostly_outside, self.over_codes), again


def measure_one_ways(
    table: PrivateTable, rho: Fraction, budget: Budget, rare: float = RARE
) -> OneWays:
    """Measure all one-way marginals, and merge in the table the codes that noise would swamp.

    Privacy: spends rho. Which codes are merged depends on the noisy marginals alone.

    Args:
        table: Answers queries and debits the ledger.
        rho: The cost of all of them together.
        budget: The weights by which rho is divided.
        rare: Standard deviations below which a code is merged with others.
    """
    measured = measure(table, [(c,) for c in table.domain], rho, budget, MEASURE_ONE_WAYS)
    return merge_codes(table, measured, rare)


def measured_again(table: PrivateTable, first: list[Measurement], budget: Budget) -> OneWays:
    """Measure all one-way marginals again, and merge codes according to both measurements.

    Privacy: spends all that is left.

    Args:
        table: Answers queries and debits the ledger.
        first: The first measurements, over codes.
        budget: The weights by which rho is divided.
    """
    columns, rho = [(c,) for c in table.domain], table.ledger.remaining
    again = measure(table, columns, rho, budget, MEASURE_ONE_WAYS)
    return merge_codes(table, list(by_columns([*first, *again]).values()))


def merge_codes(table: PrivateTable, measured: list[Measurement], rare: float = RARE) -> OneWays:
    """Merge in the table the codes that noise would swamp.

    Privacy: depends on released marginals alone; nothing is answered.

    Args:
        table: The table in which codes are merged.
        measured: Measurements of all columns, over codes.
        rare: As in ``measure_one_ways``.
    """
    hidden, groups = table.hidden_codes, table.public_groups
    compressions = {
        (c := m.columns[0]): compress_rare_codes(
            m, rare, public_groups=groups.get(c), **hidden.get(c, HiddenCode())
        )
        for m in measured
    }
    table.regroup(
        {column: c.group_of for column, c in compressions.items()},
        {
            column: (c.hidden, c.shares)
            for column, c in compressions.items()
            if c.hidden is not None and c.shares is not None
        },
    )
    return OneWays(
        [compressions[m.columns[0]].compress(m) for m in measured],
        compressions,
        [m.columns[0] for m in measured if _is_mostly_outside(m, hidden)],
        measured,
    )


def _is_mostly_outside(measurement: Measurement, hidden_codes: HiddenCodes) -> bool:
    other = hidden_codes.get(measurement.columns[0], HiddenCode()).get('other')
    if other is None:
        return False
    clear_of_noise = _CLEAR * np.max(measurement.stddev)
    return bool(measurement.values[other] > max(clear_of_noise, measurement.values.sum() / 2))
