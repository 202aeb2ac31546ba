"""Spark Connect: a client that has no JVM, and a server that counts."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from spark_cluster import NoClusterError, connect_server

pytest.importorskip('pyspark', reason='pyspark is not installed')
pytest.importorskip('grpc', reason="Spark Connect needs grpcio: pip install 'pyspark[connect]'")
pytest.importorskip(
    'grpc_status', reason="Spark Connect needs grpcio-status: pip install 'pyspark[connect]'"
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which('java') is None, reason='Spark needs Java'),
]
CLIENT = Path(__file__).parents[1] / 'support' / 'connect_client.py'


def test_the_model_of_a_table_over_spark_connect_is_that_of_fit(tmp_path):
    try:
        with connect_server(tmp_path) as address:
            client = [sys.executable, str(CLIENT), address]
            answer = subprocess.run(client, capture_output=True, text=True, timeout=500)
    except NoClusterError as error:
        pytest.skip(f'no server of Spark Connect came up on this machine: {error}')
    assert answer.returncode == 0, answer.stderr[-3000:]
