"""Combined values (FixedCombinations, PublicCombinations): their combination is modelled.

A combination is encoded as a string: the JSON list of its values. The string does not depend on
other rows, whereas SDV numbers combinations in order of appearance.

The combinations are those of the list, if the user gives one. Otherwise they are learnt from the
rows like any other undeclared categories: within the budget, as a line in the ledger, and only
those that many rows have. A row with any other combination counts as the listed one that matches it
in the most columns.
"""

import itertools
import json
import math
import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
from sdv.cag import FixedCombinations, OneHotEncoding
from sdv.errors import SynthesizerInputError

from sdv_prefair._users_line import users_line
from sdv_prefair.columns import ColumnCodes
from sdv_prefair.columns._cells import boxed
from sdv_prefair.columns._dtypes import cast, natural_array, read_numbers
from sdv_prefair.columns._facts import Categories, ColumnDomain, Undeclared
from sdv_prefair.columns._texts import lookalikes
from sdv_prefair.constraints._transformation import Transformation, unused_name, written_dtype
from sdv_prefair.errors import DomainError, PrivacyWarning, shown

# -- Combinations of values that may occur together, given as public knowledge ---------------------


class PublicCombinations(FixedCombinations):
    """SDV's FixedCombinations with a list of the combinations, instead of those in the data.

    SDV's constraint allows what occurs in the rows. Under differential privacy that has to be
    paid for, and rare combinations cannot be learnt at all. If the combinations are public
    (a city lies in its country), list them, and it costs nothing.

    Args:
        column_names: Names of two or more columns.
        combinations: The combinations, each with one value for every column; None for null.
        table_name: Name of the table; needed only with several tables.
    """

    def __init__(
        self,
        column_names: list[str],
        combinations: Sequence[Sequence[Any]],
        table_name: str | None = None,
    ):
        super().__init__(column_names, table_name)
        self.combinations = [_as_combination(row, column_names) for row in combinations]
        if not self.combinations:
            raise SynthesizerInputError('combinations must list one combination or more.')


def _as_combination(row: Sequence[Any], column_names: list[str]) -> list[Any]:
    if isinstance(row, str) or not hasattr(row, '__len__') or len(row) != len(column_names):
        raise SynthesizerInputError(
            f'combinations lists {shown(row)}, which is not one value for each of {column_names}. '
            'Write as many values as there are columns, None for null.'
        )
    return list(row)


# -- Exactly one of several columns is 1 (SDV's OneHotEncoding): which one is modelled -------------
#
# Departs: SDV's default ``learning_strategy='one_hot'`` models the columns separately and sets the
# largest to 1. In a model of integer codes several columns, or none, would be 1, and the synthetic
# table would not show which of them was sampled. So both strategies are
# enforced in the model, by one column whose values are the names of the columns.


class WhichColumn(Transformation):
    """A OneHotEncoding: ``a``, ``b`` and ``c`` become ``a#b#c``, the name of the one that is 1.

    In a row with no 1, or with several, the first column with the largest value counts.

    Args:
        constraint: SDV's constraint.
        taken: Column names already in use.
    """

    def __init__(self, constraint: OneHotEncoding, taken: Iterable[str]):
        columns = tuple(constraint._column_names)
        self._name = unused_name('#'.join(columns), taken)
        super().__init__(constraint, columns, {self._name: columns})

    def derive(
        self, domains: Mapping[str, ColumnDomain], dtypes: Mapping[str, Any]
    ) -> dict[str, ColumnDomain]:
        """Return a domain of the names of the columns, which depends on no other public facts."""
        self._dtypes = {c: written_dtype(domains[c], dtypes.get(c)) for c in self.columns}
        return {self._name: Categories(self.columns, nullable=False, complete=True)}

    def make(self, frame: pd.DataFrame, column: str) -> Any:
        """Return the name of the column that is 1."""
        ones = np.column_stack([_as_numbers(frame[c]) for c in self.columns])
        return np.array(self.columns, dtype=object)[ones.argmax(axis=1)]

    def clues(self, asked: pd.DataFrame) -> list[Hashable]:
        """Return the requested numbers."""
        columns = [_as_numbers(asked[c]).tolist() for c in self.columns if c in asked]
        return list(zip(*columns, strict=True)) if columns else [None] * len(asked)

    def likelihoods(
        self, asked: pd.DataFrame, codes: Mapping[str, ColumnCodes]
    ) -> dict[str, np.ndarray]:
        """Return which columns can be the 1."""
        wanted = {c: _as_numbers(asked[c])[0] for c in self.columns if c in asked}
        if not wanted or len(wanted) == len(self.columns) or self._name not in codes:
            return {}
        fits = np.zeros(codes[self._name].num_codes)
        for code, name in enumerate(codes[self._name].values):
            fits[code] = all((column == name) == number for column, number in wanted.items())
        return {self._name: fits}

    def restore(
        self, frame: pd.DataFrame, asked: pd.DataFrame | None = None
    ) -> tuple[dict[str, Any], np.ndarray]:
        """Return columns of 0 and 1."""
        which = frame[self._name].to_numpy(dtype=object)
        all_rows = np.ones(len(frame), dtype=bool)
        restored = {
            c: cast((which == c).astype(np.int64), ~all_rows, self._dtypes[c]) for c in self.columns
        }
        return restored, all_rows


