"""Numbers come back as they are: raw Adult at epsilon 1, with the ranges of its codebook.

Of the largest of six KS distances fits have about 0.012, and of the largest error of a frequent
value about 0.011; the bounds are where a reader would see it. Equal bins miss both by far, so the
measures are able to say no.
"""

from pathlib import Path

import pytest

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.datasets import load_adult
from sdv_prefair.metrics import (
    FrequentValueDifference,
    KolmogorovSmirnovDistance,
    OneWayTotalVariation,
)

DATA = Path(__file__).parents[3] / 'shared' / 'data'
LARGEST_KS, LARGEST_ERROR = 0.05, 0.02
SKEWED = {('capital-gain',), ('capital-loss',)}

pytestmark = pytest.mark.skipif(
    not (DATA / 'adult').is_dir(), reason='Adult is not at ../shared/data'
)


@pytest.fixture(scope='module')
def adult():
    return load_adult(DATA)


def measured(adult, discretization):
    """Return what each measure finds of a fit, by column."""
    synthesizer = PreFairSynthesizer(
        adult.metadata, public_ranges=True, discretization=discretization, **adult.roles.as_dict()
    )
    synthesizer.fit(adult.data)
    synthetic = synthesizer.sample(len(adult.data['adult']))
    metrics = (KolmogorovSmirnovDistance, FrequentValueDifference, OneWayTotalVariation)
    return [
        metric.compute_breakdown(adult.data, synthetic, adult.metadata)['marginals']
        for metric in metrics
    ]


def test_every_number_of_adult_comes_back(adult):
    distances, errors, _ = measured(adult, 'private')
    assert len(distances) == 6
    assert {c: d for c, d in distances.items() if d > LARGEST_KS} == {}
    assert {c: e for c, e in errors.items() if e > LARGEST_ERROR} == {}


def test_equal_bins_lose_what_the_binned_measure_does_not_see(adult):
    distances, errors, binned = measured(adult, 'uniform')
    assert {c for c, d in distances.items() if d > 0.9} == SKEWED
    assert {c for c, e in errors.items() if e > 0.9} == SKEWED
    assert all(binned[column] < 0.02 for column in SKEWED)
