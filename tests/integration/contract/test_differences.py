"""What differs from SDV's synthesizers by design: each line of the list, shown on both.

They run under SDV 1 and 2. Nothing differs in silence: a line without a test is an error.
"""

import pickle
import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from contract import CONTROL, fit, make, only
from differences import DIFFERENCES
from guests import COLUMNS, guests
from rdt.transformers import (
    AnonymizedFaker,
    FloatFormatter,
    PseudoAnonymizedFaker,
    RegexGenerator,
)
from sdv.cag import FixedCombinations, Inequality, ProgrammableConstraint
from sdv.cag import SingleTableProgrammableConstraint as SingleTable
from sdv.cag._errors import ConstraintNotMetError
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata
from sdv.sampling import Condition
from sdv.single_table.base import SYNTHESIZER_LOGGER

from sdv_prefair import PreFairSynthesizer, PrivacyWarning
from sdv_prefair._sdv_versions import IS_FIRST, accepted, as_given_back
from sdv_prefair.errors import StructureError
from sdv_prefair.transformers import ColumnCodes

OURS = 'none'
BOTH = (CONTROL, OURS)
DOCS = Path(__file__).parents[3] / 'docs' / 'sdv_contract.md'
NUMBER = {'sdtype': 'numerical', 'range_min': 0, 'range_max': 99}
SHOWN = {}


def shows(difference):
    """Mark a test as that of one line of the list."""

    def marked(test):
        SHOWN[difference] = test.__name__
        return test

    return marked


def quiet(call, *given, **named):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return call(*given, **named)


def both(table):
    return [make(kind, table) for kind in BOTH]


def with_frame(table, **columns):
    return as_given_back({'guests': table.frame.assign(**columns)})


def small(frame, about):
    metadata = Metadata.load_from_dict({'tables': {'guests': {'columns': about}}})
    return guests()._replace(data={'guests': pd.DataFrame(frame)}, metadata=metadata, roles={})


def test_every_difference_is_shown():
    assert set(SHOWN) == set(DIFFERENCES)


def test_the_documentation_lists_the_same():
    lines = re.findall(r'^\| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$', DOCS.read_text('utf-8'), re.M)
    listed = {name: tuple(words) for name, *words in lines}
    assert {name: listed.get(name) for name in DIFFERENCES} == DIFFERENCES


@shows('validate')
def test_values_are_not_looked_at_by_validate():
    table = guests(60)
    bad = with_frame(table, arrived='yesterday')
    theirs, ours = both(table)
    with pytest.raises(Exception, match='yesterday'):
        quiet(theirs.validate, bad)
    quiet(ours.validate, bad)
    early = with_frame(table, arrived='31 Dec 2020', left='01 Jan 2020')
    for synthesizer in (theirs, ours):
        synthesizer.add_constraints([Inequality('arrived', 'left')])
    with pytest.raises(ConstraintNotMetError, match='01 Jan 2020'):
        quiet(theirs.validate, early)
    quiet(ours.validate, early)


@shows('rows that violate constraints')
def test_rows_that_break_constraints_are_fitted():
    table = small({'a': [5, 1] * 30, 'b': [2, 3] * 30}, {'a': NUMBER, 'b': NUMBER})
    theirs, ours = both(table)
    for synthesizer in (theirs, ours):
        synthesizer.add_constraints([Inequality('a', 'b')])
    with pytest.raises(Exception, match='nequality'):
        quiet(theirs.fit, as_given_back(table.data))
    quiet(ours.fit, as_given_back(table.data))
    sampled = only(ours.sample(50))
    assert (sampled['a'] <= sampled['b']).all()


@shows('values outside declared ranges')
def test_values_outside_ranges_are_moved_into_them():
    table = guests(60)
    rates = [100, *[9999] * (len(table.frame) - 1)]  # our fit stops where all are outside
    outside = table._replace(data={'guests': table.frame.assign(rate=rates)})
    ours = fit(OURS, outside)
    assert only(ours.sample(20))['rate'].max() <= 500
    try:
        theirs = only(fit(CONTROL, outside).sample(20))
    except Exception as error:
        assert 'rate' in str(error)
    else:
        assert theirs['rate'].max() == 9999


