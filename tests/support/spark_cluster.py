"""A Spark cluster on this machine: a standalone master and workers of one core, each killable."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path


class NoClusterError(Exception):
    """No master came up."""


@dataclass
class Cluster:
    """A cluster that runs.

    Attributes:
        address: Of its master.
        processes: The master, and the workers after it.
    """

    address: str
    processes: list[subprocess.Popen] = field(default_factory=list)

    def kill_worker(self, number: int) -> None:
        """Kill a worker and all that it has started."""
        os.killpg(self.processes[1 + number].pid, signal.SIGKILL)


@contextlib.contextmanager
def cluster(
    folder: Path,
    memory: str = '1g',
    python: str = sys.executable,
    environment: Mapping[str, str] | None = None,
) -> Generator[Cluster]:
    """Yield a cluster of two workers.

    Args:
        folder: Where the workers keep their files.
        memory: What a worker may give to executors.
        python: What workers run.
        environment: Of the processes, beside that of this one.
    """
    port = free_port()
    given = {**os.environ, **(environment or {}), 'PYSPARK_PYTHON': python}
    found = Cluster(f'spark://127.0.0.1:{port}')
    try:
        found.processes.append(
            started('master.Master', given, '--port', f'{port}', '--webui-port', '0')
        )
        await_port(port)
        for number in range(2):
            options = ['--cores', '1', '--memory', memory, '--webui-port', '0']
            options += ['-d', str(folder / f'worker{number}'), found.address]
            found.processes.append(started('worker.Worker', given, *options))
        yield found
    finally:
        for process in found.processes:
            end(process)


def started(role: str, environment: Mapping[str, str], *arguments: str) -> subprocess.Popen:
    """Start a master or worker."""
    return launched(
        environment, f'org.apache.spark.deploy.{role}', '--host', '127.0.0.1', *arguments
    )


def launched(environment: Mapping[str, str], *command: str) -> subprocess.Popen:
    """Start a process of Spark's, at the head of a group of its own."""
    import pyspark

    launcher = Path(pyspark.__file__).parent / 'bin' / 'spark-class'
    return subprocess.Popen(
        [launcher, *command],
        env={**environment, 'SPARK_NO_DAEMONIZE': '1'},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


@contextlib.contextmanager
def connect_server(folder: Path) -> Generator[str]:
    """Yield the address of a server of Spark Connect."""
    port = free_port()
    options = {
        'spark.connect.grpc.binding.address': '127.0.0.1',
        'spark.connect.grpc.binding.port': port,
        'spark.ui.enabled': 'false',
        'spark.sql.warehouse.dir': folder,
        'spark.sql.artifact.isolation.enabled': 'true',
    }
    written = [part for name, value in options.items() for part in ('--conf', f'{name}={value}')]
    server = launched(
        {**os.environ, 'PYSPARK_PYTHON': sys.executable},
        *('org.apache.spark.deploy.SparkSubmit', '--master', 'local[2]', *written),
        *('--class', 'org.apache.spark.sql.connect.service.SparkConnectServer', 'spark-internal'),
    )
    try:
        await_port(port, seconds=180)
        yield f'sc://127.0.0.1:{port}'
    finally:
        end(server)


def end(process: subprocess.Popen) -> None:
    """Kill a process and its group, if it still runs."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as found:
        found.bind(('127.0.0.1', 0))
        return found.getsockname()[1]


def await_port(port: int, seconds: int = 60) -> None:
    """Return once somebody listens on a port."""
    for _ in range(2 * seconds):
        try:
            socket.create_connection(('127.0.0.1', port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.5)
    raise NoClusterError(f'nobody listens on port {port} after {seconds} s')
