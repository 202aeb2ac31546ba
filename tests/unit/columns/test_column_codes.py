"""What all transformers share: RDT's contract, seeds, and that they learn nothing."""

import copy
import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
from rdt import HyperTransformer
from rdt.transformers import get_default_transformers
from sdv.metadata import Metadata
from sdv.single_table import GaussianCopulaSynthesizer

from sdv_prefair.domain import Categories, Datetimes, Numbers, Undeclared
from sdv_prefair.errors import DomainError
from sdv_prefair.transformers import (
    CategoryCodes,
    ColumnCodes,
    DatetimeBins,
    NumberBins,
    transformer_for,
    transformers_for,
)

MAKERS = {
    'word': lambda: CategoryCodes(['a', 'b', 'c']),
    'amount': lambda: NumberBins(0, 1000),
    'count': lambda: NumberBins(0, 1000, decimal_places=0, nullable=False),
    'day': lambda: DatetimeBins('2000-01-01', '2020-01-01'),
}
SDTYPES = {'word': 'categorical', 'amount': 'numerical', 'count': 'numerical', 'day': 'datetime'}


def frame_of(rows, seed=0):
    generator = np.random.default_rng(seed)
    return pd.DataFrame({
        'word': generator.choice(['a', 'b', 'c'], rows),
        'amount': generator.uniform(0, 1000, rows),
        'count': generator.integers(0, 1000, rows),
        'day': pd.Timestamp('2000-01-01') + pd.to_timedelta(generator.integers(0, 7000, rows), 'D'),
    })


def fitted_hyper_transformer(frame):
    hyper = HyperTransformer()
    transformers = {column: MAKERS[column]() for column in frame}
    hyper.set_config({'sdtypes': SDTYPES, 'transformers': transformers})
    hyper.fit(frame)
    return hyper


@pytest.mark.parametrize('name', MAKERS)
def test_rdt_contract(name):
    transformer = MAKERS[name]()
    assert SDTYPES[name] in transformer.get_supported_sdtypes()
    assert transformer.INPUT_SDTYPE in transformer.get_supported_sdtypes()
    assert hash(transformer) == hash(transformer)
    assert transformer != MAKERS[name]()
    assert not transformer.is_generator()
    arguments = inspect.signature(type(transformer).__init__).parameters
    assert all(hasattr(transformer, argument) for argument in arguments if argument != 'self')
    assert eval(repr(transformer)).labels() == transformer.labels()
    assert copy.deepcopy(transformer).labels() == transformer.labels()
    assert pickle.loads(pickle.dumps(transformer)).labels() == transformer.labels()
    assert len(transformer.labels()) == transformer.num_codes == len(set(transformer.labels()))


def test_rdt_defaults_are_untouched():
    defaults = get_default_transformers.__wrapped__()
    assert not any(isinstance(transformer, ColumnCodes) for transformer in defaults.values())


def test_hyper_transformer_round_trip():
    frame = frame_of(300)
    hyper = fitted_hyper_transformer(frame.head(0))
    codes = hyper.transform(frame)
    assert list(codes.columns) == list(frame.columns)
    returned = hyper.reverse_transform(codes)
    pd.testing.assert_series_equal(returned.dtypes, frame.dtypes)
    pd.testing.assert_frame_equal(hyper.transform(returned), codes)
    subset = hyper.transform_subset(frame[['day', 'word']])
    assert set(subset) == {'day', 'word'}
    assert set(hyper.reverse_transform_subset(subset)) == {'day', 'word'}


def test_any_index_is_kept():
    frame = frame_of(5).set_index(pd.Index([3, 3, 9, 1, 1]))
    hyper = fitted_hyper_transformer(frame)
    codes = hyper.transform(frame)
    assert codes.index.tolist() == hyper.reverse_transform(codes).index.tolist() == [3, 3, 9, 1, 1]


