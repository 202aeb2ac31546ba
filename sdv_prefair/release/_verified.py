"""The results of checking a release, or rows that are said to come from it."""

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from sdv_prefair._notebook import as_html
from sdv_prefair.errors import VerificationError


@dataclass(frozen=True)
class Check:
    """One check and its result.

    Attributes:
        about: What was checked, in a word or two.
        passed: Whether it passed.
        told: What was found, in a sentence.
    """

    about: str
    passed: bool
    told: str


class Verification:
    """All checks, in the order in which they were made; true if all of them have passed.

    Args:
        checks: The checks.
    """

    def __init__(self, checks: Iterable[Check]) -> None:
        self.checks = tuple(checks)

    def __bool__(self) -> bool:
        return all(check.passed for check in self.checks)

    def __repr__(self) -> str:
        passed = sum(check.passed for check in self.checks)
        return f'Verification({passed} of {len(self.checks)} checks passed)'

    def _repr_html_(self) -> str:
        return as_html(repr(self), self.to_frame(), caution=not self)

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that have not passed."""
        return tuple(check for check in self.checks if not check.passed)

    def to_frame(self) -> pd.DataFrame:
        """Return a line for each check: ``about``, ``passed`` and ``told``."""
        return pd.DataFrame([vars(check) for check in self.checks])

    def or_raise(self) -> 'Verification':
        """Return this, or raise ``VerificationError`` with all that has not passed."""
        if self.failed:
            found = '; '.join(f'{check.about}: {check.told}' for check in self.failed)
            raise VerificationError(
                f'{found.rstrip(".")}. Do not use it before whoever made it has explained this.'
            )
        return self
