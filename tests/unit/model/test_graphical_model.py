import pickle

import numpy as np
import pytest

from sdv_prefair.model import Measurement, compress_rare_codes, estimate


@pytest.fixture
def model(make_forest):
    forest = make_forest([3, 4, 2], [0, 1], 500.0, 1)
    return estimate(forest.measure_all(4.0, 4.0), forest.domain, forest.edges)


@pytest.fixture
def compressed_model():
    one_way = Measurement(('a',), [900.0, 1.0, 3.0, 600.0, 2.0], 5.0)
    compression = compress_rare_codes(one_way)
    table = Measurement(('a', 'b'), [[800.0, 100.0], [200.0, 400.0], [10.0, 20.0]], 5.0)
    return estimate(
        [compression.compress(one_way), table],
        {'a': 3, 'b': 2},
        [('a', 'b')],
        compressions={'a': compression},
    )


def equal(first, second):
    return all(np.array_equal(first[column], second[column]) for column in first)


def test_samples_hold_codes_of_every_column_in_order(model):
    rows = model.sample(100)

    assert list(rows) == ['c0', 'c1', 'c2']
    for column, size in model.domain.items():
        assert rows[column].shape == (100,)
        assert rows[column].min() >= 0
        assert rows[column].max() < size
    assert all(codes.size == 0 for codes in model.sample(0).values())


def test_the_same_seed_gives_the_same_rows(compressed_model):
    compressed_model.set_random_state(73251)
    first, second = compressed_model.sample(300), compressed_model.sample(300)
    compressed_model.set_random_state(73251)

    assert equal(compressed_model.sample(300), first)
    assert not equal(first, second)
    compressed_model.set_random_state(np.random.default_rng(73251))
    assert equal(compressed_model.sample(300), first)


def test_sampling_leaves_the_global_random_state_alone(model):
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    model.sample(100)
    model.sample(5, {'c0': 1})

    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_a_pickled_model_goes_on_as_the_original_would(compressed_model):
    compressed_model.set_random_state(5)
    compressed_model.sample(10)
    copy = pickle.loads(pickle.dumps(compressed_model))

    assert equal(copy.sample(50), compressed_model.sample(50))
    np.testing.assert_array_equal(copy.marginal('a'), compressed_model.marginal('a'))
    assert copy.loss == compressed_model.loss
    assert '_prepared' not in compressed_model.__getstate__()


def test_a_model_is_true():
    assert estimate([], {'a': 1})


def test_one_code_columns_are_constant():
    rows = estimate([Measurement(('a', 'b'), [[3.0, 4.0]], 1.0)], {'a': 1, 'b': 2}).sample(50)

    assert (rows['a'] == 0).all()
    assert set(rows['b']) == {0, 1}


def test_evidence_is_in_every_row(model, compressed_model):
    rows = model.sample(40, {'c2': 1, 'c0': np.int64(2)})
    assert (rows['c2'] == 1).all()
    assert (rows['c0'] == 2).all()
    for code in range(5):
        assert (compressed_model.sample(9, {'a': code})['a'] == code).all()


@pytest.mark.parametrize('evidence', [{'z': 0}, {'c0': 3}, {'c0': -1}])
def test_evidence_outside_the_domain_names_the_column(model, evidence):
    with pytest.raises(ValueError, match=next(iter(evidence))):
        model.sample(5, evidence)


def test_marginals_need_columns_of_the_model(model):
    with pytest.raises(ValueError, match="'z'"):
        model.marginal(['c0', 'z'])
    with pytest.raises(ValueError, match='once'):
        model.marginal(['c0', 'c0'])


def test_every_declared_code_can_be_conditioned_on():
    """Codes and pairs of codes that estimation set to zero still have an answer."""
    table = Measurement(('a', 'b'), [[90.0, -9.0, -9.0], [-9.0, 80.0, -9.0]], 1.0)
    last = Measurement(('b', 'c'), [[80.0, 10.0], [10.0, 70.0], [-9.0, -9.0]], 1.0)
    model = estimate([table, last], {'a': 2, 'b': 3, 'c': 2})
    assert model.marginal('b')[2] == 0

    impossible_code = model.sample(4000, {'b': 2})
    np.testing.assert_allclose(impossible_code['a'].mean(), model.marginal('a')[1], atol=0.05)
    np.testing.assert_allclose(impossible_code['c'].mean(), model.marginal('c')[1], atol=0.05)
    impossible_pair = model.sample(4000, {'a': 0, 'b': 1})
    given_b = model.marginal(['b', 'c'])[1]
    np.testing.assert_allclose(impossible_pair['c'].mean(), given_b[1] / given_b.sum(), atol=0.05)
