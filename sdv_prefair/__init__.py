"""Differentially private and justifiably fair synthetic tables, inside SDV."""

import importlib
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sdv_prefair._metadata_files import load_metadata as load_metadata
    from sdv_prefair._metadata_files import save_metadata as save_metadata
    from sdv_prefair.columns import strip_ranges as strip_ranges
    from sdv_prefair.errors import DomainWarning as DomainWarning
    from sdv_prefair.errors import FairnessWarning as FairnessWarning
    from sdv_prefair.errors import NoiseWarning as NoiseWarning
    from sdv_prefair.errors import OwnerWarning as OwnerWarning
    from sdv_prefair.errors import PrivacyWarning as PrivacyWarning
    from sdv_prefair.fair_metadata import FairMetadata as FairMetadata
    from sdv_prefair.metrics._report import evaluate_fairness as evaluate_fairness
    from sdv_prefair.privacy import risk as risk
    from sdv_prefair.release import load_release as load_release
    from sdv_prefair.release import verify_release as verify_release
    from sdv_prefair.roles import Roles as Roles
    from sdv_prefair.synthesizer import PreFairSynthesizer as PreFairSynthesizer

__version__ = '0.1.0'

_HOME = {
    'PreFairSynthesizer': 'sdv_prefair.synthesizer',
    'Roles': 'sdv_prefair.roles',
    'FairMetadata': 'sdv_prefair.fair_metadata',
    'evaluate_fairness': 'sdv_prefair.metrics._report',
    'PrivacyWarning': 'sdv_prefair.errors',
    'DomainWarning': 'sdv_prefair.errors',
    'FairnessWarning': 'sdv_prefair.errors',
    'NoiseWarning': 'sdv_prefair.errors',
    'OwnerWarning': 'sdv_prefair.errors',
    'save_metadata': 'sdv_prefair._metadata_files',
    'load_metadata': 'sdv_prefair._metadata_files',
    'risk': 'sdv_prefair.privacy',
    'load_release': 'sdv_prefair.release',
    'verify_release': 'sdv_prefair.release',
    'strip_ranges': 'sdv_prefair.columns',
}

__all__ = [*sorted(_HOME), '__version__']


if not TYPE_CHECKING:  # to a type checker every name would be there, of any type

    def __getattr__(name: str) -> object:
        """Import a public name when it is first used."""
        if name in _HOME:
            return getattr(importlib.import_module(_HOME[name]), name)
        raise AttributeError(f"module 'sdv_prefair' has no attribute '{name}'")


def __dir__() -> list[str]:
    return __all__


def _is_command() -> bool:
    """Whether this process is the command line, which shows its help without importing SDV."""
    if sys.argv[:1] == ['-m']:  # Python has not found the module yet
        return 'sdv_prefair.cli' in sys.orig_argv
    return os.path.basename(sys.argv[0] if sys.argv else '') in {'sdv-prefair', 'sdv-prefair.exe'}


# While SDV is imported, it loads its add-ons, including this package. It must be complete before
# any module here imports from it; __getattr__ exists by now, so SDV can get names from here. The
# import takes seconds, so the command line does it itself once there is something to do.
if not _is_command():
    import sdv as _sdv  # noqa: F401
