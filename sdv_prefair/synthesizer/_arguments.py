"""Checks of the synthesizer's arguments, made on construction, before any data is seen."""

import copy
import functools
import inspect
from collections.abc import (
    Callable,
    Collection,
    ItemsView,
    Iterable,
    KeysView,
    Mapping,
    MutableMapping,
    MutableSequence,
    MutableSet,
    ValuesView,
)
from pathlib import Path
from typing import Any, TypeVar, cast

import networkx as nx
import numpy as np
import pandas as pd
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_prefair._metadata_files import FACTS, Domain, check_modelled_roles
from sdv_prefair.columns import modelled_columns, name_others, public_domain, single_table
from sdv_prefair.columns._facts import (
    Categories,
    ColumnDomain,
    Datetimes,
    Numbers,
    Undeclared,
    as_number,
)
from sdv_prefair.columns._moments import as_timestamp
from sdv_prefair.constraints._adding import Promise
from sdv_prefair.constraints._plan import ConstraintPlan
from sdv_prefair.errors import DomainError, RolesError, StructureError, near, shown
from sdv_prefair.fair_metadata import FairMetadata
from sdv_prefair.fairness._predicate import forced
from sdv_prefair.fairness._statements import UNLABELLED_CHOICES, Statements
from sdv_prefair.fitting import _cautions as cautions
from sdv_prefair.learning._bins import CHOICES
from sdv_prefair.privacy import Risk
from sdv_prefair.privacy._accounting import check_epsilon_delta
from sdv_prefair.roles import Roles, as_statements
from sdv_prefair.selection._catalogue import DEFAULT_STRUCTURE
from sdv_prefair.selection._measuring import resolve_budget
from sdv_prefair.selection._mechanism import Mechanism
from sdv_prefair.selection._resolve import without_roles

# -- Arguments of a constructor that stay as they were given ---------------------------------------
#
# A fit uses the arguments of the constructor. An attribute that could be set later would show one
# value while the fit uses another, so each is set once, and lists are copied on the way in and on
# the way out: no caller holds a reference to what a fit uses.

Made = TypeVar('Made', bound=type)

# SDV replaces it when constraints are added, and warns itself when it is edited.
_NOT_KEPT = ('self', 'metadata')


class Argument:
    """An attribute that is set once, by the constructor.

    It lives in the instance's own dictionary, where SDV, pickle and ``copy`` look for it.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        if self._name not in vars(instance):
            raise AttributeError(f'{type(instance).__name__!r} object has no {self._name!r} yet')
        return copied(vars(instance)[self._name])

    def __set__(self, instance: Any, value: Any) -> None:
        if self._name in vars(instance):
            self._refuse(instance)
        vars(instance)[self._name] = copied(value)

    def __delete__(self, instance: Any) -> None:
        self._refuse(instance)

    def _refuse(self, instance: Any) -> None:
        raise AttributeError(
            f'{self._name} cannot be changed after construction. Construct a new '
            f'{type(instance).__name__} with the {self._name} that you want.'
        )


def keep_arguments(cls: Made) -> Made:
    """Make the arguments of a class's constructor attributes that cannot be changed."""
    for name in inspect.signature(cls.__init__).parameters:  # type: ignore[misc]
        if name not in _NOT_KEPT and not isinstance(getattr(cls, name, None), Argument):
            argument = Argument()
            argument.__set_name__(cls, name)
            setattr(cls, name, argument)
    return cls


def copied(value: Any) -> Any:
    """Return a value that shares no list, set, dictionary, array or graph with the one given.

    Strategies and other objects come back as they are: a copy of them would not be equal.
    """
    if type(value) is dict:
        return {key: copied(item) for key, item in value.items()}
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(copied(item) for item in value)
    if isinstance(value, KeysView | ValuesView | ItemsView):  # of a dictionary that may change
        return list(value)
    if isinstance(value, nx.Graph):
        return value.copy()
    if isinstance(value, np.ndarray | MutableSequence | MutableSet | MutableMapping):
        return copy.copy(value)
    return value


# -- What people pass in place of metadata; the error says how to turn each into metadata ----------


