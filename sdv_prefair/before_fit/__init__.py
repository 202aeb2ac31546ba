"""Checks before any budget is spent.

``check_table`` reads the private rows and says what a fit would do to them: for their owner
only, and not private. ``plan_fit`` needs no rows, and says how much noise there will be.
"""

from sdv_prefair.before_fit._column_check import Remark, TableCheck
from sdv_prefair.before_fit._fit_plan import FitPlan, plan_fit, rehearse
from sdv_prefair.before_fit._table_check import check_table, hints, look_first, look_first_at

__all__ = [
    'FitPlan',
    'Remark',
    'TableCheck',
    'check_table',
    'hints',
    'look_first',
    'look_first_at',
    'plan_fit',
    'rehearse',
]
