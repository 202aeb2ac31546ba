"""The record that a release carries: made from the fit alone, and checked against it."""

import copy
import json
import logging
import zipfile

import mlcroissant
import pytest
from hypothesis import given
from hypothesis import strategies as st
from releases import fit

from sdv_prefair import PreFairSynthesizer, load_release, verify_release
from sdv_prefair.errors import ReleaseError, VerificationError
from sdv_prefair.release._archive import pack
from sdv_prefair.release._twin_record import RECORD, check_record


@pytest.fixture(scope='module')
def synthesizer():
    return fit()


@pytest.fixture(scope='module')
def saved(synthesizer, tmp_path_factory):
    path = tmp_path_factory.mktemp('twin') / 'x.prefair'
    synthesizer.save_release(path)
    return path


@pytest.fixture(scope='module')
def record(saved):
    with zipfile.ZipFile(saved) as archive:
        return json.loads(archive.read(RECORD))


def changed(saved, path, content):
    """Write the release again with another record."""
    with zipfile.ZipFile(saved) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    path.write_bytes(pack(members | {RECORD: content}))
    return path


def places(document, place=()):
    """Yield the place of every leaf."""
    items = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in items:
        if isinstance(value, dict | list) and value:
            yield from places(value, (*place, key))
        else:
            yield (*place, key)


def edited(record, place, value):
    made = copy.deepcopy(record)
    at = made
    for key in place[:-1]:
        at = at[key]
    at[place[-1]] = value
    return made


def test_a_release_carries_what_the_fit_says_of_itself(synthesizer, saved, record):
    assert record == synthesizer.get_record() == load_release(saved).get_record()
    assert list(record) == ['registry', 'croissant', 'dp_event', 'page']
    assert record['page']['promise']['epsilon'] == synthesizer.epsilon
    assert len(record['dp_event']['event']['events']) == len(synthesizer.get_privacy_ledger())
    checks = {check.about: check for check in verify_release(saved).checks}
    assert checks['record'].told == 'record.json says what the release says'


def test_the_record_in_a_release_is_croissant(record, tmp_path, caplog):
    (tmp_path / 'croissant.json').write_text(json.dumps(record['croissant']))
    with caplog.at_level(logging.WARNING):
        dataset = mlcroissant.Dataset(tmp_path / 'croissant.json')
    assert not dataset.metadata.ctx.issues.errors


def test_a_fit_that_was_not_opened_has_no_record_to_check(synthesizer):
    assert synthesizer.carried_record is None


def test_the_same_fit_gives_the_same_bytes(synthesizer, saved, tmp_path):
    load_release(saved).save_release(tmp_path / 'again')
    assert (tmp_path / 'again').read_bytes() == saved.read_bytes()


@given(st.data())
def test_an_edited_record_does_not_verify(record, data):
    """Whatever leaf is changed, and to whatever."""
    place = data.draw(st.sampled_from(list(places(record))))
    value = data.draw(st.none() | st.text(max_size=5) | st.floats(allow_nan=False) | st.booleans())
    made = edited(record, place, value)
    if made != record and place != ('page', 'made_by'):
        assert not check_record(made, record).passed


@given(st.data())
def test_figures_are_compared_whoever_says_to_have_made_it(record, data):
    other = edited(record, ('page', 'made_by'), 'sdv-prefair 0.0.9')
    found = check_record(other, record)
    assert found.passed and 'its words, by sdv-prefair 0.0.9, were not read' in found.told
    parts = {('page', 'promise'), ('page', 'risk'), ('page', 'private'), ('page', 'fair')}
    figures = [p for p in places(record) if p[0] == 'dp_event' or p[:2] in parts]
    place = data.draw(st.sampled_from(figures))
    value = data.draw(st.floats(allow_nan=False) | st.text(max_size=3))
    made = edited(other, place, value)
    if made != other:
        assert not check_record(made, record).passed


@pytest.mark.parametrize(
    'maker', ['sdv-prefair \n0', 'somebody', 5, None, 'sdv-prefair ' + 'x' * 99]
)
def test_a_maker_that_is_none_is_not_believed(record, maker):
    assert not check_record(edited(record, ('page', 'made_by'), maker), record).passed


@pytest.mark.parametrize('maker', ['sdv-prefair 0.0.9', 'somebody', None])
def test_a_record_by_another_version_than_the_rest_is_refused(saved, record, tmp_path, maker):
    made = json.dumps(edited(record, ('page', 'made_by'), maker))
    with pytest.raises(ReleaseError, match='was not written with the rest of it'):
        load_release(changed(saved, tmp_path / 'x', made.encode()))


def test_an_edited_release_fails_and_says_where(saved, record, tmp_path):
    made = edited(record, ('page', 'promise', 'epsilon'), 0.1)
    path = changed(saved, tmp_path / 'x', json.dumps(made).encode())
    assert isinstance(load_release(path), PreFairSynthesizer), 'it is for verify to say'
    with pytest.raises(VerificationError, match='what the release says: page.promise.epsilon'):
        verify_release(path)


def test_rounding_of_the_last_digits_is_no_difference(record):
    guess = record['page']['risk']['guess']
    assert check_record(
        edited(record, ('page', 'risk', 'guess'), guess * (1 + 1e-13)), record
    ).passed
    assert not check_record(edited(record, ('page', 'risk', 'guess'), guess * 1.001), record).passed


def test_another_fit_has_another_record(record):
    other = fit(epsilon=2.0).get_record()
    found = check_record(other, record)
    assert not found.passed and 'more' in found.told


@pytest.mark.parametrize('content', [
    b'', b'[]', b'{', b'{}', b'{"a": NaN}', b'[' * 30 + b']' * 30, b'{"a": 1, "a": 2}',
    b'{"a": "' + b'x' * (9 << 20) + b'"}',
])  # fmt: skip
def test_what_is_no_record_is_refused(saved, tmp_path, content):
    path = changed(saved, tmp_path / 'x', content)
    with pytest.raises(ReleaseError, match='record.json of the release'):
        load_release(path)


def test_a_release_without_one_is_refused(saved, tmp_path):
    with zipfile.ZipFile(saved) as archive:
        members = {n: archive.read(n) for n in archive.namelist() if n != RECORD}
    (tmp_path / 'x').write_bytes(pack(members))
    with pytest.raises(ReleaseError, match='lacks record.json'):
        load_release(tmp_path / 'x')
