import warnings

import pytest
from hostile_releases import fitted, unpacked

from sdv_prefair import load_release
from sdv_prefair.errors import ReleaseError


@pytest.fixture(scope='module')
def synthesizer():
    return fitted()


@pytest.fixture(scope='module')
def content(synthesizer, tmp_path_factory):
    path = tmp_path_factory.mktemp('sound') / 'release'
    synthesizer.save_release(path)
    return path.read_bytes()


@pytest.fixture(scope='module')
def members(content):
    return unpacked(content)


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """Opens bytes as a release, in a folder in which nothing may appear."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / 'inner' / 'release'
    path.parent.mkdir()

    def open_bytes(changed):
        path.write_bytes(changed)
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            try:
                return load_release(path)
            except ReleaseError as error:
                assert str(error)
                return None

    yield open_bytes
    assert [p for p in tmp_path.rglob('*') if p.is_file()] in ([], [path])
