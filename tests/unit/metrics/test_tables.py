import numpy as np
import pandas as pd
import pytest
from sdmetrics.single_table.base import SingleTableMetric
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_prefair import metrics
from sdv_prefair.datasets import simulate_census
from sdv_prefair.errors import RolesError
from sdv_prefair.fairness import Independent
from sdv_prefair.metrics import KolmogorovSmirnovDistance
from sdv_prefair.metrics._tables import TableMetric, read_tables

CENSUS = simulate_census(50, seed=0)
FRAME = CENSUS.data['census']


@pytest.mark.parametrize(
    'metadata',
    [
        CENSUS.metadata,
        CENSUS.metadata.to_dict(),
        CENSUS.metadata.to_dict()['tables']['census'],
    ],
)
def test_metadata_may_be_an_object_a_dict_or_one_table(metadata):
    tables = read_tables(FRAME, FRAME, metadata)
    assert list(tables.columns) == [
        name for name in FRAME.columns if name not in {'person_id', 'email'}
    ]


def test_data_may_be_frames_or_dicts_of_frames():
    tables = read_tables(CENSUS.data, FRAME, CENSUS.metadata)
    pd.testing.assert_frame_equal(tables.real, tables.synthetic)


def test_types_come_from_dtypes_without_metadata():
    frame = pd.DataFrame({'a': [1.5], 'b': ['x'], 'c': [True]})
    frame['d'] = pd.Categorical(['u'])
    types = {name: c['sdtype'] for name, c in read_tables(None, frame).columns.items()}
    assert types == {'a': 'numerical', 'b': 'categorical', 'c': 'boolean', 'd': 'categorical'}


def test_text_dates_become_dates():
    metadata = Metadata.load_from_dict({
        'tables': {'t': {'columns': {'d': {'sdtype': 'datetime', 'datetime_format': '%d.%m.%Y'}}}}
    })
    frame = pd.DataFrame({'d': ['31.12.2024', None]})
    tables = read_tables(frame, frame, metadata)
    assert tables.real['d'][0] == pd.Timestamp('2024-12-31')
    assert frame['d'][0] == '31.12.2024'


def test_a_missing_column_is_named():
    with pytest.raises(ValueError, match=r"synthetic_data has no columns \['income'\]"):
        read_tables(FRAME, FRAME.drop(columns='income'), CENSUS.metadata)


def test_a_role_must_name_modelled_columns():
    tables = read_tables(FRAME, FRAME, CENSUS.metadata)
    assert tables.select('protected', 'sex') == ['sex']
    with pytest.raises(RolesError, match=r"protected .*\['email'\]"):
        tables.select('protected', ['sex', 'email'])
    with pytest.raises(RolesError, match='admissible'):
        tables.select('admissible', ())


def test_several_tables_need_a_table_name():
    with pytest.raises(ValueError, match='table_name'):
        read_tables({'a': FRAME, 'b': FRAME}, FRAME)
    assert read_tables({'a': FRAME, 'b': FRAME}, FRAME, table_name='a').real is not None


def test_numbers_are_rounded_as_declared_before_they_are_compared():
    """KS was .37 for a column whose only difference was 3.20000005."""
    columns = {'columns': {'x': {'sdtype': 'numerical', 'decimal_places': 1}}}
    real, written = (pd.DataFrame({'x': [3.2 + error, 4.5] * 40}) for error in (5e-8, 0.0))
    tables = read_tables(real, written, columns)
    assert tables.real['x'].tolist() == written['x'].tolist()
    assert KolmogorovSmirnovDistance.compute(real, written, columns) == 0


TWO_GROUPS = pd.DataFrame({
    's': ['f', 'm'] * 600,
    'a': list('xxyy') * 300,
    'o': list('nynyyn') * 200,
})
OPTIONS = {
    **{
        measure: {'outcome': 'o', 'protected': 's', 'seed': 0}
        | ({'admissible': 'a'} if measure.conditional else {})
        for measure in metrics.MEASURES.values()
    },
    metrics.Separation: {'protected': 's', 'decision': 'o', 'label': 'a'},
    metrics.Sufficiency: {'protected': 's', 'decision': 'o', 'label': 'a'},
    metrics.ConditionalMutualInformation: {'protected': 's', 'outcome': 'o', 'admissible': 'a'},
    metrics.DownstreamAccuracy: {'outcome': 'o', 'seed': 0},
}
ALL = [
    metric
    for metric in (getattr(metrics, name) for name in metrics.__all__)
    if isinstance(metric, type) and issubclass(metric, TableMetric)
]


@pytest.mark.parametrize('metric', ALL)
def test_every_metric_keeps_the_interface_of_sdmetrics(metric):
    frame = TWO_GROUPS.assign(x=np.arange(1200) % 7)
    for real in (frame, {'t': frame}):
        options = OPTIONS.get(metric, {})
        found = metric.compute_breakdown(real, frame, None, None, **options)
        score = metric.compute(real_data=real, synthetic_data=frame, **options)
        assert score == pytest.approx(found['score'])
        assert 0 <= metric.normalize(score) <= 1
    assert metric.name == metric.__name__
    assert SingleTableMetric.get_subclasses()[metric.name] is metric


@pytest.mark.parametrize('metric', ALL)
def test_a_metric_that_needs_real_rows_says_so(metric):
    options = OPTIONS.get(metric, {})
    if metric.real_rows != 'needed':
        assert np.isfinite(metric.compute(None, TWO_GROUPS, **options))
        return
    with pytest.raises(SynthesizerInputError, match='compares with the real rows. Pass them'):
        metric.compute(None, TWO_GROUPS, **options)


def test_a_list_in_place_of_a_name_is_named():
    tables = read_tables(None, TWO_GROUPS)
    with pytest.raises(RolesError, match=r"statement \(\[\['s'\]\]\) must name columns"):
        tables.select('statement', [['s']])
    with pytest.raises(RolesError, match='without lists in it'):
        Independent([['s']], ['o'])


def test_one_table_is_measured_once_and_two_twice():
    assert len(read_tables(None, TWO_GROUPS).frames) == 1
    assert len(read_tables(TWO_GROUPS, TWO_GROUPS).frames) == 2
