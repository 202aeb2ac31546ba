"""What notebooks show: the same words, as text, whatever the names of columns are."""

import pandas as pd
import pytest
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.release._verified import Check, Verification

HOSTILE = '<script>alert(1)</script>'


@pytest.fixture(scope='module')
def synthesizer():
    two = {'sdtype': 'categorical', 'range_values': ['a', 'b'], 'range_is_nullable': False}
    columns = {HOSTILE: two, 'reason': two, 'outcome': two}
    metadata = Metadata.load_from_dict({'tables': {'people': {'columns': columns}}})
    return PreFairSynthesizer(
        metadata,
        epsilon=5,
        protected=[HOSTILE],
        admissible=['reason'],
        outcome=['outcome'],
        public_ranges=True,
    )


ROWS = pd.DataFrame({
    HOSTILE: ['a', 'b'] * 100,
    'reason': ['a'] * 100 + ['b'] * 99 + [HOSTILE],
    'outcome': ['a', 'a', 'b', 'b'] * 50,
})


@pytest.mark.filterwarnings('ignore::UserWarning')
def test_names_and_cells_are_text(synthesizer):
    synthesizer.fit(ROWS, check=False)
    shown = [
        synthesizer,
        synthesizer.check(ROWS),
        synthesizer.plan(1000),
        synthesizer.explain_fairness(),
        Verification([Check(HOSTILE, True, HOSTILE)]),
    ]
    for one in shown:
        page = one._repr_html_()
        assert '<script' not in page
        assert '&lt;script' in page or HOSTILE not in repr(one)
    assert 'NOT PRIVATE' in shown[1]._repr_html_()
