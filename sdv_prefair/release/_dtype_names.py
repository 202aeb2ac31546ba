"""The dtypes a column of a release may have, by name."""

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from sdv_prefair.errors import ReleaseError
from sdv_prefair.release._timezones import read_zone, write_zone
from sdv_prefair.release._values import read_value, write_value

_WIDTHS = (8, 16, 32, 64)
_UNITS = ('s', 'ms', 'us', 'ns')
_ZONED = re.compile(r'datetime64\[(s|ms|us|ns), ([^\]]+)\]')
_ARROW_ZONED = re.compile(r'arrow timestamp\[(s|ms|us|ns), tz=([^\]]+)\]')
_ARROW_DECIMAL = re.compile(r'arrow decimal(128|256)\((\d{1,2}), (\d{1,2})\)')


def _numpy_names() -> Iterable[str]:
    yield from ('bool', 'object', 'float16', 'float32', 'float64')
    yield from (f'{kind}{width}' for kind in ('int', 'uint') for width in _WIDTHS)
    yield from (f'datetime64[{unit}]' for unit in _UNITS)


def _pandas_names() -> Iterable[str]:
    yield from ('boolean', 'Float32', 'Float64', 'string[python]', 'string[pyarrow]')
    yield from (f'{kind}{width}' for kind in ('Int', 'UInt') for width in _WIDTHS)


def _arrow_types() -> Iterable[pa.DataType]:
    yield from (pa.bool_(), pa.string(), pa.large_string(), pa.date32(), pa.date64())
    yield from (pa.float16(), pa.float32(), pa.float64())
    yield from (pa.int8(), pa.int16(), pa.int32(), pa.int64())
    yield from (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())
    yield from (pa.timestamp(unit) for unit in _UNITS)


_DTYPES: dict[str, Any] = {
    **{name: np.dtype(name) for name in _numpy_names()},
    **{name: pd.api.types.pandas_dtype(name) for name in _pandas_names()},
    **{f'arrow {kind}': pd.ArrowDtype(kind) for kind in _arrow_types()},
}
if hasattr(pd.StringDtype(), '_na_value'):  # from pandas 2.3 on
    for _storage in ('python', 'pyarrow'):
        _DTYPES[f'str[{_storage}]'] = pd.StringDtype(_storage, na_value=np.nan)


def write_dtype(dtype: Any) -> Any:
    """Return the name of a dtype; for a category, an object with the values it lists, if any.

    Args:
        dtype: A dtype that is public, see ``dtypes.public_dtype``; None if it is not known.

    Raises:
        ReleaseError: If a release cannot store it.
    """
    if dtype is None:
        return None
    if isinstance(dtype, pd.CategoricalDtype):
        listed = None if dtype.categories is None else write_value(dtype.categories.tolist())
        return _checked({'category': listed, 'ordered': bool(dtype.ordered)}, dtype)
    for name, known in _DTYPES.items():
        if type(known) is type(dtype) and known == dtype:
            return name
    return _checked(_name_with_parameters(dtype), dtype)


def _name_with_parameters(dtype: Any) -> str | None:
    if isinstance(dtype, pd.DatetimeTZDtype):
        return f'datetime64[{dtype.unit}, {write_zone(dtype.tz)}]'
    if isinstance(dtype, pd.ArrowDtype):
        return f'arrow {dtype.pyarrow_dtype}'
    return None


def _checked(written: Any, dtype: Any) -> Any:
    try:
        same = read_dtype(written) == dtype
    except ReleaseError:
        same = False
    if not same:
        raise ReleaseError(
            f'A column of dtype {str(dtype)!r} cannot be written into a release. Convert it to a '
            "common dtype before fit, as with astype('string'), or use save."
        )
    return written


def read_dtype(written: Any) -> Any:
    """Return the dtype that ``write_dtype`` wrote.

    Raises:
        ReleaseError: If it did not write it.
    """
    if written is None:
        return None
    if isinstance(written, dict) and set(written) == {'category', 'ordered'}:
        return _read_category(written)
    if isinstance(written, str) and written in _DTYPES:
        return _DTYPES[written]
    if isinstance(written, str) and (zoned := _ZONED.fullmatch(written)):
        unit: Any = zoned[1]
        return pd.DatetimeTZDtype(unit, read_zone(zoned[2]))
    if isinstance(written, str) and (zoned := _ARROW_ZONED.fullmatch(written)):
        read_zone(zoned[2])  # Arrow itself would accept any name
        return pd.ArrowDtype(pa.timestamp(zoned[1], tz=zoned[2]))
    if isinstance(written, str) and (decimal := _ARROW_DECIMAL.fullmatch(written)):
        return _read_arrow_decimal(*map(int, decimal.groups()))
    raise ReleaseError('The release names a dtype that is not known.')


def _read_category(written: dict[str, Any]) -> pd.CategoricalDtype:
    values = read_value(written['category'])
    if not isinstance(values, list | None) or not isinstance(written['ordered'], bool):
        raise ReleaseError('The release describes an invalid category.')
    try:
        return pd.CategoricalDtype(values, ordered=written['ordered'])
    except (TypeError, ValueError):
        raise ReleaseError('The release describes an invalid category.') from None


def _read_arrow_decimal(bits: int, precision: int, scale: int) -> pd.ArrowDtype:
    make = pa.decimal128 if bits == 128 else pa.decimal256
    try:
        return pd.ArrowDtype(make(precision, scale))
    except (pa.ArrowException, ValueError):
        raise ReleaseError('The release names a decimal dtype that does not exist.') from None
