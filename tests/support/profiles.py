"""How many examples property tests and fuzzers try: ``--hypothesis-profile`` fast, ci or nightly.

In ``ci``, examples are the same in every run, so a pull request fails for what it changes. The
others try new ones each time; at night the seed is printed, and ``--hypothesis-seed`` repeats it.
"""

import random

from hypothesis import HealthCheck, settings

# How long an example takes says nothing on a busy machine; fixtures hold what examples only read.
_IGNORED = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]
_ALWAYS = {'deadline': None, 'suppress_health_check': _IGNORED}
seed: int | None = None  # of the command line, once it is read


def register() -> None:
    """Make the profiles known, and take ``ci`` unless the command line names another."""
    settings.register_profile('fast', max_examples=10, **_ALWAYS)
    settings.register_profile('ci', max_examples=25, derandomize=True, **_ALWAYS)
    settings.register_profile('nightly', max_examples=1000, print_blob=True, **_ALWAYS)
    settings.load_profile('ci')


def times(in_ci: int) -> int:
    """Return how often a fuzzer of its own tries, of which a pull request has so many."""
    return 10 * in_ci if is_nightly() else max(2, in_ci * settings().max_examples // 25)


def is_nightly() -> bool:
    """Return whether new examples are wanted, and many."""
    return settings().max_examples > 100


def generator(name: str) -> random.Random:
    """Return what a fuzzer draws from: the same in each run, but for nights."""
    return random.Random(f'{name} {seed if is_nightly() else None}')


def share(part: float, **others) -> settings:
    """Return settings with a part of the profile's examples, for tests whose examples are slow."""
    return settings(max_examples=max(2, round(settings().max_examples * part)), **others)
