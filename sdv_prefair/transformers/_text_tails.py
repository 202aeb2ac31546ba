"""Strings too rare to be learnt: grouped by public prefixes, generated from a public form.

A column whose values had to be learnt has codes for frequent ones. All others share a code, or, if
the prefix of a string determines its public group, one for each group with many rows. Such a code
is decoded as a random string of the column's form that differs from the frequent ones and depends
on nothing but the code. If it is encoded again, it gets the same code.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair.domain._value_groups import prefix_of, tail_label
from sdv_prefair.transformers._categories import UNKNOWN, CategoryCodes
from sdv_prefair.values._faker_forms import FakerForm
from sdv_prefair.values._shown_text import looks_of, seen
from sdv_prefair.values._text_forms import TextForm

# How often a string with another code is sampled again before the fallback is used.
_TRIES = 30


class TailedCodes(CategoryCodes):
    """Frequent values, and groups of rare strings.

    A group without a form is decoded as its prefix and an asterisk, and so is one whose prefix no
    string of the form has; a column of category dtype lists its values, so no strings are generated
    for it.

    Args:
        values: The frequent values.
        nullable: As in ``CategoryCodes``.
        dtype: As in ``CategoryCodes``.
        other_value: The replacement of all strings in none of the groups, if they have a code.
        shared: As in ``CategoryCodes``.
        tails: The prefixes of the groups, all of the same length.
        form: The generator of strings, if known.
        missing: As in ``CategoryCodes``.
    """

    def __init__(
        self,
        values: Sequence[Any],
        nullable: bool = True,
        dtype: Any = None,
        other_value: Any = None,
        shared: bool = False,
        tails: Sequence[str] = (),
        form: TextForm | FakerForm | None = None,
        missing: Sequence[str] = (),
    ):
        self.tails, self.form = tuple(tails), form
        self._length = len(self.tails[0]) if self.tails else 0
        first = len(values)
        self._code_of_tail = {tail: first + place for place, tail in enumerate(self.tails)}
        super().__init__(
            (*values, *map(tail_label, self.tails)),
            nullable,
            dtype=dtype,
            other_value=other_value,
            shared=shared,
            missing=missing,
        )
        self._looks = set().union(*map(looks_of, self.shown))

    @property
    def heads(self) -> tuple[Any, ...]:
        """The frequent values."""
        return self.values[: len(self.values) - len(self.tails)]

    def _find_objects(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found, nulls = super()._find_objects(values)
        return self._with_tails(found, values), nulls

    def _find_arrow_texts(self, column: pd.Series) -> tuple[np.ndarray, np.ndarray]:
        found, nulls = super()._find_arrow_texts(column)
        return self._with_tails(found, column.astype(object).to_numpy()), nulls

    def _with_tails(self, found: np.ndarray, values: np.ndarray) -> np.ndarray:
        if not self.tails:
            return found
        found = found.copy()
        for place in np.flatnonzero(found == UNKNOWN):
            beginning = prefix_of(values[place], self._length)
            if beginning is not None:
                found[place] = self._code_of_tail.get(beginning, UNKNOWN)
        return found

    def _write(self, codes: np.ndarray, generator: np.random.Generator) -> tuple[Any, np.ndarray]:
        written, nulls = super()._write(codes, generator)
        made_up = codes >= len(self.heads)
        if not self.shows_other:
            made_up &= codes < len(self.values)
        if self.form is None or isinstance(self._dtype, pd.CategoricalDtype) or not made_up.any():
            return written, nulls
        texts = np.asarray(written, dtype=object).copy()
        places = np.flatnonzero(made_up)
        texts[places] = self._make_up(codes[places], texts[places], generator)
        return texts, nulls

    def _make_up(
        self, codes: np.ndarray, labels: np.ndarray, generator: np.random.Generator
    ) -> np.ndarray:
        """Return a string for each code; its label if no string found determines the code."""
        made, left = labels.copy(), np.arange(len(codes))
        beginnings = dict(zip(self._code_of_tail.values(), self._code_of_tail, strict=True))
        for _ in range(_TRIES):
            drawn = np.empty(left.size, dtype=object)
            drawn[:] = self._draw([beginnings.get(code, '') for code in codes[left]], generator)
            own = self._is_told(drawn, codes[left])
            made[left[own]] = drawn[own]
            left = left[~own]
            if not left.size:
                break
        return made

    def _draw(self, beginnings: list[str], generator: np.random.Generator) -> list[str]:
        form = self.form
        texts = form.draw(len(beginnings), generator) if form else beginnings
        return [start + text[len(start) :] for start, text in zip(beginnings, texts, strict=True)]

    def _is_told(self, texts: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Return which strings have the form, look like no other and determine their codes."""
        form = self.form
        fits = [
            bool(text) and text not in self._looks and set(seen(text)) == {text}
            and (form is None or form.allows(text))
            for text in texts
        ]  # fmt: skip
        return np.array(fits, dtype=bool) & (self.encode(pd.Series(texts, dtype=object)) == codes)
