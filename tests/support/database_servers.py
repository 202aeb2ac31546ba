"""Real database servers on loopback, each in a folder of its own that goes with it."""

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

SECONDS_TO_START = 60
USER = 'prefair'


class NoServerError(Exception):
    """Says why a server cannot be had here."""


@dataclass(frozen=True)
class Server:
    """A server that runs.

    Attributes:
        port: Where it listens, on loopback.
        pid: Its process.
    """

    port: int
    pid: int


@contextlib.contextmanager
def postgres():
    """Run PostgreSQL until the end of the context.

    Raises:
        NoServerError: If it is not installed, or does not start.
    """
    programs = _folder_of(
        'initdb', *sorted(Path('/usr/lib/postgresql').glob('*/bin'), reverse=True)
    )
    with _folder('postgres') as (folder, account):
        data = folder / 'data'
        options = ['--auth=trust', f'--username={USER}', '--encoding=UTF8', '--locale=C.UTF-8']
        _run([programs / 'initdb', f'--pgdata={data}', '--no-sync', *options], account)
        port = _free_port()
        settings = {
            'port': port,
            'listen_addresses': '127.0.0.1',
            'unix_socket_directories': folder,
            'fsync': 'off',
        }
        arguments = [f'--{name.replace("_", "-")}={value}' for name, value in settings.items()]
        with _running([programs / 'postgres', '-D', data, *arguments], account, folder) as process:
            # The port is open a moment before the server takes anybody in.
            asked = [programs / 'pg_isready', '--quiet', '--host=127.0.0.1', f'--port={port}']
            _await(lambda: subprocess.run(asked, check=False).returncode == 0, process, folder)
            yield Server(port, process.pid)


@contextlib.contextmanager
def mariadb():
    """Run MariaDB until the end of the context; see ``postgres``."""
    install = _folder_of('mariadb-install-db', '/usr/bin') / 'mariadb-install-db'
    program = _folder_of('mariadbd', '/usr/sbin') / 'mariadbd'
    with _folder('mysql') as (folder, account):
        data = folder / 'data'
        options = ['--no-defaults', f'--datadir={data}']
        _run([install, *options, '--auth-root-authentication-method=normal'], account)
        port = _free_port()
        start = [program, *options, f'--port={port}', '--bind-address=127.0.0.1']
        start += [f'--socket={folder / "socket"}', f'--pid-file={folder / "pid"}']
        start += ['--innodb-flush-log-at-trx-commit=0', '--innodb-buffer-pool-size=64M']
        with _running(start, account, folder) as process:
            _await(lambda: _answers(port), process, folder)
            yield Server(port, process.pid)


def _folder_of(program, *places):
    """Return the folder in which a program is."""
    for place in (*places, *os.environ.get('PATH', '').split(os.pathsep)):
        if (Path(place) / program).is_file():
            return Path(place)
    raise NoServerError(f'{program} is not installed')


@contextlib.contextmanager
def _folder(account):
    """Make a folder for a server, and name the account it runs under: servers refuse root's."""
    is_root = os.geteuid() == 0
    folder = Path(tempfile.mkdtemp(prefix='prefair-server-'))
    try:
        if is_root:
            try:
                known = pwd.getpwnam(account)
            except KeyError:
                raise NoServerError(f'there is no user {account} to run it') from None
            os.chown(folder, known.pw_uid, known.pw_gid)
        yield folder, {'user': account, 'group': known.pw_gid} if is_root else {}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(command, account):
    done = subprocess.run(command, cwd='/', capture_output=True, text=True, check=False, **account)
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        raise NoServerError(f'{Path(command[0]).name} failed: {"".join(last)}')


@contextlib.contextmanager
def _running(command, account, folder):
    with (
        open(folder / 'log', 'w') as log,
        subprocess.Popen(command, cwd='/', stdout=log, stderr=log, **account) as process,
    ):
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:  # a client has not closed its connection
                process.kill()


def _await(is_ready, process, folder):
    end = time.monotonic() + SECONDS_TO_START
    while not is_ready():
        if process.poll() is not None or time.monotonic() > end:
            last = (folder / 'log').read_text(errors='replace').strip().splitlines()[-1:]
            raise NoServerError(f'it did not start: {"".join(last)}')
        time.sleep(0.05)


def _answers(port):
    with contextlib.suppress(OSError), socket.create_connection(('127.0.0.1', port), timeout=1):
        return True
    return False


def _free_port():
    with socket.socket() as chosen:
        chosen.bind(('127.0.0.1', 0))
        return chosen.getsockname()[1]
