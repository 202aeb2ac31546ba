"""Hostile names are text; wrong use and failed writes leave nothing behind.

Of ``__init__.py``, ``_page.py`` and ``_facts.py``.
"""

import copy

import numpy as np
import pandas as pd
import pytest
from census_report import make, report
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer, Roles
from sdv_prefair.datasets._dataset import Dataset, categorical, numerical
from sdv_prefair.errors import (
    NotFittedError,
    PrivateDataError,
    SynthesizerInputError,
    UnfairModelError,
)

EVIL = '</script><script>alert(1)</script>'
IMAGE = '<img src=x onerror=alert(2)>&amp;"\''


def hostile():
    columns = {
        EVIL: categorical([IMAGE, '-->']),
        'a<!--': categorical(['<b>a</b>', '\ud800']),
        IMAGE: categorical([EVIL, 'x']),
        '%{x}': numerical(0, 1, decimals=3),
    }
    rng = np.random.default_rng(0)
    table = pd.DataFrame({
        name: rng.choice(column['range_values'], 400).astype(object)
        if 'range_values' in column
        else rng.random(400).round(3)
        for name, column in columns.items()
    })
    metadata = Metadata.load_from_dict({'tables': {'<i>t</i>': {'columns': columns}}})
    return Dataset({'<i>t</i>': table}, metadata, Roles([EVIL], ['a<!--'], [IMAGE]))


def test_names_and_values_are_text_and_nothing_else(tmp_path):
    dataset = hostile()
    page = report(
        make(dataset), tmp_path, dataset.data, show_real_numbers=True, compare_with_mst=True
    )  # fmt: skip
    harmless = {e['tag'] for e in page.elements}
    assert not harmless & {'img', 'b', 'i'}
    assert len(list(page.all('script'))) == 1
    assert page.headings()[0] == ('h1', 'Release report: <i>t</i>')
    assert EVIL in page.section('promises')['text']
    assert any(EVIL in e['text'] for e in page.all('text')), 'in the legend of a figure'
    assert any(e['text'].startswith(IMAGE) for e in page.all('title') if e['inside'])


def test_wrong_use_is_explained(census, fitted, tmp_path):
    unfitted = PreFairSynthesizer(
        census.metadata, public_ranges=True, **census.roles.as_dict()
    )  # fmt: skip
    path = tmp_path / 'report.html'
    with pytest.raises(NotFittedError, match='Call fit first'):
        unfitted.create_release_report(path=path)
    with pytest.raises(SynthesizerInputError, match='use path='):
        fitted.create_release_report(str(path))
    with pytest.raises(SynthesizerInputError, match='needs real_data'):
        fitted.create_release_report(path=path, show_real_numbers=True)
    with pytest.raises(SynthesizerInputError, match='show_real_numbers=True'):
        fitted.create_release_report(census.data, path, compare_with_mst=True)
    with pytest.raises(PrivateDataError, match='census'):
        fitted.create_release_report({'other': census.data['census']}, path, show_real_numbers=True)
    assert not list(tmp_path.iterdir())


def test_a_model_that_breaks_its_promise_has_no_report(fitted, census, tmp_path):
    broken = copy.deepcopy(fitted)
    broken._model.cliques.append(('sex', 'income'))
    with pytest.raises(UnfairModelError, match='sex - income'):
        broken.create_release_report(path=tmp_path / 'report.html')
    assert not list(tmp_path.iterdir())


def test_a_failed_write_leaves_what_was_there(fitted, tmp_path):
    (tmp_path / 'folder.html').mkdir()
    with pytest.raises(OSError, match='folder.html'):
        fitted.create_release_report(path=tmp_path / 'folder.html')
    assert [p.name for p in tmp_path.iterdir()] == ['folder.html']