def _as_numbers(column: pd.Series) -> np.ndarray:
    numbers, nulls = read_numbers(column)
    return np.where(nulls, 0.0, numbers.astype(np.float64))


# -- Combined values (FixedCombinations, PublicCombinations): their combination is modelled --------


_MOST_COMBINATIONS = 10_000


class JointColumn(Transformation):
    """A FixedCombinations: ``a`` and ``b`` become ``a#b``.

    Args:
        constraint: SDV's constraint, or ours with a list.
        taken: Column names already in use.
    """

    def __init__(self, constraint: FixedCombinations, taken: Iterable[str]):
        columns = tuple(constraint.column_names)
        self.name = unused_name('#'.join(columns), taken)
        super().__init__(constraint, columns, {self.name: columns})
        # The allowed combinations, a row of strings each.
        self._cells: np.ndarray | None = None

    @property
    def must_learn(self) -> bool:
        """Whether the combinations have to be learnt from rows."""
        return not isinstance(self.constraint, PublicCombinations)

    def derive(
        self, domains: Mapping[str, ColumnDomain], dtypes: Mapping[str, Any]
    ) -> dict[str, ColumnDomain]:
        """Return the listed combinations; without a list, a domain that has to be learnt."""
        self._domains = {column: domains[column] for column in self.columns}
        self._dtypes = {c: written_dtype(domains[c], dtypes.get(c)) for c in self.columns}
        self._cells = None
        if self.must_learn:
            return {self.name: Undeclared('categories', nullable=False)}
        cells = [[as_text(value) for value in row] for row in self.constraint.combinations]
        for row in cells:
            for column, cell in zip(self.columns, row, strict=True):
                self._check_cell(column, cell)
        if len(self._told_apart(cells)) < len(cells):
            raise DomainError(
                f'combinations lists values of {list(self.columns)} that look the same in a CSV '
                "file, as 1 and '1' do, or '' and null. Keep one of them."
            )
        return {self.name: self._allow(dict.fromkeys(map(tuple, cells)))}

    def _check_cell(self, column: str, cell: str) -> None:
        if not _holds(self._domains[column], cell):
            raise DomainError(
                f"combinations lists {cell} for '{column}', which is not in its range_values. "
                'Correct the list or the metadata.'
            )

    def _allow(self, cells: Iterable[tuple[str, ...]]) -> Categories:
        self._cells = np.array(list(cells), dtype=object).reshape(-1, len(self.columns))
        labels = tuple(_join(row) for row in self._cells)
        return Categories(labels, nullable=False, complete=True)

    @property
    def is_settled(self) -> bool:
        """Whether the allowed combinations are known."""
        return self._cells is not None

    def settle(self, learnt: Categories) -> Categories:
        """Allow the learnt combinations of declared values.

        Privacy: post-processing of values whose learning the ledger has paid for.
        """
        rows = [_split(label) for label in learnt.values]
        rows = self._told_apart([row for row in rows if self._is_declared(row)])
        return self._allow(rows or self._all_combinations())

    def _told_apart(self, rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
        """Return the rows without those whose values look like others' when written."""
        for place in range(len(self.columns)):
            cells = list(dict.fromkeys(row[place] for row in rows))
            alike = lookalikes([json.loads(cell) for cell in cells], nullable=False)
            kept = {cell for position, cell in enumerate(cells) if position not in alike}
            rows = [row for row in rows if row[place] in kept]
        return list(rows)

    def _is_declared(self, row: tuple[str, ...]) -> bool:
        return all(
            _holds(self._domains[c], cell) for c, cell in zip(self.columns, row, strict=True)
        )

    def _all_combinations(self) -> list[tuple[str, ...]]:
        domains = list(self._domains.values())
        declared = all(isinstance(domain, Categories) for domain in domains)
        if not declared or math.prod(len(d.values) for d in domains) > _MOST_COMBINATIONS:
            raise DomainError(
                f'No combination of {list(self.columns)} stood out from the noise. List them with '
                'sdv_prefair.constraints.PublicCombinations if they are public, or raise epsilon.'
            )
        warnings.warn(
            f'No combination of {list(self.columns)} stood out from the noise: all combinations '
            'of their declared values are allowed. List those that may occur with '
            'sdv_prefair.constraints.PublicCombinations if they are public, or raise epsilon.',
            PrivacyWarning,
            stacklevel=users_line(),
        )
        return list(itertools.product(*([as_text(v) for v in d.values] for d in domains)))

    def labels(self, frame: pd.DataFrame) -> pd.Series:
        """Return the combination of each row unchanged."""
        cells = [_texts(frame[column]) for column in self.columns]
        labels = ['[' + ', '.join(row) + ']' for row in zip(*cells, strict=True)]
        return pd.Series(labels, index=frame.index, dtype=object)

    def make(self, frame: pd.DataFrame, column: str) -> Any:
        """Return the combination of each row, or an allowed one once these are known."""
        labels = self.labels(frame)
        if self._cells is None:
            return labels
        allowed = {_join(row) for row in self._cells}
        moved = {label: self._nearest(label) for label in set(labels) - allowed}
        return labels.map(lambda label: moved.get(label, label)).astype(object)

    def _nearest(self, label: str) -> str:
        agreeing = (self._cells == np.array(_split(label), dtype=object)).sum(axis=1)
        return _join(self._cells[agreeing.argmax()])

    def clues(self, asked: pd.DataFrame) -> list[Hashable]:
        """Return the requested values, as strings."""
        texts = [_texts(asked[column]) for column in self.columns if column in asked]
        return list(zip(*texts, strict=True)) if texts else [None] * len(asked)

    def likelihoods(
        self, asked: pd.DataFrame, codes: Mapping[str, ColumnCodes]
    ) -> dict[str, np.ndarray]:
        """Return which combinations have the requested values."""
        wanted = {c: as_text(asked[c].iloc[0]) for c in self.columns if c in asked}
        if not wanted or len(wanted) == len(self.columns) or self.name not in codes:
            return {}
        fits = np.zeros(codes[self.name].num_codes)
        for code, label in enumerate(codes[self.name].values):
            row = dict(zip(self.columns, _split(label), strict=True))
            fits[code] = all(row[column] == text for column, text in wanted.items())
        return {self.name: fits}

    def restore(
        self, frame: pd.DataFrame, asked: pd.DataFrame | None = None
    ) -> tuple[dict[str, Any], np.ndarray]:
        """Return the values of each combination."""
        position, different = pd.factorize(frame[self.name].to_numpy(dtype=object))
        rows = [_split(label) for label in different]
        restored = {
            column: self._values(column, [row[place] for row in rows]).take(position)
            for place, column in enumerate(self.columns)
        }
        return restored, np.ones(len(frame), dtype=bool)

    def _values(self, column: str, cells: list[str]) -> Any:
        domain = self._domains[column]
        declared = domain.values if isinstance(domain, Categories) else ()
        value_of = {as_text(value): value for value in declared}
        values = [value_of.get(cell, json.loads(cell)) for cell in cells]
        nulls = np.array([value is None for value in values], dtype=bool)
        # Nulls need a placeholder until they are restored.
        known = next((value for value in values if value is not None), 0)
        filled = natural_array([known if value is None else value for value in values])
        return cast(filled, nulls, self._dtypes[column])

    def allows(self, frame: pd.DataFrame) -> np.ndarray:
        """Return which rows have an allowed combination; all rows, as long as none is known."""
        if self._cells is None:
            return np.ones(len(frame), dtype=bool)
        return self.labels(frame).isin([_join(row) for row in self._cells]).to_numpy()


def as_text(value: Any) -> str:
    """Return one value as JSON, or its string if it has no JSON form; 1 and 1.0 are the same."""
    try:
        if value is None or (pd.api.types.is_scalar(value) and pd.isna(value)):
            return 'null'
        if isinstance(value, bool | np.bool_):
            return _dumps(bool(value))
        if isinstance(value, Integral) or (isinstance(value, Real) and value == int(value)):
            return _dumps(int(value))
        return _dumps(float(value) if isinstance(value, Real) else str(value))
    except Exception:  # whatever an arbitrary object raises, it is not one of the values
        return 'null'


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _texts(column: pd.Series) -> list[str]:
    return [as_text(value) for value in boxed(column)]


def _join(cells: Iterable[str]) -> str:
    return '[' + ', '.join(cells) + ']'


def _split(label: str) -> tuple[str, ...]:
    return tuple(_dumps(value) for value in json.loads(label))


def _holds(domain: ColumnDomain, cell: str) -> bool:
    if not isinstance(domain, Categories):
        return True
    return domain.nullable if cell == 'null' else cell in map(as_text, domain.values)
