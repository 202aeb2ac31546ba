"""Imports mbi only when something needs it.

mbi imports JAX, which takes seconds and hundreds of megabytes that the direct solver does
without. Nothing in this package may import either at the top of a file.
"""

from __future__ import annotations

import warnings
from contextlib import AbstractContextManager
from types import ModuleType


def load_mbi() -> ModuleType:
    """Return the mbi package, imported without its warnings about JAX's settings.

    mbi warns, on import, about single precision (``double_precision`` sees to it) and about
    JAX's compilation cache (which does nothing unless the user names a directory).
    """
    with warnings.catch_warnings():
        warnings.filterwarnings('ignore', message='JAX', category=UserWarning)
        import mbi
    package: ModuleType = mbi
    return package


def double_precision() -> AbstractContextManager[object]:
    """Return a context in which JAX computes in float64.

    Single precision rounds counts above 2^24 and stalls at a higher loss. JAX's own switch is
    global to the process; this context holds for the calling thread until it is left, so the
    user's other JAX programs keep their precision.
    """
    import jax

    context: AbstractContextManager[object] = jax.enable_x64(True)
    return context
