"""The unit of privacy: a person with a bounded number of rows."""

import pandas as pd


def bound_rows_per_person(
    table: pd.DataFrame, person_column: str | None, max_rows: int
) -> pd.DataFrame:
    """Return the table with at most ``max_rows`` rows of each person, the first ones.

    Privacy: which rows of a person stay depends on that person's rows alone, so adding or
    removing a person changes at most ``max_rows`` rows of the result. Rows without a person
    count as one person's.
    """
    if person_column is None:
        return table
    earlier_rows = table.groupby(person_column, sort=False, dropna=False).cumcount()
    return table[earlier_rows < max_rows]
