"""The same values as Faker's, faster: the weights of its lists are summed once, not per value.

Faker spends most of the time for a name, and so for an e-mail address, on its list of a thousand
names: it copies the list and sums its weights for every single value. Here the sums are kept while
values are generated. Everything else is Faker's: the same seed gives the same values, in the same
order, with the same uniqueness.
"""

import itertools
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from faker.providers import BaseProvider
from rdt.transformers import AnonymizedFaker, BaseTransformer

# If there are more lists than this, they are made for single values and do not come again.
_MOST_LISTS = 512
_PATCHED = 'random_elements'


class _KeptLists:
    """Weighted lists with cumulative weights."""

    def __init__(self) -> None:
        # Holds each list itself too, so that no other list can reuse its address in memory.
        self._known: dict[int, tuple[Any, tuple[Any, ...], list[float]]] = {}

    def get(self, elements: 'OrderedDict[Any, float]') -> tuple[tuple[Any, ...], list[float]]:
        """Return the elements of a list and their cumulative weights."""
        known = self._known.get(id(elements))
        if known is None:
            weights = list(itertools.accumulate(elements.values()))
            known = (elements, tuple(elements), weights)
            if len(self._known) < _MOST_LISTS:
                self._known[id(elements)] = known
        return known[1:]


def _chooser(provider: BaseProvider, lists: _KeptLists) -> Callable[..., Sequence[Any]]:
    """Return a function that chooses elements as the provider does."""
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
    # Patches only this instance, which nobody else uses, and only while values are generated: a
    # pickle of the transformer does not contain it.
    setattr(provider, _PATCHED, _chooser(provider, lists))
    try:
        yield
    finally:
        delattr(provider, _PATCHED)


@contextmanager
def quick_fakers(transformers: Iterable[BaseTransformer | None]) -> Generator[None, None, None]:
    """Make Faker generate the same values in less time, inside a ``with``.

    Args:
        transformers: Generators about to be used; those that do not use Faker stay unchanged.
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
