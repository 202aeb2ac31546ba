"""A release that is opened shows values that tell their codes, whatever dtype it claims.

Of ``_columns_record.py``, ``_fields.py`` and ``_contents.py``.
"""

import json
import zipfile

import pytest
from hostile_releases import fitted, pack
from releases import fit, staff_metadata, staff_rows
from shown_values import FORMS, hidden_dependence

from sdv_prefair import PreFairSynthesizer, load_release
from sdv_prefair.errors import ReleaseError, UnfairModelError
from sdv_prefair.transformers import CategoryCodes

NARROW = [
    *('int8', 'uint8', 'int16', 'float16', 'float32', 'bool', 'boolean', 'Int8', 'object'),
    *('string[python]', 'datetime64[s]', 'datetime64[ns]', 'datetime64[ns, Europe/Paris]'),
    *('arrow date32[day]', 'arrow decimal128(3, 0)', 'arrow decimal128(4, 2)', 'arrow halffloat'),
    *('arrow timestamp[s]', {'category': ['F'], 'ordered': False}),
    {'category': None, 'ordered': True},
]


@pytest.fixture(scope='module')
def members(tmp_path_factory):
    return members_of(fitted(), tmp_path_factory.mktemp('release') / 'x.prefair')


def members_of(synthesizer, path):
    synthesizer.save_release(path)
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def edited(members, path, change):
    release = json.loads(members['release.json'])
    change(release)
    path.write_bytes(pack(members | {'release.json': json.dumps(release).encode()}))
    return path


@pytest.mark.parametrize('dtype', NARROW, ids=str)
@pytest.mark.parametrize(
    'column',
    [
        'sex',
        'hired',
        *(pytest.param(c, marks=pytest.mark.slow) for c in ('grade', 'hours', 'paid')),
    ],
)
def test_an_edited_dtype_is_refused_or_hides_nothing(members, column, dtype, tmp_path):
    def change(release):
        (described,) = (item for item in release['columns'] if item['name'] == column)
        described['dtype'] = dtype

    try:
        opened = load_release(edited(members, tmp_path / 'x.prefair', change))
    except ReleaseError:
        return
    transformer = opened.fitted.encoding.transformers[column]
    for form in FORMS:
        hidden = hidden_dependence(transformer, form)
        assert hidden is None or hidden < 1e-12
    assert opened.verify_fairness()


def test_a_chosen_transformer_with_values_that_look_the_same_is_refused(tmp_path):
    synthesizer = PreFairSynthesizer(
        staff_metadata(), public_ranges=True, protected=['sex'], admissible=['grade'],
        outcome=['paid'],
    )  # fmt: skip
    table = {'staff': staff_rows()}
    synthesizer.auto_assign_transformers(table)
    synthesizer.update_transformers({'grade': CategoryCodes(['a', 'b', 'c'])})
    synthesizer.fit(table)

    def change(release):
        release['chosen'][0]['arguments']['values']['value'][2] = ''

    members = members_of(synthesizer, tmp_path / 'as_saved.prefair')
    load_release(edited(members, tmp_path / 'same.prefair', lambda release: None))
    with pytest.raises(
        ReleaseError, match=r"Values of \['grade'\] would not determine their codes"
    ):
        load_release(edited(members, tmp_path / 'x.prefair', change))


class OneValue(CategoryCodes):
    """Shows its first value for all codes."""

    def decode(self, codes, generator):
        return super().decode([0] * len(codes), generator)


def test_verification_looks_at_values(tmp_path):
    synthesizer = fit()
    synthesizer.save_release(tmp_path / 'x.prefair')
    for one in (synthesizer, load_release(tmp_path / 'x.prefair')):
        assert one.verify_fairness()
        one.fitted.encoding.transformers['grade'] = OneValue(['a', 'b', 'c'])
        with pytest.raises(UnfairModelError, match=r"values of \['grade'\] do not determine"):
            one.verify_fairness()
