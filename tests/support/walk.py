"""Every leaf reachable from an object, by path: for comparing what two fits hold."""

import random
import re
import types
from collections.abc import Iterator

import numpy as np
import pandas as pd

_ADDRESS = re.compile(r' at 0x[0-9a-f]+')
_ATOMS = (str, bytes, int, float, complex, bool, type(None), type, types.FunctionType)


def leaves(thing, path='', seen=None) -> Iterator[tuple[str, object]]:
    """Yield (path, comparable value) of everything reachable from ``thing``."""
    seen = {} if seen is None else seen
    if isinstance(thing, _ATOMS) or id(thing) in seen:
        yield path, thing if isinstance(thing, _ATOMS) else '<seen>'
        return
    seen[id(thing)] = thing  # kept alive, so that no later object gets its id
    if isinstance(thing, np.ndarray) and thing.dtype != object:
        yield path, thing.tobytes()
    elif isinstance(thing, np.random.Generator):
        yield path, str(thing.bit_generator.state)
    elif isinstance(thing, np.random.RandomState | random.Random):
        yield path, str(thing.get_state() if hasattr(thing, 'get_state') else thing.getstate())
    elif isinstance(thing, pd.Series | pd.Index):
        yield from leaves(list(thing), f'{path}.values', seen)
        yield f'{path}.dtype', str(thing.dtype)
    elif isinstance(thing, pd.DataFrame):
        for column in thing:
            yield from leaves(thing[column], f'{path}[{column}]', seen)
    elif isinstance(thing, dict):
        yield f'{path}.keys', str(list(thing))
        for key, value in thing.items():
            yield from leaves(value, f'{path}[{key}]', seen)
    elif isinstance(thing, list | tuple | set | frozenset | np.ndarray):
        items = sorted(thing, key=str) if isinstance(thing, set | frozenset) else list(thing)
        yield f'{path}.len', len(items)
        for position, value in enumerate(items):
            yield from leaves(value, f'{path}[{position}]', seen)
    else:
        yield from _object_leaves(thing, path, seen)


def _object_leaves(thing, path, seen):
    state = getattr(thing, '__dict__', None)
    slots = [n for c in type(thing).__mro__ for n in getattr(c, '__slots__', ())]
    state = dict(state or {}) | {n: getattr(thing, n) for n in slots if hasattr(thing, n)}
    if not state:
        yield path, _ADDRESS.sub('', repr(thing))
    for name, value in state.items():
        yield from leaves(value, f'{path}.{name}', seen)


def differing_paths(first, second) -> set[str]:
    """Return the paths at which two objects hold different leaves."""
    one, two = dict(leaves(first)), dict(leaves(second))
    unequal = {path for path in one.keys() & two.keys() if not _same(one[path], two[path])}
    return unequal | (one.keys() ^ two.keys())


def _same(first, second) -> bool:
    return first is second or first == second or (first != first and second != second)
