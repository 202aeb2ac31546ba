"""Everything that ordinary expressions lead to from an object: attributes, items, slots.

What Python cannot hide is left out: closures, globals, frames and the garbage collector.
"""

import numbers
import types
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

_NOT_ORDINARY = {'__closure__', '__globals__', '__builtins__', '__subclasses__', 'f_back'}
_ATOMS = (
    *(str, bytes, numbers.Number, np.generic, np.dtype, type(None)),
    *(types.ModuleType, types.CodeType),
)
# Each has methods that are made when they are asked for, and so on without end.
_METHODS = (
    types.BuiltinMethodType,
    types.MethodType,
    types.MethodWrapperType,
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.GetSetDescriptorType,
)
_OURS = 'sdv_prefair'


def reachable(start: object, most: int = 100_000) -> Iterator[object]:
    """Yield whatever can be reached, each object once."""
    waiting, seen = [start], {}
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen[id(thing)] = thing  # kept alive, so that no later object gets its id
        assert len(seen) < most, 'the walk has left for the standard library'
        yield thing
        waiting += _next(thing)


def _next(thing: object) -> Iterable[object]:
    if isinstance(thing, _ATOMS) or (isinstance(thing, type) and not _is_ours(thing)):
        return []
    if isinstance(thing, np.ndarray):
        return [thing.base] + (thing.ravel().tolist() if thing.dtype == object else [])
    if isinstance(thing, _METHODS):
        return [getattr(thing, '__self__', None), getattr(thing, '__func__', None)]
    return [*_items(thing), *_attributes(thing)]


def _is_ours(kind: type) -> bool:
    return kind.__module__.startswith((_OURS, 'test_'))


def _items(thing: object) -> list[object]:
    if isinstance(thing, Mapping):
        return [*thing.keys(), *thing.values()]
    if isinstance(thing, list | tuple | set | frozenset):
        return list(thing)
    return []


def _attributes(thing: object) -> list[object]:
    names = set(dir(thing)) | set(getattr(thing, '__dict__', ())) | _mangled(thing)
    return [getattr(thing, name, None) for name in sorted(names - _NOT_ORDINARY)]


def _mangled(thing: object) -> set[str]:
    words = ('counts', 'exact', 'scores', 'table', 'answers', 'values', 'entropy')
    return {
        f'_{kind.__name__.strip("_")}__{word}' for kind in type(thing).__mro__ for word in words
    }
