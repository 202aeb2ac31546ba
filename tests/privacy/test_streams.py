"""No two places get the same noise: not forked processes, not two stages of a seeded fit."""

import os
from fractions import Fraction
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer, PrivacyWarning
from sdv_prefair.fitting import _fitted as settings
from sdv_prefair.privacy import SeededEntropy, SystemEntropy
from sdv_prefair.privacy._samplers import discrete_gaussian

pytestmark = pytest.mark.system_noise


def in_a_fork(work):
    """Return the bytes that ``work`` returns in a forked child."""
    here, there = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(there, work())
        finally:
            os._exit(0)  # the child must not go on with the tests
    os.close(there)
    with os.fdopen(here, 'rb') as stream:
        told = stream.read()
    os.waitpid(child, 0)
    return told


@pytest.mark.skipif(not hasattr(os, 'fork'), reason='forks are of POSIX')
@pytest.mark.filterwarnings('ignore:.*fork.*:DeprecationWarning')
@pytest.mark.parametrize('shared', [True, False], ids=['one source', 'a source each'])
def test_forked_children_draw_different_noise(shared):
    """Also after the parent has drawn, which would fill a buffer that both inherit."""
    entropy = SystemEntropy()
    discrete_gaussian(Fraction(100), 50, entropy)

    def noise():
        source = entropy if shared else SystemEntropy()
        return source.read(32) + discrete_gaussian(Fraction(10**8), 8, source).tobytes()

    first, second, parent = in_a_fork(noise), in_a_fork(noise), noise()
    assert len(first) == len(second) == 32 + 64
    drawn = [told[start : start + 16] for told in (first, second, parent) for start in (0, 16, 32)]
    assert len(set(drawn)) == len(drawn)


def some_rows():
    columns = {'n': {'sdtype': 'numerical'}, 'c': {'sdtype': 'categorical'}}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    return metadata, pd.DataFrame({'n': np.arange(900) % 50 * 10, 'c': ['x', 'y', 'z'] * 300})


def test_two_fits_without_a_seed_share_no_noise():
    metadata, rows = some_rows()
    measured = []
    for _ in range(2):
        synthesizer = PreFairSynthesizer(metadata, structure='none', epsilon=5.0)
        synthesizer.fit({'t': rows}, check=False)
        measured.append({m.columns: m.values.tolist() for m in synthesizer._model.measurements})
    assert measured[0] != measured[1]


def test_learning_and_measuring_draw_from_different_streams_of_a_seed(monkeypatch):
    """Noise that is drawn twice cancels: learnt counts less measured ones would be exact."""
    streams = []

    class Noted(SeededEntropy):
        def __init__(self, seed):
            super().__init__(seed)
            self.drawn = b''
            streams.append(self)

        def read(self, num_bytes):
            self.drawn += super().read(num_bytes)
            return self.drawn[-num_bytes:] if num_bytes else b''

    monkeypatch.setattr(settings, 'SeededEntropy', Noted)
    metadata, rows = some_rows()
    with pytest.warns(PrivacyWarning, match='seed'):
        synthesizer = PreFairSynthesizer(metadata, structure='none', seed=7, epsilon=5.0)
        synthesizer.fit({'t': rows}, check=False)
    steps = {debit.step for debit in synthesizer.fitted.ledger.debits}
    assert {'learn domains', 'discretize', 'measure one-ways'} <= steps
    assert len(streams) == 3
    assert all(len(stream.drawn) > 100 for stream in streams)
    for one, other in permutations(streams, 2):
        assert one.drawn[:64] not in other.drawn