@shows('repeated or null keys')
def test_keys_are_not_read():
    table = guests(60)
    theirs, ours = both(table)
    for bad in (with_frame(table, guest='G-0001'), with_frame(table, guest=None)):
        with pytest.raises(Exception, match='guest'):
            quiet(theirs.fit, bad)
        quiet(ours.fit, bad)
        assert only(ours.sample(20))['guest'].is_unique


@shows('transformers of modelled columns')
def test_transformers_that_learn_are_refused():
    table = guests(60)
    theirs, ours = both(table)
    for synthesizer in (theirs, ours):
        quiet(synthesizer.auto_assign_transformers, as_given_back(table.data))
    quiet(theirs.update_transformers, {'rate': FloatFormatter()})
    with pytest.raises(SynthesizerInputError, match='FloatFormatter'):
        ours.update_transformers({'rate': FloatFormatter()})
    assert isinstance(ours.get_transformers()['rate'], ColumnCodes)


@shows('bounds and rounding that are not enforced')
def test_values_stay_in_their_ranges():
    drawn = np.random.default_rng(0).normal(50, 20, 200).clip(0, 99).round()
    table = small({'a': drawn}, {'a': NUMBER | {'decimal_places': 0}})
    loose = {'enforce_min_max_values': False, 'enforce_rounding': False}
    theirs = quiet(type(make(CONTROL, table)), accepted(table.metadata), **loose)
    ours = make(OURS, table, **loose)
    for synthesizer in (theirs, ours):
        quiet(synthesizer.fit, as_given_back(table.data))
    assert not only(theirs.sample(2_000))['a'].between(0, 99).all()
    assert only(ours.sample(2_000))['a'].between(0, 99).all()


@shows('ranges wider than the rows')
def test_ranges_are_used_as_far_as_they_reach():
    table = small({'a': [50] * 100, 'b': [1, 2] * 50}, dict.fromkeys('ab', NUMBER))
    theirs = make(CONTROL, table)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        theirs.fit(as_given_back(table.data))
    assert IS_FIRST or any('does not cover the full range' in str(one.message) for one in caught)
    assert set(only(theirs.sample(50))['a']) == {50}
    ours = make(OURS, table, epsilon=0.05, seed=1)  # so that noise is the same in every run
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        warnings.filterwarnings('error', 'The training data does not cover')
        ours.fit(as_given_back(table.data))
    sampled = only(ours.sample(50))['a']
    assert sampled.nunique() > 1 and sampled.between(0, 99).all()


@shows('how often generated values repeat')
@pytest.mark.parametrize('rule', ['match', 'scale'])
def test_repetitions_are_not_counted(rule):
    table = guests(60)
    chosen = {
        'guest': lambda: RegexGenerator('[A-Z]{5}', cardinality_rule=rule),
        'address': lambda: AnonymizedFaker('misc', 'uuid4', cardinality_rule=rule),
    }
    theirs, ours = both(table)
    for synthesizer in (theirs, ours):
        quiet(synthesizer.auto_assign_transformers, as_given_back(table.data))
    quiet(theirs.update_transformers, {'guest': chosen['guest']()})
    for column, generator in chosen.items():
        with pytest.raises(SynthesizerInputError, match=f"'{column}' cannot use .*{rule}"):
            ours.update_transformers({column: generator()})


@shows('preprocess')
def test_codes_are_whole_numbers():
    table = guests(60)
    theirs, ours = (only(quiet(s.preprocess, as_given_back(table.data))) for s in both(table))
    assert theirs.index.name == 'guest'
    assert ours.index.equals(table.frame.index)
    assert {dtype.kind for dtype in ours.dtypes} == {'u'}
    assert 'f' in {dtype.kind for dtype in theirs.dtypes}


@shows('decimal places')
def test_decimals_are_declared():
    values = np.random.default_rng(0).integers(0, 99, 100) / 1.0
    table = small({'a': values, 'b': values}, {'a': NUMBER, 'b': NUMBER | {'decimal_places': 0}})
    theirs, ours = (only(fit(kind, table).sample(100)) for kind in BOTH)
    assert (theirs['a'] % 1 == 0).all() and (ours['b'] % 1 == 0).all()
    assert (ours['a'] % 1 != 0).any()


