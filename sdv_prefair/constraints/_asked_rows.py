"""Conditional sampling: rows with requested values, with constraints or without.

A requested value determines the codes of some modelled columns: these are evidence, and rows are
sampled from the model given them. If a constraint derives a modelled column from several columns
and only some of them are requested, no single code follows. Then the model receives the likelihood
of the value by code, the requested value replaces the one in the sampled row, other columns are
computed from it, and the row is accepted only if its values determine the sampled codes.

Accepted rows have the distribution of rows that happen to have the requested values: for
``Inequality`` and ``Range``, steps within a bin are assumed to be equally likely, and so is the one
that leads to the requested value; combinations and one-hot columns are chosen among those that
match. For a user-defined constraint nothing of the kind is known: there a row's density is that of
its codes, times a factor of the columns of the constraint. Fairness depends on this (see ``ties``):
no value ever replaces one that determines a different code.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sdv_prefair.columns import ColumnCodes
from sdv_prefair.columns._processor import CodesProcessor
from sdv_prefair.constraints._plan import ConstraintPlan, Encode
from sdv_prefair.model import GraphicalModel

# Rows sampled per try: ten for each requested one, as in SDV, within these limits.
_PER_LINE, _FEWEST, _MOST_LINES = 10, 2000, 1 << 16


class Drawing(NamedTuple):
    """What is needed to sample rows.

    Attributes:
        plan: The constraints.
        transformers: The encoders of modelled columns.
        model: The model of the codes.
        processor: Decodes codes into values.
    """

    plan: ConstraintPlan
    transformers: Mapping[str, ColumnCodes]
    model: GraphicalModel
    processor: CodesProcessor


class AskedRows:
    """Lines of requested values, for which rows are sampled.

    Args:
        lines: Values of modelled or consumed columns, as the columns hold them; one line per row.
        drawing: What sampling needs.

    Raises:
        ValueError: If no row can have the values of some line.
    """

    def __init__(self, lines: pd.DataFrame, drawing: Drawing):
        self._drawing = drawing
        self._stages = drawing.plan.stages(lines.reset_index(drop=True))
        known = self._stages[-1]
        self._evidence = {
            column: drawing.transformers[column].encode(known[column])
            for column in known.columns
            if column in drawing.transformers
        }
        self._num_lines = len(lines)
        self._kind_of, self._likelihoods = self._find_kinds()

    def draw(self, max_tries: int, batch_size: int | None) -> pd.DataFrame:
        """Return a row for each line, indexed by its position; lines without a row are left out.

        Rows are independent of each other.

        Args:
            max_tries: How often to sample for lines that have no row yet.
            batch_size: How many lines to process at once.
        """
        size = min(batch_size or _MOST_LINES, _MOST_LINES)
        batches = [
            self._draw_batch(np.arange(start, min(start + size, self._num_lines)), max_tries)
            for start in range(0, self._num_lines, size)
        ]
        batches = [batch for batch in batches if len(batch)]
        return pd.concat(batches).sort_index() if batches else pd.DataFrame()

    def _draw_batch(self, lines: np.ndarray, max_tries: int) -> pd.DataFrame:
        most = max(_PER_LINE * lines.size, _FEWEST)
        found, left, repeats = [], lines, 1
        for _ in range(max_tries):
            rows = self._try(np.tile(left, repeats))
            accepted = len(rows)
            rows = rows[~rows.index.duplicated()]
            found.append(rows)
            # Twice as many as were needed on average, up to a limit.
            wanted = 2 * -(-left.size * repeats // max(accepted, 1))
            left = np.setdiff1d(left, rows.index)
            if not left.size:
                break
            repeats = max(1, min(wanted, most // left.size))
        return pd.concat(found)

    def _try(self, lines: np.ndarray) -> pd.DataFrame:
        """Sample a row for each line; return the accepted ones, indexed by the line's position."""
        plan, transformers, _, processor = self._drawing
        rows = processor.decode(self._draw_codes(lines))
        asked = [stage.iloc[lines].reset_index(drop=True) for stage in self._stages]
        kept = plan.reverse_transform(rows, _encoder(transformers), asked)
        return kept.set_axis(lines[kept.index])

    def _draw_codes(self, lines: np.ndarray) -> pd.DataFrame:
        model = self._drawing.model
        codes = {column: np.empty(lines.size, dtype=np.int64) for column in model.domain}
        for kind, likelihood in enumerate(self._likelihoods):
            members = np.flatnonzero(self._kind_of[lines] == kind)
            evidence = {c: values[lines[members]] for c, values in self._evidence.items()}
            drawn = model.sample_given(evidence, likelihood, members.size)
            for column, values in drawn.items():
                codes[column][members] = values
        return pd.DataFrame(codes)

    def _find_kinds(self) -> tuple[np.ndarray, list[dict[str, np.ndarray]]]:
        """Group lines by the likelihoods that they imply for codes; return these by group."""
        links = zip(self._drawing.plan.chain, self._stages, strict=False)
        clues = [link.transformation.clues(asked) for link, asked in links]
        kind_of_clue: dict[Any, int] = {}
        kinds = np.zeros(self._num_lines, dtype=np.int64)
        if clues:
            lines = zip(*clues, strict=True)
            kinds[:] = [kind_of_clue.setdefault(clue, len(kind_of_clue)) for clue in lines]
        _, first = np.unique(kinds, return_index=True)
        return kinds, [dict(self._say(line)) for line in first]

    def _say(self, line: int) -> Iterator[tuple[str, np.ndarray]]:
        _, transformers, *_ = self._drawing
        for link, stage in zip(self._drawing.plan.chain, self._stages, strict=False):
            said = link.transformation.likelihoods(stage.iloc[[line]], transformers)
            for column, likelihood in said.items():
                if not likelihood.any():
                    asked = [c for c in link.transformation.columns if c in stage]
                    raise ValueError(
                        f'No row can have the values requested for {asked}, because of a '
                        f'{type(link.transformation.constraint).__name__}. Request values that it '
                        'allows.'
                    )
                yield column, likelihood


def _encoder(transformers: Mapping[str, ColumnCodes]) -> Encode:
    def encode(frame: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({c: transformers[c].encode(frame[c]) for c in frame.columns})

    return encode
