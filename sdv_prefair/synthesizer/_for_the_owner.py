"""Checks before and beside a fit: how much noise there will be, what happens to rows.

Whatever reads the private rows is for their owner only: it is neither private nor paid for.
"""

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from sdv_prefair._sdv_versions import takes_tables
from sdv_prefair.before_fit import FitPlan, TableCheck, check_table, plan_fit
from sdv_prefair.encoding._frame_schema import single_table
from sdv_prefair.plots._column_pairs import compare_tables
from sdv_prefair.synthesizer import _in_memory as in_memory
from sdv_prefair.synthesizer._after_fit import Frames
from sdv_prefair.synthesizer._arguments import check_whole_number
from sdv_prefair.synthesizer._estimating import Estimating
from sdv_prefair.values._given_numbers import plain_number


class ForTheOwner(Estimating):
    """A synthesizer that answers questions about the private rows without storing the answers."""

    def plan(self, num_rows: int, epsilons: Sequence[float] | None = None) -> FitPlan:
        """Return how much noise a fit of so many rows will have, without reading any.

        It is simulated on generated rows, with the code of a fit. ``print`` it, ``plot()`` it, or
        use its frames.

        Args:
            num_rows: The number of rows, as far as that is public.
            epsilons: Which to try; by default this synthesizer's and larger ones.
        """
        num_rows = plain_number(num_rows)
        check_whole_number('num_rows', num_rows, 1)
        tried = None if epsilons is None else [plain_number(epsilon) for epsilon in epsilons]
        return plan_fit(self._settings, num_rows, tried)

    @takes_tables
    def check(self, data: Frames, written: Frames | None = None) -> TableCheck:
        """Return what a fit would silently do to rows, before any budget is spent.

        Rows outside ranges, nulls where none are declared, numbers and dates that cannot be parsed,
        values that are not listed or differ by case or space, repeated keys, constraints that are
        not met, columns that are nearly constant or nearly unique. ``print`` it, or use
        ``to_frame()``; it is true if anything was found.

        Privacy: **not private**, for the owner of the rows only. Nothing is stored here.

        Args:
            data: The private table, as for ``fit``.
            written: The same with all cells as strings, if it was read from a text file: shows
                the strings that became null.
        """
        in_memory.check_data(data, self._settings)
        name = self._settings.table_name
        table = single_table(data, name)
        texts = None if written is None else single_table(written, name)
        return check_table(table, self._settings, self.person_column, texts)

    def compare_plot(
        self,
        real: Frames | pd.DataFrame,
        synthetic: Frames | pd.DataFrame,
        columns: str | Sequence[str] | None = None,
    ) -> go.Figure | dict[str, go.Figure]:
        """Return SDV's plots of real and synthetic rows.

        Privacy: **not private**, for the owner of the rows only; the titles say so.

        Args:
            real: The private table.
            synthetic: A synthetic table.
            columns: A column, for a figure of it; two columns, for a figure of the pair; None for
                a dictionary with a figure of every modelled column.
        """
        name = self._settings.table_name
        first, second = (
            single_table({name: given} if isinstance(given, pd.DataFrame) else given, name)
            for given in (real, synthetic)
        )
        modelled = list(self._settings.plan.original_domains)
        return compare_tables(first, second, self._settings.columns, modelled, columns)
