"""Public facts about columns that are given in addition to the metadata.

SDV 1 has no place for ranges in its metadata, and under SDV 2 many of them were detected from
the data. The user declares that what is given here is public.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sdv.metadata import Metadata

from sdv_prefair._sdv_versions import RANGE_KEYS
from sdv_prefair.domain._metadata_file import columns_of, is_document, read_object
from sdv_prefair.domain._metadata_form import without_notes
from sdv_prefair.domain._public import single_table
from sdv_prefair.errors import DomainError, near, shown
from sdv_prefair.values._missing_words import MISSING_VALUES

FACTS = (
    *('sdtype', 'datetime_format', 'regex_format', 'rare_sdtype', MISSING_VALUES),
    *RANGE_KEYS,
)
_ORDERED = ('categorical', 'ordinal')

Domain = Mapping[str, Any] | str | Path


def facts_of(domain: Domain | None) -> dict[str, dict[str, Any]]:
    """Return the user's facts about each column.

    Args:
        domain: Facts by column, a document as ``save_metadata`` writes it, or the path of one.
            Anything in a document that is not about values, such as roles, is ignored.

    Raises:
        DomainError: If it has none of these forms.
    """
    if domain is None:
        return {}
    if isinstance(domain, str | Path):
        return _facts_in(read_object(domain))
    if is_document(domain):
        return _facts_in(dict(domain))
    if not isinstance(domain, Mapping) or not all(isinstance(f, Mapping) for f in domain.values()):
        raise DomainError(
            f'domain ({shown(domain)}) must be a dictionary from columns to facts, as in '
            "{'age': {'range_min': 0, 'range_max': 99}}, or the path of a metadata file."
        )
    given = {column: without_notes(facts) for column, facts in domain.items()}
    for column, facts in given.items():
        if strange := [key for key in facts if key not in FACTS]:
            raise DomainError(
                f"domain gives {strange} for '{column}', which are not known keys. Use "
                f'{list(FACTS)}.{near(strange[0], FACTS)}'
            )
    return given


def with_facts(metadata: Metadata, domain: Domain | None) -> Metadata:
    """Return the metadata with additional facts.

    Args:
        metadata: The metadata of one table. It is not modified.
        domain: The user's facts.

    Raises:
        DomainError: If the two contradict each other.
    """
    facts = facts_of(domain)
    if not facts:
        return metadata
    told = metadata.copy()
    columns = single_table(told).columns
    if unknown := [column for column in facts if column not in columns]:
        raise DomainError(
            f'domain names {unknown}, which the metadata does not have. Correct the names: its '
            f'columns are {list(columns)}.'
        )
    for column, given in facts.items():
        _check_agrees(column, columns[column], given)
        columns[column] = columns[column] | given
    return told


def _facts_in(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        column: {key: value for key, value in without_notes(about).items() if key in FACTS}
        for column, about in columns_of(document)
    }


def _check_agrees(column: str, about: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    for key, fact in given.items():
        is_finer = key == 'sdtype' and (about[key], fact) == _ORDERED
        if key in about and about[key] != fact and not is_finer:
            raise DomainError(
                f"domain and metadata contradict each other: {key} of '{column}' is {shown(fact)} "
                f'in one and {shown(about[key])} in the other. Correct one of them.'
            )
    both = {**about, **given}
    if both.get('high_cardinality') and both.get('range_values') is not None:
        raise DomainError(
            f"domain and metadata contradict each other: '{column}' has range_values and "
            'high_cardinality. Leave one of them out.'
        )
