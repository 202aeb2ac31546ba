"""The command ``fit``: from a file to a release, and what to print about it."""

import argparse
import datetime
import json
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from sdv.metadata import Metadata

from sdv_prefair._metadata_files import load_lists, load_metadata
from sdv_prefair._users_line import users_line
from sdv_prefair.before_fit import FitPlan
from sdv_prefair.cli._opened_release import open_file
from sdv_prefair.cli._table_files import check_table, is_parquet
from sdv_prefair.counting._csv import CsvFiles
from sdv_prefair.errors import BudgetError, PrivacyWarning, RolesError, shown
from sdv_prefair.fairness._statements import Independent, Statements
from sdv_prefair.fitting._cautions import RANGES_ARE_TAKEN_AS_PUBLIC
from sdv_prefair.privacy import risk
from sdv_prefair.privacy._curve import guess_in_words
from sdv_prefair.release._columns_record import MOST_BINS
from sdv_prefair.roles import Roles
from sdv_prefair.selection._catalogue import ANY_RULE
from sdv_prefair.synthesizer import PreFairSynthesizer

# -- From options to metadata with roles, and to an output path ------------------------------------
#
# All of it is checked before any row is read or any budget is spent.


def metadata_alone(path: Path) -> Metadata:
    """Return the metadata of a file, with any roles or statements in it."""
    metadata, _ = load_lists(path)
    _check_one_table(metadata, path)
    return metadata


def metadata_and_lists(options: argparse.Namespace) -> tuple[Metadata, dict[str, list[str]]]:
    """Return the metadata and the roles as lists, some of which may still be empty."""
    metadata, lists = load_lists(options.metadata)
    _check_one_table(metadata, options.metadata)
    given = {role: getattr(options, role) for role in lists}
    return metadata, {r: lists[r] if names is None else names for r, names in given.items()}


def _check_one_table(metadata: Metadata, path: Path) -> None:
    if len(metadata.tables) != 1:
        raise ValueError(
            f"'{path}' must describe one table, not {len(metadata.tables)}. Give each "
            'table a file, and fit one table at a time.'
        )


def metadata_and_roles(options: argparse.Namespace) -> tuple[Metadata, Statements]:
    """Return the metadata of ``--metadata``, with roles or statements that options may replace."""
    metadata, roles = load_metadata(options.metadata)
    _check_one_table(metadata, options.metadata)
    given = {role: getattr(options, role) for role in ('protected', 'admissible', 'outcome')}
    named = {role: names for role, names in given.items() if names is not None}
    if options.fairness and named:
        raise RolesError(
            'Give --fairness, or --protected, --admissible and --outcome, which are the short form '
            'of one statement; not both.'
        )
    if options.fairness:
        return metadata, Statements(Independent(*statement) for statement in options.fairness)
    if named:
        known = roles.as_dict() if isinstance(roles, Roles) else {}
        roles = Roles(**(known | named))
    return metadata, roles


def check_output(
    path: Path,
    endings: Sequence[str],
    inputs: Iterable[Path | None],
    keep: bool = False,
    flag: str = '--out',
) -> None:
    """Raise unless the command can write to the path.

    Args:
        path: What was given.
        endings: How its name may end, in upper or lower case.
        inputs: What the command reads, which must not be replaced; ``None`` for what is not given.
        keep: Whether an existing file must not be replaced.
        flag: The option that it was given with.
    """
    if path.suffix.lower() not in endings:
        raise ValueError(f"{flag} '{path}' must end in {' or '.join(endings)}.")
    if any(_is_same(path, given) for given in inputs if given is not None):
        raise ValueError(
            f"{flag} '{path}' is a file that the command reads. Give another, which may be "
            'replaced.'
        )
    if path.exists() and not path.is_file():
        raise ValueError(f"{flag} '{path}' exists and is not a file. Give the path of a file.")
    if keep and path.exists():
        raise ValueError(
            f"{flag} '{path}' is there already, and may hold your work. Give another, or remove it."
        )
    check_folder(path.parent)


def check_new_folder(path: Path) -> None:
    """Raise unless the folder exists, or can be created with its parents."""
    while not path.exists() and path != path.parent:
        path = path.parent
    if not path.is_dir():
        raise ValueError(f"--out '{path}' is a file. Give a folder to write to.")
    check_folder(path)


def check_folder(folder: Path) -> None:
    """Raise unless a file can be written to the folder; permission bits do not suffice."""
    if not folder.is_dir():
        raise FileNotFoundError(
            f"There is no folder '{folder}' to write to. Make it, or correct --out."
        )
    try:
        with TemporaryFile(dir=folder):
            pass
    except OSError:
        raise PermissionError(
            f"Nothing can be written to the folder '{folder}'. Correct --out, or the rights to it."
        ) from None


def _is_same(path: Path, other: Path) -> bool:
    return path.exists() and other.exists() and path.samefile(other)


