"""Faker's own values, made quicker: the weights of its lists are added up once, not for each value.

Most of the time that Faker takes for a name, and so for an e-mail address, goes into the list of a
thousand names: it is copied, and its weights are added up, for every single value. While values
are made here, what was added up is kept. Everything else is Faker's: with the same seed the same
values come out, in the same order, and as unique as before.
"""

import itertools
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from faker.providers import BaseProvider
from rdt.transformers import AnonymizedFaker, BaseTransformer

# Lists of more than this many are made for single values, and not met again.
_MOST_LISTS = 512
_PATCHED = 'random_elements'


class _KeptLists:
    """Weighted lists with their weights added up."""

    def __init__(self) -> None:
        # With each list itself, so that no other gets its place in memory.
        self._known: dict[int, tuple[Any, tuple[Any, ...], list[float]]] = {}

    def get(self, elements: 'OrderedDict[Any, float]') -> tuple[tuple[Any, ...], list[float]]:
        """Return the elements of a list, and their weights up to each of them."""
        known = self._known.get(id(elements))
        if known is None:
            weights = list(itertools.accumulate(elements.values()))
            known = (elements, tuple(elements), weights)
            if len(self._known) < _MOST_LISTS:
                self._known[id(elements)] = known
        return known[1:]


def _chooser(provider: BaseProvider, lists: _KeptLists) -> Callable[..., Sequence[Any]]:
    """Return what chooses elements as the provider does."""
    choose = provider.random_elements

    def choose_quickly(
        elements: Any = ('a', 'b', 'c'),
        length: int | None = None,
        unique: bool = False,
        use_weighting: bool | None = None,
    ) -> Sequence[Any]:
        is_weighted = provider.__use_weighting__ if use_weighting is None else use_weighting
        if length is None or unique or not is_weighted or not isinstance(elements, OrderedDict):
            return choose(elements, length, unique, use_weighting)
        values, weights = lists.get(elements)
        chosen: list[Any] = provider.generator.random.choices(values, cum_weights=weights, k=length)
        return chosen

    return choose_quickly


@contextmanager
def _quick(provider: BaseProvider, lists: _KeptLists) -> Generator[None, None, None]:
    # In the instance, which nobody else uses, and only for as long as values are made: a pickle
    # of the transformer holds none of it.
    setattr(provider, _PATCHED, _chooser(provider, lists))
    try:
        yield
    finally:
        delattr(provider, _PATCHED)


@contextmanager
def quick_fakers(transformers: Iterable[BaseTransformer | None]) -> Generator[None, None, None]:
    """Let Faker make the same values in less time, inside a ``with``.

    Args:
        transformers: Generators that are about to be asked; others than Faker's stay as they are.
    """
    lists = _KeptLists()
    fakers = [t for t in transformers if isinstance(t, AnonymizedFaker)]
    providers = {
        id(provider): provider
        for transformer in fakers
        for factory in transformer.faker.factories
        for provider in factory.get_providers()
        if type(provider).random_elements is BaseProvider.random_elements
    }
    with ExitStack() as stack:
        for provider in providers.values():
            stack.enter_context(_quick(provider, lists))
        yield
