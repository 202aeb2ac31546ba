"""The unit of privacy: a person with a bounded number of rows."""

import pandas as pd

from sdv_prefair.dtypes import without_odd_objects


def bound_rows_per_person(
    table: pd.DataFrame, person_column: str | None, max_rows: int
) -> pd.DataFrame:
    """Return the table with at most ``max_rows`` rows of each person, the first ones.

    Privacy: which rows of a person stay depends on that person's rows alone, so adding or
    removing a person changes at most ``max_rows`` rows of the result. Rows without a person,
    or with one that cannot be compared with others, count as one person's.
    """
    if person_column is None:
        return table
    person = table[person_column]
    try:
        earlier_rows = _earlier_rows(person)
    except Exception:  # whatever objects in the rows raise
        earlier_rows = _earlier_rows(without_odd_objects(person))
    return table[earlier_rows < max_rows]


def _earlier_rows(person: pd.Series) -> pd.Series:
    return person.groupby(person, sort=False, dropna=False).cumcount()
