"""From what a release says of columns to transformers and SDV's processor, the way a fit goes."""

from typing import TYPE_CHECKING, Any

import pandas as pd

from sdv_prefair.errors import ReleaseError
from sdv_prefair.public_frame import public_frame
from sdv_prefair.release.columns_record import read_chosen, read_dtypes, read_learnt
from sdv_prefair.release.constraints_record import read_combinations
from sdv_prefair.release.fields import Fields
from sdv_prefair.transformers import CategoryCodes

if TYPE_CHECKING:
    from sdv_prefair.synthesizer import PreFairSynthesizer


def given_dtypes(synthesizer: 'PreFairSynthesizer') -> dict[str, Any]:
    """Return the dtypes of the table a synthesizer was fitted to, as far as they are public.

    SDV's processor knows those of the modelled table. Columns that constraints have replaced are
    restored from a few public rows, only to see their dtypes.
    """
    processor, plan = synthesizer._data_processor, synthesizer._plan
    dtypes = dict(processor._dtypes)
    if plan.chain:
        frame = pd.DataFrame({
            column: pd.Series(_any_value(transformer), dtype=dtypes[column])
            for column, transformer in synthesizer._encoding.transformers.items()
        })
        for link in reversed(plan.chain):
            frame = link.transformation.reverse_transform(frame)
        dtypes |= dict(frame.dtypes)
    original = plan.original_metadata.tables[synthesizer._table_name].columns
    return {column: dtypes[column] for column in original}


def _any_value(transformer: Any) -> Any:
    raise NotImplementedError


def rebuild_encoding(synthesizer: 'PreFairSynthesizer', fields: Fields) -> None:
    """Prepare transformers and processor of a synthesizer as its fit has left them."""
