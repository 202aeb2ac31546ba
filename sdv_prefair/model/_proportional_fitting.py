"""Iterative proportional fitting on a junction tree: one table after the other is fitted.

The classical algorithm (Deming and Stephan, 1940) rescales a distribution to match one marginal,
then the next. Here values are noisy, and a table is moved as close to its values ``Y`` as the
penalty on its factor allows: to the rows ``u`` for which

    u + b f = Y,    f the logarithm of the factor after the step, b its penalty.

That is the exact minimum of the dual in ``_max_entropy.py`` along one table, by Wright's omega. On
a walk over the junction tree, from a clique to a neighbour and back (Jirousek and Preucil, 1995),
a sweep over all tables costs about as much as one gradient. After each sweep the factors are
settled (``_settling.py``), without which those of tables that share columns would take hundreds of
sweeps to converge.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import wrightomega

from sdv_prefair._arrays import Floats
from sdv_prefair.model._junction import Place
from sdv_prefair.model._sampling import broadcast_to, sum_to
from sdv_prefair.model._settling import FittedTable, Settling

# Longest step of a logarithm, so that no cell falls to zero rows, from where it cannot come back.
_LONGEST = 30.0


class _Step(NamedTuple):
    """A move to a clique from a neighbour, over the edge above a child; or to a root."""

    to: int
    source: int | None
    child: int
    is_first: bool


class ProportionalFitting:
    """The factors of all tables, and the resulting rows in the cells of the cliques.

    Args:
        places: The junction tree.
        tables: The tables, each set of columns once.
        beliefs: The cliques' distributions at the start.
        total: Number of rows.
        factors: The logarithms of the factors that those distributions result from.
    """

    def __init__(
        self,
        places: Sequence[Place],
        tables: Sequence[FittedTable],
        beliefs: Sequence[Floats],
        total: float,
        factors: Sequence[Floats],
    ):
        self._settling = Settling(tables, total)
        self.factors = self._settling.apply(factors)
        self._places, self._tables, self._total = places, tables, total
        self._cells = max(1, sum(table.values.size for table in tables))
        self._rows = [total * belief for belief in beliefs]
        self._shared = [
            sum_to(rows, place.clique, place.separator)
            for rows, place in zip(self._rows, places, strict=True)
        ]
        self._walk = _walk(places)
        self._at_home: list[list[int]] = [[] for _ in places]
        self._within: list[list[int]] = [[] for _ in tables]
        for number, table in enumerate(tables):
            of = self._at_home[table.home] if table.inside is None else self._within[table.inside]
            of.append(number)

    def sweep(self) -> float:
        """Fit every table to its values once.

        Returns:
            How far off cells were, each before its own table was fitted: the root mean square over
            all cells of all tables, in units of the tables' scaling.
        """
        self._squares = 0.0
        for step in self._walk:
            if step.source is None:
                self._rows[step.to] *= self._total / self._rows[step.to].sum()
            else:
                self._carry(step.source, step.to, step.child)
            if step.is_first:
                for number in self._at_home[step.to]:
                    self._fit(number)
        self.factors = self._settling.apply(self.factors)
        return math.sqrt(self._squares / self._cells)

    def _carry(self, source: int, to: int, child: int) -> None:
        """Rescale a clique so that its shared columns have the neighbour's distribution."""
        separator = self._places[child].separator
        shared = sum_to(self._rows[source], self._places[source].clique, separator)
        before = self._shared[child]
        ratio = np.divide(shared, before, out=np.zeros_like(shared), where=before > 0)
        self._rows[to] *= broadcast_to(ratio, separator, self._places[to].clique)
        self._shared[child] = shared

    def _fit(self, number: int) -> None:
        """Fit a table and those inside it, and multiply its clique once by the result."""
        home, columns = self._tables[number].home, self._tables[number].columns
        rows = sum_to(self._rows[home], self._places[home].clique, columns)
        ratio = self._fit_rows(number, rows)
        self._rows[home] *= broadcast_to(ratio, columns, self._places[home].clique)

    def _fit_rows(self, number: int, rows: Floats) -> Floats:
        """Return the factors by which the rows of a table are multiplied."""
        ratio, columns = self._step(number, rows), self._tables[number].columns
        for smaller in self._within[number]:
            inside = self._tables[smaller].columns
            part = self._fit_rows(smaller, sum_to(rows * ratio, columns, inside))
            ratio = ratio * broadcast_to(part, inside, columns)
        return ratio

    def _step(self, number: int, rows: Floats) -> Floats:
        table, factor = self._tables[number], self.factors[number]
        missing = table.values - table.penalty * factor
        off = ((rows - missing) * table.scaling).ravel()
        self._squares += float(off @ off)
        some = rows > 0
        logarithm = np.log(rows, out=np.zeros_like(rows), where=some)
        goal = missing / table.penalty
        change = goal - wrightomega(logarithm + goal - np.log(table.penalty))
        change = np.where(some, np.clip(change, -_LONGEST, _LONGEST), 0.0)
        self.factors[number] = factor + change
        ratio: Floats = np.exp(change)
        return ratio


def _walk(places: Sequence[Place]) -> list[_Step]:
    """Return a walk over all cliques, with every edge once down and once up."""
    children: dict[int | None, list[int]] = {}
    for position, place in enumerate(places):
        children.setdefault(place.parent, []).append(position)
    steps: list[_Step] = []
    # A stack of steps to do, and whether each is the step back up.
    ahead = [(root, False) for root in reversed(children.get(None, []))]
    while ahead:
        position, is_back = ahead.pop()
        parent = places[position].parent
        if is_back:
            assert parent is not None
            steps.append(_Step(parent, position, position, is_first=False))
            continue
        steps.append(_Step(position, parent, position, is_first=True))
        if parent is not None:
            ahead.append((position, True))
        ahead += [(child, False) for child in reversed(children.get(position, []))]
    return steps
