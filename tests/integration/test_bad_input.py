"""Bad input gets an error of SDV's classes that names the thing and the remedy."""

import math
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from sdv.errors import InvalidDataError, SamplingError, SynthesizerInputError
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer

ROLES = {'protected': ['sex'], 'admissible': ['education'], 'outcome': ['income']}
SECRET = 'Zyzzyva-4711'


def metadata():
    return Metadata.load_from_dict({
        'tables': {
            'people': {
                'primary_key': 'id',
                'columns': {
                    'id': {'sdtype': 'id'},
                    'sex': {'sdtype': 'categorical', 'range_values': ['F', 'M']},
                    'education': {'sdtype': 'ordinal', 'range_values': ['hs', 'ba', 'phd']},
                    'income': {'sdtype': 'categorical', 'range_values': ['low', 'high']},
                    'age': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 99},
                    'born': {
                        'sdtype': 'datetime',
                        'datetime_format': '%Y-%m-%d',
                        'range_min': '1900-01-01',
                        'range_max': '2020-12-31',
                    },
                    'email': {'sdtype': 'email', 'pii': True},
                    'note': {'sdtype': 'unknown'},
                },
            }
        }
    })


def frame(num_rows=20):
    return pd.DataFrame({
        'id': range(num_rows),
        'sex': ['F', 'M'] * (num_rows // 2),
        'education': ['hs', 'ba'] * (num_rows // 2),
        'income': ['low', 'high'] * (num_rows // 2),
        'age': range(num_rows),
        'born': ['1990-01-01'] * num_rows,
        'email': [SECRET] * num_rows,
        'note': [SECRET] * num_rows,
    })


def make(**changes):
    return PreFairSynthesizer(metadata(), **({'public_ranges': True} | ROLES | changes))


@pytest.mark.parametrize(
    ('changes', 'message'),
    [
        ({'protected': ['income']}, "protected and outcome both name ['income']"),
        ({'admissible': []}, 'admissible must name at least one column'),
        ({'protected': (), 'admissible': (), 'outcome': ()}, "structure='none'"),
        ({'outcome': 'income'}, "Write outcome=['income']"),
        ({'outcome': ['wage']}, "outcome names the column 'wage', which is not in the metadata"),
        ({'protected': ['id']}, "protected names the column 'id', which is not modelled"),
        ({'protected': ['email']}, "protected names the column 'email', which is not modelled"),
        ({'protected': ['note']}, "protected names the column 'note', which is not modelled"),
        ({'protected': ['sex', 'sex']}, "protected names a column more than once: ['sex']"),
        ({'protected': 3}, 'protected (3) must be a list of column names'),
        ({'epsilon': 0}, 'epsilon (0) must be a finite number above 0'),
        ({'epsilon': -1}, 'epsilon (-1) must be'),
        ({'epsilon': math.nan}, 'epsilon (nan) must be'),
        ({'epsilon': 'one'}, "epsilon ('one') must be"),
        ({'delta': 1}, 'delta (1) must be between 0 and 1'),
        ({'delta': 0.0}, 'delta (0.0) must be between 0 and 1'),
        ({'budget': 'half'}, "budget ('half') must be 'tuned' or 'paper'"),
        ({'estimator': 'magic'}, "estimator ('magic') must be one of 'auto', 'mbi'"),
        ({'structure': 'forest'}, 'forest'),
        ({'structure': [('sex', 'income')]}, "structure does not connect ['education'"),
        ({'numeric_bins': 1}, 'numeric_bins (1) must be an integer of at least 2'),
        ({'numeric_bins': 2.5}, 'numeric_bins (2.5) must be an integer'),
        ({'max_rows_per_person': 0}, 'max_rows_per_person (0) must be'),
        ({'person_column': 'nobody'}, "person_column ('nobody') is not a column"),
        ({'person_column': 'age'}, "person_column ('age') would be modelled"),
        ({'public_ranges': 'yes'}, "public_ranges ('yes') must be one of"),
        ({'seed': -1}, 'seed (-1) must be an integer of at least 0'),
        ({'verbose': 'loud'}, "verbose ('loud') must be one of"),
        ({'enforce_rounding': 'no'}, 'enforce_rounding'),
    ],
)
def test_bad_arguments_are_refused_on_construction(changes, message):
    with pytest.raises(SynthesizerInputError) as caught:
        make(**changes)
    assert message in str(caught.value)


class _Unruly:
    """An object that raises whatever is asked of it."""

    def __hash__(self):
        raise RuntimeError('secret')

    def __eq__(self, other):
        raise RuntimeError('secret')


class _Incomparable(_Unruly):
    def __hash__(self):
        return hash('x')


@pytest.mark.filterwarnings('ignore::sdv_prefair.errors.PrivacyWarning')
@pytest.mark.parametrize('column', ['word', 'number', 'person'])
@pytest.mark.parametrize('is_declared', [True, False])
@pytest.mark.parametrize(
    'cell',
    [[1], {}, Decimal('sNaN'), _Unruly(), _Incomparable(), 10**400, 1j],
    ids=lambda cell: type(cell).__name__,
)
def test_one_odd_cell_does_not_decide_whether_a_fit_fails(column, is_declared, cell):
    """A failure would tell that some row holds it; an object's own message could tell more."""
    frame = pd.DataFrame({
        'word': ['x', 'y'] * 50,
        'number': np.arange(100.0) % 7,
        'person': [f'p{i}' for i in range(100)],
    }).astype(object)
    frame.at[3, column] = cell
    ranges = {'word': {'range_values': ['x', 'y']}, 'number': {'range_min': 0, 'range_max': 10}}
    kinds = {'word': 'categorical', 'number': 'numerical', 'person': 'id'}
    columns = {
        name: {'sdtype': kind} | (ranges.get(name, {}) if is_declared else {})
        for name, kind in kinds.items()
    }
    synthesizer = PreFairSynthesizer(
        Metadata.load_from_dict({'tables': {'t': {'columns': columns}}}),
        structure='none', public_ranges=True, person_column='person',
    )  # fmt: skip
    synthesizer.fit({'t': frame})
    assert len(synthesizer.sample(20)['t']) == 20


def test_structure_none_needs_no_roles():
    make(structure='none', protected=(), admissible=(), outcome=())


@pytest.mark.parametrize(
    ('spoil', 'message'),
    [
        (lambda df: df.head(0), 'The table has no rows'),
        (lambda df: df.drop(columns='sex'), "Columns ['sex'] are in the metadata but not in the"),
        (lambda df: df.assign(extra=1), "Columns ['extra'] are in the data but not in the"),
        (
            lambda df: df.assign(age=pd.array([SECRET] * len(df), 'string')),
            "Column 'age' is declared as 'numerical'",
        ),
        (lambda df: df.assign(born=1.5), "Column 'born' is declared as 'datetime'"),
        (lambda df: pd.concat([df, df[['sex']]], axis=1), "Columns ['sex'] appear more than once"),
    ],
)
def test_a_frame_that_does_not_match_is_refused_and_left_as_it_was(spoil, message):
    spoilt = spoil(frame())
    before = spoilt.copy()
    synthesizer = make()
    with pytest.raises(InvalidDataError) as caught:
        synthesizer.fit({'people': spoilt})
    assert message in str(caught.value)
    assert SECRET not in str(caught.value)
    pd.testing.assert_frame_equal(spoilt, before)


@pytest.mark.parametrize('data', [None, [], {'people': None}, {'others': frame()}, {}])
def test_data_must_be_the_one_table(data):
    with pytest.raises(InvalidDataError, match='people'):
        make().fit(data)


@pytest.mark.parametrize(
    'ask',
    ['get_privacy_ledger', 'get_fair_graph', 'verify_fairness', 'visualize', lambda s: s.sample(1)],
)
def test_what_needs_a_fit_says_so(ask):
    synthesizer = make()
    with pytest.raises(SamplingError, match='has not been fitted'):
        ask(synthesizer) if callable(ask) else getattr(synthesizer, ask)()


def test_a_failed_fit_leaves_the_synthesizer_usable():
    synthesizer = make()
    with pytest.raises(InvalidDataError):
        synthesizer.fit({'people': frame().drop(columns='sex')})
    synthesizer.fit({'people': frame()})
    assert len(synthesizer.sample(5)['people']) == 5
