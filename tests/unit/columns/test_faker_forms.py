"""About ``_texts.py``."""

import pickle

import numpy as np
import pytest

from sdv_prefair.columns._texts import _FUNCTIONS, FakerForm
from sdv_prefair.errors import DomainError


@pytest.mark.parametrize('sdtype', sorted(_FUNCTIONS))
def test_texts_of_every_sdtype_are_made_up_by_the_generator_alone(sdtype):
    form = FakerForm(sdtype)
    first, second, other = (form.draw(40, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first == second != other
    assert all(isinstance(text, str) and form.allows(text) for text in first)
    assert len(set(first)) > 10
    assert (
        pickle.loads(pickle.dumps(form)) == form != FakerForm('city' * (sdtype != 'city') or 'url')
    )


def test_forms_of_known_looks():
    postcodes = FakerForm('postcode').draw(20, np.random.default_rng(0))
    emails = FakerForm('email').draw(20, np.random.default_rng(0))
    assert all(text.isdigit() and len(text) == 5 for text in postcodes)
    assert all('@' in text for text in emails)


@pytest.mark.parametrize('sdtype', ['json', 'categorical', '', 7, None, ['city'], '__class__'])
def test_other_sdtypes_are_refused(sdtype):
    with pytest.raises(DomainError, match='must be the sdtype of texts'):
        FakerForm(sdtype)
