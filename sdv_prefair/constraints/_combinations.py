"""Combinations of values that may occur together, given as public knowledge."""

from collections.abc import Sequence
from typing import Any

from sdv.cag import FixedCombinations
from sdv.errors import SynthesizerInputError

from sdv_prefair.errors import shown


class PublicCombinations(FixedCombinations):
    """SDV's FixedCombinations with a list of the combinations, instead of those in the data.

    SDV's constraint allows what occurs in the rows. Under differential privacy that has to be
    paid for, and rare combinations cannot be learnt at all. If the combinations are public
    (a city lies in its country), list them, and it costs nothing.

    Args:
        column_names: Names of two or more columns.
        combinations: The combinations, each with one value for every column; None for null.
        table_name: Name of the table; needed only with several tables.
    """

    def __init__(
        self,
        column_names: list[str],
        combinations: Sequence[Sequence[Any]],
        table_name: str | None = None,
    ):
        super().__init__(column_names, table_name)
        self.combinations = [_as_combination(row, column_names) for row in combinations]
        if not self.combinations:
            raise SynthesizerInputError('combinations must list one combination or more.')


def _as_combination(row: Sequence[Any], column_names: list[str]) -> list[Any]:
    if isinstance(row, str) or not hasattr(row, '__len__') or len(row) != len(column_names):
        raise SynthesizerInputError(
            f'combinations lists {shown(row)}, which is not one value for each of {column_names}. '
            'Write as many values as there are columns, None for null.'
        )
    return list(row)
