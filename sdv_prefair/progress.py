"""Progress bars of a fit, in SDV's manner."""

from collections.abc import Iterable

import tqdm

_STEPS = 4


class Progress:
    """One bar over the steps after counting, and one over the chunks that are counted.

    Args:
        verbose: Whether to show anything.
    """

    def __init__(self, verbose: bool):
        self._verbose = verbose
        self._bar = None

    def counting(self, chunks: Iterable) -> Iterable:
        """Wrap the chunks of rows with a bar."""
        return tqdm.tqdm(chunks, desc='Counting', unit='chunk', disable=not self._verbose)

    def step(self, name: str) -> None:
        """Say which step begins."""
        if self._bar is None:
            self._bar = tqdm.tqdm(total=_STEPS, unit='step', disable=not self._verbose)
        else:
            self._bar.update()
        self._bar.set_description(name)

    def close(self) -> None:
        """Finish the bar."""
        if self._bar is not None:
            self._bar.update()
            self._bar.set_description('Fitted')
            self._bar.close()
