"""The part of a synthesizer that samples given conditions, without rejecting rows."""

import os

import pandas as pd
from sdv.single_table.base import FIXED_RNG_SEED, BaseSingleTableSynthesizer

from sdv_prefair.conditions import check_values, sample_lines, warn_if_unfair


class ConditionalSampling(BaseSingleTableSynthesizer):
    """SDV's ``sample_from_conditions`` and ``sample_remaining_columns``, drawn from the model.

    What the synthesizer provides: ``_roles``, ``_plan`` and, once it is fitted, ``_encoding`` and
    ``_model``.
    """

    def _sample(self, num_rows: int, conditions: dict | None = None) -> pd.DataFrame:
        evidence = {column: int(code) for column, code in (conditions or {}).items()}
        return pd.DataFrame(self._model.sample(num_rows, evidence))

    def _validate_conditions(self, conditions: list[pd.DataFrame]) -> None:
        for lines in conditions:
            self._check_lines(lines)
        # Rows asked for in several ways end up in one table, and which way a row was asked for
        # tells about all the columns that were asked for.
        self._warn_of_ties([column for lines in conditions for column in lines])

    def _validate_conditions_unseen_columns(self, conditions: pd.DataFrame) -> None:
        self._check_lines(conditions)
        self._warn_of_ties(list(conditions))

    def _check_lines(self, conditions: pd.DataFrame) -> None:
        self._validate_fit_before_sample()
        super()._validate_conditions_unseen_columns(conditions)
        check_values(conditions, self._encoding.transformers)
        self._check_conditions(conditions)

    def _warn_of_ties(self, columns: list[str]) -> None:
        asked = [
            column for column in dict.fromkeys(columns) if column in self._plan.original_domains
        ]
        cliques = self._in_original_columns(self._model.cliques)
        warn_if_unfair(asked, cliques, self._roles)

    def _sample_with_conditions(
        self, conditions, max_tries_per_batch, batch_size, progress_bar=None, output_file_path=None
    ) -> pd.DataFrame:
        if self._plan.tied:
            # Rows that a constraint computes or turns down need SDV's loop.
            return super()._sample_with_conditions(
                conditions, max_tries_per_batch, batch_size, progress_bar, output_file_path
            )
        if not self._random_state_set:
            self._set_random_state(FIXED_RNG_SEED)
        rows = sample_lines(
            conditions, self._encoding.transformers, self._model, self._data_processor
        )
        if output_file_path:
            # Conditions on other columns have been written before, if there is a file.
            is_first = not os.path.exists(output_file_path)
            rows.to_csv(output_file_path, mode='a', header=is_first, index=False)
        if progress_bar is not None:
            progress_bar.update(len(rows))
        return rows