def test_update_transformers_of_any_sdv_synthesizer():
    data = {'t': frame_of(200)}
    metadata = Metadata.detect_from_dataframes(data, infer_keys=None)
    synthesizer = GaussianCopulaSynthesizer(metadata)
    synthesizer.auto_assign_transformers(data)
    synthesizer.update_transformers({column: MAKERS[column]() for column in data['t']})
    synthesizer.fit(data)
    sample = synthesizer.sample(50)['t']
    pd.testing.assert_series_equal(sample.dtypes, data['t'].dtypes)
    assert sample['amount'].between(0, 1000).all()


def test_codes_of_other_models_are_rounded_and_clipped():
    bins = NumberBins(0, 9, decimal_places=0)
    frame = pd.DataFrame({'x': pd.Series([], dtype='float64')})
    bins.fit(frame, 'x')
    returned = bins.reverse_transform(pd.DataFrame({'x': [-3.0, 2.4, 8.6, 99, np.nan]}))
    assert returned['x'].fillna(-1).tolist() == [0, 2, 9, -1, -1]


def test_columns_are_independent_given_their_codes():
    """One seed for all columns would make the draws within bins perfectly correlated."""
    rows = 4000
    frame = pd.DataFrame({name: np.zeros(rows) for name in 'abcd'})
    codes = pd.DataFrame({name: np.zeros(rows, int) for name in 'abcd'})

    def correlations(seed_of):
        hyper = HyperTransformer()
        transformers = {name: NumberBins(0, 1, bins=1) for name in 'abcd'}
        hyper.set_config({
            'sdtypes': dict.fromkeys('abcd', 'numerical'),
            'transformers': transformers,
        })
        hyper.fit(frame)
        seed_of(transformers)
        drawn = hyper.reverse_transform(codes)
        return drawn.corr().to_numpy()[np.triu_indices(4, 1)]

    assert np.abs(correlations(lambda transformers: None)).max() < 5 / np.sqrt(rows)

    def share(transformers):
        for transformer in transformers.values():
            transformer.generator = np.random.default_rng(0)

    assert correlations(share).min() > 0.99  # what the bound above would catch


def test_draws_within_kinds_of_columns_are_independent():
    rows = 4000
    hyper = fitted_hyper_transformer(frame_of(3))
    drawn = hyper.reverse_transform(pd.DataFrame({name: np.zeros(rows, int) for name in MAKERS}))
    numbers = drawn.drop(columns='word').apply(lambda column: column.rank())
    correlations = numbers.corr().to_numpy()[np.triu_indices(3, 1)]
    assert np.abs(correlations).max() < 5 / np.sqrt(rows)


def test_the_stream_goes_on_until_it_is_reset():
    hyper = fitted_hyper_transformer(frame_of(3))
    codes = pd.DataFrame({name: np.zeros(50, int) for name in MAKERS})
    first, second = hyper.reverse_transform(codes), hyper.reverse_transform(codes)
    assert not first['amount'].isin(second['amount']).any()
    hyper.reset_randomization()
    pd.testing.assert_frame_equal(hyper.reverse_transform(codes), first)
    pd.testing.assert_frame_equal(hyper.reverse_transform(codes), second)


def test_other_draws_follow_the_stream_too():
    codes = CategoryCodes(range(1000))
    codes.fit(pd.DataFrame({'x': pd.Series([], dtype='int64')}), 'x')
    others = pd.DataFrame({'x': np.full(30, codes.other_code)})
    first = codes.reverse_transform(others)
    assert (codes.reverse_transform(others) != first).any().any()
    codes.reset_randomization()
    pd.testing.assert_frame_equal(codes.reverse_transform(others), first)


def test_the_seed_is_the_name_and_not_the_rows():
    codes = pd.DataFrame({name: np.zeros(20, int) for name in MAKERS})
    returned = [
        fitted_hyper_transformer(frame_of(rows, seed)).reverse_transform(codes)
        for rows, seed in ((5, 1), (50, 2))
    ]
    pd.testing.assert_frame_equal(*returned)


def test_numpy_global_state_is_neither_used_nor_changed():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    hyper = fitted_hyper_transformer(frame_of(5))
    hyper.reverse_transform(hyper.transform(frame_of(5)))
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


