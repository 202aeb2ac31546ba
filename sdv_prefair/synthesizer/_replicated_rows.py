"""Tables of rows from other models than the fitted one: replicates of it."""

import copy
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from sdv_prefair.inference import Replicates
from sdv_prefair.inference._row_statistics import (
    ModelOfRows,
)
from sdv_prefair.model import GraphicalModel

if TYPE_CHECKING:
    from sdv_prefair.synthesizer._after_fit import AfterFit


def tables_of(
    synthesizer: 'AfterFit',
    models: Any,
    num_rows: int,
    independent_rows: bool,
    seed: int | None = None,
) -> Iterator[pd.DataFrame]:
    """Yield a table of rows of each model; the synthesizer's random state is unchanged."""
    draw = _drawing_twin(synthesizer)
    for number, model in enumerate(models):
        model_seed = None if seed is None else np.random.default_rng([seed, number])
        yield draw(model, model_seed, num_rows, independent_rows)


def counted_tables(
    synthesizer: 'AfterFit', drawn: Replicates
) -> Iterator[tuple[pd.DataFrame, float]]:
    """Yield the table that each replicate was counted from, and its excess spread."""
    draw = _drawing_twin(synthesizer)
    for number in range(len(drawn)):
        codes, shrink = drawn.rows(number)
        rows = ModelOfRows(drawn.original, codes)
        yield draw(rows, None, rows.num_rows, False), shrink


Draw = Callable[[GraphicalModel, np.random.Generator | None, int, bool], pd.DataFrame]


def _drawing_twin(synthesizer: 'AfterFit') -> Draw:
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
