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
    text = _as_text(thing)
    if text is not None:
        yield path, text
        return
    for name, part in _parts(thing):
        yield from leaves(part, f'{path}{name}', seen)


def _as_text(thing) -> object | None:
    """Return what an object without parts is compared by."""
    if isinstance(thing, np.ndarray) and thing.dtype != object:
        return thing.tobytes()
    if isinstance(thing, np.random.Generator):
        return str(thing.bit_generator.state)
    if isinstance(thing, np.random.RandomState):
        return str(thing.get_state())
    if isinstance(thing, random.Random):
        return str(thing.getstate())
    return None if _parts(thing) else _ADDRESS.sub('', repr(thing))


def _parts(thing) -> list[tuple[str, object]]:
    """Return what an object is made of, each part with its name."""
    if isinstance(thing, pd.Series | pd.Index):
        return [('.values', list(thing)), ('.dtype', thing.dtype)]
    if isinstance(thing, pd.DataFrame):
        return [(f'[{column}]', thing[column]) for column in thing]
    if isinstance(thing, dict):
        return [('.keys', str(list(thing)))] + [(f'[{k}]', v) for k, v in thing.items()]
    if isinstance(thing, set | frozenset):
        thing = sorted(thing, key=str)
    if isinstance(thing, list | tuple | np.ndarray):
        return [('.len', len(thing))] + [(f'[{i}]', v) for i, v in enumerate(thing)]
    return _attributes(thing)


def _attributes(thing) -> list[tuple[str, object]]:
    slots = [n for c in type(thing).__mro__ for n in getattr(c, '__slots__', ())]
    state = dict(getattr(thing, '__dict__', None) or {})
    state |= {name: getattr(thing, name) for name in slots if hasattr(thing, name)}
    return [(f'.{name}', value) for name, value in state.items()]


def differing_paths(first, second) -> set[str]:
    """Return the paths at which two objects hold different leaves."""
    one, two = dict(leaves(first)), dict(leaves(second))
    unequal = {path for path in one.keys() & two.keys() if not _same(one[path], two[path])}
    return unequal | (one.keys() ^ two.keys())


def _same(first, second) -> bool:
    return first is second or first == second or (first != first and second != second)
