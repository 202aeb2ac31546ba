"""A metadata file to be filled in: every key is there, and nulls and notes are not read.

About ``_metadata_files.py``.
"""

import pytest

from sdv_prefair._metadata_files import NOTE, as_form, without_notes
from sdv_prefair._sdv_versions import RANGE_KEYS

SDTYPES = ('categorical', 'ordinal', 'boolean', 'numerical', 'datetime')


def form_of(about, seen=None):
    document = {'tables': {'t': {'columns': {'x': about}}}}
    as_form(document, {'x': seen or {}})
    return document['tables']['t']['columns']['x']


def test_every_key_of_a_range_is_in_some_form():
    written = {key for sdtype in SDTYPES for key in form_of({'sdtype': sdtype})}
    assert set(RANGE_KEYS) | {'role', 'datetime_format', 'sdtype'} <= written


@pytest.mark.parametrize('sdtype', SDTYPES)
def test_every_key_has_a_note_and_an_empty_form_says_nothing(sdtype):
    form = form_of({'sdtype': sdtype})
    keys = [key for key in form if not key.startswith(NOTE)]
    assert all(isinstance(form[NOTE + key], str) for key in keys)
    assert without_notes(form) == {'sdtype': sdtype}


def test_what_is_known_stays_and_what_was_seen_is_a_note():
    about = {'sdtype': 'datetime', 'datetime_format': '%Y'}
    form = form_of(about, {'range_min': '1999', 'high_cardinality': True})
    assert without_notes(form) == about
    assert form['_range_min_in_the_data_NOT_PRIVATE'] == '1999'
    assert without_notes(form_of({'sdtype': 'email', 'pii': True})) == {
        'sdtype': 'email',
        'pii': True,
    }
