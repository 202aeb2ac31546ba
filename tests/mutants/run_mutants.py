"""Breaks a copy of the package in each known way and runs the tests that must see it.

A mutant is killed if one of its tests fails. Mutants that survive, do not apply any more, stumble
over their own code (a name that is not there), or break more than they mean to (nothing can be
imported, no test is found, time is up) make the run fail.

    python tests/mutants/run_mutants.py [words of names]
"""

import os
import re
import shutil
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from mutant import Mutant
from mutant_catalogue import MUTANTS

ROOT = Path(__file__).parents[2]
MOST_SECONDS = 600
_CORES = os.cpu_count() or 1
# Imported once, before all forks; of the package itself nothing may be. So not sdmetrics, which
# imports the package by its entry point.
_HEAVY = (
    *('pandas', 'pyarrow', 'scipy.optimize', 'scipy.stats', 'networkx', 'sklearn', 'mpmath'),
    *('plotly.express', 'hypothesis', 'pytest', 'rdt', 'copulas'),
)
_PASSED, _FAILED, _WRONG_COPY = 0, 1, 99
# What code raises that does not run, or no longer fits what is around it. A mutant that ends so has
# made no mistake for a test to see.
_STUMBLES = (
    *(': NameError', ': UnboundLocalError', ': AttributeError', ': TypeError', ': SyntaxError'),
    *(': ImportError', ': ModuleNotFoundError', ': IndexError', ': KeyError'),
)


def main(words: list[str]) -> int:
    """Run the mutants whose names hold all words, and the unbroken package first."""
    chosen = [mutant for mutant in MUTANTS if all(word in mutant.name for word in words)]
    for module in _HEAVY:
        import_module(module)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as directory:
        # Tests that fail anyway would kill everything.
        if _run_all(_unbroken(chosen), Path(directory), _PASSED):
            return 1
        failed = _run_all(chosen, Path(directory), _FAILED)
    minutes = (time.monotonic() - started) / 60
    print(f'{len(chosen) - len(failed)} of {len(chosen)} mutants killed in {minutes:.1f} minutes')
    return bool(failed)


def _unbroken(mutants: list[Mutant]) -> list[Mutant]:
    """Return the package as it is, with all tests of the mutants, a part for each core."""
    tests = tuple(dict.fromkeys(test for mutant in mutants for test in mutant.tests))
    parts = [tests[core::_CORES] for core in range(_CORES)]
    return [Mutant('nothing is broken', (), part) for part in parts if part]


def _run_all(mutants: list[Mutant], directory: Path, expected: int) -> list[str]:
    """Run mutants, as many at once as there are cores; return those that end otherwise."""
    waiting, running, failed = list(enumerate(mutants)), {}, []
    while waiting or running:
        while waiting and len(running) < _CORES:
            place, mutant = waiting.pop(0)
            copy = directory / f'{expected}-{place}'
            running[_start(mutant, copy)] = mutant, copy, time.monotonic()
        child, status = os.wait()
        mutant, copy, since = running.pop(child)
        output = (copy / 'output.txt').read_text('utf-8')
        verdict = _verdict(os.waitstatus_to_exitcode(status), expected, output)
        seconds = time.monotonic() - since
        print(f'{verdict:10} {seconds:6.1f} s  {mutant.name}{_reason(output)}', flush=True)
        if verdict not in ('killed', 'passed'):
            failed.append(mutant.name)
            print(output[-3000:], flush=True)
        shutil.rmtree(copy)
    return failed


def _verdict(code: int, expected: int, output: str) -> str:
    if code == expected:
        return 'passed' if expected == _PASSED else _kill(output)
    return 'SURVIVED' if code == _PASSED else f'BROKEN {code}'


def _kill(output: str) -> str:
    """Return whether a mutant is killed for what it does, or could not do it at all."""
    return 'STUMBLED' if _reason(output).startswith(_STUMBLES) else 'killed'


def _reason(output: str) -> str:
    """Return why the test failed, in a few words."""
    found = re.search(r'^FAILED .*? - (.{1,70})', output, re.M)
    return f': {found[1]}' if found else ''


def _start(mutant: Mutant, copy: Path) -> int:
    """Make the mutant's copy and start its tests in a fork; return the child's id."""
    _copy_package(mutant, copy)
    child = os.fork()
    if child == 0:
        try:
            os._exit(_test(mutant, copy))
        finally:
            os._exit(_WRONG_COPY)
    return child


def _copy_package(mutant: Mutant, copy: Path) -> None:
    ignored = shutil.ignore_patterns('__pycache__')
    for part in ('sdv_prefair', 'tests'):
        shutil.copytree(ROOT / part, copy / part, ignore=ignored)
    shutil.copy(ROOT / 'pyproject.toml', copy)
    for path, text in mutant.changed_files(copy / 'sdv_prefair').items():
        (copy / 'sdv_prefair' / path).write_text(text, 'utf-8')


def _test(mutant: Mutant, copy: Path) -> int:
    """Run the tests on the copy and return pytest's exit code. In the child."""
    import signal

    import pytest

    output = os.open(copy / 'output.txt', os.O_CREAT | os.O_WRONLY)
    os.dup2(output, 1)
    os.dup2(output, 2)
    signal.alarm(MOST_SECONDS)
    os.chdir(copy)
    os.environ['CI'] = 'true'  # the same examples in every run
    os.environ['PYTHONPATH'] = str(copy)
    sys.path.insert(0, str(copy))
    sys.dont_write_bytecode = True
    assert not any(name.startswith('sdv_prefair') for name in sys.modules)
    import sdv_prefair

    assert Path(sdv_prefair.__file__).is_relative_to(copy)
    return int(pytest.main(['-x', '-q', '-p', 'no:cacheprovider', '--tb=line', *mutant.tests]))


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
