"""Answers with intervals, as lines of text."""

import argparse
from collections.abc import Iterator

import pandas as pd

from sdv_prefair.inference._estimates import FAIR_MODEL, MODEL, estimate_query
from sdv_prefair.inference._replication import Replicates
from sdv_prefair.synthesizer import PreFairSynthesizer
from sdv_prefair.synthesizer._arguments import check_seed, check_whole_number

_NOTES = {
    MODEL: 'model: no measured table answers this, so the interval is valid if the model is.',
}
_NOT_ABOUT_PEOPLE = (
    'NOT about the private table or its population: how outcomes depend on protected columns was',
    'left out on purpose. This is so in the fair table, and the interval is for that alone.',
)


def estimate_of(synthesizer: PreFairSynthesizer, options: argparse.Namespace) -> pd.DataFrame:
    """Return the answer to the query of a command."""
    check_whole_number('--replicates', options.replicates, 2)
    check_seed(options.seed)

    def drawn() -> Replicates:
        return synthesizer.replicates(options.replicates, options.seed, not options.quiet)

    return estimate_query(
        synthesizer.fitted,
        options.query,
        drawn,
        options.level,
        not options.private_table,
        options.in_the_fair_table,
    )


def estimate_lines(found: pd.DataFrame) -> Iterator[str]:
    """Yield the lines of an answer, and its basis unless that is a measured table."""
    if (found['basis'] == FAIR_MODEL).any():
        yield from _NOT_ABOUT_PEOPLE
    yield from as_text(found).splitlines()
    for basis, note in _NOTES.items():
        if (found['basis'] == basis).any():
            yield note


def as_text(found: pd.DataFrame) -> str:
    """Return an answer as a text table with all lines, numbers with four digits."""
    shown = found.rename(columns={'standard_error': 'std. error'})
    if not isinstance(found.index, pd.RangeIndex):  # a column may be called 'estimate'
        values = found.index.to_frame(index=False)
        shown = pd.concat([values, shown.reset_index(drop=True)], axis=1)
    return shown.to_string(index=False, float_format='{:.4g}'.format)