# -- How much may be spent on people in all: ``--max-epsilon``, and ``--policy`` with a file -------
#
# The evidence are the accounts of earlier releases, which list every attempt to fit.


_LIMITS = {
    'table': 'people in one table',
    'person': 'people in every table',
    'year': 'people in every table of this year',
}
_RELEASES = 'releases'


def check_policy(options: argparse.Namespace, synthesizer: PreFairSynthesizer) -> list[str]:
    """Raise before a fit that would spend more than is allowed; return what it will have spent.

    Args:
        options: Those of ``fit``.
        synthesizer: What will be fitted.
    """
    policy = {} if options.policy is None else _read(options.policy)
    limits = {name: policy[name] for name in _LIMITS if name in policy}
    if options.max_epsilon is not None:
        limits['person'] = min(options.max_epsilon, limits.get('person', options.max_epsilon))
    if not limits:
        return []
    earlier = list(_earlier(options.policy, policy.get(_RELEASES, [])))
    (table,), year = synthesizer.get_metadata().tables, datetime.datetime.today().year
    counted = {
        'table': [one for one in earlier if one.fitted.settings.table_name == table],
        'person': earlier,
        'year': [one for one in earlier if one.fitted.provenance.date.startswith(f'{year}-')],
    }
    return [_kept(name, limit, synthesizer, counted[name]) for name, limit in limits.items()]


def _kept(
    name: str, limit: float, synthesizer: PreFairSynthesizer, earlier: Sequence[PreFairSynthesizer]
) -> str:
    total = synthesizer.total_epsilon(*earlier)
    told = f'{_LIMITS[name]}: epsilon {total:.4g} of {limit:g}, with {len(earlier)} earlier release'
    told += '' if len(earlier) == 1 else 's'
    if total > limit * (1 + 1e-9):
        raise BudgetError(
            f'This fit is past the policy for {told}. No row was read. Lower --epsilon, or ask '
            'whoever made the policy.'
        )
    return f'Within the policy for {told}.'


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise FileNotFoundError(f"There is no file '{path}'. Give a JSON file with a policy.")
    try:
        policy = json.loads(path.read_text(encoding='utf-8'))
    except ValueError as error:
        raise ValueError(f"'{path}' cannot be read. Give a JSON file, in UTF-8.") from error
    is_object = isinstance(policy, dict)
    unknown = [key for key in policy if key not in (*_LIMITS, _RELEASES)] if is_object else ['']
    if unknown:
        raise ValueError(
            f"'{path}' must be a JSON object with some of {', '.join(_LIMITS)}, each an epsilon, "
            f'and {_RELEASES}, a list of files or folders.'
        )
    _check(path, policy)
    return dict(policy)


def _check(path: Path, policy: dict[str, Any]) -> None:
    for name, limit in policy.items():
        is_number = isinstance(limit, int | float) and not isinstance(limit, bool)
        if name != _RELEASES and not (is_number and limit > 0):
            raise ValueError(f"{name} ({shown(limit)}) in '{path}' must be an epsilon above 0.")
    releases = policy.get(_RELEASES, [])
    if not isinstance(releases, list) or not all(isinstance(one, str) for one in releases):
        raise ValueError(
            f"{_RELEASES} ({shown(releases)}) in '{path}' must be a list of files or folders."
        )


def _earlier(policy: Path | None, releases: Sequence[str]) -> Iterator[PreFairSynthesizer]:
    """Yield the releases that count, those of a folder too; paths are relative to the policy."""
    for name in releases:
        path = (policy or Path()).parent / name
        if not path.exists():
            raise FileNotFoundError(
                f"There is no '{path}', which '{policy}' counts as an earlier release. Put it "
                'back, or correct the policy.'
            )
        for file in sorted(path.glob('*.prefair')) if path.is_dir() else [path]:
            yield open_file(file)


# -- The command ``fit``: from a file to a release, and what to print about it ---------------------


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


# -- The command ``plan``: how much noise a fit will have, before any row is read ------------------


def plan_of(options: argparse.Namespace) -> FitPlan:
    """Return the plan of a fit with these options."""
    metadata, roles = metadata_and_roles(options)
    check_promise('plan', options, roles)
    with warnings.catch_warnings():
        # Nothing is released, so no warning about ranges; a fit will give it.
        warnings.simplefilter('ignore')
        synthesizer = PreFairSynthesizer(
            metadata,
            epsilon=risk(guess=options.max_guess) if options.max_guess else min(options.epsilon),
            delta=options.delta,
            structure=options.structure,
            budget=options.budget,
            numeric_bins=options.numeric_bins,
            discretization=options.discretization,
            public_ranges=not options.learn_ranges,
            max_rows_per_person=options.max_rows_per_person,
            **promised(roles),
        )
    several = options.epsilon if len(options.epsilon) > 1 and not options.max_guess else None
    return synthesizer.plan(options.rows, several)
