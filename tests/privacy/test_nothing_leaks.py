"""Neighbouring tables give fits that differ only in the model; no value of a row gets out."""

import io
import logging
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sdv.errors import InvalidDataError
from sdv.metadata import Metadata
from sdv.single_table.base import SYNTHESIZER_LOGGER
from walk import differing_paths

from sdv_prefair import PreFairSynthesizer, PrivacyWarning, strip_ranges
from sdv_prefair.datasets import simulate_census

# Paths that may differ between two fits: the noisy model, the lines of the ledger that name the
# privately chosen tree, and what names the object.
ALLOWED = (
    '._result.model',
    '._result.looks',
    '._account._attempts[0].ledger._debits',
    '._synthesizer_id',
)
SENTINEL = 'Zyzzyva4711'
NUMBER, MOMENT = 987654.25, pd.Timestamp('2017-03-04 05:06:07')


def mixed_metadata(ranges=True):
    columns = {
        'key': {'sdtype': 'id'},
        'ssn': {'sdtype': 'ssn', 'pii': True},
        'badge': {'sdtype': 'id'},
        'odd': {'sdtype': 'unknown'},
        'sex': {'sdtype': 'categorical', 'range_values': ['F', 'M']},
        'grade': {'sdtype': 'ordinal', 'range_values': ['a', 'b', 'c']},
        'paid': {'sdtype': 'categorical', 'range_values': ['no', 'yes']},
        'wage': {'sdtype': 'numerical', 'range_min': 0.0, 'range_max': 1e6},
        'hours': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 90, 'decimal_places': 0},
        'hired': {
            'sdtype': 'datetime',
            'datetime_format': '%Y-%m-%d %H:%M:%S',
            'range_min': '2000-01-01 00:00:00',
            'range_max': '2030-01-01 00:00:00',
        },
        'flag': {'sdtype': 'boolean'},
    }
    tables = {'staff': {'primary_key': 'key', 'columns': columns}}
    metadata = Metadata.load_from_dict({'tables': tables})
    return metadata if ranges else strip_ranges(metadata)


def mixed_rows(num_rows, seed=0):
    rng = np.random.default_rng(seed)
    grade = rng.choice(['a', 'b', 'c'], num_rows)
    return pd.DataFrame({
        'key': [f'k{i:05}' for i in range(num_rows)],
        'ssn': [f'{i:09}' for i in range(num_rows)],
        'badge': [f'badge-{i}' for i in range(num_rows)],
        'odd': rng.integers(0, 99, num_rows),
        'sex': pd.Categorical(rng.choice(['F', 'M'], num_rows)),
        'grade': grade,
        'paid': np.where(rng.random(num_rows) < 0.5, 'yes', 'no'),
        'wage': rng.lognormal(9, 1, num_rows).round(2),
        'hours': rng.integers(0, 91, num_rows),
        'hired': pd.Timestamp('2010-01-01') + pd.to_timedelta(rng.integers(0, 9e7, num_rows), 's'),
        'flag': pd.array(rng.random(num_rows) < 0.3, dtype='boolean'),
    })


def with_sentinels(table):
    """One row in which every column holds what no other row and no range holds."""
    row = table.iloc[[0]].copy()
    row['key'], row['ssn'], row['badge'], row['grade'] = (SENTINEL,) * 4
    row['sex'] = pd.Categorical([SENTINEL])
    row['paid'] = SENTINEL
    row['odd'], row['wage'], row['hours'], row['hired'] = 31_415_926, NUMBER, 88, MOMENT
    joined = pd.concat([table.astype({'sex': object}), row.astype({'sex': object})])
    return joined.astype({'sex': 'category'}).reset_index(drop=True)


def fit(metadata, table, **changes):
    arguments = {
        'protected': ['sex'],
        'admissible': ['grade', 'hours'],
        'outcome': ['paid'],
        'public_ranges': True,
        'seed': 5,
    }
    synthesizer = PreFairSynthesizer(metadata, **(arguments | changes))
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', PrivacyWarning)
        synthesizer.fit({'staff': table}, check=False)
    return synthesizer


