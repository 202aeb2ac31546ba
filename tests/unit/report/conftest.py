"""A small census, fits of it, and reports on these."""

import pytest
from census_report import make, report

from sdv_prefair.datasets import simulate_census
from sdv_prefair.datasets._dataset import Dataset, public_metadata


@pytest.fixture(scope='module')
def census():
    full = simulate_census(2000, seed=1)
    columns = ['sex', 'race', 'education', 'occupation', 'hours', 'income', 'age', 'email']
    metadata = full.metadata.to_dict()['tables']['census']
    table = full.data['census'][columns]
    described = {name: metadata['columns'][name] for name in columns}
    return Dataset({'census': table}, public_metadata('census', described), full.roles)


@pytest.fixture(scope='module')
def fitted(census):
    return make(census, structure='adaptive')


@pytest.fixture(scope='module')
def page(fitted, tmp_path_factory):
    return report(fitted, tmp_path_factory.mktemp('report'))


@pytest.fixture(scope='module')
def inside(fitted, census, tmp_path_factory):
    """The copy with numbers computed on the real table, beside plain MST."""
    folder = tmp_path_factory.mktemp('inside')
    return report(fitted, folder, census.data, show_real_numbers=True, compare_with_mst=True)
