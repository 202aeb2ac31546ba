"""Answers with intervals, as lines of text."""

import argparse
from collections.abc import Iterator

import pandas as pd

from sdv_prefair.inference.estimates import FAIR_MODEL, MODEL, estimate_query
from sdv_prefair.inference.replication import Replicates
from sdv_prefair.synthesizer import PreFairSynthesizer
from sdv_prefair.synthesizer.arguments import check_seed, check_whole_number

_NOTES = {
    MODEL: 'model: no measured table tells, so the interval holds if the model does.',
    FAIR_MODEL: 'fair model: what ties protected to outcome columns past admissible ones was left '
    'out on purpose, and the interval says nothing of it.',
}


def estimate_lines(synthesizer: PreFairSynthesizer, options: argparse.Namespace) -> Iterator[str]:
    """Give the lines of an answer, and what they rest on where that is no measured table."""
    check_whole_number('--replicates', options.replicates, 2)
    check_seed(options.seed)

    def drawn() -> Replicates:
        return synthesizer.replicates(options.replicates, options.seed, not options.quiet)

    found = estimate_query(
        synthesizer.fitted, options.query, drawn, options.level, not options.private_table
    )
    yield from as_text(found).splitlines()
    for basis, note in _NOTES.items():
        if (found['basis'] == basis).any():
            yield note


def as_text(found: pd.DataFrame) -> str:
    """Return an answer as a table of text: all lines, numbers with four digits."""
    named = found if isinstance(found.index, pd.RangeIndex) else found.reset_index()
    shown = named.rename(columns={'standard_error': 'std. error'})
    return shown.to_string(index=False, float_format='{:.4g}'.format)
