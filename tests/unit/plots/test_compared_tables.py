"""Real beside synthetic rows: every modelled column, and pairs of each kind.

Of ``_column_pairs.py``.
"""

import pytest
from people import LEARNT, people

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.errors import QueryError

pytestmark = pytest.mark.filterwarnings('ignore::UserWarning')


@pytest.fixture(scope='module')
def fitted():
    table = people(80)
    synthesizer = PreFairSynthesizer(table.metadata, public_ranges=True, **table.roles)
    synthesizer.fit(table.data)
    return table.data, synthesizer, synthesizer.sample(80)


def test_every_modelled_column_has_a_figure_that_says_what_it_shows(fitted):
    real, synthesizer, synthetic = fitted
    figures = synthesizer.compare_plot(real, synthetic)
    assert set(figures) == set(LEARNT)
    for figure in figures.values():
        assert 'not private' in figure.layout.title.text
        assert {trace.name for trace in figure.data} >= {'Real', 'Synthetic'}


@pytest.mark.parametrize(
    ('pair', 'kind'),
    [(['age', 'wage'], 'scatter'), (['sex', 'income'], 'histogram2d'), (['sex', 'age'], 'box')],
)
def test_pairs_of_each_kind(fitted, pair, kind):
    real, synthesizer, synthetic = fitted
    figure = synthesizer.compare_plot(real['people'], synthetic['people'], pair)
    assert {trace.type.removesuffix('gl') for trace in figure.data} == {kind}


@pytest.mark.parametrize('columns', ['email', ['age'] * 3, [], 'planet'])
def test_what_cannot_be_drawn_is_refused(fitted, columns):
    real, synthesizer, synthetic = fitted
    with pytest.raises(QueryError, match='must be a modelled column'):
        synthesizer.compare_plot(real, synthetic, columns)
