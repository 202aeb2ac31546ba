"""Runs the first hour again: `make first-hour`. Needs git, pip's index and chromium.

Every command and Python block of first_hour.md is run as it is written, from top to bottom, in a
new clone with a new environment. What they print and how long they take is written into the page,
and what they leave to be seen becomes a picture. Python blocks share one session.
"""

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = ROOT / 'docs' / 'first_hour.md'
# Name of the picture, file that a command has written, width and height of the window.
PICTURES = [
    ('graph', 'tree.html', 1000, 580),
    ('compare', 'compare.html', 900, 420),
    ('demo', 'prefair-demo/graphs.html', 1000, 1250),
    ('signing', 'report.html', 1000, 1500),
    ('epsilon_50', 'report-50.html', 1000, 540),
    ('plan', 'plan.html', 800, 600),
]
STEP = re.compile(
    r'(?:^<!-- show (?P<first>\d+)(?: (?P<last>\d+))? -->\n)?'
    r'^```(?P<kind>text|python)\n(?P<body>.*?)^```\n(?:\n```text\n(?!\$ ).*?^```\n)?'
    r'(?:\n\*\d+ s[^\n*]*\*\n)?',
    re.DOTALL | re.MULTILINE,
)
INSTALLING = ('$ git clone ', '$ python3 -m venv ', '$ pip install ')
MOST_LINES = (14, 4)
# What pip says of the places of one machine, and make of its own commands.
MACHINE = re.compile(
    r'^(?:WARNING: Location|touch|python3 |make\[\d\]: |\.venv/bin/).*\n', re.MULTILINE
)
# Runs the blocks that it is sent, one a line, and says after each how long it took.
SESSION = """
import json, sys, time
names = {}
for line in sys.stdin:
    wall, cpu = time.monotonic(), time.process_time()
    exec(json.loads(line), names)
    took = {'wall': time.monotonic() - wall, 'cpu': time.process_time() - cpu}
    print(json.dumps(took), flush=True)
"""
BROWSER = [
    'chromium',
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--hide-scrollbars',
    '--force-device-scale-factor=0.8',
]
FRAME = (
    '<body style="margin: 0"><iframe src="{page}" '
    'style="border: 0; width: 100vw; height: {height}px"></iframe>'
)


def commands(body: str) -> list[str]:
    """Return the commands of a block, without what they have printed."""
    return [line.removeprefix('$ ') for line in body.splitlines() if line.startswith('$ ')]


