"""What makes one CI run like another: no deadlines, the same examples, and the same noise.

Noise comes from the operating system, so a test of what noise decides fails now and then, however
rarely. In CI each test starts a stream of its own name instead, with which it fails always or
never; everywhere else noise stays what users get, so such a test is still found.
"""

import hashlib
import os
import random
from pathlib import Path

import numpy as np
import profiles
import pytest
import rings
from recorded_times import RecordedTimes

from sdv_prefair.privacy import SystemEntropy

IN_CI = bool(os.environ.get('CI'))
profiles.register()


def pytest_configure(config):
    profiles.seed = config.getoption('hypothesis_seed', None)
    if folder := os.environ.get('SUITE_TIMES'):
        if not hasattr(config, 'workerinput') and config.getoption('numprocesses', None):
            return  # the workers write their own
        config.pluginmanager.register(RecordedTimes(Path(folder)))


def pytest_collection_modifyitems(items):
    for item in items:
        rings.mark(item)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    with pytest.MonkeyPatch.context() as patch:
        if IN_CI and item.get_closest_marker('system_noise') is None:
            stream = random.Random(hashlib.sha256(item.nodeid.encode()).digest())
            patch.setattr(SystemEntropy, 'read', lambda _, num_bytes: stream.randbytes(num_bytes))
            # What numpy seeds a generator with that was given no seed.
            patch.setattr(np.random.bit_generator, 'randbits', stream.getrandbits)
        return (yield)