SENTINEL = 31415926


def sentinel_frame():
    return pd.DataFrame({
        'word': pd.Series([f'w{SENTINEL}', 'a', None], dtype='category'),
        'amount': [float(SENTINEL), 1.5, np.nan],
        'count': [SENTINEL, 1, 2],
        'day': pd.to_datetime(['2031-04-15', '2001-01-01', None]),
    })


def test_fitting_and_transforming_leave_no_trace_of_the_rows():
    def traces(frame):
        hyper = fitted_hyper_transformer(frame)
        hyper.transform(frame)
        return pickle.dumps(hyper), repr(hyper.get_config())

    plain = sentinel_frame()
    plain['word'] = pd.Series(['b', 'a', 'c'], dtype='category')
    plain['amount'], plain['count'] = [1.0, 2.0, 3.0], [4, 5, 6]
    plain['day'] = pd.to_datetime(['2002-02-02'] * 3)
    (kept, shown), (plain_kept, plain_shown) = traces(sentinel_frame()), traces(plain)
    assert kept == plain_kept
    assert shown == plain_shown
    assert str(SENTINEL).encode() not in kept


def test_no_warning_or_error_says_that_a_value_is_outside(recwarn):
    hyper = fitted_hyper_transformer(frame_of(3))
    frame = sentinel_frame().assign(word=[[SENTINEL], {SENTINEL: 1}, f'{SENTINEL}'])
    hyper.transform(frame)
    hyper.transform(frame.astype({'day': str, 'amount': str, 'count': str}))
    assert not [warning for warning in recwarn if str(SENTINEL) in str(warning.message)]


@pytest.mark.parametrize(
    ('domain', 'kind'),
    [
        (Categories(('a',)), CategoryCodes),
        (Numbers(0, 1000, 2), NumberBins),
        (Datetimes('2000-01-01', '2001-01-01'), DatetimeBins),
    ],
)
def test_transformer_for_a_domain(domain, kind):
    transformer = transformer_for(domain, numeric_bins=16)
    assert type(transformer) is kind
    assert transformer.nullable
    assert transformer.num_codes == (3 if kind is CategoryCodes else 17)


def test_dtypes_that_hold_no_null_need_no_null_code():
    assert transformer_for(Numbers(0, 1), 8, np.dtype('int64')).null_code is None
    assert transformer_for(Numbers(0, 1), 8, np.dtype('float64')).null_code is not None
    assert transformer_for(Numbers(0, 1), 8, pd.Int64Dtype()).null_code is not None
    booleans = Categories((False, True), complete=True)
    assert transformer_for(booleans, 8, np.dtype('bool')).num_codes == 2
    assert transformer_for(booleans, 8, np.dtype('O')).num_codes == 3


def test_rounding_is_a_choice_except_for_whole_numbers():
    domain = Numbers(0, 1, 1)
    assert transformer_for(domain, 8).num_codes == 12
    assert transformer_for(domain, 8, enforce_rounding=False).num_codes == 9
    assert transformer_for(domain, 8, np.dtype('int64'), enforce_rounding=False).num_codes == 2


def test_transformers_for_a_table():
    domains = {'n': Numbers(0, 100), 'c': Categories((1, 2))}
    dtypes = {'n': np.dtype('float64'), 'c': np.dtype('int64'), 'key': np.dtype('int64')}
    transformers = transformers_for(domains, 8, dtypes, edges={'n': [1, 10]})
    assert list(transformers) == ['n', 'c']
    assert transformers['n'].labels()[:3] == ['[0, 1)', '[1, 10)', '[10, 100]']
    assert transformers['c'].null_code is None


@pytest.mark.parametrize(
    ('domain', 'dtype'),
    [
        (Undeclared('numbers'), None),
        (Categories(('1', '2')), np.dtype('int64')),
        (Numbers(0.2, 0.8), np.dtype('int8')),
    ],
)
def test_errors_name_the_column(domain, dtype):
    with pytest.raises(DomainError, match="Column 'the column'"):
        transformers_for({'the column': domain}, 8, {'the column': dtype})
