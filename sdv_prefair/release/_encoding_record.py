"""Rebuilds transformers and SDV's processor from the columns of a release, as in a fit."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from sdv_prefair.columns import single_table
from sdv_prefair.columns._processor import public_frame
from sdv_prefair.constraints._plan import ConstraintPlan
from sdv_prefair.errors import ReleaseError
from sdv_prefair.fitting._fitted import Fitted, Prepared
from sdv_prefair.fitting._pipeline import make_encoders
from sdv_prefair.fitting._settings import Settings
from sdv_prefair.privacy import Debit
from sdv_prefair.release._columns_record import (
    read_chosen,
    read_dtypes,
    read_learnt,
    read_shapes,
)
from sdv_prefair.release._constraints_record import read_combinations
from sdv_prefair.release._fields import Fields


def given_dtypes(fitted: Fitted) -> dict[str, Any]:
    """Return the dtypes of the fitted table, as far as they are public.

    Transformers have those of modelled columns, SDV's processor has the others. Columns that
    constraints have replaced are restored from one row of codes, only to determine their dtypes.
    """
    plan, transformers = fitted.plan, fitted.encoding.transformers
    dtypes = dict(fitted.prepared.processor._dtypes)
    dtypes |= {column: transformers[column].dtype for column in fitted.settings.unchosen}
    dtypes |= plan.consumed_dtypes(transformers)
    return {column: dtypes[column] for column in single_table(plan.original_metadata).columns}


def rebuild_encoders(settings: Settings, fields: Fields, learning: Sequence[Debit]) -> Prepared:
    """Construct transformers and processor as they are after a fit.

    Args:
        settings: The settings of an unfitted synthesizer with its arguments and constraints.
        fields: The release.
        learning: The ledger lines of learning domains.
    """
    given = read_dtypes(fields.raw('columns'))
    if list(given) != list(single_table(settings.plan.original_metadata).columns):
        raise ReleaseError('The columns of the release are not those of its metadata.')
    dtypes = pd.Series(given, dtype=object)
    settings = settings.for_table(dtypes)
    plan = settings.plan
    settings = replace(settings, chosen=read_chosen(fields.raw('chosen'), plan.domains))
    learnt = read_learnt(fields.raw('learnt'), settings.unchosen)
    learnt |= read_combinations(fields.raw('constraints'), plan)
    shapes = read_shapes(fields.raw('shapes'), settings.unchosen)
    edges = plan.edges(settings.numeric_bins) | shapes
    modelled = _modelled_dtypes(plan, dtypes)
    return make_encoders(settings, plan.settle(learnt), edges, modelled, learning)


def _modelled_dtypes(plan: ConstraintPlan, dtypes: pd.Series) -> pd.Series:
    if not plan.chain:
        return dtypes
    public = public_frame(plan.original_domains, dtypes, plan.original_metadata)
    modelled = plan.transform(public).dtypes
    kept = [c for c in modelled.index if c in dtypes.index and c not in plan.consumed]
    return pd.Series(dict(modelled) | {c: dtypes[c] for c in kept}, dtype=object)
