"""What is shown of a fit tells nothing of the rows.

About ``_pipeline.py``.
"""

import time

import numpy as np
import pytest

from sdv_prefair.counting import count_codes
from sdv_prefair.counting._worker_counts import CHUNK_ROWS
from sdv_prefair.fitting._pipeline import Progress


def shown(capsys, num_rows, seconds=0.0, verbose=True):
    progress = Progress(verbose)
    codes = {'a': np.zeros(num_rows, dtype=np.int32)}
    counts = count_codes(codes, {'a': 1}, [('a',)], progress.counting)
    assert counts.project(('a',)).tolist() == [num_rows]
    for name in ('one', 'two', 'three', 'four'):
        time.sleep(seconds)
        progress.step(name)
    progress.close()
    return capsys.readouterr().err


def test_few_rows_and_many_show_the_same(capsys):
    assert CHUNK_ROWS < 400_000, 'the test needs several chunks'
    few = shown(capsys, 4000)
    assert 'Counting' in few and 'Fitted: 100%' in few
    assert shown(capsys, 400_000) == few


def test_the_time_is_not_shown(capsys):
    assert shown(capsys, 10, seconds=0.3) == shown(capsys, 10)


@pytest.mark.parametrize('rows', [1, 10])
def test_nothing_is_shown_unless_asked_for(capsys, rows):
    assert shown(capsys, rows, verbose=False) == ''