@shows('ids that are not keys')
def test_ids_are_made_up():
    columns = {'ward': {'sdtype': 'id'}, 'a': NUMBER}
    table = small({'ward': ['north', 'south'] * 50, 'a': range(100)}, columns)
    theirs, ours = (set(only(fit(kind, table).sample(50))['ward']) for kind in BOTH)
    assert theirs <= {'north', 'south'}
    assert not ours & {'north', 'south'}


@shows('pseudonyms')
def test_pseudonyms_are_refused():
    table = guests(60)
    theirs, ours = both(table)
    chosen = {'address': PseudoAnonymizedFaker('address', 'address')}
    for synthesizer in (theirs, ours):
        quiet(synthesizer.auto_assign_transformers, as_given_back(table.data))
    quiet(theirs.update_transformers, chosen)
    quiet(theirs.fit, as_given_back(table.data))
    assert b'Real Street' in pickle.dumps(theirs)
    with pytest.raises(SynthesizerInputError, match='PseudoAnonymizedFaker'):
        ours.update_transformers({'address': PseudoAnonymizedFaker('address', 'address')})


@shows('information')
def test_the_promise_is_part_of_the_information():
    theirs, ours = (s.get_info() for s in both(guests(60)))
    assert set(theirs) < set(ours)
    assert {'epsilon', 'delta', 'accounting', 'ranges'} <= set(ours)


@shows('combinations')
def test_a_combination_that_one_row_has_is_not_kept():
    words = {'sdtype': 'categorical', 'range_values': ['p', 'q'], 'range_is_nullable': False}
    frame = {'a': ['p'] * 500 + ['q'] * 500 + ['p'], 'b': ['p'] * 500 + ['q'] * 500 + ['q']}
    table = small(frame, {'a': words, 'b': words})
    theirs, ours = make(CONTROL, table), make(OURS, table, epsilon=1.0)
    for synthesizer in (theirs, ours):
        synthesizer.add_constraints([FixedCombinations(['a', 'b'])])
        quiet(synthesizer.fit, as_given_back(table.data))
    kept = theirs._chained_constraints[0]._combinations
    assert len(kept) == 3
    sampled = only(ours.sample(500))
    assert set(zip(sampled['a'], sampled['b'], strict=True)) == {('p', 'p'), ('q', 'q')}


@shows('columns of constraints')
def test_there_is_no_column_of_nulls():
    table = small({'a': [1.0, None] * 40, 'b': [2.0, 3.0] * 40}, {'a': NUMBER, 'b': NUMBER})
    modelled = []
    for synthesizer in both(table):
        synthesizer.add_constraints([Inequality('a', 'b')])
        quiet(synthesizer.fit, as_given_back(table.data))
        modelled.append([str(c) for c in synthesizer.get_transformers()])
        assert only(synthesizer.sample(40))['a'].isna().any()
    assert any(c.endswith('nan_component') for c in modelled[0])
    assert not any(c.endswith('nan_component') for c in modelled[1])


class Learning(SingleTable):
    """At most what the rows have."""

    column_names = ['rate']

    def fit(self, data, metadata):
        self.most = data['rate'].max()

    def get_updated_metadata(self, metadata):
        return metadata

    def transform(self, data):
        return data

    def reverse_transform(self, data):
        return data

    def is_valid(self, data):
        return data['rate'] <= self.most


@shows('constraints that learn')
def test_constraints_that_learn_are_refused():
    theirs, ours = both(guests(60))
    theirs.add_constraints([Learning()])
    with pytest.raises(SynthesizerInputError, match=r"learns \['most'\] from the rows"):
        ours.add_constraints([Learning()])


class Typical(SingleTable):
    """Whoever has rewards pays no fee; the model is shown the median of all instead."""

    column_names = ['rewards', 'fee']

    def get_updated_metadata(self, metadata):
        return metadata

    def transform(self, data):
        return data.assign(fee=data['fee'].mask(data['rewards'], data['fee'].median()))

    def reverse_transform(self, data):
        return data.assign(fee=data['fee'].mask(data['rewards'], 0.0))

    def is_valid(self, data):
        return ~data['rewards'] | (data['fee'] == 0)


