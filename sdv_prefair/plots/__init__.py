"""Figures of a fitted model, of its privacy ledger and of estimates."""

from sdv_prefair.plots.error_bars import plot_estimate
from sdv_prefair.plots.fair_graph import ROLE_MARKERS, plot_fair_graph
from sdv_prefair.plots.figures import plot_ledger

__all__ = ['ROLE_MARKERS', 'plot_estimate', 'plot_fair_graph', 'plot_ledger']
