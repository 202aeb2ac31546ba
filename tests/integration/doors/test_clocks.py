"""Instants are instants: the session in which a table is opened changes no count."""

import duckdb
import ibis
import pytest
from neighbours import Recording
from sdv.metadata import Metadata

from sdv_prefair.errors import PrivateDataError

pytestmark = pytest.mark.filterwarnings('ignore:seed is given', 'ignore:fetch_')
SQL = """SELECT TIMESTAMPTZ '2024-01-01 00:30:00+00:00' + to_hours(CAST(n AS INTEGER)) AS moment
FROM range(48) AS hours(n)"""
BOUNDS = {'range_min': '2024-01-01 00:00:00', 'range_max': '2024-01-03 00:00:00'}
WITH_OFFSET = {key: f'{value}+00:00' for key, value in BOUNDS.items()}


def opened(zone, way):
    if way == 'relation':
        connection = duckdb.connect()
        connection.execute(f"SET TimeZone = '{zone}'")
        return connection.sql(SQL)
    connection = ibis.duckdb.connect()
    connection.raw_sql(f"SET TimeZone = '{zone}'")
    return connection.sql(SQL)


def fitted(zone, way, bounds, stay=None):
    """Return the histogram of the moments."""
    columns = {'moment': {'sdtype': 'datetime', 'range_is_nullable': False} | bounds}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    synthesizer = Recording(
        metadata, structure='none', public_ranges=True, seed=1, discretization='uniform'
    )
    synthesizer.fit_table(opened(zone, way), stay)
    return synthesizer.recorded.project(('moment',)).tolist()


@pytest.mark.parametrize('way', ['relation', 'ibis'])
@pytest.mark.parametrize('zone', ['UTC', 'America/New_York'])
@pytest.mark.parametrize('bounds', [BOUNDS, {'range_min': BOUNDS['range_min']}])
def test_bounds_without_an_offset_are_refused(zone, way, bounds):
    with pytest.raises(PrivateDataError, match='name no offset'):
        fitted(zone, way, bounds)


def test_bounds_with_an_offset_count_alike_in_every_session():
    expected = fitted('UTC', 'relation', WITH_OFFSET)
    assert sum(expected) == 48
    for zone in ('America/New_York', 'Asia/Tokyo'):
        for way, stay in (('relation', None), ('ibis', None), ('ibis', True)):
            assert fitted(zone, way, WITH_OFFSET, stay) == expected
