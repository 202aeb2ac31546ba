"""Arguments of a constructor that stay as they were given.

A fit uses the arguments of the constructor. An attribute that could be set later would show one
value while the fit uses another, so each is set once, and lists are copied on the way in and on
the way out: no caller holds a reference to what a fit uses.
"""

import copy
import inspect
from collections.abc import (
    ItemsView,
    KeysView,
    MutableMapping,
    MutableSequence,
    MutableSet,
    ValuesView,
)
from typing import Any, TypeVar

import networkx as nx
import numpy as np

Made = TypeVar('Made', bound=type)

# SDV replaces it when constraints are added, and warns itself when it is edited.
_NOT_KEPT = ('self', 'metadata')


class Argument:
    """An attribute that is set once, by the constructor.

    It lives in the instance's own dictionary, where SDV, pickle and ``copy`` look for it.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        if self._name not in vars(instance):
            raise AttributeError(f'{type(instance).__name__!r} object has no {self._name!r} yet')
        return copied(vars(instance)[self._name])

    def __set__(self, instance: Any, value: Any) -> None:
        if self._name in vars(instance):
            self._refuse(instance)
        vars(instance)[self._name] = copied(value)

    def __delete__(self, instance: Any) -> None:
        self._refuse(instance)

    def _refuse(self, instance: Any) -> None:
        raise AttributeError(
            f'{self._name} cannot be changed after construction. Construct a new '
            f'{type(instance).__name__} with the {self._name} that you want.'
        )


def keep_arguments(cls: Made) -> Made:
    """Make the arguments of a class's constructor attributes that cannot be changed."""
    for name in inspect.signature(cls.__init__).parameters:  # type: ignore[misc]
        if name not in _NOT_KEPT and not isinstance(getattr(cls, name, None), Argument):
            argument = Argument()
            argument.__set_name__(cls, name)
            setattr(cls, name, argument)
    return cls


def copied(value: Any) -> Any:
    """Return a value that shares no list, set, dictionary, array or graph with the one given.

    Strategies and other objects come back as they are: a copy of them would not be equal.
    """
    if type(value) is dict:
        return {key: copied(item) for key, item in value.items()}
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(copied(item) for item in value)
    if isinstance(value, KeysView | ValuesView | ItemsView):  # of a dictionary that may change
        return list(value)
    if isinstance(value, nx.Graph):
        return value.copy()
    if isinstance(value, np.ndarray | MutableSequence | MutableSet | MutableMapping):
        return copy.copy(value)
    return value
