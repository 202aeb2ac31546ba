"""Estimates from a release with error bars. Each method calls a plain function of ``fitted``."""

import copy
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import tqdm

from sdv_prefair.columns._dtypes import plain_number
from sdv_prefair.inference import Query, Replicates, estimate_query, replicate
from sdv_prefair.inference._asked_queries import Asked
from sdv_prefair.inference._estimates import checked_level
from sdv_prefair.inference._row_statistics import (
    ModelOfRows,
    Statistic,
    check_statistic,
    estimate_of_rows,
)
from sdv_prefair.model import GraphicalModel
from sdv_prefair.synthesizer._after_fit import Frames
from sdv_prefair.synthesizer._arguments import check_choice, check_seed, check_whole_number
from sdv_prefair.synthesizer._written_rows import WritingRows

_REPLICATES = 200


class Estimating(WritingRows):
    """A fitted synthesizer that answers with intervals. All of it is post-processing."""

    _replicates: Replicates | None = None
    """The latest replicates. They are not pickled."""

    def replicates(
        self, n: int = _REPLICATES, seed: int | None = None, progress: bool = True
    ) -> Replicates:
        """Compute replicates of the fit by a parametric bootstrap, and keep them for ``estimate``.

        Each replicate is a table of the estimated size sampled from the model, counted like the
        private table, with noise of the same scale, and a model fitted to that. It is
        post-processing of the release and costs no budget.

        Args:
            n: How many, at least 2.
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
        self,
        query: Query | Asked,
        level: float = 0.95,
        sampling: bool = True,
        in_the_fair_table: bool = False,
    ) -> pd.DataFrame:
        """Return shares, means, quantiles or differences, each with an interval.

        Answered from the model, not from sampled rows. If a measured table answers the query, the
        interval comes from its noisy counts and has its nominal coverage; otherwise it comes from
        replicates, which are computed if there are none. Column ``basis`` says which:
        ``'measured'``; ``'bounded'``, between what measured tables allow; ``'model'``, valid if
        the model's graph is correct; ``'fair model'``, for protected and outcome columns, whose
        direct dependence was left out on purpose.

        Args:
            query: A column or a list of columns, for a marginal or a cross-tabulation; a
                ``Share``, ``Mean``, ``Quantile`` or ``Difference`` of ``sdv_prefair.inference``;
                or a string such as ``'income by sex'`` or ``'mean of age by sex'``.
            level: Confidence level of the intervals.
            sampling: True for the population that the private rows were sampled from, False for
                the private table itself.
            in_the_fair_table: Whether to answer how outcomes depend on protected columns. The
                model leaves that out on purpose, so such an answer is not about the private table.

        Returns:
            A line for each number, by its values in the index: ``estimate``, ``standard_error``,
            ``lower``, ``upper``, ``basis``.

        Raises:
            QueryError: If the query names a column or a value that the model does not have, or
                asks for what was left out on purpose.
        """
        check_choice('sampling', sampling, (True, False))
        check_choice('in_the_fair_table', in_the_fair_table, (True, False))
        return estimate_query(
            self.fitted, query, self._kept_replicates, level, sampling, in_the_fair_table
        )

    def estimate_statistic(
        self,
        function: Statistic,
        num_rows: int,
        level: float = 0.95,
        progress: bool = True,
        sampling: bool = True,
    ) -> pd.DataFrame:
        """Return any statistic of a synthetic table, with an interval.

        It is computed on rows of the model and of each replicate. Sampling is systematic, so few
        rows suffice; the remaining sampling error makes intervals wider.

        Args:
            function: Takes a table; returns a number, or several as a Series or a dictionary.
            num_rows: Rows of each table. As many as the private table has, or more, are best.
            level: Confidence level of the intervals.
            progress: Whether to show a progress bar.
            sampling: True for the population that the private rows were sampled from, False for
                the private table itself. That takes longer: the statistic is then also computed
                on all rows that each replicate was counted from.

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

        For your own analyses: run the same one on each, and ``combine`` the results. Tables
        differ by the noise of the fit and by the sampling error of the private rows.

        Args:
            m: How many tables, at least 2.
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
        """Yield a table of rows of each model; this synthesizer's random state is unchanged."""
        draw = _drawing_twin(self)
        for number, model in enumerate(models):
            model_seed = None if seed is None else np.random.default_rng([seed, number])
            yield draw(model, model_seed, num_rows, independent_rows)

    def _counted_tables(self, drawn: Replicates) -> Iterator[tuple[pd.DataFrame, float]]:
        """Yield the table that each replicate was counted from, and its excess spread."""
        draw = _drawing_twin(self)
        for number in range(len(drawn)):
            codes, shrink = drawn.rows(number)
            rows = ModelOfRows(drawn.original, codes)
            yield draw(rows, None, rows.num_rows, False), shrink

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != '_replicates'}


Draw = Callable[[GraphicalModel, np.random.Generator | None, int, bool], pd.DataFrame]


def _drawing_twin(synthesizer: Estimating) -> Draw:
    """Return a sampler for other models, with the encoders and constraints of a fit."""
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
