"""The warning about pairs of columns that are left out because there are too many."""

import warnings
from collections.abc import Mapping

from sdv_prefair._users_line import users_line
from sdv_prefair.errors import DomainWarning
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.selection._mechanism import Mechanism, PairMechanism
from sdv_prefair.selection._strategy import MOST_PAIRS


def warn_of_far_pairs(mechanism: Mechanism, domain: Mapping[str, int], roles: Statements) -> None:
    """Warn if a table is so wide that pairs of distant columns are left out.

    Privacy: depends on public facts alone.
    """
    if not isinstance(mechanism, PairMechanism):
        return
    allowed = len(mechanism.rule.declare(list(domain), roles))
    if allowed > MOST_PAIRS:
        warnings.warn(
            f'The table has {allowed:,} pairs of columns, of which {MOST_PAIRS:,} are looked at: '
            'those with roles, and those of columns near each other. Put columns that belong '
            'together next to each other in the metadata, or give the pairs that matter as '
            'structure.',
            DomainWarning,
            stacklevel=users_line(),
        )
