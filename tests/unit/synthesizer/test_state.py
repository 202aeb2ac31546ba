"""What a synthesizer holds changes as a whole.

Of ``_state.py``, ``_face.py`` and ``_after_fit.py``.
"""

import copy
import sys

import pytest
from contract import fit, make
from people import people
from sdv.single_table.base import BaseSingleTableSynthesizer

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.errors import NotFittedError
from sdv_prefair.privacy import Attempt


@pytest.fixture(scope='module')
def two_fits():
    return fit('adaptive', people()), fit('greedy', people())


def interrupted(call, at):
    """Call, and interrupt before the line at which so many were run; return whether that was."""
    run = 0

    def trace(frame, event, _):
        nonlocal run
        run += event == 'line'
        if run > at:
            sys.settrace(None)
            raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
    return False


def parts(synthesizer):
    """Return the fit that each of SDV's attributes and of ours comes from."""
    result = synthesizer._result
    return [
        result.prepared,
        synthesizer._preparation.prepared,
        synthesizer._data_processor,
        synthesizer._settings.processor,
        synthesizer._settings.promise,
        synthesizer.fitted.model,
        synthesizer._model,
    ]


def test_a_fit_takes_the_place_of_another_at_once(two_fits):
    """Wherever the user presses Ctrl+C, the one or the other is there, whole."""
    old, new = two_fits
    seen = set()
    for at in range(1000):
        one = copy.copy(old)
        was_interrupted = interrupted(
            lambda one=one: one._adopt(new.fitted, Attempt('fit', new.fitted.ledger)), at
        )
        which = [
            'old' if part is before else 'new' if part is after else 'neither'
            for part, before, after in zip(parts(one), parts(old), parts(new), strict=True)
        ]
        assert len(set(which)) == 1, f'half a fit after {at} lines: {which}'
        seen.add(which[0])
        if not was_interrupted:
            break
    assert at > 5 and not was_interrupted
    assert seen == {'old', 'new'}


def test_what_is_fitted_is_asked_of_one_value(two_fits):
    synthesizer, _ = two_fits
    assert synthesizer.fitted.model is synthesizer._model
    with pytest.raises(AttributeError):
        synthesizer.fitted.model = None
    with pytest.raises(NotFittedError, match='has not been fitted'):
        _ = make('adaptive', people()).fitted


def test_one_class_stands_upon_another():
    """There are no mixins: each page knows those below it, and the last is SDV's own.

    One of them is what differs between SDV's versions.
    """
    line = [PreFairSynthesizer]
    while line[-1] is not BaseSingleTableSynthesizer:
        assert len(line[-1].__bases__) == 1
        line.append(line[-1].__bases__[0])
    assert len(line) == 5
