"""Strings that Faker generates: towns, names, addresses, by SDV's sdtypes for them."""

from typing import Any

import numpy as np
from faker import Faker

from sdv_prefair.errors import DomainError, shown

# By sdtype, as RDT names them; each generates one short string and needs no arguments.
_FUNCTIONS = {
    **{
        name: name
        for name in (
            *('address', 'city', 'company', 'country', 'country_code', 'email', 'first_name'),
            *('job', 'last_name', 'license_plate', 'mac_address', 'name', 'phone_number'),
            *('postcode', 'ssn', 'state', 'street_address', 'street_name', 'url', 'user_name'),
        )
    },
    'administrative_unit': 'administrative_unit',
    'ipv4_address': 'ipv4',
    'ipv6_address': 'ipv6',
    'user_agent_string': 'user_agent',
}
_LOCALE = 'en_US'
_SEEDS = 2**53


class FakerForm:
    """The strings of an sdtype, as Faker generates them.

    Args:
        sdtype: One of SDV's sdtypes for strings, such as ``'city'``.

    Raises:
        DomainError: If strings of that sdtype cannot be generated.
    """

    def __init__(self, sdtype: str):
        if not isinstance(sdtype, str) or sdtype not in _FUNCTIONS:
            raise DomainError(
                f'rare_sdtype ({shown(sdtype)}) must be the sdtype of texts that can be made up. '
                "Use 'city', 'postcode', 'email', 'company' or another that docs/choosing.md lists."
            )
        self.sdtype = sdtype

    def __eq__(self, another: object) -> bool:
        return isinstance(another, FakerForm) and another.sdtype == self.sdtype

    def __hash__(self) -> int:
        return hash(self.sdtype)

    def __repr__(self) -> str:
        return f'FakerForm({self.sdtype!r})'

    def allows(self, text: str) -> bool:
        """Whether a string can be of the sdtype; no string is ruled out."""
        return bool(text)

    def draw(self, number: int, generator: np.random.Generator) -> list[str]:
        """Return independently generated strings."""
        faker = Faker(_LOCALE)
        faker.seed_instance(int(generator.random() * _SEEDS))
        make: Any = getattr(faker, _FUNCTIONS[self.sdtype])
        return [str(make()) for _ in range(number)]
