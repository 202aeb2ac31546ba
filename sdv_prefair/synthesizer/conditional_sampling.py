"""The part of a synthesizer that samples: all rows alike, or each given a condition."""

import os

import pandas as pd
from sdv.single_table.base import FIXED_RNG_SEED, BaseSingleTableSynthesizer

from sdv_prefair.constraints.asked_rows import AskedRows, Drawing
from sdv_prefair.fitting.verification import tied_columns
from sdv_prefair.synthesizer.arguments import check_choice
from sdv_prefair.synthesizer.conditions import (
    as_columns_hold_them,
    check_values,
    in_dtype,
    warn_if_unfair,
)


class ConditionalSampling(BaseSingleTableSynthesizer):
    """SDV's ``sample_from_conditions`` and ``sample_remaining_columns``, drawn from the model.

    What the synthesizer provides: ``_roles``, ``_plan`` and, once it is fitted, ``_encoding`` and
    ``_model``.
    """

    _independent_rows = False

    def sample(
        self,
        num_rows: int,
        main_table_name: str | None = None,
        max_tries_per_batch: int = 100,
        batch_size: int | None = None,
        output_folder_path: str | None = None,
        independent_rows: bool = False,
    ) -> dict[str, pd.DataFrame]:
        """Sample rows, each of which follows the model.

        By default values are dealt out evenly: the counts of one table stray from the model by
        less than a row for each value in every 65,536 rows, far less than those of independent
        rows. Take that for the one table that is released. Rows of such a table know of each
        other, so a standard error or a test that takes rows for independent, within a table or
        from one table to the next, is wrong: for these set ``independent_rows``. Neither says
        anything of the noise in the model, which all samples of one fit share.

        Args:
            num_rows: Number of rows.
            main_table_name: Name of the table, as SDV has it.
            max_tries_per_batch: How often to draw again where constraints turn rows down.
            batch_size: Rows to draw at once; all of them if None.
            output_folder_path: Folder to write the rows to as well, as CSV.
            independent_rows: Whether every row is drawn by itself, independent of all others.

        Returns:
            The table by its name.
        """
        check_choice('independent_rows', independent_rows, (True, False))
        self._independent_rows = independent_rows
        try:
            return super().sample(
                num_rows, main_table_name, max_tries_per_batch, batch_size, output_folder_path
            )
        finally:
            self._independent_rows = False

    def _sample(self, num_rows: int, conditions: dict | None = None) -> pd.DataFrame:
        evidence = {column: int(code) for column, code in (conditions or {}).items()}
        return pd.DataFrame(self._model.sample(num_rows, evidence, self._independent_rows))

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
        askable = self._askable()
        check_values(conditions, askable)
        conditions = as_columns_hold_them(conditions, askable)
        made_up = self._data_processor._dtypes.drop(list(askable), errors='ignore')
        for column in conditions.columns.intersection(made_up.index):
            in_dtype(conditions[column], made_up[column])
        self._check_conditions(conditions)
        AskedRows(conditions, self._drawing())

    def _drawing(self) -> Drawing:
        return Drawing(self._plan, self._encoding.transformers, self._model, self._data_processor)

    def _warn_of_ties(self, columns: list[str]) -> None:
        asked = [
            column for column in dict.fromkeys(columns) if column in self._plan.original_domains
        ]
        warn_if_unfair(asked, tied_columns(self._model, self._plan), self._roles)

    def _sample_with_conditions(
        self, conditions, max_tries_per_batch, batch_size, progress_bar=None, output_file_path=None
    ) -> pd.DataFrame:
        if not self._random_state_set:
            self._set_random_state(FIXED_RNG_SEED)
        lines = as_columns_hold_them(conditions, self._askable())
        rows = AskedRows(lines, self._drawing()).draw(max_tries_per_batch, batch_size)
        rows = self._completed(rows, lines)
        if output_file_path and len(rows):
            # Conditions on other columns have been written before, if there is a file.
            is_first = not os.path.exists(output_file_path)
            rows.to_csv(output_file_path, mode='a', header=is_first, index=False)
        if progress_bar is not None:
            progress_bar.update(len(rows))
        return rows

    def _completed(self, rows: pd.DataFrame, lines: pd.DataFrame) -> pd.DataFrame:
        """Return rows with the columns that are made up, each under the index of its line."""
        lines = lines.iloc[rows.index]
        made_up = self._data_processor.complete(rows.set_axis(lines.index))
        rows = rows.set_axis(lines.index)
        rows = rows.assign(**{c: made_up[c].array for c in made_up if c not in rows})
        rows = rows.assign(**{c: in_dtype(lines[c], rows[c].dtype) for c in lines if c in rows})
        columns = self._original_metadata.tables[self._table_name].columns
        return rows[[c for c in columns if c in rows]].sort_index(kind='stable')