@shows('rules that look at other rows')
def test_rules_see_one_row_at_a_time():
    table = guests(90)
    free = table.frame['fee'].mask(table.frame['rewards'], 0.0)
    table = table._replace(data={'guests': table.frame.assign(fee=free)})
    theirs, ours = both(table)
    for synthesizer in (theirs, ours):
        synthesizer.add_constraints([Typical()])
        quiet(synthesizer.fit, as_given_back(table.data))
        sampled = only(synthesizer.sample(40))
        assert (sampled.loc[sampled['rewards'], 'fee'] == 0).all()
    promising = Typical()
    promising.row_wise = True
    ours = make(OURS, table)
    ours.add_constraints([promising])
    with pytest.raises(SynthesizerInputError, match='depending on the other rows'):
        quiet(ours.fit, as_given_back(table.data))


class ByName(ProgrammableConstraint):
    """The rate is even."""

    column_names = ['rate']

    def is_valid(self, data):
        return {'guests': data['guests']['rate'] % 2 == 0}


@shows('constraints by table name')
def test_constraints_with_tables_by_their_names_are_taken():
    table = guests(60)
    theirs, ours = both(table)
    with pytest.raises(SynthesizerInputError, match='not compatible with the single table'):
        theirs.add_constraints([ByName()])
    ours.add_constraints([ByName()])
    quiet(ours.fit, as_given_back(table.data))
    assert (only(ours.sample(30))['rate'] % 2 == 0).all()


@shows('conditions that no row met')
def test_conditions_are_drawn_not_rejected():
    about = NUMBER | {'decimal_places': 0}
    table = small({c: range(100) for c in 'abc'}, dict.fromkeys('abc', about))
    theirs, ours = (fit(kind, table) for kind in BOTH)
    asked = [Condition({'a': 28, 'b': 37, 'c': 93}, 2)]
    with pytest.raises(ValueError, match=r'.'):
        quiet(theirs.sample_from_conditions, asked)
    sampled = only(quiet(ours.sample_from_conditions, asked))
    assert sampled.to_numpy().tolist() == [[28, 37, 93]] * 2
    known = pd.DataFrame({'a': [28], 'b': [37], 'c': [93]})
    with pytest.raises(ValueError, match=r'.'):
        quiet(theirs.sample_remaining_columns, known)
    assert only(quiet(ours.sample_remaining_columns, known)).to_numpy().tolist() == [[28, 37, 93]]


@shows('detected metadata')
def test_what_was_detected_is_assumed_public_with_a_warning():
    table = guests(60)
    with pytest.warns(PrivacyWarning, match='public'):
        PreFairSynthesizer(table.metadata, **table.roles)


@shows('metadata without a column to model')
def test_something_must_be_learnt():
    columns = {'guest': COLUMNS['guest'], 'email': COLUMNS['email']}
    metadata = accepted(guests(60, columns).metadata)
    quiet(type(make(CONTROL, guests(60))), metadata)
    with pytest.raises(StructureError, match='no column to model'):
        quiet(PreFairSynthesizer, metadata, structure='none')


@shows('the log')
def test_the_number_of_rows_is_not_logged(monkeypatch):
    said = {kind: [] for kind in BOTH}
    for kind in BOTH:
        monkeypatch.setattr(SYNTHESIZER_LOGGER, 'info', said[kind].append)
        fit(kind, guests(61))
    fits = {kind: [line for line in said[kind] if 'Fit' in line['EVENT']] for kind in BOTH}
    assert all(fits.values())
    assert any(61 in line.values() for line in fits[CONTROL])
    assert not any(61 in line.values() for line in fits[OURS])


@shows('two synthesizers fitted to the same rows')
def test_two_fits_differ():
    table = guests(60)
    samples = [only(fit(k, table, **more).sample(40)) for k, more in ((CONTROL, {}),) * 2]
    pd.testing.assert_frame_equal(*samples)
    ours = [only(fit(OURS, table, epsilon=1.0).sample(40)) for _ in range(2)]
    assert not ours[0].equals(ours[1])
