"""Checks before any budget is spent.

``check_table`` reads the private rows and says what a fit would do to them: for their owner
only, and not private. ``plan_fit`` needs no rows, and says how much noise there will be.
"""

from sdv_prefair.before_fit._findings import Remark, TableCheck
from sdv_prefair.before_fit._first_look import look_first, look_first_at
from sdv_prefair.before_fit._fit_plan import FitPlan, plan_fit
from sdv_prefair.before_fit._hints import hints
from sdv_prefair.before_fit._rehearsal import rehearse
from sdv_prefair.before_fit._table_check import check_table

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
