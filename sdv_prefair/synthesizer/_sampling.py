"""How rows are sampled from a fit, through the methods that SDV calls for it."""

from pathlib import Path
from typing import Any

import pandas as pd
from sdv.single_table.base import FIXED_RNG_SEED, BaseSingleTableSynthesizer

from sdv_prefair._sdv_versions import Sampling, by_name
from sdv_prefair.columns._dtypes import plain_number
from sdv_prefair.errors import NotFittedError
from sdv_prefair.fitting import _cautions as cautions
from sdv_prefair.fitting._fitted import Fitted, Settings
from sdv_prefair.model import GraphicalModel
from sdv_prefair.privacy import Account
from sdv_prefair.synthesizer import _conditions as conditional
from sdv_prefair.synthesizer import _constrained as constrained
from sdv_prefair.synthesizer import _state as state
from sdv_prefair.synthesizer._arguments import check_choice, check_whole_number
from sdv_prefair.synthesizer._conditions import askable_columns
from sdv_prefair.synthesizer._written_rows import ROWS_AT_A_TIME, drawn_parts, write_parts

Frames = dict[str, pd.DataFrame]


class SampledBySdv(Sampling):
    """A synthesizer that SDV samples rows from, into memory or into a file."""

    _settings: Settings
    """The input of the next fit."""
    _account: Account
    """All attempts to fit."""
    _result: Fitted | None = None
    """The last finished fit."""
    _preparation: state.Preparation | None = None
    """The meaning of rows encoded earlier, if they are still valid."""
    _is_opened = False
    """Whether it came from a file, and nothing was sampled since."""
    _independent_rows = False
    """Whether SDV's current call samples independent rows: its methods cannot pass this on."""

    @property
    def fitted(self) -> Fitted:
        """The last finished fit: settings, encoding, ledger and model. It cannot be changed."""
        if self._result is None:
            raise NotFittedError('This synthesizer has not been fitted. Call fit first.')
        return self._result

    @property
    def _model(self) -> GraphicalModel | None:
        return None if self._result is None else self._result.model

    def _sample_as_sdv(self, independent_rows: bool, num_rows: int, *given: Any) -> Any:
        """Return the result of SDV's ``sample``, for arguments of the installed version."""
        check_choice('independent_rows', independent_rows, (True, False))
        num_rows, given = plain_number(num_rows), tuple(map(plain_number, given))
        self._validate_fit_before_sample()
        if num_rows is not None:  # of which SDV says what is missing
            check_whole_number('num_rows', num_rows, 0)
            self._data_processor.check_room(num_rows)
        self._independent_rows = independent_rows
        try:
            return BaseSingleTableSynthesizer.sample(self, num_rows, *given)
        finally:
            self._independent_rows = False

    def reverse_transform_constraints(self, sampled: pd.DataFrame) -> pd.DataFrame:
        """Return the original columns of the rows that satisfy all constraints."""
        tied = self._settings.plan.tied
        return constrained.restore_columns(self.fitted, sampled) if tied else sampled

    def _validate_fit_before_sample(self) -> None:
        super()._validate_fit_before_sample()
        if self._is_opened and self.fitted.ledger.seeded:
            self._is_opened = False
            cautions.warn_of_seeded_sample()

    def _sample(self, num_rows: int, conditions: dict[str, Any] | None = None) -> pd.DataFrame:
        evidence = {column: int(code) for column, code in (conditions or {}).items()}
        return pd.DataFrame(self.fitted.model.sample(num_rows, evidence, self._independent_rows))

    def _sample_with_progress_bar(
        self, num_rows: int, *arguments: Any, **options: Any
    ) -> pd.DataFrame:
        sampled = super()._sample_with_progress_bar(num_rows, *arguments, **options)
        constrained.check_enough(sampled, num_rows)
        return sampled

    def _sample_in_batches(
        self, num_rows: int, batch_size: int, *arguments: Any, **options: Any
    ) -> pd.DataFrame:
        """Return rows in batches, the last one as small as it must be: each is also written."""
        whole, rest = num_rows // batch_size * batch_size, num_rows % batch_size
        in_batches = super()._sample_in_batches
        parts = [in_batches(whole, batch_size, *arguments, **options)]
        if rest:
            parts.append(in_batches(rest, rest, *arguments, **options))
        return pd.concat(parts, ignore_index=True) if rest else parts[0]

    @staticmethod
    def _make_condition_dfs(conditions: list[Any]) -> list[pd.DataFrame]:
        made: list[pd.DataFrame] = BaseSingleTableSynthesizer._make_condition_dfs([
            conditional.in_cells(condition) for condition in conditions
        ])
        return made

    def _validate_conditions(self, conditions: list[pd.DataFrame]) -> None:
        for lines in conditions:
            super()._validate_conditions_unseen_columns(lines)
            conditional.check_lines(self.fitted, lines)
        # Rows of several conditions end up in one table, and the condition that a row came from
        # reveals something about the columns of all of them.
        conditional.warn_of_ties(self.fitted, [c for lines in conditions for c in lines.columns])

    def _validate_conditions_unseen_columns(self, conditions: pd.DataFrame) -> None:
        self._validate_fit_before_sample()
        super()._validate_conditions_unseen_columns(conditions)
        conditional.check_lines(self.fitted, conditions, are_known=True)
        conditional.warn_of_ties(self.fitted, list(conditions.columns))

    def _sample_with_conditions(
        self,
        conditions: pd.DataFrame,
        max_tries_per_batch: int,
        batch_size: int | None,
        progress_bar: Any = None,
        output_file_path: str | None = None,
    ) -> pd.DataFrame:
        if not self._random_state_set:
            self._set_random_state(FIXED_RNG_SEED)
        self._data_processor.check_room(len(conditions))
        rows = conditional.draw_lines(self.fitted, conditions, max_tries_per_batch, batch_size)
        if output_file_path:
            conditional.append_rows(rows, output_file_path)
        if progress_bar is not None:
            progress_bar.update(len(rows))
        return rows

    def sample_to(
        self,
        path: str | Path,
        num_rows: int,
        rows_at_a_time: int = ROWS_AT_A_TIME,
        independent_rows: bool = False,
        progress: bool = True,
    ) -> None:
        """Sample rows into a file; only one chunk is in memory at a time.

        The rows are those of ``sample`` called once for each chunk. The file is written
        atomically.

        Args:
            path: Where to write, ending in ``.csv``, ``.csv.gz`` or ``.parquet``.
            num_rows: Number of rows.
            rows_at_a_time: Rows of a chunk.
            independent_rows: Whether rows are sampled independently, see ``sample``.
            progress: Whether to show a bar, if there is more than one chunk.
        """
        self._validate_fit_before_sample()
        check_whole_number('num_rows', num_rows, least=1)
        check_whole_number('rows_at_a_time', rows_at_a_time, least=1)
        check_choice('independent_rows', independent_rows, (True, False))
        self._data_processor.check_room(num_rows, rows_at_a_time)
        name = self.fitted.settings.table_name

        def draw(rows: int) -> pd.DataFrame:
            try:
                sampled = self.sample(rows, independent_rows=independent_rows)
            except KeyboardInterrupt:
                raise KeyboardInterrupt from None  # SDV asks for an output_file_path here
            drawn: pd.DataFrame = by_name(sampled, name)[name]
            return drawn

        parts = drawn_parts(draw, num_rows, rows_at_a_time, progress)
        write_parts(parts, Path(path), num_rows, askable_columns(self.fitted))
