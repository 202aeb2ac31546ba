"""The file: written whole, the same for the same fit, with nothing private in it.

Of ``_archive.py``, ``_contents.py`` and ``_archive.py``.
"""

import json
import os
import zipfile

import numpy as np
import pandas as pd
import pytest
from releases import TREE, assert_same, fit, released, staff_rows
from sdv.metadata import Metadata

from sdv_prefair import PrivacyWarning, load_release
from sdv_prefair.structure import UnconstrainedStrategy

SENTINEL = 'Zyzzyva4711'


def test_the_same_fit_gives_the_same_bytes(path, tmp_path):
    synthesizer = fit()
    synthesizer.save_release(path)
    synthesizer.sample(100)
    synthesizer.save_release(tmp_path / 'again')
    assert (tmp_path / 'again').read_bytes() == path.read_bytes()


def test_a_release_is_replaced_and_nothing_is_left_beside_it(path):
    fit(structure='none').save_release(path)
    synthesizer = fit(structure='greedy')
    synthesizer.save_release(path)
    assert_same(synthesizer, load_release(path))
    assert list(path.parent.iterdir()) == [path]


def test_a_write_that_fails_leaves_nothing_behind(path):
    path.mkdir()
    with pytest.raises(OSError):
        fit().save_release(path)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.skipif(os.name != 'posix', reason='permissions are those of POSIX')
def test_permissions_follow_the_umask(path):
    synthesizer = fit()
    before = os.umask(0o027)
    try:
        synthesizer.save_release(path)
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o640


def test_the_members_are_what_they_say(path):
    """Others can read a release with a zip tool, a JSON parser, SDV and numpy."""
    synthesizer = fit()
    synthesizer.save_release(path)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        release = json.loads(archive.read('release.json'))
        metadata = Metadata.load_from_dict(json.loads(archive.read('metadata.json')))
        node = synthesizer._model.nodes[1]
        with archive.open('tables/1.npy') as stream:
            np.testing.assert_array_equal(np.load(stream, allow_pickle=False), node.table)
    assert release['model']['nodes'][1]['columns'] == list(node.columns)
    assert metadata.to_dict() == synthesizer.get_metadata().to_dict()
    assert b'pickle' not in path.read_bytes()


def unzipped(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def numbers_in(document):
    if isinstance(document, dict | list):
        items = document.values() if isinstance(document, dict) else document
        return {number for item in items for number in numbers_in(item)}
    return {document} if isinstance(document, int | float) else set()


@pytest.mark.parametrize('ranges', [True, False])
def test_no_value_of_a_row_is_in_a_release(ranges, path):
    secret = staff_rows(1).assign(key=SENTINEL, sex=SENTINEL, grade=SENTINEL, hours=77_777_777)
    table = pd.concat([staff_rows(), secret], ignore_index=True).astype({'sex': 'category'})
    fit(table, public_ranges=ranges, epsilon=20.0).save_release(path)
    assert len(table) not in numbers_in(json.loads(unzipped(path)['release.json']))
    for content in unzipped(path).values():
        assert SENTINEL.encode() not in content
        assert b'77777777' not in content
        assert np.float64(77_777_777).tobytes() not in content


def test_neighbours_differ_in_noisy_values_only(path):
    table = staff_rows()
    neighbour = pd.concat([table, table.iloc[:1].assign(grade=SENTINEL)], ignore_index=True)
    contents = []
    for rows in (table, neighbour):
        with pytest.warns(PrivacyWarning, match='seed'):
            synthesizer = fit(rows, seed=4, structure=TREE)
        synthesizer.save_release(path)
        contents.append(unzipped(path))
    one, two = contents
    assert one['metadata.json'] == two['metadata.json']
    assert one['measurements/0.npy'] != two['measurements/0.npy'], 'the comparison sees noise'
    ours, theirs = (json.loads(members['release.json']) for members in contents)
    for release in (ours, theirs):
        del release['model'], release['looks']
    assert ours == theirs


def test_a_seeded_fit_stays_marked(path):
    with pytest.warns(PrivacyWarning, match='seed'):
        synthesizer = fit(seed=7)
    with pytest.warns(PrivacyWarning, match='The fit that was opened used a seed'):
        loaded = released(synthesizer, path)
    with pytest.warns(PrivacyWarning, match='These rows come from a fit that used a seed') as told:
        assert_same(synthesizer, loaded)
    assert len(told) == 1
    assert loaded.get_info()['is_private'] is False
    assert loaded.get_privacy_ledger().attrs['private'] is False
    assert loaded.get_fair_graph().graph['private'] is False
    assert 'not private' in loaded.visualize().layout.title.text


def test_opening_warns_of_nothing(path, recwarn):
    with pytest.warns(PrivacyWarning, match='public_ranges'):
        synthesizer = fit(public_ranges=None, structure=UnconstrainedStrategy())
    recwarn.clear()
    released(synthesizer, path)
    assert not recwarn.list
