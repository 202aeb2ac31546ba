"""What is looked up is what the encoder says: of every type, of every value at an edge."""

import subprocess
import sys
from pathlib import Path

import mixed_arrow
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from mixed_arrow import COLUMNS, ENCODERS
from unreadable import ARRAYS

from sdv_prefair import counting
from sdv_prefair.columns._grids import (
    DecimalCells,
    FineCells,
    MomentCells,
    MonthCells,
    NullCells,
    NumberCells,
)
from sdv_prefair.counting._arrow import encode_array
from sdv_prefair.counting._compiled import compiled, compiled_one, short_numbers
from sdv_prefair.transformers import CategoryCodes, DatetimeBins, NumberBins

NOT_LOOKED_UP = {'dictionary', 'price'}
GRIDS = {
    'numbers': NumberCells(np.array([-np.inf, -3.0, -0.0, 0.1, 1e9, np.inf])),
    'sizes': DecimalCells(np.array([-np.inf, 0.0, 5.0, np.inf]), None),
    'decimals': DecimalCells(np.array([-np.inf, -1.0, 0.0, 0.5, 5.0, np.inf]), 3),
    'fine': FineCells(0.0, 10.0, 100.0, 7.0, 143, (250.0,)),
    'plain': FineCells(0.0, 10.0, None, 0.01, 1000),
    'nulls': NullCells(),
}
TEMPORAL = {
    'months': MonthCells(600, 24, None, False),
    'moments': MomentCells(1_577_836_800, 3600, 9000, None, False),
    'days': DatetimeBins('2020-01-01', '2020-12-31', bins=7),
}


@given(mixed_arrow.rows(max_size=20))
def test_codes_are_those_of_the_encoder(rows):
    table = mixed_arrow.table(rows)
    for column, encoder in ENCODERS.items():
        array = table[column].combine_chunks()
        lookup = compiled_one(encoder, array.type)
        assert (lookup is None) == (column in NOT_LOOKED_UP)
        if lookup is not None:
            assert lookup.encode(array).tolist() == encode_array(encoder, array).tolist(), column


@pytest.mark.parametrize('name', GRIDS)
@pytest.mark.parametrize('column', ['digit', 'small', 'long', 'huge', 'real', 'short'])
def test_cells_of_numbers_are_those_of_the_grid(name, column):
    encoder, array = GRIDS[name], mixed_arrow.array(column, COLUMNS[column][2])
    lookup = compiled_one(encoder, array.type)
    assert lookup.encode(array).tolist() == encode_array(encoder, array).tolist()


@pytest.mark.parametrize('name', TEMPORAL)
@pytest.mark.parametrize('column', ['day', 'moment', 'precise'])
def test_cells_of_moments_are_those_of_the_grid(name, column):
    encoder, array = TEMPORAL[name], mixed_arrow.array(column, COLUMNS[column][2])
    lookup = compiled_one(encoder, array.type)
    assert lookup.encode(array).tolist() == encode_array(encoder, array).tolist()


def test_instants_are_looked_up_and_clocks_of_zones_are_not():
    stamps = mixed_arrow.array('moment', COLUMNS['moment'][2]).cast(pa.timestamp('us', 'UTC'))
    berlin = stamps.cast(pa.timestamp('us', 'Europe/Berlin'))
    instants = DatetimeBins('2020-01-01T00:00:00+00:00', '2026-01-01T00:00:00+00:00', bins=9)
    for array in (stamps, berlin):
        found = compiled_one(instants, array.type).encode(array)
        assert found.tolist() == encode_array(instants, array).tolist()
    assert compiled_one(DatetimeBins('2020-01-01', '2026-01-01'), berlin.type) is None


@pytest.mark.parametrize('values', [(True, False), (1, 0, 2.5), ('1', 1, True), (2**53 + 1, -1)])
@pytest.mark.parametrize('column', ['flag', 'digit', 'long', 'real', 'short', 'text'])
def test_values_of_every_kind_are_found_where_the_encoder_finds_them(values, column):
    encoder, array = CategoryCodes(values), mixed_arrow.array(column, COLUMNS[column][2])
    lookup = compiled_one(encoder, array.type)
    assert lookup.encode(array).tolist() == encode_array(encoder, array).tolist()


@pytest.mark.parametrize('name', ARRAYS)
def test_what_cannot_be_read_is_null_here_too(name):
    array = ARRAYS[name]
    for encoder in (CategoryCodes(['a']), DatetimeBins('2020-01-01', '2026-01-01'), NullCells()):
        try:
            expected = encode_array(encoder, array).tolist()
        except Exception:
            continue  # no column of this type has this encoder
        lookup = compiled_one(encoder, array.type)
        assert lookup is None or lookup.encode(array).tolist() == expected


def test_short_floats_are_in_order():
    line = short_numbers()
    places = np.array([0, 1, line.last // 2, line.last // 2 + 1, line.last], dtype=np.uint64)
    values = line.values(places).to_numpy()
    assert values[0] == -np.inf and values[-1] == np.inf and values[2] == 0 == values[3]
    assert (np.diff(values) >= 0).all() and np.isfinite(values[1])


def test_one_column_that_cannot_be_looked_up_is_enough():
    schema = pa.schema([('x', pa.int64()), ('y', pa.decimal128(9, 2))])
    bins = NumberBins(0, 9)
    assert compiled({'x': bins}, schema) is not None
    assert compiled({'x': bins, 'y': bins}, schema) is None


def test_lookups_and_kernel_need_numpy_and_arrow_only():
    """As on a worker: modules are loaded by their paths, and pandas and the package refused."""
    from sdv_prefair.counting._spark import _BY_VALUE

    script = (
        'import importlib.util, sys\n'
        "for name in ('pandas', 'sdv', 'rdt', 'scipy', 'sklearn'): sys.modules[name] = None\n"
        "sys.modules['sdv_prefair'] = type(sys)('sdv_prefair')\n"
        "for room in ('columns', 'counting'):\n"
        "    sys.modules[f'sdv_prefair.{room}'] = type(sys)(room)\n"
        f'for name in {_BY_VALUE}:\n'
        "    full, path = f'sdv_prefair.{name}', name.replace('.', '/')\n"
        "    spec = importlib.util.spec_from_file_location(full, f'{sys.argv[1]}/{path}.py')\n"
        '    sys.modules[full] = importlib.util.module_from_spec(spec)\n'
        '    spec.loader.exec_module(sys.modules[full])\n'
    )
    folder = str(Path(counting.__path__[0]).parent)
    subprocess.run([sys.executable, '-c', script, folder], check=True, timeout=60)
