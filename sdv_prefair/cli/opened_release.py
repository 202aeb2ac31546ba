"""Releases as the command line knows them: files that ``fit`` wrote, and the rows of one.

The command ``sample`` draws all rows or those that meet conditions.
"""

import contextlib
import io
import warnings
from collections.abc import Generator
from pathlib import Path

import pandas as pd
from sdv.sampling import Condition

from sdv_prefair.cli.where import read_conditions
from sdv_prefair.errors import ReleaseError
from sdv_prefair.release import load_release
from sdv_prefair.sdv_versions import by_name
from sdv_prefair.synthesizer import PreFairSynthesizer
from sdv_prefair.synthesizer.conditional_sampling import askable_columns


def open_file(path: Path) -> PreFairSynthesizer:
    """Return what a release holds; what is wrong with it is said with its path."""
    if not path.exists():
        raise FileNotFoundError(f"There is no file '{path}'. Give a release that fit wrote.")
    try:
        return load_release(path)
    except ReleaseError as error:
        in_our_words = str(error).replace(
            'a file that save_release wrote', 'a release that fit wrote'
        )
        raise ReleaseError(f"'{path}': {in_our_words}") from error


@contextlib.contextmanager
def without_bars() -> Generator[None, None, None]:
    """Hide progress bars, which SDV draws whether asked to or not; warnings come afterwards."""
    with (
        warnings.catch_warnings(record=True) as caught,
        contextlib.redirect_stderr(io.StringIO()),
    ):
        warnings.simplefilter('always')
        yield
    for one in caught:
        warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)


def draw_rows(
    synthesizer: PreFairSynthesizer, num_rows: int, where: list[str], independent_rows: bool = False
) -> pd.DataFrame:
    """Return synthetic rows.

    Args:
        synthesizer: Opened from a release.
        num_rows: How many.
        where: Conditions, as ``COLUMN=VALUE``. Rows that meet them are always independent.
        independent_rows: Whether every row is drawn by itself.
    """
    (described,) = synthesizer.get_metadata().tables.values()
    asked = read_conditions(where, described.columns, askable_columns(synthesizer.fitted))
    try:
        if asked:
            sampled = synthesizer.sample_from_conditions([Condition(asked, num_rows)])
        else:
            sampled = synthesizer.sample(num_rows, independent_rows=independent_rows)
    except Exception as error:
        if not _is_out_of_memory(error):
            raise
        raise ValueError(
            f'--rows {num_rows} are more than fit in memory. Ask for fewer rows.'
        ) from None
    name = synthesizer.fitted.settings.table_name
    table: pd.DataFrame = by_name(sampled, name)[name]
    return table


def _is_out_of_memory(error: BaseException | None) -> bool:
    """Whether an error goes back to memory: SDV wraps it in others, or fails to."""
    while error is not None:
        if isinstance(error, MemoryError):
            return True
        error = error.__cause__ or error.__context__
    return False
