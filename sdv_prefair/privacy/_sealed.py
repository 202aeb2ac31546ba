"""Objects that answer from private counts without exposing them.

The counts are not in an attribute but in the closures of the functions that answer. So no
ordinary expression leads to them: not ``getattr``, ``vars`` or ``dir``, not a name that Python
mangles, not a subclass, a copy, a pickle, ``repr`` or iteration.

That prevents mistakes and carelessness. It does not prevent deliberate attacks, because Python has
no isolation inside a process: ``__closure__`` of a function, the frames of a traceback,
``gc.get_referrers``, a debugger, or a function of this package that is replaced at run time all
lead to the counts. Anyone who runs a third-party strategy must trust its author this far.
"""

from typing import NoReturn


class Sealed:
    """An object that cannot be copied, saved or listed; see the module for the limits."""

    __slots__ = ()

    def _refuse(self, *_: object) -> NoReturn:
        name = type(self).__name__
        raise TypeError(f'A {name} holds exact counts: it cannot be copied, saved or listed.')

    __reduce__ = __reduce_ex__ = __getstate__ = __copy__ = __deepcopy__ = __len__ = _refuse
    __iter__ = __getitem__ = __contains__ = _refuse
