"""Exceptions, as subclasses of SDV's own errors, and the five warnings.

SDV re-raises some errors as ``type(error)(message)``, so every class here takes one string.
No message of this package contains a value read from the user's rows.
"""

import difflib
from collections.abc import Iterable, Sequence
from numbers import Number
from types import NoneType

from sdv.errors import (
    InvalidDataError,
    InvalidDataTypeError,
    SamplingError,
    SynthesizerInputError,
)

_PLAIN = (str, Number, NoneType, list, tuple, dict, set, frozenset)
_MOST_LETTERS = 100


def shown(argument: object) -> str:
    """Return an argument as messages quote it: in full if short and plain, otherwise its type.

    Otherwise a table passed as the wrong argument would be quoted with its rows.
    """
    text = repr(argument) if isinstance(argument, _PLAIN) else ''
    is_short = 0 < len(text) <= _MOST_LETTERS and '\n' not in text
    return text if is_short else f'of type {type(argument).__name__}'


def near(given: object, known: Iterable[object]) -> str:
    """Return the question whether another name was meant, with a space before it, or nothing.

    Args:
        given: A name that is not known.
        known: Public names.
    """
    texts = {name.casefold(): name for name in known if isinstance(name, str) and name != given}
    found = difflib.get_close_matches(str(given).casefold(), texts, n=1, cutoff=0.7)
    return f' Did you mean {texts[found[0]]!r}?' if found else ''


class RolesError(SynthesizerInputError):
    """The lists of protected, admissible and outcome columns cannot be used as given."""


class DomainError(SynthesizerInputError):
    """The public domain of a column cannot be used as given."""


class BudgetError(SynthesizerInputError):
    """A privacy parameter is out of range, or a step requested more than what is left."""


class StructureError(SynthesizerInputError):
    """The requested structure cannot be built over these columns and roles."""


class UnfairModelError(SynthesizerInputError):
    """An outcome would depend on a protected column by a path that bypasses the admissible ones."""


class ReleaseError(SynthesizerInputError):
    """A fit cannot be written as a release, or a file cannot be opened as one."""


class VerificationError(ReleaseError):
    """A release does not keep its guarantees, or rows did not come from it."""


class QueryError(SynthesizerInputError):
    """A query asks for something that the model does not have."""


class PrivateDataError(InvalidDataError):
    """The frame does not match the metadata; says which column, never which value."""

    def __init__(self, errors: str | Sequence[str]):
        listed = [errors] if isinstance(errors, str) else errors
        super().__init__(listed)  # type: ignore[no-untyped-call]  # SDV says no types


class DataFormError(PrivateDataError, InvalidDataTypeError):
    """The data is not in the format of this version of SDV."""


class NotFittedError(SamplingError):
    """The synthesizer has to be fitted first."""


class PrivacyWarning(UserWarning):
    """The privacy guarantee depends on something the user should know about."""


class FairnessWarning(UserWarning):
    """The fairness guarantee does not cover what was requested."""


class DomainWarning(UserWarning):
    """A declared domain does not seem to match the rows, or is too large to be measured in full."""


class OwnerWarning(UserWarning):
    """What the check before a fit has found in the rows: not private, for their owner only."""


class NoiseWarning(UserWarning):
    """Noise at this epsilon swamps something that was measured."""
