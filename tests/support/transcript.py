"""The noisy answers of a fit, written down, and given again to a fit of another table.

Two things are written down in order. Draws are what noise was added to, by shape alone, and what
came out; a second fit gets the same out, whatever its counts are. Questions are what a
``PrivateTable`` or ``PrivateValues`` was asked, with every number in them; a second fit must ask
the same. So a step that looks at counts in any other way asks, or answers, something else.
"""

import warnings
from contextlib import contextmanager

import numpy as np
import pytest
from walk import leaves

from sdv_prefair.privacy import PrivateTable, PrivateValues
from sdv_prefair.privacy import _answers as answers
from sdv_prefair.privacy import _private_table as private_values

_QUESTIONS = (
    *((PrivateTable, name) for name in ('measure', 'measure_codes', 'measure_groups')),
    *((PrivateTable, name) for name in ('choose', 'score', 'regroup')),
    (PrivateValues, 'frequent'),
)


def _of_gaussian(values, variance, entropy):
    return values.shape, variance


def _of_exponential(scores, epsilon, sensitivity, entropy):
    return len(scores), epsilon, sensitivity


_DRAWS = (
    (answers, 'gaussian', _of_gaussian),
    (answers, 'rounded_gaussian', _of_gaussian),
    (answers, 'exponential', _of_exponential),
    (private_values, 'gaussian', _of_gaussian),
    (private_values, 'rounded_gaussian', _of_gaussian),
)


class Transcript:
    """What was asked and drawn, in order."""

    def __init__(self):
        self.lines, self._place = [], None

    def draw(self, name, public, make):
        """Return what the line says that was drawn; without a line, draw and write it down."""
        if self._place is None:
            self.lines.append((name, public, make()))
            return self.lines[-1][2]
        return self._next(name, public)

    def ask(self, name, question):
        """Write down what is asked, or compare it with the line."""
        asked = list(leaves(question))
        if self._place is None:
            self.lines.append((name, asked, None))
        else:
            self._next(name, asked)

    def _next(self, name, asked):
        assert self._place < len(self.lines), f'{name} is asked beyond the end'
        line = self.lines[self._place]
        assert (name, asked) == line[:2], f'line {self._place} was another question'
        self._place += 1
        return line[2].copy() if isinstance(line[2], np.ndarray) else line[2]

    @contextmanager
    def recorded(self):
        """Write down what is asked and drawn inside."""
        with self._in_place():
            yield self

    @contextmanager
    def replayed(self):
        """Answer from the lines inside; all of them are used up."""
        self._place = 0
        with self._in_place():
            yield self
        assert self._place == len(self.lines), 'less was asked'

    @contextmanager
    def _in_place(self):
        with pytest.MonkeyPatch.context() as replace:
            for module, name, of in _DRAWS:
                replace.setattr(module, name, self._drawing(getattr(module, name), of))
            for kind, name in _QUESTIONS:
                replace.setattr(kind, name, self._asking(getattr(kind, name), name))
            yield

    def _drawing(self, real, of):
        def drawing(*given):
            return self.draw(real.__name__, of(*given), lambda: real(*given))

        return drawing

    def _asking(self, real, name):
        def asking(table, *question, **named):
            self.ask(name, [question, named])
            return real(table, *question, **named)

        return asking


def fitted_with_warnings(make, fit):
    """Return a synthesizer, and the warnings that its fit gave."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        synthesizer = make()
        fit(synthesizer)
    return synthesizer, [(warning.category, str(warning.message)) for warning in caught]
