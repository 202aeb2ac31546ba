"""The command ``fit``: from a file to a release, and what to print about it."""

import argparse
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sdv.metadata import Metadata

from sdv_prefair._users_line import users_line
from sdv_prefair.cli._options import metadata_and_roles
from sdv_prefair.cli._policy import check_policy
from sdv_prefair.cli._table_files import check_table, is_parquet
from sdv_prefair.counting._csv import CsvFiles
from sdv_prefair.errors import PrivacyWarning, RolesError
from sdv_prefair.fairness._statements import Independent, Statements
from sdv_prefair.fitting._cautions import RANGES_ARE_TAKEN_AS_PUBLIC
from sdv_prefair.privacy import risk
from sdv_prefair.privacy._curve_words import guess_in_words
from sdv_prefair.release._columns_record import MOST_BINS
from sdv_prefair.roles import Roles
from sdv_prefair.selection._catalogue import ANY_RULE
from sdv_prefair.synthesizer import PreFairSynthesizer


def fit_release(options: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Fit a synthesizer to a file, write the release, and return what to say, as lines too."""
    metadata, roles = metadata_and_roles(options)
    check_table(options.data)
    check_promise('fit', options, roles)
    if options.numeric_bins > MOST_BINS:
        raise ValueError(f'--numeric-bins must be at most {MOST_BINS}, which a release can hold.')
    synthesizer = _make_synthesizer(options, metadata, roles)
    within = check_policy(options, synthesizer)
    _fit_file(synthesizer, options.data, metadata, not options.unchecked)
    lines = [*_summary(synthesizer, options, roles), *within]
    synthesizer.save_release(options.out)
    ledger = synthesizer.get_privacy_ledger()
    told = {
        'release': str(options.out),
        'sha256': synthesizer.get_release_digest(),
        'promise': ledger.attrs,
        'rho_by_step': ledger.groupby('step', sort=False)['rho'].sum().to_dict(),
        'fairness': []
        if options.structure == 'none'
        else [str(statement) for statement in roles.statements],
        'policy': within,
    }
    return told, lines


def check_promise(command: str, options: argparse.Namespace, roles: Statements) -> None:
    """Raise if a command needs roles and has none, naming options instead of arguments."""
    if not roles and options.structure not in (*ANY_RULE, 'none'):
        raise RolesError(
            f'{command} needs roles. Write "role" keys into the metadata file, or give '
            '--protected, --admissible and --outcome; or --structure planned for no fairness.'
        )


def _make_synthesizer(
    options: argparse.Namespace, metadata: Metadata, roles: Statements
) -> PreFairSynthesizer:
    public_ranges = None
    if options.ranges_are_public or options.learn_ranges:
        public_ranges = options.ranges_are_public
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        synthesizer = PreFairSynthesizer(
            metadata,
            epsilon=risk(guess=options.max_guess) if options.max_guess else options.epsilon,
            delta=options.delta,
            structure=options.structure,
            budget=options.budget,
            numeric_bins=options.numeric_bins,
            discretization=options.discretization,
            other=options.other,
            look_for_copies=not options.no_look_for_copies,
            public_ranges=public_ranges,
            person_column=options.person_column,
            max_rows_per_person=options.max_rows_per_person,
            verbose=not options.quiet,
            **promised(roles),
        )
    for one in caught:
        _hand_on(one)
    return synthesizer


def _hand_on(caught: warnings.WarningMessage) -> None:
    """Repeat the synthesizer's warnings; the one on ranges names options."""
    if str(caught.message) != RANGES_ARE_TAKEN_AS_PUBLIC:
        warnings.warn_explicit(caught.message, caught.category, caught.filename, caught.lineno)
        return
    warnings.warn(
        'The ranges in the metadata are treated as public knowledge. If SDV detected them from '
        'the data, they are not: pass --learn-ranges, or --ranges-are-public once they are '
        'written by hand.',
        PrivacyWarning,
        stacklevel=users_line(),
    )


def promised(roles: Statements) -> dict[str, Any]:
    """Return the arguments of the synthesizer for this guarantee."""
    return roles.as_dict() if isinstance(roles, Roles) else {'fairness': list(roles.statements)}


def _fit_file(synthesizer: PreFairSynthesizer, path: Path, metadata: Metadata, check: bool) -> None:
    if not is_parquet(path):
        (table,) = metadata.tables.values()
        CsvFiles([path], table.columns)  # which says in other words what is wrong with a file
    synthesizer.fit_table(path, check=check)


def _summary(
    synthesizer: PreFairSynthesizer, options: argparse.Namespace, roles: Statements
) -> Iterator[str]:
    ledger = synthesizer.get_privacy_ledger()
    yield (
        f'Written to {options.out}. Spent epsilon = {ledger.attrs["epsilon"]:g}, '
        f'delta = {options.delta:g}.'
    )
    yield guess_in_words(synthesizer.privacy_curve())
    yield 'Where the budget went:'
    for step, rho in ledger.groupby('step', sort=False)['rho'].sum().items():
        yield f'  {step:<28} {rho / ledger.attrs["rho"]:4.0%}'
    if roles and options.structure == 'none':
        yield "structure 'none': not fair."
    elif roles:
        yield from map(_promise, roles.statements)


def _promise(statement: Independent) -> str:
    given = f' given {_listed(statement.given)}' if statement.given else ''
    return f'{_listed(statement.right)} is independent of {_listed(statement.left)}{given}.'


def _listed(names: Sequence[str]) -> str:
    """Return names separated by commas, in quotation marks if one contains a comma."""
    are_plain = not any(',' in name or name != name.strip() for name in names)
    return ', '.join(names if are_plain else [f"'{name}'" for name in names])