_SDTYPES = ('categorical', 'ordinal', 'boolean', 'numerical', 'datetime', 'id', 'unknown')
_KEYS = (*FACTS, 'pii', 'computer_representation')
_IN_PLACE_OF_METADATA: dict[type, tuple[str, str]] = {
    Mapping: (
        'a dictionary',
        'Use FairMetadata.load_from_dict(metadata), which takes roles too.',
    ),
    str: ('a path', 'Use FairMetadata.load_from_json(metadata), which reads roles too.'),
    Path: ('a path', 'Use FairMetadata.load_from_json(metadata), which reads roles too.'),
    pd.DataFrame: (
        'a DataFrame',
        'Describe the table first: sdv-prefair domain writes a file to fill in.',
    ),
}


def check_metadata(metadata: object) -> None:
    """Raise for what people pass in place of metadata, and say how to turn it into metadata."""
    if isinstance(metadata, tuple) and any(isinstance(part, Metadata) for part in metadata):
        raise SynthesizerInputError(
            'metadata is the pair that load_metadata returns. Take it apart: metadata, roles = '
            'load_metadata(path), then PreFairSynthesizer(metadata, fairness=roles).'
        )
    if isinstance(metadata, Mapping) and any(
        isinstance(part, pd.DataFrame) for part in metadata.values()
    ):
        metadata = next(iter(metadata.values()))  # data in place of metadata, as SDV 2 has it
    for kind, (what, remedy) in _IN_PLACE_OF_METADATA.items():
        if isinstance(metadata, kind):
            raise SynthesizerInputError(f"metadata must be SDV's Metadata, not {what}. {remedy}")
    if not hasattr(metadata, 'to_dict'):  # which SDV 1's metadata of a single table has too
        raise SynthesizerInputError(
            f"metadata (of type {type(metadata).__name__}) must be SDV's Metadata. Load it with "
            'FairMetadata.load_from_json(path), or let sdv-prefair domain write a file to fill in.'
        )
    for table in metadata.tables.values() if isinstance(metadata, Metadata) else ():
        for column, about in table.columns.items():
            _check_spelling(column, about)


def _check_spelling(column: str, about: Mapping[str, Any]) -> None:
    """Raise for a key or sdtype that is nearly a known one; SDV says only that it is not valid."""
    sdtype = str(about.get('sdtype'))
    if sdtype not in _SDTYPES and (meant := near(sdtype, _SDTYPES)):
        raise SynthesizerInputError(
            f"Column '{column}' of the metadata has the sdtype '{sdtype}', which SDV does not "
            f'have. Correct it.{meant}'
        )
    for key in about:
        if key not in _KEYS and (meant := near(key, _KEYS)):
            raise SynthesizerInputError(
                f"Column '{column}' of the metadata has the key '{key}', which nothing reads. "
                f'Correct it.{meant}'
            )


# -- Checks of the synthesizer's arguments, made on construction, before any data is seen ----------


Constructor = TypeVar('Constructor', bound=Callable[..., None])

# Of SDV's copulas: how each column is distributed.
_OF_COPULAS = ('numerical_distributions', 'default_distribution')

ESTIMATORS = ('auto', 'mbi')
MOST_ROWS_PER_PERSON = 10**9


def with_known_names(constructor: Constructor) -> Constructor:
    """Return a constructor that says of an argument that it does not have what may be meant."""
    known = list(inspect.signature(constructor).parameters)[1:]

    @functools.wraps(constructor)
    def constructed(*given: Any, **named: Any) -> None:
        for name in named:
            if name in _OF_COPULAS:
                raise TypeError(
                    f"{name} is an argument of SDV's copulas. Leave it out: a fit here learns each "
                    "column's distribution as counts, within the privacy budget."
                )
            if name not in known:
                meant = near(name, known) or f' Its arguments are {", ".join(known)}.'
                raise TypeError(f'PreFairSynthesizer has no argument {name!r}.{meant}')
        constructor(*given, **named)

    return cast(Constructor, constructed)


def check_amounts(
    epsilon: float | Risk,
    delta: float,
    numeric_bins: int,
    max_rows_per_person: int,
    seed: int | None,
) -> None:
    """Raise for an argument that is not a number, or is out of range."""
    check_epsilon_delta(1.0 if isinstance(epsilon, Risk) else epsilon, delta)
    check_whole_number('numeric_bins', numeric_bins, 2)
    check_whole_number('max_rows_per_person', max_rows_per_person, 1, MOST_ROWS_PER_PERSON)
    check_seed(seed)


