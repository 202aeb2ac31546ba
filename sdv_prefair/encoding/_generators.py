"""Generators for columns of sdtype ``unknown`` whose dtype holds neither text nor plain numbers.

SDV generates strings or digits for every such column. A column of booleans or timestamps cannot
hold them, so sampling would fail or lose the dtype; these generators make values of the dtype.
"""

import datetime
from typing import Any

import pandas as pd
from rdt.transformers import AnonymizedFaker
from sdv.data_processing.data_processor import DataProcessor

from sdv_prefair.values._timestamps import is_temporal, zone_of

_FIRST_DAY, _LAST_DAY = datetime.date(1970, 1, 1), datetime.date(2020, 1, 1)


def generators_of_unknown(
    processor: DataProcessor, frame: pd.DataFrame
) -> dict[str, AnonymizedFaker]:
    """Return a generator for each ``unknown`` column that SDV's own generators do not suit.

    Args:
        processor: SDV's processor; only its metadata is read.
        frame: A frame with the columns' dtypes.
    """
    unknown = [c for c, sdtype in processor.get_sdtypes().items() if sdtype == 'unknown']
    made = {column: _generator(frame[column].dtype) for column in unknown}
    return {column: generator for column, generator in made.items() if generator is not None}


def _generator(dtype: Any) -> AnonymizedFaker | None:
    if pd.api.types.is_bool_dtype(dtype):
        return AnonymizedFaker(provider_name='misc', function_name='boolean')
    if is_temporal(dtype):
        zone = None if zone_of(dtype) is None else datetime.UTC
        return AnonymizedFaker(
            provider_name='date_time',
            function_name='date_time_between',
            function_kwargs={'start_date': _FIRST_DAY, 'end_date': _LAST_DAY, 'tzinfo': zone},
        )
    return None
