"""The progress bar of a fit, in SDV's manner."""

from collections.abc import Iterable
from typing import TypeVar

import tqdm

Chunk = TypeVar('Chunk')

_STEPS = 4
# No time and no rate: both depend on the number of rows, which is private.
_FORMAT = '{desc}{percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt}'


class Progress:
    """One bar over the steps after counting.

    Privacy: what is shown depends on nothing but the names of the steps.

    Args:
        verbose: Whether the bar is shown.
    """

    def __init__(self, verbose: bool):
        self._verbose = verbose
        self._bar: tqdm.tqdm | None = None
        self._begun = 0

    def counting(self, chunks: Iterable[Chunk]) -> Iterable[Chunk]:
        """Show that rows are being counted, but no progress: that would be private and unpaid."""
        self._show('Counting')
        return chunks

    def step(self, name: str) -> None:
        """Show which step begins."""
        if self._begun and self._bar is not None:
            self._bar.update()
        self._begun += 1
        self._show(name)

    def close(self) -> None:
        """Close the bar."""
        if self._bar is not None:
            self._bar.update()
            self._bar.set_description('Fitted')
            self._bar.close()

    def _show(self, name: str) -> None:
        if self._bar is None:
            # Shown at every change, so that not even the number of lines depends on the time.
            every = {'mininterval': 0, 'miniters': 1}
            self._bar = tqdm.tqdm(
                desc=name, total=_STEPS, bar_format=_FORMAT, disable=not self._verbose, **every
            )
        else:
            self._bar.set_description(name)