def check_choices(
    budget: str,
    estimator: str,
    public_ranges: bool | None,
    verbose: bool,
    discretization: str,
    unlabelled: str | None,
) -> None:
    """Raise for an argument that is not one of its choices."""
    resolve_budget(budget)
    check_choice('estimator', estimator, ESTIMATORS)
    check_choice('public_ranges', public_ranges, (None, True, False))
    check_choice('verbose', verbose, (True, False))
    check_choice('discretization', discretization, CHOICES)
    check_choice('unlabelled', unlabelled, UNLABELLED_CHOICES)


def first_plan(
    metadata: Metadata,
    promise: Promise,
    person_column: str | None,
    other: str | Mapping[str, Any] | None,
) -> ConstraintPlan:
    """Return the plan of a table without constraints; raise if its columns do not fit the roles.

    Args:
        metadata: The metadata of the table.
        promise: Roles and mechanism.
        person_column: Identifies persons, if given.
        other: What replaces values that have no code of their own.
    """
    table = single_table(metadata)
    columns, modelled = list(table.columns), modelled_columns(table)
    check_modelled(modelled)
    check_roles(promise.roles, promise.mechanism, columns, set(modelled))
    check_person_column(person_column, columns, set(modelled))
    promise.check_declared(modelled, promise.roles)
    domains = name_others(public_domain(table, promise.public_ranges), other)
    return ConstraintPlan.without_constraints(metadata, domains)


def resolve_statements(roles: Roles, fairness: object) -> Statements:
    """Return the fairness guarantee: roles, or the statements of ``fairness=``.

    A single statement with a conditioning set is equivalent to roles, and returned as such.

    Args:
        roles: Those of the arguments ``protected``, ``admissible`` and ``outcome``.
        fairness: A statement, a list of statements, ``Statements``, or None.

    Raises:
        RolesError: If both are given, or ``fairness`` is something else.
    """
    if fairness is None:
        return roles
    if roles:
        raise RolesError(
            'fairness is given together with protected, admissible and outcome, which are short '
            'for one statement. Use one of the two: justifiable(protected, admissible, outcome) '
            'turns the lists into a statement.'
        )
    return as_statements(fairness)


def warn_of_forced(statements: Statements) -> None:
    """Warn if the statements together imply more than each of them says."""
    found = forced(statements)
    if found:
        cautions.warn_of_forced([one.consequence for one in found])


