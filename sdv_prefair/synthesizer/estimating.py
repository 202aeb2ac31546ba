"""How far off numbers from a release may be. Each method asks a plain function of ``fitted``."""

import copy
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import tqdm

from sdv_prefair.inference import Query, Replicates, estimate_query, replicate
from sdv_prefair.inference.asked_queries import Asked
from sdv_prefair.inference.estimates import checked_level
from sdv_prefair.inference.row_statistics import (
    ModelOfRows,
    Statistic,
    check_statistic,
    estimate_of_rows,
)
from sdv_prefair.model import GraphicalModel
from sdv_prefair.synthesizer.after_fit import Frames
from sdv_prefair.synthesizer.arguments import check_choice, check_seed, check_whole_number
from sdv_prefair.synthesizer.written_rows import WritingRows
from sdv_prefair.values.given_numbers import plain_number

_REPLICATES = 200


class Estimating(WritingRows):
    """A fitted synthesizer that answers with intervals. All of it is post-processing."""

    _replicates: Replicates | None = None
    """Those that were drawn last. They are in no pickle."""

    def replicates(
        self, n: int = _REPLICATES, seed: int | None = None, progress: bool = True
    ) -> Replicates:
        """Draw what the fit might have ended in, and keep it for ``estimate``.

        Each replicate is a table of the estimated size drawn from the model, counted as the private
        table was, with noise of the same size, and a model fitted to that. Nothing is spent: it is
        made of what was released, here or in a release that was opened.

        Args:
            n: How many, 2 at least.
            seed: Makes them reproducible.
            progress: Whether to show a progress bar.
        """
        n, seed = plain_number(n), plain_number(seed)
        check_whole_number('n', n, 2)
        check_seed(seed)
        fitted = self.fitted
        with tqdm.tqdm(desc='Replicates', total=n, disable=not progress) as bar:
            drawn = replicate(fitted, n, seed, lambda done: bar.update(done - bar.n))
        self.__dict__['_replicates'] = drawn
        return drawn

    def estimate(
        self, query: Query | Asked, level: float = 0.95, sampling: bool = True
    ) -> pd.DataFrame:
        """Return shares, means, quantiles or differences, each with an interval.

        Answered from the model, not from sampled rows. Where a measured table tells, the interval
        is made of its noisy counts and holds as often as it says; else it is made of replicates,
        which are drawn if there are none. Column ``basis`` says which: ``'measured'``;
        ``'bounded'``, between what measured tables allow; ``'model'``, if the truth is as the
        model's graph says; ``'fair model'``, of protected and outcome columns, whose dependence
        past admissible ones was left out on purpose.

        Args:
            query: A column or a list of columns, for a marginal or a cross-tabulation; a
                ``Share``, ``Mean``, ``Quantile`` or ``Difference`` of ``sdv_prefair.inference``;
                or a text, as ``'income by sex'`` or ``'mean of age by sex'``.
            level: How often intervals are to hold the truth.
            sampling: True for the population that the private rows were drawn from, False for
                the private table itself.

        Returns:
            A line for each number, by its values in the index: ``estimate``, ``standard_error``,
            ``lower``, ``upper``, ``basis``.

        Raises:
            QueryError: If the query names a column or a value that the model does not have.
        """
        check_choice('sampling', sampling, (True, False))
        return estimate_query(self.fitted, query, self._kept_replicates, level, sampling)

    def estimate_statistic(
        self,
        function: Statistic,
        num_rows: int,
        level: float = 0.95,
        progress: bool = True,
        sampling: bool = True,
    ) -> pd.DataFrame:
        """Return any statistic of a synthetic table, with an interval.

        It is computed on rows of the model and of each replicate. Rows are dealt out evenly, so
        that few of them do; what is left of their chance makes intervals wider.

        Args:
            function: Takes a table; returns a number, or several as a Series or a dictionary.
            num_rows: Rows of each table. As many as the private table has, or more, are best.
            level: How often intervals are to hold the truth.
            progress: Whether to show a progress bar.
            sampling: True for the population that the private rows were drawn from, False for
                the private table itself. That takes longer: the statistic is then computed on
                all rows that each replicate was counted from, too.

        Returns:
            A line for each number: ``estimate``, ``standard_error``, ``lower``, ``upper``.
        """
        check_statistic(function)
        level, num_rows = checked_level(level), plain_number(num_rows)
        check_whole_number('num_rows', num_rows, 1)
        check_choice('sampling', sampling, (True, False))
        drawn = self._kept_replicates(progress)
        with tqdm.tqdm(
            [self.fitted.model, *drawn.models], desc='Tables', disable=not progress
        ) as bar:
            tables = self._tables(bar, num_rows, independent_rows=False)
            counted = None if sampling else self._counted_tables(drawn)
            return estimate_of_rows(function, next(tables), tables, level, counted)

    def sample_replicates(self, m: int, num_rows: int, seed: int | None = None) -> list[Frames]:
        """Return tables of independent rows, each from a replicate of its own.

        For analyses of one's own: do the same on each, and ``combine`` the results. A table
        differs from the next by the noise of the fit and by the chance of the private rows.

        Args:
            m: How many tables, 2 at least.
            num_rows: Rows of each.
            seed: Makes them reproducible.
        """
        m, num_rows, seed = map(plain_number, (m, num_rows, seed))
        check_whole_number('m', m, 2)
        check_whole_number('num_rows', num_rows, 1)
        check_seed(seed)
        drawn = replicate(self.fitted, m, seed)
        tables = self._tables(drawn.models, num_rows, independent_rows=True, seed=seed)
        return [{self._table_name: table} for table in tables]

    def _kept_replicates(self, progress: bool = True) -> Replicates:
        kept = self._replicates
        if kept is None or kept.original is not self.fitted.model:
            kept = self.replicates(progress=progress)
        return kept

    def _tables(
        self, models: Any, num_rows: int, independent_rows: bool, seed: int | None = None
    ) -> Iterator[pd.DataFrame]:
        """Give a table of rows of each model; what this synthesizer samples next stays the same."""
        draw = _drawing_twin(self)
        for number, model in enumerate(models):
            model_seed = None if seed is None else np.random.default_rng([seed, number])
            yield draw(model, model_seed, num_rows, independent_rows)

    def _counted_tables(self, drawn: Replicates) -> Iterator[tuple[pd.DataFrame, float]]:
        """Give the table that each replicate was counted from, and by what it strays too far."""
        draw = _drawing_twin(self)
        for number in range(len(drawn)):
            codes, shrink = drawn.rows(number)
            rows = ModelOfRows(drawn.original, codes)
            yield draw(rows, None, rows.num_rows, False), shrink

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != '_replicates'}


Draw = Callable[[GraphicalModel, np.random.Generator | None, int, bool], pd.DataFrame]


def _drawing_twin(synthesizer: Estimating) -> Draw:
    """Return what draws rows of other models, with the encoders and constraints of a fit."""
    kept = synthesizer._replicates
    twin = copy.deepcopy(synthesizer, {id(kept): kept})
    twin.reset_sampling()
    (name,) = synthesizer.fitted.plan.original_metadata.tables

    def draw(
        model: GraphicalModel,
        rng: np.random.Generator | None,
        num_rows: int,
        independent_rows: bool,
    ) -> pd.DataFrame:
        own = copy.copy(model)
        twin.__dict__['_result'] = replace(synthesizer.fitted, model=own)
        own.set_random_state(rng)
        twin.__dict__['_random_state_set'] = True
        table: pd.DataFrame = twin.sample(num_rows, independent_rows=independent_rows)[name]
        return table

    return draw
