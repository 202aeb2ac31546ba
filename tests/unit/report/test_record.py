"""The page for programs, judged by a schema, by Croissant's validator, and by an accountant.

Of ``_record.py``, ``_answers.py``, ``_effects.py`` and ``_particulars.py``.
"""

import json
import logging
from pathlib import Path

import dp_accounting
import jsonschema
import mlcroissant
import pytest
from census_report import make, report
from dp_accounting.pld import PLDAccountant
from dp_accounting.rdp import RdpAccountant
from sdv.errors import SynthesizerInputError

from sdv_prefair.report._particulars import ABOUT

SCHEMA = json.loads(
    (Path(__file__).parents[2] / 'support' / 'registry_schema.json').read_text('utf-8')
)
TOLD = {
    **{key: f'<{key}> of it' for key in ABOUT},
    'published': '2026-11-01',
    'curator_type': 'Nonprofit',
    'sector': 'Education',
    'admissible': {'education': 'it is needed for the work; decided by the board'},
}


@pytest.fixture(scope='module', params=['adaptive', 'planned', 'learnt', 'seeded', 'none'])
def recorded(request, census, tmp_path_factory):
    """Return a synthesizer, its page and its record, with rows and with all that people know."""
    folder = tmp_path_factory.mktemp('record')
    changes = {
        'learnt': {'public_ranges': False, 'epsilon': 20.0, 'max_rows_per_person': 2},
        'seeded': {'seed': 1},
        'none': {'structure': 'none'},
    }.get(request.param, {'structure': request.param})
    synthesizer = make(census, **changes)
    rows = folder / 'rows.csv'
    synthesizer.sample(50)['census'].to_csv(rows, index=False)
    page = report(
        synthesizer, folder, synthetic_file=rows, record=folder / 'x.json',
        about=TOLD if synthesizer.structure != 'none' else {'purpose': 'none'},
    )  # fmt: skip
    return synthesizer, page, json.loads((folder / 'x.json').read_text('utf-8')), folder


def test_it_is_one_object_with_four_parts(recorded):
    _, _, record, _ = recorded
    assert list(record) == ['registry', 'croissant', 'dp_event', 'page']


def test_the_registry_accepts_it(recorded):
    synthesizer, _, record, _ = recorded
    checker = jsonschema.Draft202012Validator(SCHEMA, format_checker=jsonschema.FormatChecker())
    faults = [fault.message for fault in checker.iter_errors(record['registry'])]
    # Which of three words the curator is cannot be guessed.
    missing = ["'data_curator_type' is a required property"]
    assert faults == ([] if synthesizer.structure != 'none' else missing)
    told = record['registry']['deployment']['privacy_loss']['privacy_parameters']
    footer = synthesizer.get_privacy_ledger().attrs
    wanted = {key: footer[key] for key in ('epsilon', 'delta', 'rho')}
    assert told == (wanted if footer['private'] else {})


def test_croissant_accepts_it_and_reads_the_rows(recorded, caplog):
    _, _, record, folder = recorded
    path = folder / 'croissant.json'
    path.write_text(json.dumps(record['croissant']))
    with caplog.at_level(logging.WARNING):
        dataset = mlcroissant.Dataset(path)
    assert not dataset.metadata.ctx.issues.errors
    assert not dataset.metadata.ctx.issues.warnings
    assert 'not standard' not in caplog.text
    assert dataset.metadata.data_use_cases
    assert dataset.metadata.personal_sensitive_information


def event_of(written):
    """Return the event that a record describes, as its library has it."""
    kind = getattr(dp_accounting, written['class'])
    if written['class'] == 'ComposedDpEvent':
        return kind([event_of(event) for event in written['events']])
    return kind(**{name: value for name, value in written.items() if name != 'class'})


def test_the_event_composes_to_the_same_epsilon(recorded):
    synthesizer, _, record, _ = recorded
    written, footer = record['dp_event'], synthesizer.get_privacy_ledger().attrs
    event = event_of(written['event'])
    relation = getattr(dp_accounting.NeighboringRelation, written['neighboring_relation'])
    if not footer['private']:
        assert isinstance(event, dp_accounting.NonPrivateDpEvent)
        return
    left = footer['delta'] - written['delta_of_thresholds']
    if footer['accounting'] == 'GDP':
        mu = sum(e.noise_multiplier**-2 for e in event.events) ** 0.5
        found = dp_accounting.get_epsilon_gaussian(1 / mu, left)
        assert found == pytest.approx(footer['epsilon'], rel=1e-9)
        accountant = PLDAccountant(relation).compose(event)
        assert accountant.get_epsilon(left) == pytest.approx(footer['epsilon'], rel=1e-3)
    else:
        accountant = RdpAccountant([1 + x / 8 for x in range(1, 4000)], relation).compose(event)
        assert accountant.get_epsilon(left) == pytest.approx(footer['epsilon'], rel=1e-4)


def test_the_page_says_the_same_as_its_json(recorded):
    _, page, record, _ = recorded
    section = page.section('answers')['text']
    for answer in record['page']['answers']:
        assert answer['question'] in section
        assert answer['text'] is None or answer['text'] in section
    for sentence in record['page']['use']:
        assert sentence in page.section('signing')['text']


def test_nothing_is_left_to_ask_once_people_have_told(recorded):
    synthesizer, _, record, _ = recorded
    open_ones = [answer['key'] for answer in record['page']['answers'] if answer['text'] is None]
    if synthesizer.structure == 'none':
        assert set(open_ones) == set(ABOUT) - {'purpose'}
    else:
        assert not open_ones
    assert len(record['page']['answers']) >= 38


def test_what_an_outcome_depends_on_comes_first(fitted, page):
    near = sorted(set(fitted.get_fair_graph()['income']))
    text = page.section('signing')['text']
    assert text.startswith('Before you signIn this table income depends on ')
    assert all(column in text.split('.')[0] for column in near)
    idle = set(fitted.admissible) - set(near)
    assert ('no effect in it beyond that' in text) is bool(idle)


@pytest.mark.parametrize(('about', 'wrong'), [
    ({'colour': 'red'}, 'unknown keys'), ({'purpose': 3}, 'must be a text'),
    ('purpose', 'must be a dictionary'), ({'admissible': {'sex': 'no'}}, 'not admissible columns'),
    ({'admissible': {'education': 1}}, 'must be a text'),
    ({'published': 'soon'}, 'must be a date'),
    ({'curator_type': 'a club'}, 'must be one of'),
])  # fmt: skip
def test_what_cannot_be_told_is_refused(fitted, about, wrong, tmp_path):
    with pytest.raises(SynthesizerInputError, match=wrong):
        report(fitted, tmp_path, about=about)
    assert not list(tmp_path.iterdir())


def test_nothing_is_told_twice(fitted, tmp_path):
    with pytest.raises(SynthesizerInputError, match='purpose is given in about and on its own'):
        report(fitted, tmp_path, purpose='a', about={'purpose': 'b'})


def test_a_copy_with_real_numbers_does_not_say_that_it_has_none(page, inside):
    nothing = 'No statistic of the rows is released without noise'
    assert nothing in page.section('answers')['text']
    assert nothing not in inside.section('answers')['text']
    assert 'numbers computed on the real table' in inside.section('answers')['text']


def test_noise_of_a_seed_is_not_said_to_be_that_of_the_system(recorded):
    synthesizer, page, _, _ = recorded
    is_seeded = synthesizer.seed is not None
    text = page.section('answers')['text']
    assert ('drawn from a known seed' in text) is is_seeded
    assert ('drawn from the operating system' in text) is not is_seeded
