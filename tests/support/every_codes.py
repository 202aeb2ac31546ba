"""Codes of every kind of column and every dtype it may be stored as."""

import pandas as pd
import pyarrow as pa

from sdv_prefair.transformers import CategoryCodes, DatetimeBins, NumberBins

FAR = 2**53
WHOLE = ('int8', 'int64', 'uint64', 'Int64', 'int64[pyarrow]')
REAL = ('float64', 'float32', 'Float32', 'double[pyarrow]', 'float[pyarrow]', 'object')
TEMPORAL = ('datetime64[ns]', 'datetime64[s]', 'datetime64[ns, Europe/Paris]', 'object')
MINUTES = '%d.%m.%Y %H:%M'

COLUMNS = {
    **{f'number {d}': NumberBins(0, 100, decimal_places=0, nullable=d == 'Int64', dtype=d)
       for d in WHOLE},
    **{f'far {d}': NumberBins(0, 4 * FAR, decimal_places=0, nullable=d == 'Int64', dtype=d)
       for d in WHOLE[1:]},
    **{f'tenths {d}': NumberBins(0, 30, decimal_places=1, dtype=d) for d in REAL},
    **{f'fine {d}': NumberBins(0, 1e6, decimal_places=2, bins=9, dtype=d) for d in REAL},
    **{f'real {d}': NumberBins(-5.0, 5.0, bins=7, dtype=d) for d in REAL},
    'money': NumberBins(0, 50, bins=9, dtype=pd.ArrowDtype(pa.decimal128(9, 2))),
    'no dtype': NumberBins(0, 500, decimal_places=0),
    **{f'moment {d}': DatetimeBins('2021-03-01', '2021-11-30', '%Y-%m-%d', dtype=d)
       for d in TEMPORAL},
    **{f'minute {d}': DatetimeBins('28.03.2021 00:00', '31.10.2021 23:59', MINUTES, dtype=d)
       for d in TEMPORAL},
    'instants': DatetimeBins(
        '2021-03-01T00:00:00+0000', '2021-11-30T00:00:00+0000', '%Y-%m-%dT%H:%M:%S%z',
        dtype='datetime64[ns, Europe/Paris]'),
    'digits': DatetimeBins('20210301', '20211130', '%Y%m%d', dtype='int64'),
    'words': CategoryCodes(['1', 'True', 'b', ''], dtype='object'),
    'kinds': CategoryCodes([1, True, '1', 0.5], dtype='object'),
    'flags': CategoryCodes([False, True], other=False, dtype='bool'),
    'flags as numbers': CategoryCodes([False, True], other=False, dtype='int8'),
    'far rungs': CategoryCodes([1, FAR, FAR + 1, FAR + 2], dtype='int64'),
    'tenths rungs': CategoryCodes([0.1, 0.2, 0.3], dtype='float32'),
    'category': CategoryCodes(['a', 'b'], dtype='category'),
}  # fmt: skip
