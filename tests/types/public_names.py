"""What a type checker sees of the package, whose names are imported when they are asked for.

Read by mypy in ``make lint``, and never run: a name that is ``Any`` fails there.
"""

from pathlib import Path
from typing import assert_type

import sdv_prefair
from sdv_prefair import errors, fairness, roles, synthesizer

assert_type(sdv_prefair.PreFairSynthesizer, type[synthesizer.PreFairSynthesizer])
assert_type(sdv_prefair.Roles(('sex',), ('education',), ('income',)), roles.Roles)
assert_type(sdv_prefair.PrivacyWarning(), errors.PrivacyWarning)
assert_type(sdv_prefair.FairnessWarning(), errors.FairnessWarning)
assert_type(sdv_prefair.DomainWarning(), errors.DomainWarning)
assert_type(sdv_prefair.load_metadata(Path('metadata.json'))[1], fairness.Statements)
assert_type(sdv_prefair.load_release('fit.prefair'), synthesizer.PreFairSynthesizer)
assert_type(sdv_prefair.__version__, str)
functions = (sdv_prefair.save_metadata, sdv_prefair.strip_ranges)

unknown = sdv_prefair.no_such_name  # type: ignore[attr-defined]  # nothing else is there
