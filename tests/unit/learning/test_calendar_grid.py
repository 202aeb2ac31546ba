"""Public grids of moments.

About ``_bin_grids.py``.
"""

import numpy as np
import pandas as pd
import pytest

from sdv_prefair.learning._bin_grids import grid_of_moments
from sdv_prefair.transformers import DatetimeBins

RANGES = {
    'days': (('1990-01-15', '2030-06-30'), [486, 14_777]),
    'days of two centuries': (('1900-01-01', '2099-12-31'), [200, 2400, 73_049]),
    'few days': (('2020-02-01', '2020-12-31'), [335]),
    'seconds': (('2020-02-01 00:00:00', '2020-02-05 11:30:00', '%Y-%m-%d %H:%M:%S'), None),
    'seconds of years': (('2000-01-01 00:00:01', '2020-12-31 10:00:00'), None),
    'months': (('1900-01', '2000-12', '%Y-%m'), [101, 1212]),
    'years': (('1800', '2020', '%Y'), [221, 2641]),
    'instants': (('1990-01-01 00:00:00+00:00', '2010-01-01 00:00:00+00:00'), [241, 7306]),
}


@pytest.mark.parametrize('name', RANGES)
def test_levels_are_units_of_the_calendar_and_edges_begin_their_cells(name):
    ends, sizes = RANGES[name]
    codes = DatetimeBins(*ends)
    grid = grid_of_moments(codes, [])
    size = grid.cells.num_cells
    assert len(grid.values) == size
    assert sizes is None or [len(level) for level in grid.levels] == sizes
    assert np.array_equal(grid.levels[-1], np.arange(size))
    for above, below in zip(grid.levels, grid.levels[1:], strict=False):
        assert np.isin(above, below).all()
    cells = np.unique(np.random.default_rng(0).integers(0, size, 300))
    edges = pd.Series([grid.edge(int(cell)) for cell in cells])
    assert grid.cells.encode(edges).tolist() == cells.tolist()
    held = codes.line.last - codes.line.first + 1
    assert grid.values.sum() == held


def test_a_moment_that_the_user_names_has_a_cell():
    codes = DatetimeBins('01.01.1990', '31.12.2020', '%d.%m.%Y')
    grid = grid_of_moments(codes, ['24.12.1999'])
    assert [grid.edge(cell) for cell in grid.spikes] == [pd.Timestamp('1999-12-24')]


def test_months_of_instants_have_no_grid():
    """A database does not tell of which month an instant is, wherever it stands."""
    assert grid_of_moments(DatetimeBins('1900-01+0000', '2000-01+0000', '%Y-%m%z'), []) is None
