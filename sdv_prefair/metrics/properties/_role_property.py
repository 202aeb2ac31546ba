"""Base of the properties of a fairness report: one table, its roles, a frame of details."""

import abc
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from sdmetrics.reports.multi_table._properties.base import BaseMultiTableProperty
from sdv.errors import SynthesizerInputError

from sdv_prefair.fairness._statements import Statements
from sdv_prefair.metrics._strata import RowEncoder
from sdv_prefair.metrics._table_pair import Tables, read_tables
from sdv_prefair.roles import Roles

LEGEND_ABOVE = {'orientation': 'h', 'y': 1.0, 'yanchor': 'bottom', 'x': 0}


@dataclass(frozen=True)
class Settings:
    """What a report measures; the arguments of ``FairnessReport``."""

    roles: Statements
    table_name: str | None = None
    positive: Mapping[str, Hashable] = field(default_factory=dict)
    model: object = 'linear'
    permutations: int = 200
    bootstraps: int = 200
    seed: int | None = None
    synthesizer: RowEncoder | None = None


class RoleProperty(BaseMultiTableProperty, abc.ABC):
    """A property of one table, as SDMetrics reports hold them.

    Subclasses define what to measure (``_questions``) and how (``_answer``); every answer is
    a row of the details with a ``Score`` between 0 and 1, where 1 is best, or NaN if the rows
    are uninformative.

    Attributes:
        measured: Columns of the details that are measured, besides the score.

    Args:
        settings: What the report measures.
    """

    measured: ClassVar[tuple[str, ...]]

    def __init__(self, settings: Settings):
        super().__init__()
        self.settings = settings

    @abc.abstractmethod
    def _questions(self, metadata: dict) -> list:
        """Return what is measured, one item for each step of the progress bar."""

    @abc.abstractmethod
    def _answer(self, question: object, tables: Tables) -> Iterator[dict]:
        """Measure one item: yield rows of the details."""

    @abc.abstractmethod
    def _unanswered(self, question: object) -> list[dict]:
        """Return the names of an item's rows: all that is known if it cannot be measured."""

    @abc.abstractmethod
    def _draw(self, details: pd.DataFrame) -> go.Figure:
        """Return a figure of the details."""

    def _compute_average(self) -> float:
        """Return the mean score; NaN if one is unknown, because a mean without it says too much."""
        return float(self.details['Score'].mean(skipna=False))

    def _get_num_iterations(self, metadata: dict) -> int:
        return len(self._questions(metadata))

    def _generate_details(self, real_data, synthetic_data, metadata, progress_bar=None) -> None:
        name = self.settings.table_name or next(iter(metadata['tables']))
        tables = read_tables(
            self._subsample(real_data[name]), self._subsample(synthetic_data[name]), metadata, name
        )
        rows = []
        for question in self._questions(metadata):
            try:
                rows += list(self._answer(question, tables))
            except SynthesizerInputError as error:
                # As in SDMetrics: one column that cannot be measured does not stop the report.
                nothing = dict.fromkeys(('Score', *self.measured), np.nan)
                rows += [
                    row | nothing | {'Error': str(error)} for row in self._unanswered(question)
                ]
            if progress_bar is not None:
                progress_bar.update()
        self.details = pd.DataFrame(rows)
        self.details.insert(0, 'Table', name)

    def _subsample(self, frame: pd.DataFrame) -> pd.DataFrame:
        if self.num_rows_subsample is None or len(frame) <= self.num_rows_subsample:
            return frame
        return frame.sample(self.num_rows_subsample, random_state=self.settings.seed)

    def get_visualization(self, table_name: str | None = None) -> go.Figure:
        """Return a figure of the details; there is one table, so its name may be left out."""
        return self._draw(self.get_details(table_name))


def given_in_words(settings: Settings, given: Sequence[str]) -> dict[str, str]:
    """Return the conditioning set of a row; with roles it is the same in all rows, and left out.

    Args:
        settings: What the report measures.
        given: The conditioning set.
    """
    return {} if isinstance(settings.roles, Roles) else {'Given': joined(given)}


def joined(names: object) -> str:
    """Return names of columns as one text."""
    return names if isinstance(names, str) else ', '.join(map(str, names))


def height(rows: int, a_row: int, around: int = 160) -> int:
    """Return the pixels a figure of so many rows needs."""
    return max(280, rows * a_row + around)
