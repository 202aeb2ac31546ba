"""Exact counts of declared cliques: the last touch of rows."""

from sdv_prefair.counts.kernel import Accumulator, Clique, Counts, check_cells
from sdv_prefair.counts.memory import count_codes

__all__ = ['Accumulator', 'Clique', 'Counts', 'check_cells', 'count_codes']