def unexpected(first, second, allowed=ALLOWED):
    return {p for p in differing_paths(first, second) if not p.startswith(allowed)}


@pytest.mark.parametrize(
    'structure', ['adaptive', 'exact', 'aim', 'planned', 'privbayes', 'mwem', 'none']
)
def test_fits_of_neighbours_differ_only_in_the_model(structure):
    table = mixed_rows(400)
    neighbour = with_sentinels(table)
    one, two = (fit(mixed_metadata(), t, structure=structure) for t in (table, neighbour))
    with pytest.warns(PrivacyWarning, match='used a seed'):
        one, two = pickle.loads(pickle.dumps(one)), pickle.loads(pickle.dumps(two))
    assert not unexpected(one, two)
    assert differing_paths(one._model, two._model), 'the comparison sees the noisy measurements'


def test_the_comparison_would_see_a_leak():
    one, two = (fit(mixed_metadata(), mixed_rows(50)) for _ in range(2))
    assert not unexpected(one, two)
    two._data_processor.some_row_count = 51
    assert unexpected(one, two) == {'._data_processor.some_row_count'}


def test_the_first_rows_and_missing_values_leave_no_trace():
    table = mixed_rows(300)
    other_first = table.iloc[::-1].reset_index(drop=True)
    one, two = fit(mixed_metadata(), table), fit(mixed_metadata(), other_first)
    allowed = ('._synthesizer_id', '._result.model._rng')
    assert not unexpected(one, two, allowed), 'order of rows does not matter at all'
    some_missing = table.assign(grade=table['grade'].where(table.index != 3))
    assert not unexpected(one, fit(mixed_metadata(), some_missing))


def test_learnt_domains_differ_only_by_what_was_paid_for():
    """Sentinel values of a single row are learnt by nobody; bounds come from public grids."""
    table = mixed_rows(400)
    metadata = mixed_metadata(ranges=False)
    one, two = (fit(metadata, t, epsilon=3.0) for t in (table, with_sentinels(table)))
    for synthesizer in (one, two):
        held = pickle.dumps(synthesizer)
        assert SENTINEL.encode() not in held
        assert synthesizer.get_privacy_ledger()['rho'].sum() == float(one.fitted.ledger.budget)


@pytest.mark.parametrize('ranges', [True, False])
def test_no_sentinel_in_pickle_outputs_logs_or_warnings(ranges, tmp_path):
    table = with_sentinels(mixed_rows(300))
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    root = logging.getLogger()
    loggers = (root, SYNTHESIZER_LOGGER)
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.addHandler(handler)
        logger.setLevel(logging.DEBUG)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            synthesizer = PreFairSynthesizer(
                mixed_metadata(ranges),
                protected=['sex'],
                admissible=['grade', 'hours'],
                outcome=['paid'],
                public_ranges=ranges,
                verbose=True,
            )
            synthesizer.fit({'staff': table}, check=False)
            sampled = synthesizer.sample(2000)['staff']
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.removeHandler(handler)
            logger.setLevel(level)
    shown = [
        stream.getvalue(),
        *(str(w.message) for w in caught),
        synthesizer.get_privacy_ledger().to_string(),
        str(synthesizer.get_info()),
        str(synthesizer.get_parameters()),
        str(synthesizer.get_transformers()),
        str(synthesizer.get_metadata().to_dict()),
        str(synthesizer.get_metadata('modified').to_dict()),
        str(list(synthesizer.get_fair_graph().nodes(data=True))),
        synthesizer.visualize().to_json(),
        sampled.to_csv(),
    ]
    path = tmp_path / 's.pkl'
    synthesizer.save(path)
    shown.append(path.read_bytes().decode('latin-1'))
    for text in shown:
        # The whole moment: its day alone is in a sample now and then, by chance.
        for secret in (SENTINEL, '31415926', '987654.25', str(MOMENT)):
            assert secret not in text
    assert f"ROWS': {len(table)}" not in stream.getvalue(), 'the number of rows is not logged'
    assert "ROWS': 2000" in stream.getvalue(), 'the log is read'


