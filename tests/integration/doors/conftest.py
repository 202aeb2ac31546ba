"""The census in files, and fits of it by ``fit``."""

import pyarrow.parquet as pq
import pytest
from census_doors import ARROW, CENSUS, new


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp('tables')
    (path / 'parts').mkdir()
    pq.write_table(ARROW, path / 'census.parquet')
    for part in range(3):
        pq.write_table(ARROW.slice(part * 1500, 1500), path / 'parts' / f'{part}.parquet')
    return path


@pytest.fixture(scope='module')
def fitted():
    synthesizer = new()
    synthesizer.fit(CENSUS.data)
    return synthesizer
