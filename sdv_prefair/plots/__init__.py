"""Figures of a fitted model, of its privacy ledger and of estimates."""

from sdv_prefair.plots._charts import plot_estimate, plot_ledger
from sdv_prefair.plots._fair_graph import ROLE_MARKERS, plot_fair_graph
from sdv_prefair.plots._style import BLUE, GREEN, GREY, LIGHT_GREY, ORANGE, PURPLE, SKY, VERMILION

__all__ = [
    'BLUE',
    'GREEN',
    'GREY',
    'LIGHT_GREY',
    'ORANGE',
    'PURPLE',
    'ROLE_MARKERS',
    'SKY',
    'VERMILION',
    'plot_estimate',
    'plot_fair_graph',
    'plot_ledger',
]
