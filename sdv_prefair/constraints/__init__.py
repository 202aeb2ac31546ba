"""SDV's constraints, enforced without learning from rows and without losing fairness.

==================================  =====================================  =====================
SDV's constraint                    columns that are modelled instead      what enforces it
==================================  =====================================  =====================
``Inequality``, ``Range``           ``low.fillna``, ``low#high``           `RisingColumns`
``FixedCombinations``               ``a#b``                                `JointColumn`
``FixedIncrements``                 ``column#increment``                   `Multiples`
``OneHotEncoding``                  ``a#b#c``                              `WhichColumn`
``ProgrammableConstraint``          its own, if it is ``row_wise``         `ProgrammedColumns`
any of them, if columns are gone    none: rows are rejected                `Rule`
==================================  =====================================  =====================

`PublicCombinations` is ``FixedCombinations`` with a list of the allowed combinations.
"""

from sdv_prefair.constraints._joint import PublicCombinations

__all__ = ['PublicCombinations']
