"""Where random bits for noise come from: the operating system, or a seed for experiments."""

import os
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sdv_prefair._arrays import Integers


class Entropy(Protocol):
    """A source of independent uniform bits."""

    def read(self, num_bytes: int) -> bytes:
        """Return this many fresh random bytes."""


class SystemEntropy:
    """The operating system's cryptographic generator.

    Bytes are never kept for later: a buffer would be shared by forked processes, and two fits
    with the same noise cancel it.
    """

    is_private = True

    def read(self, num_bytes: int) -> bytes:
        """Return this many fresh random bytes."""
        return os.urandom(num_bytes)


class SeededEntropy:
    """Reproducible bits, for experiments and tests. Anyone with the seed can undo the noise."""

    is_private = False

    def __init__(self, seed: int | tuple[int, ...]):
        self._generator = np.random.Generator(np.random.PCG64DXSM(seed))

    def read(self, num_bytes: int) -> bytes:
        """Return the next bytes of the seed's stream."""
        return self._generator.bytes(num_bytes)


def words(entropy: Entropy, count: int) -> NDArray[np.uint64]:
    """Return ``count`` uniform 64-bit words."""
    return np.frombuffer(entropy.read(8 * count), dtype=np.uint64)


def integer_below(entropy: Entropy, bound: int) -> int:
    """Return an exactly uniform integer in [0, bound)."""
    bits = (bound - 1).bit_length()
    num_bytes = (bits + 7) // 8
    while True:
        value = int.from_bytes(entropy.read(num_bytes), 'little') >> (8 * num_bytes - bits)
        if value < bound:
            return value


def integers_below(entropy: Entropy, bound: int, count: int) -> Integers:
    """Return ``count`` exactly uniform integers in [0, bound), for bound up to 2^63."""
    # Words in the last, incomplete run of `bound` values would favour the small remainders.
    accepted_below = (1 << 64) - (1 << 64) % bound
    drawn = words(entropy, count).copy()
    while accepted_below < 1 << 64 and (again := np.flatnonzero(drawn >= accepted_below)).size:
        drawn[again] = words(entropy, again.size)
    return (drawn % np.uint64(bound)).astype(np.int64)
