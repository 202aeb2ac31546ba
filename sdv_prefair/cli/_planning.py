"""The command ``plan``: how much noise a fit will have, before any row is read."""

import argparse
import warnings

from sdv_prefair.before_fit import FitPlan
from sdv_prefair.cli._fitting import check_promise, promised
from sdv_prefair.cli._options import metadata_and_roles
from sdv_prefair.privacy import risk
from sdv_prefair.synthesizer import PreFairSynthesizer


def plan_of(options: argparse.Namespace) -> FitPlan:
    """Return the plan of a fit with these options."""
    metadata, roles = metadata_and_roles(options)
    check_promise('plan', options, roles)
    with warnings.catch_warnings():
        # Nothing is released, so no warning about ranges; a fit will give it.
        warnings.simplefilter('ignore')
        synthesizer = PreFairSynthesizer(
            metadata,
            epsilon=risk(guess=options.max_guess) if options.max_guess else min(options.epsilon),
            delta=options.delta,
            structure=options.structure,
            budget=options.budget,
            numeric_bins=options.numeric_bins,
            discretization=options.discretization,
            public_ranges=not options.learn_ranges,
            max_rows_per_person=options.max_rows_per_person,
            **promised(roles),
        )
    several = options.epsilon if len(options.epsilon) > 1 and not options.max_guess else None
    return synthesizer.plan(options.rows, several)