class Hour:
    """One run of the page.

    Args:
        folder: An empty folder, in which the repository is cloned; or one in which it has been
            cloned and installed, so that this is left as it was measured.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.place = folder / 'sdv-prefair'
        self._installed = self.place.exists()
        path = f'{self.place}/.venv/bin:{os.environ["PATH"]}'
        self._environment = {**os.environ, 'PATH': path, 'TQDM_DISABLE': '1'}
        self._environment.pop('PYTHONPATH', None)
        self._session: subprocess.Popen[str] | None = None

    def step(self, found: re.Match) -> str:
        """Run a block and return it with its output and its time."""
        if self._installed and found['body'].startswith(INSTALLING):
            return found[0]
        body, shown = found['body'], _shown(found)
        how = f'<!-- show {" ".join(map(str, shown))} -->\n' if found['first'] else ''
        if found['kind'] == 'python':
            printed, took = self._python(body)
            output = f'\n```text\n{_shortened(printed, shown)}```\n' if printed else ''
            return f'{how}```python\n{body}```\n{output}\n*{_in_words(**took)}*\n'
        ran = [self._shell(command) for command in commands(body)]
        written = ''.join(f'$ {command}\n{_shortened(out, shown)}' for command, out, *_ in ran)
        took = _in_words(sum(wall for *_, wall, _ in ran), sum(cpu for *_, cpu in ran))
        return f'{how}```text\n{written}```\n\n*{took}*\n'

    def _shell(self, command: str) -> tuple[str, str, float, float]:
        """Return a command, what it printed, and its seconds, as a clock and as the CPU counts."""
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        run = subprocess.run(
            ['bash', '-c', command.replace('<this repository>', str(ROOT))],
            cwd=self.place if self.place.exists() else self.folder,
            **self._piped,
        )
        wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        if run.returncode:
            sys.exit(f'{command} ended with {run.returncode}:\n{run.stdout}')
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return command, MACHINE.sub('', run.stdout), wall, cpu

    def _python(self, body: str) -> tuple[str, dict[str, float]]:
        """Return what a block printed, and its seconds."""
        if self._session is None:
            self._session = subprocess.Popen(
                ['python', '-u', '-c', SESSION],
                cwd=self.place,
                stdin=subprocess.PIPE,
                **self._piped,
            )
        self._session.stdin.write(f'{json.dumps(body)}\n')
        self._session.stdin.flush()
        lines = []
        for line in self._session.stdout:
            if line.startswith('{"wall": '):
                return ''.join(lines), json.loads(line)
            lines.append(line)
        sys.exit(f'{body}\nended with:\n{"".join(lines)}')

    @property
    def _piped(self) -> dict[str, Any]:
        return {
            'env': self._environment,
            'stdout': subprocess.PIPE,
            'stderr': subprocess.STDOUT,
            'text': True,
        }


def _shown(found: re.Match) -> tuple[int, int]:
    if not found['first']:
        return MOST_LINES
    return int(found['first']), int(found['last'] or 0)


def _shortened(printed: str, shown: tuple[int, int]) -> str:
    lines = printed.rstrip().splitlines()
    first, last = shown
    left_out = len(lines) - first - last
    if left_out > 1:
        lines[first : len(lines) - last] = [f'... {left_out} more lines ...']
    return ''.join(f'{line.rstrip()}\n' for line in lines)


def _in_words(wall: float, cpu: float) -> str:
    return f'{wall:.0f} s, of which {cpu:.0f} s of CPU' if wall >= 1 else '0 s'


def take_pictures(place: Path) -> None:
    """Photograph what the commands have left in a folder."""
    for name, page, width, height in PICTURES:
        target = ROOT / 'docs' / 'pictures' / f'first_hour_{name}.png'
        # Chromium lays a page out for less than the window, so a figure as high as its page would
        # end early. In a frame it has the whole height.
        framed = place / f'framed_{name}.html'
        framed.write_text(FRAME.format(page=(place / page).as_uri(), height=height), 'utf-8')
        subprocess.run(
            [*BROWSER, '--virtual-time-budget=8000', f'--window-size={width},{height}',
             f'--screenshot={target}', framed.as_uri()],
            check=True, capture_output=True, timeout=120,
        )  # fmt: skip


def _circumstances(start: float) -> str:
    load = max(start, os.getloadavg()[2])
    return (
        f'*Measured on a machine with {os.cpu_count()} cores that other programs used as well: the '
        f'load average was {load:.0f}, and these commands ran at nice {os.nice(0)}. The seconds '
        'are those of a clock, so most of them were spent waiting for a core or for downloads; how '
        'long an idle machine takes was not measured.*\n'
    )


def main(folder: Path) -> None:
    """Run the page in a folder and write it anew."""
    load, hour = os.getloadavg()[2], Hour(folder)
    text, ran, end = PAGE.read_text(encoding='utf-8'), [], 0
    for found in STEP.finditer(text):
        ran += [text[end : found.start()], hour.step(found)]
        end = found.end()
        PAGE.write_text(''.join(ran) + text[end:], 'utf-8')  # what was measured stays measured
    measured = re.compile(r'<!-- measured -->\n(?:\*Measured .*\*\n)?')
    whole = PAGE.read_text(encoding='utf-8')
    PAGE.write_text(measured.sub(f'<!-- measured -->\n{_circumstances(load)}', whole), 'utf-8')
    take_pictures(hour.place)


if __name__ == '__main__':
    if sys.argv[1:]:  # a folder to keep
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory(prefix='first-hour-') as kept:
            main(Path(kept))
