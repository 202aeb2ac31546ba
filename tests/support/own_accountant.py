"""An accountant that believes no sensitivity: what a neighbour truly loses in each ledger line.

Every draw of a fit is taped with the exact vector that noise was added to. A fit of a neighbouring
table is given the same noisy answers, so it asks the same questions of other exact vectors. From
the two vectors and the scale follows what the line costs for these two tables:

    Gaussian     |v - v'|^2 / (2 variance)
    exponential  (range of the log ratio over candidates)^2 / 8

Neighbours are searched for: the rows of one person are changed cell by cell, and what costs more
is kept.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from transcript import Transcript

from sdv_prefair.privacy import Ledger


@dataclass
class Line:
    """A debit, and the draws that it paid for: what was drawn, and from what."""

    debit: object
    draws: list


class Tape(Transcript):
    """A transcript with exact vectors, each under the ledger line that was entered before it."""

    def __init__(self):
        super().__init__()
        self.paid = []

    def record(self, fit, rows):
        """Fit, and return the lines."""
        return self._lines(self.recorded(), fit, rows)

    def replay(self, fit, rows):
        """Fit other rows with the same noisy answers, and return the lines."""
        return self._lines(self.replayed(), fit, rows)

    def _lines(self, on_tape, fit, rows):
        self.paid, enter = [], Ledger._enter

        def noted(ledger, debits):
            self.paid += [Line(debit, []) for debit in debits]
            enter(ledger, debits)

        with on_tape, pytest.MonkeyPatch.context() as replace:
            replace.setattr(Ledger, '_enter', noted)
            fit(rows)
        return self.paid

    def _drawing(self, real, of):
        draw = super()._drawing(real, of)

        def drawing(values, *scale):
            exact = np.array([Fraction(value) for value in np.ravel(values).tolist()])
            self.paid[-1].draws.append((real.__name__, exact, scale[:-1]))
            return draw(values, *scale)

        return drawing


def loss(line, other):
    """Return what a line costs for two tables, exactly, in zCDP."""
    assert len(line.draws) == len(other.draws)
    return sum(
        (_loss(*draw, exact) for draw, (_, exact, _) in zip(line.draws, other.draws, strict=True)),
        Fraction(0),
    )


def _loss(name, exact, scale, other):
    change = exact - other
    if name == 'exponential':
        epsilon, sensitivity = scale
        ratio = Fraction(epsilon) * (max(change) - min(change)) / (2 * Fraction(sensitivity))
        return ratio**2 / 8
    (variance,) = scale
    return sum(step**2 for step in change) / (2 * Fraction(variance))


def costs(lines, others):
    """Return how much of its debit each line that drew noise costs for these neighbours."""
    return [
        loss(line, other) / line.debit.rho
        for line, other in zip(lines, others, strict=True)
        if line.draws
    ]


def search(fit, rows, person, neighbour, cells, most=60, seed=0):
    """Climb to a costly neighbour: return each line's greatest cost, and the path's in all.

    Args:
        fit: Takes rows, all of whose randomness is noise.
        rows: The table.
        person: The cells of one person's rows to begin with, a list.
        neighbour: Returns the table with such a person.
        cells: For each of these cells, the values that it may have.
        most: How many neighbours to try.
        seed: For the order of the changes.
    """
    tape, rng = Tape(), np.random.default_rng(seed)
    lines = tape.record(fit, rows)
    worst, tried = [Fraction(0)] * sum(bool(line.draws) for line in lines), 0

    def cost_of(cells_of_person):
        nonlocal worst, tried
        tried += 1
        found = costs(lines, tape.replay(fit, neighbour(rows, cells_of_person)))
        worst = [max(pair) for pair in zip(worst, found, strict=True)]
        return sum(found)

    best = cost_of(person)
    while tried < most:
        place = rng.integers(len(person))
        changed = list(person)
        changed[place] = cells[place][rng.integers(len(cells[place]))]
        if changed != person and (cost := cost_of(changed)) >= best:
            person, best = changed, cost
        elif changed == person:
            tried += 1
    return dict(zip([line.debit for line in lines if line.draws], worst, strict=True))
