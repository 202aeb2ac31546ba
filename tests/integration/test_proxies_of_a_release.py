"""What a release report says of proxies is what ``explain_fairness`` says, number for number."""

import html
import re

import numpy as np
import pandas as pd
import pytest

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.datasets._dataset import categorical, public_metadata
from sdv_prefair.fairness._dependence import NOTICEABLE
from sdv_prefair.fitting._explanation import ADMISSIBLE_PROXY, TOGETHER

COLUMNS = dict.fromkeys(['sex', 'title', 'skill', 'hired'], categorical(['0', '1']))
ROLES = {'protected': ['sex'], 'admissible': ['title', 'skill'], 'outcome': ['hired']}


@pytest.fixture(scope='module', params=[0.0, 0.4, 1.0])
def released(request, tmp_path_factory):
    """A fit whose admissible title says so much of sex, and the text of its page."""
    rng = np.random.default_rng(0)
    sex, skill, hired = rng.integers(0, 2, (3, 4000))
    title = np.where(rng.random(4000) < request.param, sex, rng.integers(0, 2, 4000))
    frame = pd.DataFrame({'sex': sex, 'title': title, 'skill': skill, 'hired': hired}).astype(str)
    made = PreFairSynthesizer(
        public_metadata('t', COLUMNS), epsilon=20.0, public_ranges=True, **ROLES
    )
    made.fit({'t': frame})
    path = tmp_path_factory.mktemp('page') / 'report.html'
    made.create_release_report(path=path)
    shown = html.unescape(re.sub('<[^>]*>', ' ', path.read_text('utf-8')))
    return made.explain_fairness(), re.sub(r'\s+', ' ', shown)


pytestmark = pytest.mark.filterwarnings('ignore:Admissible columns are near copies')


def test_the_page_has_the_number_of_every_proxy(released):
    explained, page = released
    for finding in (*explained.of(ADMISSIBLE_PROXY), *explained.of(TOGETHER)):
        could = f'could be as high as {finding.at_most:.2f}'
        if finding.surely >= NOTICEABLE:
            told = f'{finding.column} {finding.about} {finding.surely:.2f}, {could}'
        elif finding.at_most >= NOTICEABLE:
            told = f'{finding.column} about {finding.about}'
        else:
            told = f'below {NOTICEABLE}'
        assert told in page, finding


def test_the_page_never_says_that_there_are_none_where_it_cannot_be_told(released):
    explained, page = released
    copies = {finding.column for finding in explained.findings if finding.nearly_copies}
    assert explained.copies_in_words() in page
    assert ('none that is certain' in page) == (not copies)
    assert '1 pair or combination of columns it cannot be told' in page or len(copies) > 0
