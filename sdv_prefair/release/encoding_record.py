"""From what a release says of columns to transformers and SDV's processor, the way a fit goes."""

from typing import TYPE_CHECKING, Any

import pandas as pd

from sdv_prefair.constraints.plan import ConstraintPlan
from sdv_prefair.domain import single_table
from sdv_prefair.encoding.public_frame import public_frame
from sdv_prefair.errors import ReleaseError
from sdv_prefair.release.columns_record import read_chosen, read_dtypes, read_learnt
from sdv_prefair.release.constraints_record import read_combinations
from sdv_prefair.release.fields import Fields

if TYPE_CHECKING:
    from sdv_prefair.synthesizer import PreFairSynthesizer


def given_dtypes(synthesizer: 'PreFairSynthesizer') -> dict[str, Any]:
    """Return the dtypes of the table a synthesizer was fitted to, as far as they are public.

    Transformers were made for them; of other columns SDV's processor knows them. Columns that
    constraints have replaced are restored from one row of codes, only to see their dtypes.
    """
    plan, transformers = synthesizer._plan, synthesizer._encoding.transformers
    dtypes = dict(synthesizer._data_processor._dtypes)
    dtypes |= {column: transformers[column].dtype for column in synthesizer._unchosen_domains()}
    dtypes |= plan.consumed_dtypes(transformers)
    return {column: dtypes[column] for column in single_table(plan.original_metadata).columns}


def rebuild_encoding(synthesizer: 'PreFairSynthesizer', fields: Fields) -> None:
    """Prepare transformers and processor of a synthesizer as its fit has left them.

    Args:
        synthesizer: Made with its arguments and constraints, but not fitted.
        fields: The release.
    """
    given = read_dtypes(fields.raw('columns'))
    if list(given) != list(single_table(synthesizer._plan.original_metadata).columns):
        raise ReleaseError('The columns of the release are not those of its metadata.')
    dtypes = pd.Series(given, dtype=object)
    synthesizer._fit_constraints(dtypes)
    plan = synthesizer._plan
    synthesizer._chosen_transformers = read_chosen(fields.raw('chosen'), synthesizer._domains)
    learnt, edges = read_learnt(fields.raw('learnt'), synthesizer._unchosen_domains())
    learnt |= read_combinations(fields.raw('constraints'), plan)
    synthesizer._prepare_encoding(
        plan.settle(learnt),
        plan.edges(synthesizer.numeric_bins) | edges,
        _modelled_dtypes(plan, dtypes),
    )


def _modelled_dtypes(plan: ConstraintPlan, dtypes: pd.Series) -> pd.Series:
    if not plan.chain:
        return dtypes
    public = public_frame(plan.original_domains, dtypes, plan.original_metadata)
    modelled = plan.transform(public).dtypes
    kept = [c for c in modelled.index if c in dtypes.index and c not in plan.consumed]
    return pd.Series(dict(modelled) | {c: dtypes[c] for c in kept}, dtype=object)
