"""Public grids of numbers.

About ``_bin_grids.py``.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.learning._bin_grids import ONE_LEVEL, even_levels, grid_of_numbers
from sdv_prefair.transformers import NumberBins

RANGES = {
    'whole': {'low': 0, 'high': 99_999, 'decimal_places': 0},
    'many': {'low': -7, 'high': 1_500_000, 'decimal_places': 0},
    'cents': {'low': -5.0, 'high': 1e7, 'decimal_places': 2},
    'real': {'low': -1.5, 'high': 300.25},
    'short': {'low': 0.0, 'high': 1.0},
    'long': {'low': 0, 'high': 2**64 - 1, 'decimal_places': 0},
}


@given(st.integers(1, 2**21))
def test_levels_are_nested_and_have_few_branches(num_cells):
    levels = even_levels(num_cells)
    assert np.array_equal(levels[-1], np.arange(num_cells))
    assert len(levels[0]) <= ONE_LEVEL
    for above, below in zip(levels, levels[1:], strict=False):
        assert np.isin(above, below).all()
        assert np.diff(np.searchsorted(below, above)).max(initial=0) <= 80


@pytest.mark.parametrize('name', RANGES)
def test_each_edge_is_the_first_value_of_its_cell(name):
    codes = NumberBins(**RANGES[name])
    grid = grid_of_numbers(codes, [0])
    size = len(grid.values)
    assert grid.cells.num_cells == size == len(grid.widths)
    drawn = np.random.default_rng(0).integers(0, size, 400)
    cells = np.unique(np.concatenate([drawn, np.arange(40), size - 1 - np.arange(40)]))
    cells = cells[grid.values[cells] > 0]
    edges = [grid.edge(int(cell)) for cell in cells]
    dtype = np.uint64 if name == 'long' else None
    found = grid.cells.encode(pd.Series(edges, dtype=dtype))
    near = 1 if name == 'real' else 0  # even cells of real numbers begin where floats say
    assert np.abs(found - cells).max() <= near


@pytest.mark.parametrize('name', RANGES)
def test_zero_the_ends_and_hints_have_cells_of_their_own(name):
    codes = NumberBins(**RANGES[name])
    low, high = RANGES[name]['low'], RANGES[name]['high']
    hint = {'real': 17.125, 'short': 0.3}.get(name, 777)
    grid = grid_of_numbers(codes, [hint])
    named = pd.Series([low, 0, hint, high], dtype=np.uint64 if name == 'long' else float)
    cells = grid.cells.encode(named)
    apart = [1, 2] if name == 'long' else [0, 1, 2, 3]  # floats have no such end
    assert (grid.values[cells[apart]] == 1).all()
    assert grid.spikes.tolist() == [cells[2]]


def test_values_outside_go_to_the_ends_and_nulls_to_a_cell_of_their_own():
    grid = grid_of_numbers(NumberBins(0, 99_999, decimal_places=0), [])
    codes = grid.cells.encode(pd.Series([-5.0, 1e9, np.nan]))
    assert codes.tolist() == [0, 99_999, 100_000]
