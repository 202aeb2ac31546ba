"""Releases on the command line: files that ``fit`` wrote, and rows sampled from one.

The command ``sample`` returns any rows, or rows that meet conditions.
"""

import argparse
import contextlib
import io
import warnings
from collections.abc import Generator, Iterator
from pathlib import Path

import pandas as pd
from sdv.sampling import Condition

from sdv_prefair._sdv_versions import by_name
from sdv_prefair.cli._formulas import escape_formulas
from sdv_prefair.cli._where import read_conditions
from sdv_prefair.errors import ReleaseError
from sdv_prefair.release import load_release
from sdv_prefair.synthesizer import PreFairSynthesizer
from sdv_prefair.synthesizer._conditional_sampling import askable_columns
from sdv_prefair.synthesizer._written_rows import ROWS_AT_A_TIME, drawn_parts


def open_file(path: Path) -> PreFairSynthesizer:
    """Return the contents of a release; errors name its path."""
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
    """Hide the progress bars that SDV always shows; warnings come afterwards."""
    with (
        warnings.catch_warnings(record=True) as caught,
        contextlib.redirect_stderr(io.StringIO()),
    ):
        warnings.simplefilter('always')
        yield
    for one in caught:
        warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)


def draw_parts(
    synthesizer: PreFairSynthesizer, options: argparse.Namespace
) -> Iterator[pd.DataFrame]:
    """Yield synthetic rows in chunks that surely fit in memory.

    Args:
        synthesizer: Opened from a release.
        options: Of the command. Rows that meet conditions are always independent.
    """
    (described,) = synthesizer.get_metadata().tables.values()
    asked = read_conditions(options.where, described.columns, askable_columns(synthesizer.fitted))
    name = synthesizer.fitted.settings.table_name

    def draw(num_rows: int) -> pd.DataFrame:
        if asked:
            sampled = synthesizer.sample_from_conditions([Condition(asked, num_rows)])
        else:
            sampled = synthesizer.sample(num_rows, independent_rows=options.independent_rows)
        table: pd.DataFrame = by_name(sampled, name)[name]
        return escape_formulas(table) if options.escape_formulas else table

    synthesizer.fitted.prepared.processor.check_room(options.rows, ROWS_AT_A_TIME)
    return drawn_parts(draw, options.rows, ROWS_AT_A_TIME, not options.quiet)
