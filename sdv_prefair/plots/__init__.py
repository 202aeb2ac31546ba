"""Figures of a fitted model and of its privacy ledger."""

from sdv_prefair.plots.figures import ROLE_MARKERS, plot_fair_graph, plot_ledger

__all__ = ['ROLE_MARKERS', 'plot_fair_graph', 'plot_ledger']