def test_the_sentinel_search_would_find_them(tmp_path):
    """SDV's own synthesizer keeps them, so the search is not blind."""
    from sdv.single_table import GaussianCopulaSynthesizer

    table = with_sentinels(mixed_rows(300))
    metadata = Metadata.detect_from_dataframes({'staff': table})
    control = GaussianCopulaSynthesizer(metadata)
    control.fit({'staff': table})
    assert SENTINEL.encode() in pickle.dumps(control)


def test_errors_name_columns_not_values():
    table = with_sentinels(mixed_rows(30))
    table = table.assign(wage=pd.array([SENTINEL] * len(table), 'string'))
    synthesizer = PreFairSynthesizer(
        mixed_metadata(),
        public_ranges=True,
        protected=['sex'],
        admissible=['grade'],
        outcome=['paid'],
    )
    with pytest.raises(InvalidDataError) as caught:
        synthesizer.fit({'staff': table}, check=False)
    assert 'wage' in str(caught.value)
    assert SENTINEL not in str(caught.value)


def test_values_outside_every_range_and_two_rows_still_fit():
    outside = pd.concat([with_sentinels(mixed_rows(1)).iloc[[1]]] * 2, ignore_index=True)
    synthesizer = fit(mixed_metadata(), outside, epsilon=1e-3)
    sampled = synthesizer.sample(50)['staff']
    assert len(sampled) == 50
    assert set(sampled['paid'].dropna()) <= {'no', 'yes'}
    assert sampled['wage'].dropna().between(0, 1e6).all()


def test_nothing_learnable_warns_in_public_terms():
    synthesizer = PreFairSynthesizer(
        mixed_metadata(ranges=False),
        epsilon=0.01,
        protected=['sex'],
        admissible=['grade', 'hours'],
        outcome=['paid'],
        public_ranges=False,
    )
    with pytest.warns(PrivacyWarning, match='stood out from the noise') as caught:
        synthesizer.fit({'staff': with_sentinels(mixed_rows(60))}, check=False)
    assert all(SENTINEL not in str(w.message) for w in caught)
    assert len(synthesizer.sample(30)['staff']) == 30


def test_the_simulated_census_has_no_leak_either():
    census = simulate_census(300, seed=2)
    (name,) = census.data
    table = census.data[name]

    def fit_census(rows):
        synthesizer = PreFairSynthesizer(
            census.metadata, public_ranges=True, seed=1, **census.roles.as_dict()
        )
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', PrivacyWarning)
            synthesizer.fit({name: rows}, check=False)
        return synthesizer

    assert not unexpected(fit_census(table), fit_census(table.drop(index=7)))


def test_ranges_that_are_not_public_are_not_kept():
    table = with_sentinels(mixed_rows(60))
    detected = Metadata.detect_from_dataframes({'staff': table})
    assert SENTINEL in str(detected.to_dict()), 'SDV reads the values into the metadata'
    synthesizer = PreFairSynthesizer(detected, structure='none', public_ranges=False)
    assert SENTINEL not in str(synthesizer.get_metadata().to_dict())
    assert SENTINEL.encode() not in pickle.dumps(synthesizer)
    assert SENTINEL in str(detected.to_dict()), "the caller's metadata is left as it is"


def test_transformers_can_be_assigned_before_domains_are_learnt():
    synthesizer = PreFairSynthesizer(
        mixed_metadata(ranges=False), structure='none', public_ranges=False
    )
    synthesizer.auto_assign_transformers({'staff': mixed_rows(60)})
    transformers = synthesizer.get_transformers()
    assert transformers['wage'] is None
    assert transformers['flag'] is not None
