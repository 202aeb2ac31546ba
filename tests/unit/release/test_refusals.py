"""What cannot be released, and what is no release, is named.

Of ``__init__.py``, ``_columns_record.py``, ``_fields.py`` and ``_contents.py``.
"""

import os
from pathlib import Path

import pandas as pd
import pytest
from rdt.transformers import AnonymizedFaker
from releases import ROLES, TREE, fit, staff_metadata, staff_rows

from sdv_prefair import PreFairSynthesizer, load_release
from sdv_prefair.errors import NotFittedError, ReleaseError, UnfairModelError
from sdv_prefair.release._columns_record import check_metadata
from sdv_prefair.release._fields import read_zone
from sdv_prefair.transformers import CategoryCodes


def test_before_a_fit_there_is_nothing_to_save(path):
    with pytest.raises(NotFittedError):
        PreFairSynthesizer(staff_metadata(), public_ranges=True, **ROLES).save_release(path)
    assert not path.exists()


def test_a_generator_of_the_users_own_is_refused_and_the_old_file_stays(path):
    path.write_bytes(b'what was there')
    metadata = staff_metadata(ssn={'sdtype': 'ssn', 'pii': True})
    table = staff_rows().assign(ssn='0')
    synthesizer = PreFairSynthesizer(metadata, public_ranges=True, **ROLES)
    synthesizer.auto_assign_transformers({'staff': table})
    synthesizer.update_transformers({'ssn': AnonymizedFaker('company', 'bs')})
    synthesizer.fit({'staff': table})
    with pytest.raises(ReleaseError, match="'ssn' has a transformer"):
        synthesizer.save_release(path)
    assert path.read_bytes() == b'what was there'
    assert list(path.parent.iterdir()) == [path]


def test_a_transformer_that_is_code_is_refused(path):
    class Own(CategoryCodes):
        pass

    synthesizer = PreFairSynthesizer(staff_metadata(), public_ranges=True, **ROLES)
    synthesizer.auto_assign_transformers({'staff': staff_rows()})
    with pytest.warns(UserWarning, match='might impact the quality'):
        synthesizer.update_transformers({'sex': Own(['F', 'M'])})
    synthesizer.fit({'staff': staff_rows()})
    with pytest.raises(ReleaseError, match="'sex'.*Own.*it is code"):
        synthesizer.save_release(path)


def test_an_exotic_dtype_is_refused(path):
    synthesizer = fit()
    synthesizer._data_processor._dtypes['key'] = pd.SparseDtype(int)
    with pytest.raises(ReleaseError, match="'key'.*Sparse"):
        synthesizer.save_release(path)


@pytest.mark.parametrize('sdtype', ['binary', 'zip', 'pyobject', 'os.system', '__class__', 'Ssn'])
def test_an_sdtype_that_is_none_or_makes_files_up_is_refused(sdtype):
    described = staff_metadata(made={'sdtype': 'ssn'}).to_dict()
    check_metadata(described)
    described['tables']['staff']['columns']['made']['sdtype'] = sdtype
    with pytest.raises(ReleaseError, match='sdtype'):
        check_metadata(described)


def test_a_model_that_was_made_unfair_is_not_written(path):
    synthesizer = fit(structure=TREE)
    synthesizer._model.cliques[0] = ('sex', 'paid')
    with pytest.raises(UnfairModelError, match='sex - paid'):
        synthesizer.save_release(path)
    assert not path.exists()


@pytest.mark.parametrize(
    'name',
    [
        *('dateutil/Europe/Berlin', '../x', '/etc/localtime', 'Nowhere/City', 'UTC+99:99', ''),
        *('zoneinfo:../x', 'zoneinfo:Nowhere', 'x' * 99, 5),
    ],
)
def test_a_time_zone_that_is_none_is_refused(name):
    with pytest.raises(ReleaseError, match='time zone'):
        read_zone(name)


@pytest.mark.parametrize('make', [Path.mkdir, os.mkfifo])
def test_what_is_no_file_is_refused(make, path):
    make(path)
    with pytest.raises(ReleaseError, match='is not a file'):
        load_release(path)


def test_a_file_that_is_not_there(path):
    with pytest.raises(FileNotFoundError):
        load_release(path)