def check_whole_number(name: str, value: object, least: int, most: int | None = None) -> None:
    """Raise unless ``value`` is an integer of at least ``least``, and at most ``most``."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise SynthesizerInputError(
            f'{name} ({shown(value)}) must be an integer of at least {least}.'
        )
    if most is not None and value > most:
        raise SynthesizerInputError(f'{name} ({shown(value)}) must be at most {most}.')


def check_choice(name: str, value: object, choices: Iterable[object]) -> None:
    """Raise unless ``value`` is one of ``choices``."""
    if not any(value is choice or value == choice for choice in choices):
        raise SynthesizerInputError(
            f'{name} ({shown(value)}) must be one of {", ".join(map(repr, choices))}.'
            f'{near(value, choices)}'
        )


def check_seed(seed: object) -> None:
    """Raise unless ``seed`` is None or a non-negative integer."""
    if seed is not None:
        check_whole_number('seed', seed, 0)


def agreed_roles(metadata: Metadata, given: Statements) -> Statements:
    """Return the guarantee of the arguments, or of the metadata; raise if they differ.

    Args:
        metadata: The metadata of the table.
        given: The guarantee given as arguments; empty if none was.
    """
    kept = metadata.get_fairness() if isinstance(metadata, FairMetadata) else Roles()
    if not (kept and given):
        return given or kept
    if not (isinstance(kept, Roles) and isinstance(given, Roles)) and kept != given:
        raise RolesError(
            'The arguments and the metadata disagree on the fairness statements. Leave the '
            'arguments out to take those of the metadata, or change these with set_fairness.'
        )
    named = dict.fromkeys(kept.columns() + given.columns())
    differ = [column for column in named if kept.of(column) != given.of(column)]
    if differ:
        raise RolesError(
            f'The arguments and the metadata disagree on the roles of {differ}. Leave the '
            'arguments out to take the roles of the metadata, or change those with set_roles.'
        )
    return given


def resolve_structure(structure: Any, has_roles: bool) -> tuple[Any, Any]:
    """Return the structure that was asked for, and what it denotes with roles or without.

    If none is named, roles are needed: forgetting them must not yield a model without fairness.
    """
    if structure is None:
        return DEFAULT_STRUCTURE, DEFAULT_STRUCTURE
    return structure, structure if has_roles else without_roles(structure)


def check_roles(
    roles: Statements, mechanism: Mechanism, columns: Collection[str], modelled: set[str]
) -> None:
    """Raise unless the roles name modelled columns, and are given where they are needed.

    Args:
        roles: The user's roles.
        mechanism: The structure; it declares whether it needs roles.
        columns: All columns of the metadata.
        modelled: Those that are modelled.
    """
    if mechanism.requires_roles and not roles:
        raise RolesError(
            'protected, admissible and outcome must each name at least one column, for example '
            "protected=['sex'], admissible=['education'], outcome=['income']. For a private "
            "synthesizer without a fairness guarantee ask for structure='planned', or for a "
            "tree with structure='none'."
        )
    check_modelled_roles(roles, columns, modelled)


def check_person_column(
    person_column: str | None, columns: Collection[str], modelled: set[str]
) -> None:
    """Raise unless the person column exists and is not modelled."""
    if person_column is None:
        return
    if not isinstance(person_column, str) or person_column not in set(columns):
        raise SynthesizerInputError(
            f'person_column ({shown(person_column)}) is not a column of the metadata. Name the '
            'key or id column that identifies persons, or leave it out.'
            f'{near(person_column, columns)}'
        )
    if person_column in modelled:
        raise SynthesizerInputError(
            f"person_column ('{person_column}') would be modelled. Declare it as a key or with "
            "sdtype 'id' in the metadata: who a row belongs to is never learnt."
        )


def check_modelled(modelled: Iterable[str]) -> None:
    """Raise if there is nothing to learn."""
    if not list(modelled):
        raise StructureError(
            'The metadata has no column to model: all are keys, ids, personal (pii) or unknown. '
            "Give one a statistical sdtype such as 'categorical'."
        )


def declares_ranges(domains: Mapping[str, ColumnDomain]) -> bool:
    """Whether the metadata declares anything about values that could come from the data."""
    return any(
        not isinstance(domain, Undeclared) and not getattr(domain, 'complete', False)
        for domain in domains.values()
    )


def says_ranges(metadata: Metadata) -> bool:
    """Whether metadata alone declares anything about values that could come from the data."""
    return declares_ranges(public_domain(metadata, public_ranges=True))


def are_public(public_ranges: bool | None, domain: Domain | None) -> bool:
    """Whether declared ranges are public; if only those in ``domain`` are, no others are left."""
    return public_ranges is not False or domain is not None


def check_spikes(spikes: object, domains: Mapping[str, ColumnDomain]) -> None:
    """Raise unless spikes are values of numerical and datetime columns, within their ranges.

    Args:
        spikes: The user's spikes.
        domains: The public domains of the modelled columns.
    """
    if spikes is None:
        return
    if not isinstance(spikes, Mapping):
        raise SynthesizerInputError(
            "spikes must be a dictionary from columns to lists of values, as in {'gain': [0]}."
        )
    for column, values in spikes.items():
        domain = domains.get(column)
        if domain is None or isinstance(domain, Categories) or _is_undeclared_list(domain):
            raise SynthesizerInputError(
                f"spikes names '{column}', which is not a modelled numerical or datetime column. "
                f'Correct the name, or take it out.{near(column, domains)}'
            )
        if not isinstance(values, list | tuple):
            raise SynthesizerInputError(
                f"spikes of '{column}' must be a list of values, as in {{'{column}': [0]}}."
            )
        for value in values:
            _check_spike(column, value, domain)


def _is_undeclared_list(domain: ColumnDomain) -> bool:
    return isinstance(domain, Undeclared) and domain.kind == 'categories'


def _check_spike(column: str, value: object, domain: ColumnDomain) -> None:
    is_number = isinstance(domain, Numbers) or getattr(domain, 'kind', None) == 'numbers'
    written: str | None = getattr(domain, 'datetime_format', None)
    try:
        spike: Any = (
            as_number(value, 'a spike') if is_number else as_timestamp(value, written, 'a spike')
        )
        inside = not isinstance(domain, Numbers | Datetimes) or domain.low <= spike <= domain.high
    except DomainError as error:
        raise SynthesizerInputError(f"spikes of '{column}': {error}") from None
    except TypeError:
        inside = False
    if not inside:
        raise SynthesizerInputError(
            f"spikes of '{column}' lists {shown(value)}, which is outside the range that the "
            'metadata declares. Take it out, or widen the range.'
        )
