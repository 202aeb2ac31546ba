"""From exact counts to noisy measurements: one file for each mechanism."""

from sdv_prefair.selection._catalogue import DEFAULT_STRUCTURE

__all__ = ['DEFAULT_STRUCTURE']
